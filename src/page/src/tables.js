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

// Items by what `keyOf` says of each, in the order of their first: a map of lists.
export function groupedBy(items, keyOf) {
    const groups = new Map();
    for (const item of items) {
        const key = keyOf(item);
        if (!groups.has(key)) groups.set(key, []);
        groups.get(key).push(item);
    }
    return groups;
}

// Rows by the value of a column: [[value, rows]].
export const grouped = (rows, column) => [...groupedBy(rows, (row) => row[column])];
