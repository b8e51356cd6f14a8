// The memory map: heaps, the memory types in them, and the buckets that a policy puts there.
import { axis, bytesAxis, chart, isShown, onUpdate } from "../chart.js";
import { dataTable, h } from "../dom.js";
import { rowsOf } from "../tables.js";
import { bytes, count, number, words } from "../units.js";

const flagName = (flag) => words(flag.toLowerCase().replace(/_(amd|nv|qcom|khr|ext)$/, ""));

export function typeName(type) {
    if (!type) return "unknown";
    if (type.d3d12_heap_type !== "none") {
        const classes = type.resource_classes.length ? ` (${type.resource_classes.map(words).join(", ")})` : "";
        return `${words(type.d3d12_heap_type)} heap${classes}`;
    }
    return type.property_flags.length ? type.property_flags.map(flagName).join(", ") : "no property";
}

export const heapName = (heap, index) => `heap ${index}${heap.flags?.includes("DEVICE_LOCAL") ? ", device local" : ""}`;

const optional = (value) => (value === null ? null : number(value));

function heapParts(device) {
    return rowsOf(`heaps-${device.index}`).map((row) => ({ name: heapName(device.report.heaps[row.heap], row.heap), size: number(row.size_bytes),
        expected: number(row.expected_bytes ?? 0), usable: optional(row.usable_bytes), budget: optional(row.budget_bytes) }));
}

function deviceMap(device) {
    const { report } = device;
    const policy = device.policies[0];
    const parts = heapParts(device);
    const figures = [];
    figures.push(chart({
        id: `heaps-${device.index}`, title: `Heaps: ${device.label}`, height: 56 + 54 * parts.length,
        caption: () => parts.map((part) => `${part.name}: ${bytes(part.size)}${part.usable !== null ? `, of which the policy may use ${bytes(part.usable)} and ${policy.workload} is expected to hold ${bytes(part.expected)}` : part.budget ? `, ${bytes(part.budget)} in the budget` : ""}`).join(". ") + ".",
        key: policy ? [{ name: "expected to be held", symbol: "rect", colour: (theme) => theme.accent }, { name: "free for it to use", symbol: "rect", colour: (theme) => theme.ramp[1] },
            { name: "left to others", symbol: "rect", colour: (theme) => theme.faint }] : undefined,
        option(theme, width) {
            const layers = policy
                ? [["expected to be held", theme.accent, (part) => Math.min(part.expected, part.usable ?? part.size)],
                    ["free for it to use", theme.ramp[1], (part) => Math.max(0, (part.usable ?? part.size) - part.expected)],
                    ["left to others", theme.faint, (part) => Math.max(0, part.size - Math.max(part.usable ?? part.size, part.expected))]]
                : [["in the budget", theme.ramp[2], (part) => (part.budget === null ? part.size : Math.min(part.size, part.budget))],
                    ["beyond the budget", theme.faint, (part) => (part.budget === null ? 0 : Math.max(0, part.size - part.budget))]];
            const largest = Math.max(...parts.map((part) => part.size), 1);
            return {
                grid: { left: width < 500 ? 84 : 128, right: 24, top: 8, bottom: 30 },
                xAxis: bytesAxis(theme, largest, width < 500 ? 3 : 6),
                yAxis: axis(theme, "", { type: "category", inverse: true, data: parts.map((part) => part.name.replace(", ", width < 500 ? ",\n" : ", ")), splitLine: { show: false } }),
                tooltip: { trigger: "axis", axisPointer: { type: "none" }, formatter: (at) => [at[0].name.replace("\n", " "), ...at.map((each) => `${each.seriesName}: ${bytes(each.value)}`)].join("\n") },
                series: layers.map(([name, colour, pick]) => ({ type: "bar", stack: "heap", name, id: name, barMaxWidth: 30,
                    data: parts.map(pick), itemStyle: { color: colour, borderColor: theme.paper, borderWidth: 1 },
                    label: { show: true, position: "inside", fontSize: 11, color: theme.ink, formatter: (at) => (at.value / largest > (width < 500 ? 0.45 : 0.16) ? `${name} ${bytes(at.value)}` : "") } })),
            };
        },
    }));
    if (policy && policy.buckets.length) {
        const buckets = rowsOf(`buckets-${device.index}`);
        figures.push(chart({
            id: `buckets-${device.index}`, title: `Buckets: ${device.label}`, height: 100 + 44 * buckets.length,
            caption: () => `Each bucket holds resources of one class, alignment and memory type (its name says which). The bar is what ${policy.workload} is expected to hold there, in the mean and with what frames in flight still use; moments of a run hold more and less. The text says in chunks of what size.`,
            option(theme, width) {
                const largest = Math.max(...buckets.map((bucket) => number(bucket.expected_bytes)), 1);
                return {
                    grid: { left: Math.min(170, width * 0.34), right: 20, top: 8, bottom: 40 },
                    xAxis: bytesAxis(theme, largest, width < 500 ? 3 : 6),
                    yAxis: axis(theme, "", { type: "category", inverse: true, data: buckets.map((bucket) => bucket.bucket), splitLine: { show: false },
                        axisLabel: { width: Math.min(160, width * 0.32), overflow: "truncate" } }),
                    tooltip: { trigger: "item", formatter: (at) => { const bucket = buckets[at.dataIndex]; return `${bucket.bucket}\n${bytes(bucket.expected_bytes)} expected\nchunks of ${bytes(bucket.chunk_size_bytes)} in heap ${bucket.heap}`; } },
                    series: [{ type: "bar", id: "expected", name: "expected bytes", barMaxWidth: 24, itemStyle: { color: theme.accent },
                        data: buckets.map((bucket) => ({ value: number(bucket.expected_bytes), 
                            label: number(bucket.expected_bytes) > largest * 0.45 ? { position: "insideRight", color: theme.paper } : { position: "right", color: theme.ink } })),
                        label: { show: true, fontSize: 11, formatter: (at) => { const bucket = buckets[at.dataIndex]; const chunk = number(bucket.chunk_size_bytes);
                            return width < 500 ? `${bytes(bucket.expected_bytes)} in ${bytes(chunk)}` : `${bytes(bucket.expected_bytes)}: about ${count(Math.ceil(number(bucket.expected_bytes) / chunk), "chunk")} of ${bytes(chunk)}, heap ${bucket.heap}`; } } }],
                };
            },
        }));
    }
    const types = dataTable(`Memory types: ${device.label}`, [{ name: "Type", number: true }, { name: "Heap", number: true }, { name: "Properties" }, ...(policy ? [{ name: "Buckets" }] : [])],
        report.memory_types.map((type, index) => [index, type.heap_index, typeName(type),
            ...(policy ? [policy.buckets.filter((bucket) => bucket.memory_type === index).map((bucket) => bucket.id).join(", ")] : [])]));
    return h("div", { class: "device-block" }, h("h3", null, device.label), figures, types);
}

export function memorySection(devices) {
    const known = devices.filter((device) => device.report);
    if (known.length === 0) return null;
    const blocks = known.map((device) => ({ device, block: deviceMap(device) }));
    onUpdate(() => blocks.forEach(({ device, block }) => { block.hidden = !isShown(device); }));
    return h("section", { id: "memory", "aria-labelledby": "memory-title" }, h("h2", { id: "memory-title" }, "Memory map"),
        h("p", { class: "lead" }, "Heaps are where memory is, memory types are ways to use it, buckets are how a policy divides it."),
        blocks.map(({ block }) => block));
}
