// The facts of each device: identity, the limits that decide how memory is handed out, queues, findings.
import { dataTable, facts, h } from "../dom.js";
import { bytes, count, grouped, hex, list, number, words } from "../units.js";

// Limits that decide how memory is handed out, with their meaning; the rest is in the full table.
const kLimits = [
    ["maxMemoryAllocationCount", "device allocations at once", grouped],
    ["maxMemoryAllocationSize", "largest single allocation", bytes],
    ["maxBufferSize", "largest buffer", bytes],
    ["bufferImageGranularity", "distance between buffers and images", bytes],
    ["nonCoherentAtomSize", "flush granularity", bytes],
    ["minStorageBufferOffsetAlignment", "storage buffer offsets", bytes],
    ["minUniformBufferOffsetAlignment", "uniform buffer offsets", bytes],
    ["optimalBufferCopyOffsetAlignment", "copy offsets, best", bytes],
    ["maxSamplerAllocationCount", "samplers at once", grouped],
    ["maxImageDimension2D", "largest 2D side", grouped],
    ["ResourceHeapTier", "resource heap tier", grouped],
    ["ResourceBindingTier", "resource binding tier", grouped],
    ["TiledResourcesTier", "tiled resources tier", grouped],
    ["MaxGPUVirtualAddressBitsPerProcess", "address bits of a process", grouped],
    ["MaxGPUVirtualAddressBitsPerResource", "address bits of a resource", grouped],
    ["MaxViewDescriptorHeapSize", "descriptors in a shader-visible heap", grouped],
    ["MaxSamplerDescriptorHeapSize", "samplers in a shader-visible heap", grouped],
    ["MaxSamplerDescriptorHeapSizeWithStaticSamplers", "the same beside static samplers", grouped],
];
const kKinds = { discrete_gpu: "discrete GPU", integrated_gpu: "integrated GPU", virtual_gpu: "virtual GPU", cpu: "software on the CPU", other: "other" };

// { group: { name: value } } or [{ group, name, value }] as one list.
function factList(source) {
    return Object.entries(source).flatMap(([group, values]) => Object.entries(values).map(([name, value]) => ({ group, name, value })));
}

// Of the limits that matter: { name, meaning, text }.
function limitFacts(report) {
    const all = factList(report.limits);
    return kLimits.flatMap(([name, meaning, format]) => {
        const found = all.find((each) => each.name === name);
        return found ? [{ name, meaning, text: format(found.value) }] : [];
    });
}

function findingsOf(report) {
    if (report.findings.length === 0) return h("p", { class: "good" }, "No deviation from the specification was found.");
    return h("ul", { class: "findings" }, report.findings.map((finding) => h("li", { class: finding.severity },
        h("strong", null, words(finding.severity)), " ", finding.statement, finding.clause ? ` (${finding.clause})` : "",
        finding.evidence.length ? h("details", null, h("summary", null, count(finding.evidence.length, "piece", "pieces"), " of evidence"),
            h("ul", null, finding.evidence.map((each) => h("li", null, h("code", null, each))))) : null)));
}

function identityFacts({ identity, report }) {
    return [
        ["API", `${identity.api === "d3d12" ? "Direct3D 12" : "Vulkan"} ${identity.api_version}`],
        ["Kind", kKinds[identity.type] ?? words(identity.type)],
        ["Driver", `${identity.driver_name} ${identity.driver_info}`],
        ["Vendor and device", `${hex(identity.vendor_id, 4)}:${hex(identity.device_id, 4)}`],
        identity.pci && ["PCI address", `${hex(identity.pci.domain, 4).slice(2)}:${hex(identity.pci.bus, 2).slice(2)}:${hex(identity.pci.device, 2).slice(2)}.${identity.pci.function}`],
        identity.conformance_version && ["Conformance", identity.conformance_version],
        report && ["Read by", report.origin === "probe" ? `probe: ${count(report.volatile.timing.sweep_queries, "question")} in ${(number(report.volatile.timing.sweep_ns) / 1e6).toFixed(0)} ms` : "import"],
    ].filter(Boolean);
}

// Below the facts: queues, findings, observations, and everything else behind a disclosure.
function deviceRest(device) {
    const { report } = device;
    if (!report) return [];
    const limits = factList(report.limits);
    const features = factList(report.features);
    return [
        report.queue_families.length ? dataTable(`Queue families: ${device.label}`, [{ name: "Family", number: true }, { name: "Queues", number: true }, { name: "Can do" }],
            report.queue_families.map((family, i) => [i, family.queue_count, list(family.flags.map((flag) => words(flag.toLowerCase())))])) : null,
        h("h4", null, "Findings"), findingsOf(report),
        report.observations.statements.length ? [h("h4", null, "Observations"), h("ul", null, report.observations.statements.map((each) => h("li", null, each)))] : null,
        report.absent.length ? h("details", null, h("summary", null, `${count(report.absent.length, "part")} that the source of this report cannot give`),
            h("ul", null, report.absent.map((each) => h("li", null, h("code", null, each))))) : null,
        h("details", null, h("summary", null, `All ${count(limits.length, "limit")} and ${count(features.length, "feature")}`),
            dataTable(`Limits and features: ${device.label}`, [{ name: "Name" }, { name: "Value", number: true }, { name: "Structure" }],
                [...limits, ...features].map(({ group, name, value }) => [name, grouped(value), group]))),
    ];
}

function oneDevice(device) {
    return h("article", { class: "card" }, h("h3", null, device.identity.name), h("p", { class: "note" }, device.label), facts(identityFacts(device)),
        device.report ? [h("h4", null, "Limits that matter"), facts(limitFacts(device.report).map(({ name, meaning, text }) => [meaning, [text, h("code", null, name)]]))] : null,
        deviceRest(device));
}

// A row whose cells differ, and in it those that are not the first device's.
function markRow(row) {
    const [name, first, ...others] = row.cells;
    row.className = "differs";
    name.append(h("span", { class: "unseen" }, " (differs)"));
    others.filter((cell) => cell.textContent !== first.textContent).forEach((cell) => cell.classList.add("other"));
}

// Several devices: one column each, so that a row compares them.
function deviceTable(devices) {
    const rows = new Map();
    const put = (name, i, value, title) => {
        if (!rows.has(name)) rows.set(name, [title, ...devices.map(() => "")]);
        rows.get(name)[i + 1] = value;
    };
    devices.forEach((device, i) => {
        for (const [name, value] of identityFacts(device)) put(name, i, value, name);
        if (!device.report) return;
        put("heaps", i, device.report.heaps.map((heap) => bytes(heap.size_bytes)).join(", "), "Heaps");
        put("types", i, grouped(device.report.memory_types.length), "Memory types");
        put("queues", i, device.report.queue_families.map((family) => family.queue_count).join(" + "), "Queues, by family");
        for (const { name, meaning, text } of limitFacts(device.report)) put(name, i, text, [meaning, h("code", { class: "under" }, name)]);
        const bad = device.report.findings.filter((finding) => finding.severity === "violation").length;
        put("findings", i, device.report.findings.length ? `${count(device.report.findings.length, "finding")}${bad ? `, ${count(bad, "violation")}` : ""}` : "none", "Deviations found");
    });
    const block = dataTable("The devices side by side; what differs is marked", [{ name: "Fact" }, ...devices.map((device) => ({ name: device.label }))], [...rows.values()], { class: "side-by-side" });
    [...rows.values()].forEach(([, ...values], i) => { if (values.some((value) => value !== values[0])) markRow(block.querySelectorAll("tbody tr")[i]); });
    return block;
}

const failuresBox = (title, failures) => (failures.length ? h("div", { class: "bad-box" }, h("h3", null, title), h("ul", null, failures.map((failure) =>
    h("li", null, `${failure.driver} (${failure.api}): ${failure.reason}${failure.last_call ? `, in ${failure.last_call}` : ""}${failure.code !== undefined && failure.code !== null ? `, code ${failure.code}` : ""}`)))) : null);

export function devicesSection(devices, failures, notValidated) {
    if (devices.length + failures.length + notValidated.length === 0) return null;
    const shown = devices.length > 1
        ? [deviceTable(devices), devices.filter((device) => device.report).map((device) => h("details", { class: "about" },
            h("summary", null, `${device.label}: queues, findings, observations, all limits`), deviceRest(device)))]
        : devices.map(oneDevice);
    return h("section", { id: "devices", "aria-labelledby": "devices-title" }, h("h2", { id: "devices-title" }, devices.length === 1 ? "The device" : "The devices"), shown,
        failuresBox("Could not be validated", notValidated), failuresBox("Could not be probed", failures));
}
