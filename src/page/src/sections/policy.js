// The policy: what to do, and behind each number its reason, its inputs and the alternatives that lost, as heapwright
// words them.
import { axis, chart } from "../chart.js";
import { append, dataTable, h } from "../dom.js";
import { searchField } from "../search.js";
import { groupedBy, rowsOf } from "../tables.js";
import { bytes, count, grouped, number, percent, words } from "../units.js";

function decision(name, number) {
    const [claim, ...more] = number.reasons;
    return h("details", { class: "decision" },
        h("summary", null, h("span", { class: "name" }, name), " ", h("strong", { class: "value" }, number.value)),
        h("div", { class: "why" }, claim ? h("p", null, claim) : null,
            more.length ? h("ul", null, more.map((each) => h("li", null, each))) : null,
            number.inputs.length ? dataTable(`Computed from: ${number.name}`, [{ name: "Value" }, { name: "Where" }, { name: "Document" }],
                number.inputs.map((input) => [input.value, h("code", null, input.path), words(input.document)])) : null,
            number.alternatives.length ? dataTable(`Rejected: ${number.name}`, [{ name: "Alternative" }, { name: "Why it lost" }],
                number.alternatives.map((other) => [other.value, other.reason])) : null));
}

// By the first part of their places: heaps, buckets, engines; what has none is of the whole device.
const groupsOf = (numbers) => groupedBy(numbers, (number) => {
    const [, first, ...rest] = number.pattern.split("/");
    return rest.length ? first : "";
});

const meaningOf = (record, buckets) => buckets.filter(({ id }) => record === `bucket ${id}`).map(({ contents, place }) => `${contents}, ${place}`)[0];

// "bucket optimal/65536/0: chunk size" below a heading "bucket optimal/65536/0" is "chunk size", "uploads ring" below
// "Uploads" is "ring".
// A bucket's id is followed by what it means.
function recordsOf(key, numbers, buckets) {
    const group = `${words(key)} `;
    const parted = numbers.map((number) => ({ number, at: number.name.lastIndexOf(": ") }));
    const own = ({ number, at }) => (at < 0 ? number.name : number.name.slice(at + 2));
    const short = (name) => (name.startsWith(group) ? name.slice(group.length) : name);
    const records = groupedBy(parted, ({ number, at }) => number.name.slice(0, Math.max(at, 0)));
    return [...records].map(([record, all]) => h("div", { class: "group" },
        record ? h("h5", null, [record, meaningOf(record, buckets)].filter(Boolean).join(": ")) : null,
        all.map((each) => decision(short(own(each)), each.number))));
}

const kTitles = { heaps: "Heaps", engines: "Engines: which does what, and how far apart", memory_uses: "Memory types for each use", buckets: "Buckets" };

function bucketTable(policy, label) {
    return dataTable(`Buckets at a glance: ${label}`, [{ name: "Bucket" }, { name: "Holds" }, { name: "Type", number: true }, { name: "Alignment", number: true },
        { name: "Chunk", number: true }, { name: "First chunk", number: true }, { name: "Chunks kept ready", number: true },
        { name: "Own allocation above", number: true },
        { name: "Suballocator" }, { name: "Granule", number: true }, { name: "Expected to hold", number: true }],
    policy.buckets.map((bucket) => [bucket.id, bucket.contents, bucket.memory_type, bytes(bucket.alignment_bytes), bytes(bucket.chunk_size_bytes.value),
        bucket.growth ? bytes(bucket.growth.first_chunk_bytes.value) : "", bucket.chunks_ahead ? grouped(bucket.chunks_ahead.value) : "",
        bucket.dedicated_threshold_bytes ? bytes(bucket.dedicated_threshold_bytes.value) : "",
        words(bucket.suballocator.value), bytes(bucket.granule_bytes.value), bytes(bucket.expected_bytes)]));
}

// What stands ready costs memory, so that its reason belongs beside the figures.
function readyChunks(policy) {
    const decided = policy.numbers.filter((number) => number.pattern === "/buckets/*/chunks_ahead");
    if (decided.length === 0) return null;
    return [h("h4", null, "Chunks kept ready, allocated in the background before a frame needs them"),
        decided.map((number) => decision(number.name, number))];
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
            xAxis: axis(theme, "", { type: "value", min: 0, max: 1, axisLabel: { formatter: percent } }),
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
    const groups = groupsOf(policy.numbers);
    const wide = groups.get("") ?? [];
    groups.delete("");
    const tools = h("div", { class: "controls" });
    const block = h("div", { class: "device-block policy" },
        h("h3", null, `${device.label}, for ${policy.workload}`),
        policy.assumed?.length ? h("div", { class: "warn-box" }, h("h4", null, "Assumed, not measured"), h("ul", null, policy.assumed.map((each) => h("li", null, each)))) : null,
        policy.warnings.length ? h("div", { class: "warn-box" }, h("h4", null, "Warnings"), h("ul", null, policy.warnings.map((each) => h("li", null, each)))) : null,
        bucketTable(policy, device.label), readyChunks(policy), descriptorChart(tag),
        tools,
        h("h4", null, "For the whole device"), wide.map((number) => decision(number.name, number)),
        [...groups].map(([key, numbers]) => h("details", { class: "part" },
            h("summary", null, h("h4", null, kTitles[key] ?? words(key).replace(/^./, (first) => first.toUpperCase()))), recordsOf(key, numbers, policy.buckets))),
        h("h4", null, "No bucket starves the others"),
        h("ul", null, policy.feasibility.map((heap) => h("li", { class: heap.fits ? null : "bad" },
            `Heap ${heap.heap}: one chunk for each of the ${count(heap.buckets, "bucket")} that the workload uses takes ${bytes(heap.one_chunk_each_bytes)} of ${bytes(heap.usable_bytes)}: ${heap.fits ? "they fit together" : "they do not all fit"}.`))));
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
