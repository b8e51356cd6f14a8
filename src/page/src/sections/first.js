// The first screen of each device: the verdict, three figures, two pictures, what is wrong with the driver, what to do
// next. heapwright computed all of it; here it is laid out.
import { dataTable, h } from "../dom.js";
import { pictures } from "./pictures.js";

const kDevices = 3;  // of a comparison, told at once
const kMarks = { good: "✓", warn: "!", bad: "✗" };
const mark = (standing) => (kMarks[standing] ? h("span", { class: `mark ${standing}`, "aria-hidden": "true" }, kMarks[standing]) : null);

const lines = (text) => text.split("; ").map((each) => h("span", null, each));

function figure({ name, note, value, beside, standing }) {
    const [amount, unit] = value.match(/^([\d.,]+)\s*(\D.*)$/)?.slice(1) ?? [value, ""];
    return h("div", { class: `figure ${standing}` }, h("dt", null, note ? `${name}, ${note}` : name),
        h("dd", { class: "amount" }, value ? [amount, unit && h("span", { class: "unit" }, unit === "%" ? unit : ` ${unit}`)] : h("span", { class: "unit" }, "not known")),
        h("dd", { class: "beside" }, lines(beside)));
}

function step({ text, command }) {
    if (!command) return h("li", null, text);
    const copy = h("button", { type: "button", class: "quiet copy", click: async () => {
        await navigator.clipboard?.writeText(command);
        copy.textContent = "Copied";
    } }, "Copy");
    copy.setAttribute("aria-label", `Copy: ${command}`);
    return h("li", null, text, h("div", { class: "command" }, h("code", null, command), copy));
}

function screen(device, alone) {
    const { first } = device;
    return h("div", { class: "first" },
        h("div", { class: `verdict ${first.standing}` }, h("p", { class: "headline" }, mark(first.standing), first.verdict), h("p", null, first.cause)),
        first.figures.length ? h("dl", { class: "figures" }, first.figures.map(figure)) : null,
        pictures(device),
        h("div", { class: "answers" },
            first.workload ? h("div", null, h(alone ? "h3" : "h4", null, `The policy, for ${first.workload}`),
                h("dl", { class: "pairs" }, first.policy.map(([name, value]) => h("div", null, h("dt", null, lines(name)), h("dd", null, value))))) : null,
            h("div", null, h(alone ? "h3" : "h4", null, "The driver"), h("p", { class: first.driver_standing }, mark(first.driver_standing), `${first.driver}.`),
                first.faults.length ? h("ul", null, first.faults.map((each) => h("li", null, each))) : null,
                h(alone ? "h3" : "h4", null, "Next"), h("ul", { class: "next" }, first.next.map(step)))));
}

// What each comparison found.
const verdicts = (documents) => documents.filter((each) => each.verdict).map(({ verdict: { standing, verdict, lines: each } }) =>
    h("div", { class: `verdict ${standing}` }, h("p", { class: "headline" }, mark(standing), verdict), each.slice(0, kDevices).map((line) => h("p", null, line)),
        each.length > kDevices ? h("p", null, `And ${each.length - kDevices} more below.`) : null));

// Several devices: a row each, and behind each name its screen.
function overview(devices) {
    const names = [...new Set(devices.flatMap((device) => device.first.figures.map((each) => each.name)))];
    const amount = (device, name) => device.first.figures.find((each) => each.name === name)?.value || "";
    return dataTable("Each device in a line", [{ name: "Device" }, { name: "Policy" }, ...names.map((name) => ({ name, number: true })), { name: "Driver" }],
        devices.map((device) => [device.label, h("span", null, mark(device.first.standing), device.first.verdict), ...names.map((name) => amount(device, name)),
            h("span", null, mark(device.first.driver_standing), device.first.driver)]));
}

export function firstSection(devices, documents, next) {
    const compared = verdicts(documents);
    if (devices.length === 0 && compared.length === 0) return null;
    const alone = devices.length === 1;
    return h("section", { id: "verdict", "aria-labelledby": "verdict-title" },
        h("h2", { id: "verdict-title", class: compared.length || alone ? "unseen" : null }, alone ? "At a glance" : "The devices at a glance"), compared,
        alone ? screen(devices[0], true) : [devices.length ? overview(devices) : null, next ? h("div", { class: "first" }, h("h3", null, "Next"), h("ul", { class: "next" }, step(next))) : null, devices.map((device) => h("details", { class: "fold device" }, h("summary", null, h("h3", null, device.label)), screen(device, false)))]);
}
