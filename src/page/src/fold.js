// What is folded: a summary that says what is within, and the rest once it is opened.
import { h } from "./dom.js";

// A section's title becomes the summary of all that follows it, beside what is found there.
export function fold(section, result) {
    const [title, ...rest] = section.children;
    const details = h("details", { class: "fold" }, h("summary", null, title, result ? [" ", h("span", { class: "result" }, result)] : null), rest);
    section.append(details);
    return section;
}

// Opens every fold that an element stands in, and the one that it is.
export function unfold(element) {
    element.querySelector(":scope > details.fold")?.setAttribute("open", "");
    for (let each = element.closest("details"); each; each = each.parentElement.closest("details")) each.open = true;
}

export const setFolds = (open) => document.querySelectorAll("details.fold").forEach((each) => { each.open = open; });
