// How the engines of a device work together: what two gain by working at the same time, how fast each copies, how long
// a signal takes, and which latencies serve the two pipelines.
import { axis, bytesAxis, chart, hidden, isShown, logAxis, onUpdate, symbolOf } from "../chart.js";
import { dataTable, facts, h } from "../dom.js";
import { rowsOf } from "../tables.js";
import { bytes, count, grouped, list, number, percent, time, timeTick, unsettledCaption, unsettledText, words } from "../units.js";

// Nine tenths of fewer than ten runs are all of them.
const most = (samples, p90_ns) => `${number(samples) < 10 ? "at most" : "90% within"} ${time(p90_ns)}`;
// The one clock of all rows, or both.
const clocks = (rows) => list([...new Set(rows.map((each) => each.clock))].map((clock) => `the ${clock}'s clock`));
const kLeft = (width, most) => Math.min(most, width * 0.42);
const labels = (width, most) => ({ width: kLeft(width, most) - 10, overflow: "break", lineHeight: 12, interval: 0, hideOverlap: false });

// What disturbed a measurement is told beside its row.
function overlapChart(device, measured) {
    const overlaps = rowsOf(`engine-overlap-${device.index}`).map((row, i) => ({ ...row, disturbed: measured[i].disturbed }));
    const name = (each) => `${each.first_work} on ${each.first}, ${each.second_work} on ${each.second}`;
    const verdict = (each) => (each.disturbed ? "nothing that can be told (disturbed)" : percent(each.gained));
    const series = [["serial", "one after the other", (theme) => theme.ramp[2]], ["concurrent", "at the same time", (theme) => theme.accent]];
    const longest = Math.max(...overlaps.flatMap((each) => [number(each.serial_ns), number(each.concurrent_ns)]), 1);
    return chart({
        id: `engine-overlap-${device.index}`, title: "What two engines gain by working at the same time", height: 70 + 62 * overlaps.length,
        caption: () => `Of the shorter of the two: ${list(overlaps.map((each) => `${verdict(each)} by ${each.second_work} beside ${each.first_work}`))}. All of it is gained when the shorter work costs nothing, none when the two take turns. Times by ${clocks(overlaps)}.${unsettledCaption(overlaps)}`,
        key: series.map(([, text, colour]) => ({ name: text, symbol: "rect", colour })),
        option: (theme, width) => ({
            grid: { left: kLeft(width, 230), right: width < 500 ? 20 : 130, top: 8, bottom: 40 },
            xAxis: axis(theme, "", { type: "value", min: 0, max: longest * (width < 500 ? 1.05 : 1), axisLabel: { formatter: timeTick, showMaxLabel: false }, splitNumber: width < 500 ? 2 : 6 }),
            yAxis: axis(theme, "", { type: "category", inverse: true, data: overlaps.map(name), splitLine: { show: false }, axisLabel: labels(width, 230) }),
            tooltip: { trigger: "axis", axisPointer: { type: "none" }, formatter: (at) => { const each = overlaps[at[0].dataIndex];
                return [name(each), `alone: ${time(each.first_alone_ns)} and ${time(each.second_alone_ns)}`, ...at.map((bar) => `${bar.seriesName}: ${time(bar.value)}`), each.disturbed ? `disturbed: ${each.disturbed}` : `${percent(each.gained)} of the shorter gained${unsettledText(each)}`].join("\n"); } },
            series: series.map(([id, text, colour]) => ({ type: "bar", id, name: text, barMaxWidth: 18, barGap: "10%", itemStyle: { color: colour(theme) },
                data: overlaps.map((each) => number(each[`${id}_ns`])),
                label: { show: true, fontSize: 10, color: id === "concurrent" && width < 500 ? theme.paper : theme.ink, position: width < 500 ? "insideLeft" : "right",
                    formatter: (at) => `${time(at.value)}${id === "concurrent" ? (overlaps[at.dataIndex].disturbed ? ", disturbed" : `, ${percent(overlaps[at.dataIndex].gained)} gained`) : ""}` } })),
        }),
    });
}

const kDirections = [["upload", "upload", (theme) => theme.accent], ["download", "download", (theme) => theme.ramp[2]], ["on_device", "on the device", (theme) => theme.ramp[4]]];

function copyChart(device) {
    const copies = rowsOf(`engine-copies-${device.index}`);
    const engines = [...new Set(copies.map((each) => each.engine))];
    const of = (engine, direction) => copies.find((each) => each.engine === engine && each.direction === direction);
    const directions = kDirections.filter(([id]) => copies.some((each) => each.direction === id));
    const fastest = (id) => copies.filter((each) => each.direction === id).reduce((best, each) => (number(each.bytes_per_s) > number(best.bytes_per_s) ? each : best));
    return chart({
        id: `engine-copies-${device.index}`, title: "How fast each engine copies", height: 70 + (24 * directions.length + 14) * engines.length,
        caption: () => `The fastest: ${list(directions.map(([id, text]) => `${text} ${bytes(fastest(id).bytes_per_s)}/s on ${fastest(id).engine}`))}. Medians by ${clocks(copies)}${copies.some((each) => each.clock === "host") ? ", the host's from the submission until it sees the end" : ""}.${unsettledCaption(copies)}`,
        key: directions.map(([, text, colour]) => ({ name: text, symbol: "rect", colour })),
        option: (theme, width) => ({
            grid: { left: kLeft(width, 110), right: width < 500 ? 80 : 110, top: 8, bottom: 40 },
            xAxis: bytesAxis(theme, Math.max(...copies.map((each) => number(each.bytes_per_s))), width < 500 ? 2 : 6, { name: "bytes a second" }),
            yAxis: axis(theme, "", { type: "category", inverse: true, data: engines, splitLine: { show: false }, axisLabel: labels(width, 110) }),
            tooltip: { trigger: "item", formatter: (at) => { const each = of(at.name, at.seriesId); return `${at.seriesName} on ${at.name}: ${bytes(each.bytes_per_s)}/s\n${bytes(each.bytes_each)} in ${time(each.median_ns)} (${count(each.samples, "run")}, at best ${time(each.min_ns)}, ${most(each.samples, each.p90_ns)}), by the ${each.clock}'s clock${unsettledText(each)}`; } },
            series: directions.map(([id, text, colour]) => ({ type: "bar", id, name: text, barMaxWidth: 18, itemStyle: { color: colour(theme) },
                data: engines.map((engine) => { const each = of(engine, id); return each ? number(each.bytes_per_s) : null; }),
                label: { show: true, position: "right", fontSize: 10, color: theme.ink, formatter: (at) => `${bytes(at.value)}/s` } })),
        }),
    });
}

const kMeans = { command: "copy commands", image_command: "commands, images", shader: "a compute shader", host: "memcpy" };

// One chart a direction: the rate by the size of a copy. Colours and symbols come again after eight curves, dashed. `measured`: the report's curves of the direction.
function curveChart(device, [direction, text], measured) {
    const rows = rowsOf(`copy-curves-${direction}-${device.index}`);
    const keyOf = (row) => `${row.engine}:${row.means}:${row.mapped}`;
    const curves = [...new Set(rows.map(keyOf))].map((id, slot) => {
        const points = rows.filter((row) => keyOf(row) === id);
        const { engine, means, mapped } = points[0];
        return { id, key: `copy-curves-${direction}-${device.index}:${id}`, slot, points, name: `${engine === "host" ? "" : `${engine}, `}${kMeans[means]}${mapped === "yes" ? ", mapped" : ""}` };
    });
    const shown = () => curves.filter((curve) => !hidden.has(curve.key));
    const rate = (point) => number(point.bytes_per_s);
    const best = (curve) => curve.points.reduce((fastest, point) => (rate(point) > rate(fastest) ? point : fastest));
    const fastest = () => shown().reduce((first, curve) => (first && rate(best(first)) >= rate(best(curve)) ? first : curve), null);
    const fits = measured.filter((curve) => curve.points.length > 0);
    const left = measured.filter((curve) => curve.left_out.length > 0);
    return [rows.length === 0 ? null : chart({
        id: `copy-curves-${direction}-${device.index}`, title: `Copies by size: ${text}`, height: 380,
        caption: () => { const first = fastest(); return first ? `The fastest: ${first.name}, ${bytes(rate(best(first)))}/s with ${bytes(best(first).bytes)} a copy. Several small copies follow each other in one submission. Medians by ${clocks(rows)}.${unsettledCaption(rows)}` : "No curve is shown."; },
        legend: () => curves.map(({ key, name, slot }) => ({ key, name, symbol: symbolOf(slot), colour: (theme) => theme.slots[slot % 8] })),
        option: (theme, width) => ({
            grid: { left: 76, right: width < 500 ? 14 : 210, top: 24, bottom: 52 },
            xAxis: logAxis(theme, "bytes of a copy", rows.map((row) => number(row.bytes)), { axisLabel: { formatter: bytes } }),
            yAxis: logAxis(theme, "bytes a second", rows.map(rate), { nameGap: 60, axisLabel: { formatter: bytes } }),
            tooltip: { trigger: "axis", formatter: (at) => [bytes(at[0].value[0]), ...at.map((each) => `${each.seriesName}: ${bytes(each.value[1])}/s, ${time(each.value[2])} a copy${each.value[3]}`)].join("\n") },
            series: shown().map(({ id, name, slot, points }) => ({ type: "line", id, name, data: points.map((point) => [number(point.bytes), rate(point), number(point.median_ns), unsettledText(point)]),
                symbol: symbolOf(slot), symbolSize: 7, itemStyle: { color: theme.slots[slot % 8] }, lineStyle: { color: theme.slots[slot % 8], width: 2, type: slot < 8 ? "solid" : "dashed" },
                endLabel: { show: width >= 500, formatter: name, color: theme.slots[slot % 8], fontSize: 11 }, labelLayout: { hideOverlap: true } })),
        }),
    }),
    fits.length === 0 ? null : dataTable(`Latency and rate apart, ${text}: ${device.label}`, [{ name: "Engine" }, { name: "By" }, { name: "Latency", number: true }, { name: "Rate", number: true }, { name: "Off by at most", number: true }],
        fits.map((each) => [each.engine, `${kMeans[each.means]}${each.mapped ? ", mapped memory" : ""}`, ...(each.fit ? [time(each.fit.latency_ns), `${bytes(each.fit.bytes_per_s)}/s`, percent(each.fit.largest_relative_error)] : ["-", "-", "-"])])),
    left.length ? h("ul", null, left.map((each) => h("li", null, `${each.engine} by ${kMeans[each.means]}${each.mapped ? ", mapped memory" : ""}, from ${bytes(each.left_out[0].bytes)} on not measured: ${each.left_out[0].reason}`))) : null];
}

function curveCharts(device, measured) {
    return kDirections.filter(([direction]) => measured.some((curve) => curve.direction === direction))
        .map((direction) => curveChart(device, direction, measured.filter((curve) => curve.direction === direction[0])));
}

function signalChart(device) {
    const latencies = rowsOf(`engine-signals-${device.index}`);
    const name = (each) => `${each.from} → ${each.to}${each.through_host === "yes" ? ", by the host" : ""}`;
    const longest = latencies.reduce((longer, each) => (number(each.median_ns) > number(longer.median_ns) ? each : longer));
    return chart({
        id: `engine-signals-${device.index}`, title: "How long a signal takes", height: 60 + 26 * latencies.length,
        caption: () => `From the end of work to the start of work that waits for it; to the host, from there to the return of a wait that had begun before (by the host's clock, from when it can read the engine's last word). The longest is ${name(longest)}, ${time(longest.median_ns)}. By ${clocks(latencies)}.${latencies.some((each) => each.through_host === "yes") ? " The queues take no wait before its signal: the host passes it on." : ""} The line reaches from the shortest to what 90% do not exceed, of fewer than ten samples to the longest.${unsettledCaption(latencies)}`,
        option: (theme, width) => ({
            grid: { left: kLeft(width, 170), right: width < 500 ? 60 : 80, top: 8, bottom: 30 },
            xAxis: axis(theme, "", { type: "value", min: 0, axisLabel: { formatter: timeTick }, splitNumber: width < 500 ? 2 : 6 }),
            yAxis: axis(theme, "", { type: "category", inverse: true, data: latencies.map(name), splitLine: { show: false }, axisLabel: labels(width, 170) }),
            tooltip: { trigger: "item", formatter: (at) => { const each = latencies[at.dataIndex]; return `${name(each)}: ${time(each.median_ns)}\n${count(each.samples, "sample")}, at best ${time(each.min_ns)}, ${most(each.samples, each.p90_ns)}, by the ${each.clock}'s clock${unsettledText(each)}`; } },
            series: [{ type: "bar", id: "signals", name: "median", barMaxWidth: 16, itemStyle: { color: theme.accent }, data: latencies.map((each) => number(each.median_ns)) },
                ...latencies.map((each, row) => ({ type: "line", id: `spread-${row}`, name: "spread", silent: true, symbol: "rect", symbolSize: [2, 10], itemStyle: { color: theme.ink }, lineStyle: { color: theme.ink, width: 1.5 },
                    data: [[number(each.min_ns), name(each)], { value: [number(each.p90_ns), name(each)], label: { show: true, position: "right", color: theme.ink, fontSize: 10, formatter: () => time(each.median_ns) } }] }))],
        }),
    });
}

function pipelineChart(device, pipelines) {
    const rows = rowsOf(`engine-pipelines-${device.index}`).map((point) => {
        const pipeline = pipelines.find((each) => each.name === point.pipeline);
        return { pipeline, point, best: point.cpu_latency === pipeline.best_cpu_latency && point.engine_latency === pipeline.best_engine_latency };
    });
    const name = ({ pipeline, point }) => (pipeline.name === "copy-graphics" ? `ring of ${count(point.engine_latency, "slot")}`
        : `host ${point.cpu_latency}, ${pipeline.name} ${point.engine_latency}`);
    return chart({
        id: `engine-pipelines-${device.index}`, title: "The latencies of the two pipelines", height: (width) => 60 + (width < 500 ? 30 : 22) * rows.length,
        caption: () => `The time of a frame for each setting, by ${clocks(rows.map((row) => row.point))}. Best, which is the smallest latency whose frame is at most 5% longer than the shortest: ${list(rows.filter((row) => row.best).map((row) => `${name(row)} (${time(row.point.frame_ns)}${row.pipeline.unsettled ? ", not settled" : ""})`))}.${unsettledCaption(rows.map((row) => row.point))}`,
        key: [{ name: "best", symbol: "rect", colour: (theme) => theme.accent }, { name: "other", symbol: "rect", colour: (theme) => theme.ramp[2] }],
        option: (theme, width) => ({
            grid: { left: kLeft(width, 210), right: width < 500 ? 60 : 80, top: 8, bottom: 30 },
            xAxis: axis(theme, "", { type: "value", min: 0, axisLabel: { formatter: timeTick }, splitNumber: width < 500 ? 2 : 6 }),
            yAxis: axis(theme, "", { type: "category", inverse: true, data: rows.map(name), splitLine: { show: false }, axisLabel: labels(width, 210) }),
            tooltip: { trigger: "item", formatter: (at) => { const { point } = rows[at.dataIndex]; return `${name(rows[at.dataIndex])}: ${time(point.frame_ns)} a frame\n${count(point.samples, "mean")}, at best ${time(point.min_ns)}, ${most(point.samples, point.p90_ns)}${unsettledText(point)}`; } },
            series: [{ type: "bar", id: "frames", name: "frame", barMaxWidth: 16, label: { show: true, position: "right", fontSize: 10, color: theme.ink, formatter: (at) => time(at.value) },
                data: rows.map((row) => ({ value: number(row.point.frame_ns), itemStyle: { color: row.best ? theme.accent : theme.ramp[2] } })) }],
        }),
    });
}

function deviceEngines(device) {
    const measured = device.report.volatile.engines;
    const { steadiness } = measured;
    // Older reports have neither.
    const read = measured.engines.some((each) => each.no_timestamps) || measured.copies.some((each) => each.time.clock === "device");
    return h("div", { class: "device-block" }, h("h3", null, device.label),
        dataTable(`Engines: ${device.label}`, [{ name: "Engine" }, { name: "Kind" }, { name: "Queue family", number: true }, { name: "Queue", number: true }, { name: "Queues of its own" }, { name: "Priority" }, { name: "Timestamps" }],
            measured.engines.map((each) => [each.name, each.kind, grouped(each.queue_family), grouped(each.queue), each.dedicated ? "yes" : "no",
                each.priority_note ? `${each.priority}: ${each.priority_note}` : each.priority,
                each.no_timestamps ? `none: ${each.no_timestamps}` : read ? "yes" : "not read"])),
        measured.overlaps.length ? overlapChart(device, measured.overlaps) : null,
        measured.copies.length ? copyChart(device) : null,
        curveCharts(device, measured.copy_curves ?? []),
        measured.signal_latencies.length ? signalChart(device) : null,
        measured.pipelines.some((each) => each.points.length) ? pipelineChart(device, measured.pipelines) : null,
        facts([["times", words(steadiness.answer)], ["decided by", steadiness.decided_by === "driver" ? "the driver" : "the measurements"],
            ["measured in", time(measured.total_ns)]]),
        steadiness.note ? h("p", { class: "note" }, steadiness.note) : null,
        measured.pipelines.map((each) => h("p", { class: "note" }, `${each.name}: ${each.statement}`)),
        measured.skipped.length ? [h("h4", null, "Not measured"), h("ul", null, measured.skipped.map((each) => h("li", null, each)))] : null);
}

export function enginesSection(devices) {
    const measured = devices.filter((device) => device.report?.volatile.engines);
    if (measured.length === 0) return null;
    const blocks = measured.map((device) => ({ device, block: deviceEngines(device) }));
    onUpdate(() => blocks.forEach(({ device, block }) => { block.hidden = !isShown(device); }));
    return h("section", { id: "engines", "aria-labelledby": "engines-title" }, h("h2", { id: "engines-title" }, "The engines together"),
        h("p", { class: "lead" }, "Copy, compute and graphics engines can work at the same time. What that gains, and what a hand-over from one to another costs, was measured on the device."),
        blocks.map(({ block }) => block));
}
