// What it costs to ask for memory: allocate, first touch and free against size, for every memory type of a device.
import { chart, hidden, isShown, logAxis, onUpdate, symbolOf } from "../chart.js";
import { dataTable, h } from "../dom.js";
import { rowsOf } from "../tables.js";
import { bytes, count, list, number, time, timeTick } from "../units.js";
import { kFrame60Hz } from "../frames.js";
import { typeName } from "./memory.js";

const kOperations = [["allocate", "Allocate"], ["dedicated", "Allocate for one image"], ["touch", "First touch"], ["free", "Free"], ["dedicated-free", "Free of one image"]];

// The frame budgets that the device's policies were computed for.
function policyBudgets(device) {
    const budgets = new Set(device.policies.map((policy) => number(policy.frame_budget_ns)));
    return [...budgets].filter((budget) => Math.abs(budget - kFrame60Hz) > 1000);
}

const chunkSizes = (device) => [...new Set(device.policies.flatMap((policy) =>
    policy.buckets.map((bucket) => number(bucket.chunk_size_bytes.value))))].sort((a, b) => a - b);

const median = (row) => number(row.median_ns);

function deviceCost(device) {
    const rows = Object.fromEntries(kOperations.map(([operation]) => [operation, rowsOf(`cost-${operation}-${device.index}`)]));
    const measured = (curve, operation) => rows[operation].filter((row) => row.memory_type === curve.memory_type);
    const curves = device.report.volatile.memory_cost.filter((curve) => kOperations.some(([operation]) => measured(curve, operation).length > 0));
    const types = device.report.memory_types;
    const key = (curve) => `cost-${device.index}:${curve.memory_type}`;
    const name = (curve) => `type ${curve.memory_type}: ${typeName(types[curve.memory_type])}`;
    const shown = () => curves.filter((curve) => !hidden.has(key(curve)));
    const budgets = policyBudgets(device);
    const chunks = chunkSizes(device);
    const medians = Object.values(rows).flat().map(median);
    const low = 10 ** Math.floor(Math.log10(Math.min(...medians)));
    const high = 10 ** Math.ceil(Math.log10(Math.max(...medians, 2 * kFrame60Hz)));

    function panel(operation, title) {
        if (rows[operation].length === 0) return null;
        const points = (curve) => measured(curve, operation);
        const over = () => shown().flatMap((curve) => points(curve).filter((point) => median(point) > kFrame60Hz).slice(0, 1)
            .map((point) => `type ${curve.memory_type} at ${bytes(point.size_bytes)} (${time(median(point))})`));
        return chart({
            id: `cost-${operation}-${device.index}`, title: `${title}: ${device.label}`, height: 360,
            caption: () => {
                const list_ = over();
                return list_.length ? `Longer than a frame from: ${list(list_)}.`
                    : `No measured size takes longer than a frame at 60 Hz; the slowest takes ${time(Math.max(...shown().flatMap((curve) => points(curve).map(median)), 0))}.`;
            },
            legend: () => curves.filter((curve) => points(curve).length > 0).map((curve) => ({ key: key(curve), name: name(curve),
                symbol: symbolOf(curve.memory_type % 8), colour: (theme) => theme.slots[curve.memory_type % 8] })),
            option(theme, width) {
                const lines = [{ yAxis: kFrame60Hz, name: "a frame at 60 Hz, 16.7 ms" },
                    ...budgets.map((budget) => ({ yAxis: budget, name: `the policy's frame budget, ${time(budget)}` }))];
                const marks = [...lines.map((line) => ({ ...line, lineStyle: { color: theme.ink, type: "dashed", width: 1.5 },
                    label: { formatter: line.name, position: "insideStartTop", color: theme.ink, fontSize: 11 } })),
                ...(operation === "allocate" ? chunks.map((chunk, i) => ({ xAxis: chunk, lineStyle: { color: theme.soft, type: "dotted", width: 1.5 },
                    label: { formatter: `${i === 0 ? "chunks of " : ""}${bytes(chunk)}`, position: "end", color: theme.soft, fontSize: 10 } })) : [])];
                return {
                    grid: { left: 62, right: width < 500 ? 14 : 64, top: 24, bottom: 52 },
                    xAxis: logAxis(theme, "bytes asked for", Object.values(rows).flat().map((row) => number(row.size_bytes)), { most: width < 500 ? 4 : 8, axisLabel: { formatter: bytes } }),
                    yAxis: logAxis(theme, "time, median", [low, high], { base: 10, nameGap: 46, axisLabel: { formatter: timeTick } }),
                    tooltip: { trigger: "axis", formatter: (at) => [bytes(at[0].value[0]),
                        ...at.map((each) => `${each.seriesName}: ${time(each.value[1])} (p90 ${time(each.value[2])}, worst ${time(each.value[3])})`)].join("\n") },
                    series: [...shown().map((curve) => ({ type: "line", id: `type-${curve.memory_type}`, name: name(curve),
                        data: points(curve).map((point) => [number(point.size_bytes), median(point), number(point.p90_ns), number(point.worst_ns)]),
                        symbol: symbolOf(curve.memory_type % 8), symbolSize: 7, itemStyle: { color: theme.slots[curve.memory_type % 8] },
                        lineStyle: { color: theme.slots[curve.memory_type % 8], width: 2 },
                        endLabel: { show: width >= 500, formatter: `type ${curve.memory_type}`, color: theme.slots[curve.memory_type % 8], fontSize: 11 },
                        labelLayout: { moveOverlap: "shiftY" } })),
                    { type: "line", id: "marks", data: [], silent: true, markLine: { silent: true, symbol: "none", animation: false, data: marks } }],
                };
            },
        });
    }

    const panels = kOperations.map(([operation, title]) => panel(operation, title)).filter(Boolean);
    const fits = curves.filter((curve) => curve.allocate_fit || curve.host_bandwidth || curve.allocation_count).map((curve) => [
        name(curve),
        curve.allocate_fit ? `${time(Math.max(0, curve.allocate_fit.fixed_ns))} + ${time(curve.allocate_fit.ns_per_mib)} a MiB` : "",
        curve.touch_fit ? `${time(Math.max(0, curve.touch_fit.fixed_ns))} + ${time(curve.touch_fit.ns_per_mib)} a MiB` : "",
        curve.host_bandwidth ? `${bytes(curve.host_bandwidth.write_bytes_per_s)}/s` : "",
        curve.host_bandwidth ? `${bytes(curve.host_bandwidth.read_bytes_per_s)}/s` : "",
        curve.allocation_count ? `${count(curve.allocation_count.reached, "allocation")} of ${bytes(curve.allocation_count.bytes_each)}, stopped by ${curve.allocation_count.stopped_by}` : "",
    ]);
    return h("div", { class: "device-block" }, h("h3", null, device.label), h("div", { class: "pair" }, panels),
        fits.length ? dataTable(`The curves in short: ${device.label}`, [{ name: "Memory type" }, { name: "Allocate" }, { name: "First touch" },
            { name: "Host writes", number: true }, { name: "Host reads", number: true }, { name: "Alive at once" }], fits) : null);
}

export function costSection(devices) {
    const measured = devices.filter((device) => kOperations.some(([operation]) => rowsOf(`cost-${operation}-${device.index}`).length > 0));
    if (measured.length === 0) return null;
    const blocks = measured.map((device) => ({ device, block: deviceCost(device) }));
    onUpdate(() => blocks.forEach(({ device, block }) => { block.hidden = !isShown(device); }));
    return h("section", { id: "cost", "aria-labelledby": "cost-title" },
        h("h2", { id: "cost-title" }, "What it costs to ask for memory"),
        h("p", { class: "lead" }, "Medians of repeated runs on logarithmic axes. What lies above the dashed line costs a frame or more: it belongs behind a loading screen, or ahead of need."),
        blocks.map(({ block }) => block));
}
