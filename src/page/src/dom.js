// Elements. Strings only ever become text nodes, so that what a report says cannot become markup.

// h("p", { class: "note" }, "text", child, ...): attributes that are functions are event listeners; null and false
// children are left out.
export const h = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);

// The same of a drawing.
export const svg = (name, attributes, ...children) => fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

function fill(element, attributes, children) {
    for (const [key, value] of Object.entries(attributes ?? {})) {
        if (value === null || value === undefined || value === false) continue;
        if (typeof value === "function") element.addEventListener(key, value);
        else element.setAttribute(key, value === true ? "" : String(value));
    }
    append(element, children);
    return element;
}

// An option of a command, "--target" or "-o": a line does not break at its hyphens.
const kOption = /(?<![\w-])(--?[a-z][\w-]*)/;

export function append(element, children) {
    for (const child of children.flat(Infinity)) {
        if (child === null || child === undefined || child === false) continue;
        if (child instanceof Node) element.append(child);
        else if (element instanceof HTMLElement) element.append(...String(child).split(kOption).map((part, i) => (i % 2 ? h("span", { class: "option" }, document.createTextNode(part)) : part)));
        else element.append(String(child));
    }
}

export function replace(element, ...children) {
    element.textContent = "";
    append(element, children);
}

// A table with its caption; columns: { name, number? }, rows: arrays of strings, numbers or elements. It scrolls by
// itself where it is too wide, so the page never does.
export function dataTable(caption, columns, rows, attributes) {
    const cell = (column, value) => h("td", { class: column.number ? "number" : null }, value);
    return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
        h("table", attributes,
            h("caption", null, caption),
            h("thead", null, h("tr", null,
                columns.map((column) => h("th", { scope: "col", class: column.number ? "number" : null }, column.name)))),
            h("tbody", null, rows.map((row) => h("tr", null,
                row.map((value, i) => i === 0
                    ? h("th", { scope: "row", class: columns[0].number ? "number" : null }, value)
                    : cell(columns[i], value)))))));
}

// name: value pairs.
export function facts(pairs) {
    return h("dl", { class: "facts" }, pairs.filter(Boolean).map(([name, value]) =>
        h("div", null, h("dt", null, name), h("dd", null, value))));
}

let ids = 0;
export const freshId = (prefix) => `${prefix}-${++ids}`;
