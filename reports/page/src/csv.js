// Comma-separated values (RFC 4180), the same bytes as `heapwright report --csv` writes.
// A text that a spreadsheet would take for a formula gets an apostrophe before it.

function cell(value) {
    if (value === null || value === undefined) return "";
    if (typeof value !== "string") return String(value);
    const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export const csvText = ({ columns, rows }) =>
    [columns, ...rows].map((row) => row.map(cell).join(",") + "\n").join("");

export function download(name, text) {
    const url = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
    const link = document.createElement("a");
    link.href = url;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
}
