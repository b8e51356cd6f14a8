// Raw data in the form of the memory article's data sets (docs/glossary.md): size, alignment, storage.
import { csvText, download } from "../csv.js";
import { h } from "../dom.js";

// id -> { csv }, for tests.
export const rawTables = new Map();

export function rawExport(kind, devices, rows) {
    return h("p", { class: "raw" }, `Raw data in the memory article's form (size, alignment, storage), ${kind}: `, devices.map((device) => {
        const id = `raw-${kind}-${device.index}`;
        const csv = () => csvText({ columns: ["size", "alignment", "storage"], rows: rows(device) });
        rawTables.set(id, { csv });
        return h("button", { type: "button", class: "quiet", click: () => download(`${id}.csv`, csv()) }, device.label);
    }));
}
