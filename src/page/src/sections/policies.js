// Policies side by side: a row a figure, a column a policy. What differs is marked; heapwright found it.
import { h, replace } from "../dom.js";
import { count } from "../units.js";

export function policiesSection(policies) {
    if (!policies) return null;
    const state = { all: false, text: "" };
    const body = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Policies side by side" });
    const said = h("p", { class: "note", role: "status" });
    const differing = policies.rows.filter((row) => row.differs).length;

    function draw() {
        const wanted = policies.rows.filter((row) => (state.all || row.differs) && matches(row));
        const groups = [...new Set(wanted.map((row) => row.group))];
        replace(said, `${count(wanted.length, "row")} of ${policies.rows.length}; ${differing} differ.`);
        replace(body, h("table", { class: "side-by-side" },
            h("caption", null, state.all ? "Every figure of the policies" : "What differs between the policies"),
            h("thead", null, h("tr", null, h("th", { scope: "col" }, "Figure"), policies.policies.map((name, i) =>
                h("th", { scope: "col" }, name, h("code", { class: "under" }, policies.files[i]))))),
            groups.map((group) => h("tbody", null,
                h("tr", { class: "group-row" }, h("th", { scope: "rowgroup", colspan: policies.policies.length + 1 }, group)),
                wanted.filter((row) => row.group === group).map((row) => h("tr", { class: row.differs ? "differs" : null },
                    h("th", { scope: "row" }, row.name, row.differs ? h("span", { class: "unseen" }, " (differs)") : null),
                    row.cells.map((cell) => h("td", { class: [cell ? "" : "lacking", row.differs && cell !== row.cells[0] ? "other" : ""].join(" ").trim() || null }, cell || "none"))))))));
    }
    const matches = (row) => !state.text || [row.group, row.name, ...row.cells].some((each) => each.toLowerCase().includes(state.text));
    const all = h("button", { type: "button", class: "quiet", "aria-pressed": "false", click: () => {
        state.all = !state.all;
        all.setAttribute("aria-pressed", String(state.all));
        draw();
    } }, "Also what is the same");
    const search = h("input", { type: "search", placeholder: "chunk, ring, 64 MiB ...", input: () => { state.text = search.value.trim().toLowerCase(); draw(); } });
    draw();
    return h("section", { id: "policies", "aria-labelledby": "policies-title" }, h("h2", { id: "policies-title" }, "The policies side by side"),
        h("div", { class: "controls-bar" }, h("div", { class: "controls" }, h("label", null, h("span", null, "Find a figure"), search), all)), said, body);
}
