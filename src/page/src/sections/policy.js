// The policy: what to do, and behind each number its reason, its inputs and the alternatives that lost. A decision is
// whatever has a value and a reason, so that new ones show by themselves.
import { axis, chart } from "../chart.js";
import { append, dataTable, facts, h } from "../dom.js";
import { searchField } from "../search.js";
import { rowsOf } from "../tables.js";
import { bytes, bytesExact, count, grouped, number, percentTick, words } from "../units.js";

const isRecord = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const isDecision = (value) => isRecord(value) && "value" in value && "reason" in value && "inputs" in value;

// A byte count, a count or a word, told by the member's name.
export function shownValue(name, value) {
    if (Array.isArray(value)) return value.map((each) => shownValue(name, each)).join(", ") || "none";
    if (typeof value === "boolean") return value ? "yes" : "no";
    if (isRecord(value)) return Object.entries(value).map(([key, each]) => `${words(key)} ${shownValue(key, each)}`).join(", ");
    if (/_bytes$|^bytes/.test(name) && /^(0x)?[0-9a-f]+$/i.test(String(value))) return bytes(value);
    if (typeof value === "number") return grouped(value);
    return words(value);
}

function decision(name, key, item) {
    const exact = /_bytes$/.test(key) ? bytesExact(item.value) : shownValue(key, item.value);
    return h("details", { class: "decision" },
        h("summary", null, h("span", { class: "name" }, name), " ", h("strong", { class: "value" }, shownValue(key, item.value))),
        h("div", { class: "why" },
            h("p", null, exact !== shownValue(key, item.value) ? h("span", { class: "note" }, `Exactly ${exact}. `) : null, item.reason),
            item.inputs.length ? dataTable(`Computed from: ${name}`, [{ name: "Value" }, { name: "Where" }, { name: "Document" }],
                item.inputs.map((input) => [input.value, h("code", null, input.path), words(input.document)])) : null,
            item.alternatives?.length ? dataTable(`Rejected: ${name}`, [{ name: "Alternative" }, { name: "Why it lost" }],
                item.alternatives.map((other) => [other.value, other.reason])) : null));
}

const nameOf = (record, index) => record.id ?? record.name ?? record.use ?? record.work ?? (record.heap !== undefined && `heap ${record.heap}`) ??
    record.kind ?? record.class ?? `${index + 1}`;

// Everything below a member: decisions as details, groups under their name, plain values as facts.
function branch(key, value, level) {
    if (isDecision(value)) return decision(words(key).replace(/ (bytes|ns)$/, ""), key, value);
    if (Array.isArray(value)) {
        if (value.every((each) => !isRecord(each))) return value.length ? facts([[words(key), shownValue(key, value)]]) : null;
        return value.map((each, i) => group(words(String(nameOf(each, i) || i + 1)), each, level));
    }
    if (isRecord(value)) return group(words(key), value, level);
    return null;
}

function group(name, record, level) {
    const plain = Object.entries(record).filter(([key, value]) => !isRecord(value) && !["id", "name", "work"].includes(key) &&
        (!Array.isArray(value) || (value.length > 0 && value.every((each) => !isRecord(each)))));
    const deep = Object.entries(record).filter(([, value]) => isRecord(value) || (Array.isArray(value) && value.some(isRecord)));
    return h("div", { class: "group" }, name ? h(`h${Math.min(level, 6)}`, null, name) : null,
        plain.length ? facts(plain.map(([key, value]) => [words(key).replace(/ bytes$/, ""), shownValue(key, value)])) : null,
        deep.map(([key, value]) => (Array.isArray(value) && !isDecision(value) && value.some(isRecord) && !value.some((each) => nameOf(each, -1) !== "0")
            ? [h("p", { class: "note" }, words(key)), branch(key, value, level + 1)] : branch(key, value, level + 1))));
}

const kTitles = { heaps: "Heaps", engines: "Engines: which does what, and how far apart", memory_types: "Memory types, as the report has them", memory_uses: "Memory types for each use", buckets: "Buckets" };
const kHidden = new Set(["identity", "assumed", "warnings", "feasibility", "workload"]);

function bucketTable(policy, label) {
    return dataTable(`Buckets at a glance: ${label}`, [{ name: "Bucket" }, { name: "Type", number: true }, { name: "Alignment", number: true },
        { name: "Chunk", number: true }, { name: "First chunk", number: true }, { name: "Chunks kept ready", number: true },
        { name: "Own allocation above", number: true },
        { name: "Suballocator" }, { name: "Granule", number: true }, { name: "Expected to hold", number: true }],
    policy.buckets.map((bucket) => [bucket.id, bucket.memory_type, bytes(bucket.alignment_bytes), bytes(bucket.chunk_size_bytes.value),
        bucket.growth ? bytes(bucket.growth.first_chunk_bytes.value) : "", bucket.chunks_ahead ? grouped(bucket.chunks_ahead.value) : "",
        bucket.dedicated_threshold_bytes ? bytes(bucket.dedicated_threshold_bytes.value) : "",
        words(bucket.suballocator.value), bytes(bucket.granule_bytes.value), bytes(bucket.expected_bytes)]));
}

// What stands ready costs memory, so that its reason belongs beside the figures.
function readyChunks(policy) {
    const decided = policy.buckets.filter((bucket) => bucket.chunks_ahead);
    if (decided.length === 0) return null;
    return [h("h4", null, "Chunks kept ready, allocated in the background before a frame needs them"),
        decided.map((bucket) => decision(bucket.id, "chunks_ahead", bucket.chunks_ahead))];
}

// The shader-visible descriptor heaps: static and mutable descriptors first, then the dynamic ones.
function descriptorChart(tag) {
    const heaps = rowsOf(`descriptor-layout-${tag}`).map((row) => ({ name: row.heap, capacity: number(row.capacity), fixed: number(row.static_descriptors),
        dynamic: number(row.dynamic_descriptors), chunk: number(row.dynamic_chunk), kinds: [row.static_suballocator, row.dynamic_suballocator] }));
    if (heaps.length === 0) return null;
    const share = (part, heap) => (heap.capacity > 0 ? part / heap.capacity : 0);
    return chart({
        id: `descriptor-layout-${tag}`, height: 60 + 44 * heaps.length, title: "Shader-visible descriptor heaps",
        caption: `${heaps.map((heap) => `${heap.name}: ${grouped(heap.capacity)} descriptors, ${grouped(heap.fixed)} for static and mutable ones and ${grouped(heap.dynamic)} for dynamic ones, which a context takes ${grouped(heap.chunk)} at a time${heap.kinds[0] && heap.kinds[1] ? ` (suballocators: ${words(heap.kinds[0])} for the static part, ${words(heap.kinds[1])} for the chunks)` : ""}`).join("; ")}.`,
        key: [{ name: "static and mutable", symbol: "rect", colour: (theme) => theme.accent }, { name: "dynamic", symbol: "rect", colour: (theme) => theme.ramp[2] }],
        option: (theme) => ({
            grid: { left: 84, right: 24, top: 6, bottom: 30 },
            xAxis: axis(theme, "", { type: "value", min: 0, max: 1, axisLabel: { formatter: percentTick } }),
            yAxis: axis(theme, "", { type: "category", inverse: true, data: heaps.map((heap) => heap.name), splitLine: { show: false } }),
            tooltip: { trigger: "item", formatter: (at) => `${at.name}, ${at.seriesName}: ${grouped(heaps[at.dataIndex][at.seriesId])}` },
            series: [["fixed", "static and mutable", theme.accent, theme.paper], ["dynamic", "dynamic", theme.ramp[2], theme.ink]].map(([id, name, colour, ink]) => ({
                type: "bar", stack: "heap", id, name, barMaxWidth: 26, itemStyle: { color: colour, borderColor: theme.paper, borderWidth: 1 },
                data: heaps.map((heap) => share(heap[id], heap)),
                label: { show: true, position: "inside", color: ink, fontSize: 11, formatter: (at) => (at.value > 0.15 ? grouped(heaps[at.dataIndex][id]) : "") } })),
        }),
    });
}

function policyBlock(device, policy, tag) {
    const single = Object.entries(policy).filter(([key, value]) => isDecision(value) && !kHidden.has(key));
    const nested = Object.entries(policy).filter(([key, value]) => !isDecision(value) && !kHidden.has(key) && (isRecord(value) || (Array.isArray(value) && value.length)));
    const tools = h("div", { class: "controls" });
    const block = h("div", { class: "device-block policy" },
        h("h3", null, `${device.label}, for ${policy.workload}`),
        policy.assumed?.length ? h("div", { class: "warn-box" }, h("h4", null, "Assumed, not measured"), h("ul", null, policy.assumed.map((each) => h("li", null, each)))) : null,
        policy.warnings.length ? h("div", { class: "warn-box" }, h("h4", null, "Warnings"), h("ul", null, policy.warnings.map((each) => h("li", null, each)))) : null,
        bucketTable(policy, device.label), readyChunks(policy), descriptorChart(tag),
        tools,
        h("h4", null, "For the whole device"), single.map(([key, value]) => branch(key, value, 5)),
        nested.map(([key, value]) => h("details", { class: "part" }, h("summary", null, h("h4", null, kTitles[key] ?? words(key).replace(/^./, (first) => first.toUpperCase()))),
            isRecord(value) ? group(null, value, 5) : branch(key, value, 5))),
        h("h4", null, "No bucket starves the others"),
        h("ul", null, policy.feasibility.map((heap) => h("li", { class: heap.fits ? null : "bad" },
            `Heap ${heap.heap}: one chunk for each of its ${count(heap.buckets, "bucket")} takes ${bytes(heap.one_chunk_each_bytes)} of ${bytes(heap.usable_bytes)}: ${heap.fits ? "they fit together" : "they do not all fit"}.`))));
    append(tools, [searchField(block, { label: "Find in the policy", placeholder: "ring, heap 0, 64 MiB ...", lines: "details.decision, .group .facts > div", around: ".group, details.part" }),
        h("button", { type: "button", class: "quiet", click: () => setAll(true) }, "Open every reason"), h("button", { type: "button", class: "quiet", click: () => setAll(false) }, "Close all")]);
    const setAll = (open) => block.querySelectorAll("details.decision, details.part").forEach((each) => { each.open = open; });
    return block;
}

export function policySection(devices) {
    const blocks = devices.flatMap((device) => device.policies.map((policy, i) => policyBlock(device, policy, `${device.index}-${i}`)));
    if (blocks.length === 0) return null;
    return h("section", { id: "policy", "aria-labelledby": "policy-title" }, h("h2", { id: "policy-title" }, "The policy, and why"),
        h("p", { class: "lead" }, "Open a line to read the reason, the inputs that it was computed from, and the alternatives that lost."), blocks);
}
