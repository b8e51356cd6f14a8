// Builds the page from the documents that `heapwright report` put into it.
import { charts, deviceLegend, hidden, isShown, onUpdate, startAll, startNear, swatchOf, toggle } from "./chart.js";
import { collectDevices } from "./devices.js";
import { h, replace } from "./dom.js";
import { fold, setFolds, unfold } from "./fold.js";
import { devicePage } from "./pages.js";
import { resultOf } from "./results.js";
import { buffersSection } from "./sections/buffers.js";
import { comparisonSection } from "./sections/comparison.js";
import { costSection } from "./sections/cost.js";
import { devicesSection } from "./sections/devices.js";
import { documentsSection } from "./sections/documents.js";
import { creationsSection } from "./sections/creations.js";
import { enginesSection } from "./sections/engines.js";
import { firstSection } from "./sections/first.js";
import { imagesSection } from "./sections/images.js";
import { indexSection } from "./sections/index.js";
import { rawTables } from "./sections/raw.js";
import { memorySection } from "./sections/memory.js";
import { policiesSection } from "./sections/policies.js";
import { policySection } from "./sections/policy.js";
import { validationSection } from "./sections/validation.js";
import { whatIfSection } from "./sections/what_if.js";
import { setTables } from "./tables.js";
import { chooseTheme, colours, isDark, onThemeChange } from "./theme.js";
import { count, list } from "./units.js";

const kNavigation = { verdict: "Verdict", "what-if": "What if", index: "Devices", comparison: "Comparison", policies: "Side by side", devices: "Devices", memory: "Memory map", images: "Images", buffers: "Buffers", cost: "Cost of memory", creations: "Creations", engines: "Engines",
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
    const bar = h("div", { class: "device-bar legend", role: "region", "aria-label": "Devices in every chart" });
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

function headline(devices, documents, whatIfs) {
    const comparison = documents.some((each) => each.kind === "comparison");
    if (devices.length === 0 && whatIfs.length === 1) return `What if: ${whatIfs[0].device}`;
    if (devices.length === 0) return "heapwright report";
    if (devices.length === 1) return devices[0].identity.name;
    return comparison ? "How the drivers differ" : `${count(devices.length, "driver")} side by side`;
}

// Opens what the address names; the sections came after it was read.
function goTo(hash) {
    const wanted = hash.length > 1 ? document.getElementById(decodeURIComponent(hash.slice(1))) : null;
    if (!wanted) return;
    unfold(wanted);
    wanted.scrollIntoView();
}

function foldsButton() {
    const button = h("button", { type: "button", class: "quiet", id: "folds", click: () => {
        const open = button.getAttribute("aria-pressed") !== "true";
        button.setAttribute("aria-pressed", String(open));
        setFolds(open);
    }, "aria-pressed": "false" }, "Open everything");
    return button;
}

// What failed leads: a line that names the first of the drivers and devices.
function lost(failures, what) {
    if (!failures.length) return [];
    const named = list(failures.slice(0, 3).map((each) => `${each.driver} (${each.reason})`));
    return [h("span", { class: "bad" }, `${count(failures.length, "driver or device", "drivers or devices")} could not be ${what}: ${named}${failures.length > 3 ? " and others" : ""}.`)];
}

// The frame that every page has.
function frame(title, notes, sections, devices, back) {
    document.title = `${title} - heapwright`;
    const name = (section) => (section.id === "devices" && devices.length === 1 ? "Device" : kNavigation[section.id]);
    replace(document.getElementById("page"),
        h("header", { class: "top" },
            h("div", { class: "title" }, h("p", { class: "kicker" }, back ? h("a", { href: "?" }, "All devices") : "heapwright"), h("h1", null, title), notes.map((note) => h("p", { class: "note" }, note))),
            h("div", { class: "actions" }, sections.some((section) => section.querySelector("details.fold")) ? foldsButton() : null, themeButton(), h("button", { type: "button", class: "quiet", click: () => print() }, "Print"))),
        sections.length > 1 ? h("div", { class: "sticky" }, h("nav", { "aria-label": "Sections" }, sections.map((section) => h("a", { href: `#${section.id}`, click: () => unfold(section) }, name(section)))), deviceBar(devices)) : null,
        h("main", { id: "content", tabindex: "-1" }, sections));
    startNear();
    goTo(location.hash);
}

function build(data, back) {
    const { tool, documents } = data;
    setTables(data.tables);
    const devices = collectDevices(data);
    const failures = documents.filter((each) => each.kind === "report").flatMap((each) => each.document.failures);
    const notValidated = documents.filter((each) => each.kind === "validation").flatMap((each) => each.document.failures ?? []);
    const kinds = [...new Set(documents.map((each) => each.kind))].map((kind) =>
        count(documents.filter((each) => each.kind === kind).length, kind, kind === "policy" ? "policies" : undefined));
    // What answers stands open, what explains is folded.
    const answers = [firstSection(devices, documents, data.next), whatIfSection(data.what_ifs), comparisonSection(documents), policiesSection(data.policies)];
    const rest = [policySection(devices), validationSection(devices), devicesSection(devices, failures, notValidated), memorySection(devices), imagesSection(devices),
        buffersSection(devices), costSection(devices), creationsSection(devices), enginesSection(devices), documentsSection(documents, tool)];
    const sections = [...answers, ...rest.map((section) => section && fold(section, section.id === "documents" ? list(kinds) : resultOf(section.id, devices)))].filter(Boolean);
    // The title names the device; its driver stands beneath.
    const labels = devices.length === 1 ? devices[0].label.split(" · ").slice(1).join(" · ") || devices[0].label : list(devices.map((device) => device.label));
    frame(headline(devices, documents, data.what_ifs), [...lost(notValidated, "validated"), `${labels}${labels ? ". " : ""}Made from ${list(kinds)}.`], sections, devices, back);
}

// Many devices: a table of them, and behind each name its page.
function buildIndex(data) {
    const wanted = new URLSearchParams(location.search).get("device");
    const page = wanted === null ? null : devicePage(document.getElementById("heapwright-devices").textContent, Number(wanted));
    if (page) return build(page, true);
    setTables(data.tables);
    frame(count(data.index.rows.length, "device"), [...lost(data.not_validated, "validated"), ...lost(data.failures, "probed"), `Written by heapwright ${data.tool}. A device's name opens its page.`],
        [indexSection(data.index), whatIfSection(data.what_ifs), comparisonSection(data.documents)].filter(Boolean), [], false);
}

const data = JSON.parse(document.getElementById("heapwright-data").textContent);
window.heapwright = { data, charts, raw: rawTables, isShown, startAll, setFolds };
addEventListener("hashchange", () => goTo(location.hash));
if (data?.index) buildIndex(data);
else if (data) build(data, false);
