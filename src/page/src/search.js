// Search within a block: lines that do not hold the text are hidden, and what holds one is opened.
import { h, replace } from "./dom.js";
import { count } from "./units.js";

// `lines` are the CSS selector of what is shown or hidden as a whole; `around` of what is hidden where nothing in it is
// left. Returns the label with its field.
export function searchField(block, { label, placeholder, lines, around }) {
    const said = h("span", { class: "note", role: "status" });
    const field = h("input", { type: "search", placeholder, input: () => find(), keydown: (event) => {
        if (event.key !== "Escape" || !field.value) return;
        field.value = "";
        find();
        event.preventDefault();
    } });
    function find() {
        const words = field.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
        let found = 0;
        // Inner lines stand within outer ones: a line is shown with all that it holds.
        for (const line of block.querySelectorAll(lines)) {
            // A heading above it is part of what a line says: "heap 0".
            const above = line.closest(".group")?.querySelector(":scope > h5, :scope > h6")?.textContent ?? "";
            const text = `${above} ${line.textContent}`.toLowerCase();
            const holds = words.every((word) => text.includes(word));
            line.hidden = !holds;
            found += holds ? 1 : 0;
        }
        for (const each of [...block.querySelectorAll(around)].reverse()) {
            each.hidden = words.length > 0 && !each.querySelector(lines.split(", ").map((line) => `${line}:not([hidden])`).join(", "));
            if (each.tagName === "DETAILS") each.open = words.length > 0 && !each.hidden;
        }
        replace(said, words.length ? count(found, "line") : "");
    }
    return h("label", { class: "search" }, h("span", null, label), field, said);
}
