// Builds the page from the documents that `heapwright report` put into it.
import { charts, deviceLegend, hidden, isShown, onUpdate, startAll, swatchOf, toggle } from "./chart.js";
import { collectDevices } from "./devices.js";
import { h, replace } from "./dom.js";
import { buffersSection } from "./sections/buffers.js";
import { comparisonSection } from "./sections/comparison.js";
import { costSection } from "./sections/cost.js";
import { devicesSection } from "./sections/devices.js";
import { documentsSection } from "./sections/documents.js";
import { enginesSection } from "./sections/engines.js";
import { imagesSection } from "./sections/images.js";
import { rawTables } from "./sections/raw.js";
import { memorySection } from "./sections/memory.js";
import { policySection } from "./sections/policy.js";
import { validationSection, verdictSection } from "./sections/validation.js";
import { chooseTheme, colours, isDark, onThemeChange } from "./theme.js";
import { count, list } from "./units.js";

const kNavigation = { verdict: "Verdict", comparison: "Comparison", devices: "Devices", memory: "Memory map", images: "Images", buffers: "Buffers", cost: "Cost of memory", engines: "Engines",
    policy: "Policy", validation: "At work", documents: "Documents" };

function themeButton() {
    const button = h("button", { type: "button", class: "quiet", id: "theme", click: () => chooseTheme(isDark() ? "light" : "dark") });
    const name = () => replace(button, isDark() ? "Light" : "Dark");
    name();
    onThemeChange(name);
    return button;
}

// One line of buttons that switches devices on and off in every chart.
function deviceBar(devices) {
    if (devices.length < 2) return null;
    const bar = h("div", { class: "device-bar legend", role: "group", "aria-label": "Devices in every chart" });
    const draw = () => {
        const theme = colours();
        const focused = bar.contains(document.activeElement) ? document.activeElement.dataset.key : null;
        replace(bar, deviceLegend(devices).map((entry) => {
            return h("button", { type: "button", "data-key": entry.key, "aria-pressed": String(!hidden.has(entry.key)), click: () => toggle(entry.key) }, swatchOf(entry, theme), entry.name);
        }));
        if (focused) [...bar.children].find((button) => button.dataset.key === focused)?.focus();
    };
    draw();
    onUpdate(draw);
    onThemeChange(draw);
    return bar;
}

function headline(devices, documents) {
    const comparison = documents.some((each) => each.kind === "comparison");
    if (devices.length === 0) return "heapwright report";
    if (devices.length === 1) return devices[0].identity.name;
    return comparison ? "How the drivers differ" : `${count(devices.length, "driver")} side by side`;
}

function build({ tool, formats, devices: listed, documents }) {
    const devices = collectDevices(listed, documents);
    const failures = documents.filter((each) => each.kind === "report").flatMap((each) => each.document.failures);
    const title = headline(devices, documents);
    document.title = `${title} - heapwright`;
    const sections = [verdictSection(devices), comparisonSection(documents), devicesSection(devices, failures), memorySection(devices), imagesSection(devices, formats),
        buffersSection(devices), costSection(devices), enginesSection(devices), policySection(devices), validationSection(devices), documentsSection(documents, tool)].filter(Boolean);
    const kinds = [...new Set(documents.map((each) => each.kind))].map((kind) =>
        count(documents.filter((each) => each.kind === kind).length, kind, kind === "policy" ? "policies" : undefined));
    replace(document.getElementById("page"),
        h("header", { class: "top" },
            h("div", { class: "title" }, h("p", { class: "kicker" }, "heapwright"), h("h1", null, title),
                h("p", { class: "note" }, devices.length === 1 ? devices[0].label : list(devices.map((device) => device.label))),
                h("p", { class: "note" }, `Made from ${list(kinds)}.`)),
            h("div", { class: "actions" }, themeButton(), h("button", { type: "button", class: "quiet", click: () => print() }, "Print"))),
        h("div", { class: "sticky" }, h("nav", { "aria-label": "Sections" }, sections.map((section) => h("a", { href: `#${section.id}` }, section.id === "devices" && devices.length === 1 ? "Device" : kNavigation[section.id]))), deviceBar(devices)),
        h("main", { id: "content", tabindex: "-1" }, sections));
    startAll();
}

const data = JSON.parse(document.getElementById("heapwright-data").textContent);
window.heapwright = { data, charts, raw: rawTables, isShown };
if (data) build(data);
