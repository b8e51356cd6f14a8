// Raw data in the form of the memory article's data sets (docs/glossary.md): size, alignment, storage.
import { csvText, download } from "../csv.js";
import { h } from "../dom.js";

// id -> { csv }, for tests.
export const rawTables = new Map();

// A button that saves what `data` gives under a name.
export function saveButton(name, text, data) {
    const csv = () => csvText(data());
    rawTables.set(name, { csv });
    return h("button", { type: "button", class: "quiet", click: () => download(`${name}.csv`, csv()) }, text);
}

export function rawExport(kind, devices, rows) {
    return h("p", { class: "raw" }, `Raw data in the memory article's form (size, alignment, storage), ${kind}: `, devices.map((device) =>
        saveButton(`raw-${kind}-${device.index}`, device.label,
            () => ({ columns: ["size", "alignment", "storage"], rows: rows(device) }))));
}
