// The charts' data as heapwright computed it. A chart draws a table; it computes none.

let tables = {};
export function setTables(all) {
    tables = all ?? {};
}

export const tableOf = (name) => tables[name];

// Rows as { column: value }; none where there is no such table.
export function rowsOf(name) {
    const table = tables[name];
    if (!table) return [];
    return table.rows.map((row) => Object.fromEntries(table.columns.map((column, i) => [column, row[i]])));
}

// Rows by the value of a column, in the order of their first: [[value, rows]].
export function grouped(rows, column) {
    const groups = new Map();
    for (const row of rows) {
        if (!groups.has(row[column])) groups.set(row[column], []);
        groups.get(row[column]).push(row);
    }
    return [...groups];
}
