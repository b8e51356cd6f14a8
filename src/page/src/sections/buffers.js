// What the driver asks for buffers: the memory article's other two graphs (docs/glossary.md), and what is added to each request.
import { axis, chart, deviceLegend, isShown, logAxis, symbolOf, updateAll } from "../chart.js";
import { h } from "../dom.js";
import { bufferFacts, bufferPoints } from "../sweep.js";
import { bytes, grouped, list, words } from "../units.js";
import { rawExport } from "./raw.js";

const kSourceUsage = "STORAGE_BUFFER";

const kDenseUpTo = 65;  // up to here the sweep asks for every size

export function buffersSection(devices) {
    const measured = devices.filter((device) => device.buffers);
    if (measured.length === 0) return null;
    const usages = [...new Set(measured.flatMap((device) => device.buffers.cases.map((each) => each.usage)))];
    const state = { usage: usages.includes(kSourceUsage) ? kSourceUsage : usages[0] };
    const usageName = (usage) => usage.split("|").map((bit) => words(bit.toLowerCase())).join(" + ");
    const pointsOf = (device) => bufferPoints(device.buffers, state.usage);
    const shown = () => measured.filter(isShown).map((device) => ({ device, points: pointsOf(device), facts: bufferFacts(device.buffers, state.usage) }))
        .filter(({ points }) => points.length > 0);
    function graph(id, title, column, pick, caption, yAxis, most) {
        const points = (each) => each.filter((point) => point.request <= most);
        const everything = most === Infinity;
        return chart({
            id, title, caption, heading: "h3", class: everything ? "" : "full", height: (width) => (width < 500 ? 280 : 320), legend: () => deviceLegend(measured),
            data: () => ({ columns: ["device", "request_bytes", column],
                rows: shown().flatMap((each) => points(each.points).map((point) => [each.device.label, point.request, pick(point)])) }),
            option: (theme, width) => ({
                grid: { left: 66, right: width < 500 ? 14 : 28, top: 20, bottom: 52 },
                xAxis: everything ? logAxis(theme, "requested bytes", shown().flatMap((each) => each.points.map((point) => point.request)), { most: width < 500 ? 4 : 7, axisLabel: { formatter: bytes } })
                    : axis(theme, "requested bytes", { type: "value", min: 0, interval: 8, axisLabel: { formatter: bytes } }),
                yAxis: yAxis(theme, shown(), { nameGap: 50, axisLabel: { formatter: bytes } }),
                tooltip: { trigger: "axis", axisPointer: { type: "line" }, formatter: (at) => [`requested ${grouped(at[0].value[0])} B`,
                    ...at.map((each) => `${each.seriesName}: ${grouped(each.value[1])} B`)].join("\n") },
                series: shown().map((each, i) => ({ name: each.device.label, id: each.device.label, type: "line",
                    data: points(each.points).map((point) => [point.request, pick(point)]),
                    symbol: symbolOf(each.device.slot), symbolSize: everything ? 3 : 6,
                    // Drivers often agree exactly: the later is drawn dashed over the earlier, so that both are seen.
                    lineStyle: { color: theme.slots[each.device.slot], width: i === 0 ? 3 : 2, type: i === 0 ? "solid" : [6, 3 + 3 * i] },
                    itemStyle: { color: theme.slots[each.device.slot], opacity: 0.8 } })),
            }),
        });
    }
    const alignment = graph("buffer-alignment", "Alignment against size: buffers", "alignment_bytes", (point) => point.alignment,
        () => `Usage ${usageName(state.usage)}. ${shown().map(({ device, facts: { alignments } }) =>
            `${device.label}: ${alignments.length === 1 ? `always ${grouped(alignments[0])}, whatever the size` : list(alignments.map(grouped), "or")}`).join(". ")}.`, (theme, drawn, extra) => logAxis(theme, "required alignment", [1, 256, ...drawn.flatMap(({ points }) => points.map((point) => 2 * point.alignment))], extra), Infinity);
    const storage = graph("buffer-storage", "Storage against size: buffers", "size_bytes", (point) => point.size,
        () => `Usage ${usageName(state.usage)}. ${shown().map(({ device, facts }) =>
            `${device.label}: at least ${grouped(facts.smallest)} B, never more than ${grouped(facts.most_added)} B above the request`).join(". ")}.`, (theme, drawn, extra) => logAxis(theme, "required storage", drawn.flatMap(({ points }) => points.map((point) => point.size)), extra), Infinity);
    const rounding = graph("buffer-rounding", "Bytes above the request: small buffers", "added_bytes", (point) => point.size - point.request,
        () => `Usage ${usageName(state.usage)}, requests up to 65 bytes. A saw-tooth is rounding up: its height is the step.`,
        (theme, drawn, extra) => axis(theme, "bytes above the request", { type: "value", min: 0, ...extra }), kDenseUpTo);
    const controls = h("div", { class: "controls-bar" }, h("div", { class: "controls" },
        h("label", null, h("span", null, "Usage"), h("select", { "data-part": "buffer-usage", change: (event) => { state.usage = event.target.value; updateAll(); } },
            usages.map((usage) => h("option", { value: usage, selected: usage === state.usage }, usageName(usage)))))));
    return h("section", { id: "buffers", "aria-labelledby": "buffers-title" },
        h("h2", { id: "buffers-title" }, "What the driver asks for buffers"),
        h("p", { class: "lead" }, "Buffers are simpler than images: one alignment, and the request rounded up."),
        controls, h("div", { class: "pair" }, alignment, storage, rounding),
        rawExport("buffers", measured, (device) => pointsOf(device).map((point) => [point.request, point.alignment, point.size])));
}
