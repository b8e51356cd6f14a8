// Comma-separated values (RFC 4180), the same bytes as `heapwright report --csv` writes.
// A text that a spreadsheet would take for a formula gets an apostrophe before it.

// The shortest digits that read back as the same number, with an exponent of at least two digits where the command line
// writes one.
function number(value) {
    const size = Math.abs(value);
    if (Number.isInteger(value) ? size < 1e16 : size >= 1e-4) return String(value);
    return value.toExponential().replace(/e([+-])(\d)$/, (_, sign, digit) => `e${sign}0${digit}`);
}

function cell(value) {
    if (value === null || value === undefined) return "";
    if (typeof value === "number") return number(value);
    if (Array.isArray(value)) return value[0];  // the digits of an integer that no double holds
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
