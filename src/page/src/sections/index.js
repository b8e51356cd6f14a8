// Many devices as one table: search, groups, order, and a link to the page of each.
import { h, replace } from "../dom.js";
import { groupedBy } from "../tables.js";
import { count } from "../units.js";

const textOf = (cell) => (Array.isArray(cell) ? cell[1] : cell ?? "");
const byText = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

// What the documents do not say stands last, whatever the order.
function compare(a, b, sign) {
    if (a === null || b === null) return (a === null) - (b === null);
    return sign * (Array.isArray(a) ? a[0] - b[0] || byText.compare(a[1], b[1]) : byText.compare(a, b));
}

const kGroups = ["vendor", "driver", "api", "kind", "verdict"];

export function indexSection({ columns, rows: cells }) {
    const rows = cells.map((each, device) => ({ device, cells: each, text: each.map(textOf).join(" ").toLowerCase() }));
    const state = { words: [], group: "", column: 0, sign: 1 };
    const said = h("p", { class: "note", role: "status" });
    const table = h("table", { class: "index" }, h("caption", { class: "unseen" }, "Devices; a heading's button sorts by its column"));
    const head = columns.map((column, i) => h("th", { scope: "col", class: column.number ? "number" : null }, h("button", { type: "button", click: () => {
        state.sign = state.column === i ? -state.sign : 1;
        state.column = i;
        draw();
    } }, column.name)));
    table.append(h("thead", null, h("tr", null, head)));

    function rowOf({ device, cells: each }) {
        const row = document.createElement("tr");
        each.forEach((cell, i) => {
            const place = document.createElement(i === 0 ? "th" : "td");
            if (i === 0) {
                place.scope = "row";
                const link = document.createElement("a");
                link.href = `?device=${device}`;
                link.textContent = textOf(cell);
                place.append(link);
            } else {
                if (columns[i].number) place.className = "number";
                place.textContent = textOf(cell);
            }
            row.append(place);
        });
        return row;
    }

    function draw() {
        head.forEach((cell, i) => {
            if (i === state.column) cell.setAttribute("aria-sort", state.sign > 0 ? "ascending" : "descending");
            else cell.removeAttribute("aria-sort");
        });
        const found = rows.filter((row) => state.words.every((word) => row.text.includes(word)))
            .sort((a, b) => compare(a.cells[state.column], b.cells[state.column], state.sign) || a.device - b.device);
        replace(said, found.length === rows.length ? count(rows.length, "device") : `${found.length} of ${count(rows.length, "device")}`);
        [...table.tBodies].forEach((body) => body.remove());
        const column = columns.findIndex((each) => each.id === state.group);
        const groups = groupedBy(found, (row) => (column < 0 ? "" : textOf(row.cells[column]) || "not told"));
        for (const [name, members] of [...groups].sort(([a], [b]) => byText.compare(a, b))) {
            const body = document.createElement("tbody");
            if (column >= 0) body.append(h("tr", { class: "group-row" }, h("th", { scope: "rowgroup", colspan: columns.length }, `${name}: ${count(members.length, "device")}`)));
            members.forEach((row) => body.append(rowOf(row)));
            table.append(body);
        }
    }

    const search = h("input", { type: "search", placeholder: "radeon 25.0, wrong, not validated ...", input: () => {
        state.words = search.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
        draw();
    } });
    const group = h("select", { change: () => { state.group = group.value; draw(); } }, h("option", { value: "" }, "nothing"),
        columns.filter((column) => kGroups.includes(column.id)).map((column) => h("option", { value: column.id }, column.name.toLowerCase())));
    draw();
    return h("section", { id: "index", "aria-labelledby": "index-title" }, h("h2", { id: "index-title", class: "unseen" }, "The devices"),
        h("div", { class: "controls-bar" }, h("div", { class: "controls" },
            h("label", null, h("span", null, "Find devices"), search), h("label", null, h("span", null, "Group by"), group))), said,
        h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Devices" }, table));
}
