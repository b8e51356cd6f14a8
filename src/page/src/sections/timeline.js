// What a scenario did over time: occupancy of heaps, pools and chunks, what each defragmentation step gained, the worst frames,
// and how full the descriptor heaps and the upload ring became. A chart is drawn only where the document has its data.
import { axis, bytesAxis, chart, hidden, symbolOf } from "../chart.js";
import { dataTable, facts, h } from "../dom.js";
import { frameLines, markLine } from "../frames.js";
import { grouped, rowsOf, tableOf } from "../tables.js";
import { bytes, bytesExact, count, grouped as counted, list, number, percent, runName, time, timeTick, words } from "../units.js";
import { chunkCharts } from "./chunks.js";
import { saveButton } from "./raw.js";

const line = (theme, slot, extra) => ({ type: "line", showSymbol: false, symbol: symbolOf(slot), lineStyle: { color: theme.slots[slot % 8], width: 1.8, ...extra }, itemStyle: { color: theme.slots[slot % 8] } });

function occupancyChart(run, tag, kind) {
    const prefix = `${kind}-${tag}`;
    const lanes = grouped(rowsOf(`occupancy-${prefix}`), kind === "heaps" ? "heap" : "pool").map(([name, rows]) => ({ name, rows }));
    if (lanes.length === 0) return null;
    const shown = () => lanes.map((lane, slot) => ({ lane, slot })).filter(({ slot }) => !hidden.has(`${prefix}:${slot}`));
    const peak = (lane, column) => Math.max(...lane.rows.map((row) => number(row[column])), 0);
    return chart({
        id: `occupancy-${prefix}`, height: 320, title: `${runName(run)}: ${kind} over time`,
        caption: () => {
            const fullest = lanes.reduce((best, lane) => (peak(lane, "reserved_bytes") > peak(best, "reserved_bytes") ? lane : best));
            return `Solid: bytes in resources; dashed: bytes taken from the device. The gap between them is memory that is held and not used. ${fullest.name} holds most, ${bytes(peak(fullest, "reserved_bytes"))} at its peak with ${bytes(peak(fullest, "used_bytes"))} in use.`;
        },
        legend: () => lanes.map((lane, slot) => ({ key: `${prefix}:${slot}`, name: lane.name, symbol: symbolOf(slot), colour: (theme) => theme.slots[slot % 8] })),
        option(theme, width) {
            const drawn = shown();
            const most = Math.max(...drawn.map(({ lane }) => peak(lane, "reserved_bytes")), 1);
            const points = (lane, column) => lane.rows.map((row) => [number(row.operations), number(row[column])]);
            return {
                grid: { left: 70, right: 20, top: 16, bottom: 50 },
                xAxis: axis(theme, "operations played", { type: "value", max: number(lanes[0].rows.at(-1).operations), axisLabel: { formatter: counted }, splitNumber: width < 500 ? 3 : 6 }),
                yAxis: bytesAxis(theme, most, 6),
                tooltip: { trigger: "axis", formatter: (at) => [`after ${counted(at[0].value[0])} operations`, ...at.map((each) => `${each.seriesName}: ${bytes(each.value[1])}`)].join("\n") },
                series: drawn.flatMap(({ lane, slot }) => [
                    { ...line(theme, slot), id: `used-${slot}`, name: `${lane.name} used`, data: points(lane, "used_bytes"), areaStyle: { opacity: 0.08 } },
                    { ...line(theme, slot, { type: "dashed" }), id: `reserved-${slot}`, name: `${lane.name} reserved`, step: "end", data: points(lane, "reserved_bytes") }]),
            };
        },
    });
}

function fragmentationChart(run, tag) {
    const prefix = `fragmentation-${tag}`;
    const lanes = grouped(rowsOf(prefix), "pool").map(([name, rows]) => ({ name, rows }));
    if (lanes.length === 0) return null;
    return chart({
        id: prefix, class: "full", height: 260, title: `${runName(run)}: fragmentation over time`,
        caption: "How much of a chunk's free memory lies outside its largest free range; 0% is one free range, 100% is nothing but crumbs.",
        legend: () => lanes.map((lane, slot) => ({ key: `${prefix}:${slot}`, name: lane.name, symbol: symbolOf(slot), colour: (theme) => theme.slots[slot % 8] })),
        option: (theme, width) => ({
            grid: { left: 56, right: 20, top: 16, bottom: 50 },
            xAxis: axis(theme, "operations played", { type: "value", max: number(lanes[0].rows.at(-1).operations), axisLabel: { formatter: counted }, splitNumber: width < 500 ? 3 : 6 }),
            yAxis: axis(theme, "", { type: "value", min: 0, max: 1, axisLabel: { formatter: percent } }),
            tooltip: { trigger: "axis", formatter: (at) => [`after ${counted(at[0].value[0])} operations`, ...at.map((each) => `${each.seriesName}: ${percent(each.value[1])}`)].join("\n") },
            series: lanes.map((lane, slot) => ({ lane, slot })).filter(({ slot }) => !hidden.has(`${prefix}:${slot}`)).map(({ lane, slot }) =>
                ({ ...line(theme, slot), id: `pool-${slot}`, name: lane.name, data: lane.rows.map((row) => [number(row.operations), row.fragmentation]) })),
        }),
    });
}

function defragmentationChart(run, tag) {
    const steps = rowsOf(`defragmentation-${tag}`);
    return chart({
        id: `defragmentation-${tag}`, height: 300, title: `${runName(run)}: what each step of defragmentation gained`,
        caption: () => {
            const copied = steps.reduce((sum, step) => sum + number(step.copied_bytes), 0);
            const gained = steps.reduce((sum, step) => sum + number(step.reserved_before_bytes) - number(step.reserved_after_bytes), 0);
            return `${count(steps.length, "step")} copied ${bytes(copied)} and gave ${bytes(Math.max(0, gained))} back to the device.`;
        },
        key: [{ name: "copied", symbol: "rect", colour: (theme) => theme.ramp[4] }, { name: "reserved before", symbol: "rect", colour: (theme) => theme.ramp[2] }, { name: "reserved after", symbol: "rect", colour: (theme) => theme.accent }],
        option(theme) {
            const series = [["copied_bytes", "copied", theme.ramp[4]], ["reserved_before_bytes", "reserved before", theme.ramp[2]], ["reserved_after_bytes", "reserved after", theme.accent]];
            const most = Math.max(...steps.flatMap((step) => series.map(([key]) => number(step[key]))), 1);
            return {
                grid: { left: 70, right: 20, top: 30, bottom: 44 },
                xAxis: axis(theme, "steps, one after the other", { type: "category", data: steps.map((step, i) => String(i + 1)), splitLine: { show: false } }),
                yAxis: bytesAxis(theme, most, 6),
                tooltip: { trigger: "axis", formatter: (at) => { const step = steps[at[0].dataIndex]; return [`step ${step.step}, ${step.pool}: ${step.moves} moves, ${step.freed_chunks} chunks freed`, ...at.map((each) => `${each.seriesName}: ${bytes(each.value)}`)].join("\n"); } },
                series: series.map(([key, name, colour]) => ({ type: key === "copied_bytes" ? "bar" : "line", step: "middle", showSymbol: steps.length < 3, id: key, name,
                    data: steps.map((step) => number(step[key])), itemStyle: { color: colour }, lineStyle: { color: colour, width: 2 }, barMaxWidth: 18,
                    ...(key === "copied_bytes" ? {} : { endLabel: { show: false } }) })),
            };
        },
    });
}

// Chunks and allocations of one resource that the frame took from the device and gave back to it.
const deviceCalls = (frame) => `${frame.device_allocations} allocated by the device${frame.device_frees === null ? "" : `, ${frame.device_frees} freed`}`;

function worstFramesChart(run, tag, policy) {
    const frames = rowsOf(`worst-frames-${tag}`);
    const most = Math.max(...frames.map((frame) => number(frame.ns)));
    const lines = frameLines(policy);
    const whole = lines.at(-1);
    const end = Math.max(most, lines[0].ns) * 1.15;
    return chart({
        id: `worst-frames-${tag}`, height: 64 + 26 * frames.length, title: `${runName(run)}: the worst frames`,
        caption: () => {
            const over = frames.filter((frame) => number(frame.ns) > whole.ns).length;
            const told = over ? `${over === frames.length ? `All ${count(over, "frame")} drawn` : counted(over)} took longer than` : `The longest took ${time(most)}, less than`;
            return `Time that a frame spent on memory, the longest first; the text says on what. ${told} ${whole.name}.${lines.length > 1 ? ` Dashed: ${lines[0].name}.` : ""}`;
        },
        option: (theme, width) => ({
            grid: { left: 92, right: width < 500 ? 16 : 40, top: 20, bottom: 30 },
            xAxis: axis(theme, "", { type: "value", min: 0, max: end, axisLabel: { formatter: timeTick, showMaxLabel: false }, splitNumber: width < 500 ? 3 : 6 }),
            yAxis: axis(theme, "", { type: "category", inverse: true, data: frames.map((frame) => `frame ${frame.frame}`), splitLine: { show: false }, axisLabel: { interval: 0, hideOverlap: false } }),
            tooltip: { trigger: "item", formatter: (at) => { const frame = frames[at.dataIndex]; return `frame ${frame.frame}: ${time(frame.ns)}\n${frame.allocations} allocations, ${frame.frees} frees, ${deviceCalls(frame)}`; } },
            series: [{ type: "bar", id: "frames", name: "time on memory", barMaxWidth: 18,
                data: frames.map((frame) => ({ value: number(frame.ns), itemStyle: { color: number(frame.ns) > whole.ns ? theme.bad : theme.accent },
                    label: number(frame.ns) > end * 0.5 ? { position: "insideLeft", color: theme.paper } : { position: "right", color: theme.ink } })),
                label: { show: true, fontSize: 10, formatter: (at) => { const frame = frames[at.dataIndex]; return `${time(frame.ns)}${width < 500 ? "" : `: ${frame.allocations} allocations, ${frame.frees} frees, ${deviceCalls(frame)}`}`; } },
                markLine: markLine(theme, lines.filter(({ ns }) => ns <= end)) }],
        }),
    });
}

function descriptorChart(run, tag) {
    const { bindings } = run;
    const rows = rowsOf(`descriptors-${tag}`).map((row) => [row.heap, number(row.peak_descriptors)]);
    const others = h("div", null, facts([
        ["descriptors checked on the device", counted(bindings.descriptors_checked)],
        ["bytes checked", bytesExact(bindings.bytes_checked)],
        ["frames", counted(bindings.frames)], ["command lists", counted(bindings.command_lists)],
        ["recording contexts at once", counted(bindings.recording_contexts)],
        number(bindings.peak_upload_bytes) > 0 && ["upload ring, peak", bytesExact(bindings.peak_upload_bytes)],
        run.volatile.bindings && ["upload stalls", `${counted(run.volatile.bindings.upload_stalls)} in ${time(run.volatile.bindings.upload_stalled_ns)}`],
        run.volatile.bindings?.descriptor_stalls !== undefined && ["descriptor stalls", counted(run.volatile.bindings.descriptor_stalls)],
        bindings.descriptor_form && ["descriptor form", words(bindings.descriptor_form)]]),
    bindings.descriptor_form_reason ? h("p", { class: "note" }, bindings.descriptor_form_reason) : null,
    bindings.limits ? h("p", { class: "note" }, `Limits met: ${bindings.limits}`) : null);
    if (rows.length === 0) return [h("h4", null, `${runName(run)}: descriptors, frames and uploads`), others];
    return [chart({
        id: `descriptors-${tag}`, height: 56 + 34 * rows.length, title: `${runName(run)}: descriptor heap use at the peak`,
        caption: `The most descriptors that lived at the same time, by where they live. ${counted(bindings.descriptors_checked)} were read through and compared on the device.`,
        option: (theme, width) => ({
            grid: { left: Math.min(220, width * 0.42), right: 70, top: 8, bottom: 30 },
            xAxis: axis(theme, "", { type: "value", axisLabel: { formatter: counted }, splitNumber: width < 500 ? 2 : 6 }),
            yAxis: axis(theme, "", { type: "category", inverse: true, data: rows.map(([name]) => name), splitLine: { show: false }, axisLabel: { width: Math.min(210, width * 0.4), overflow: "break" } }),
            tooltip: { trigger: "item", formatter: (at) => `${at.name}: ${counted(at.value)}` },
            series: [{ type: "bar", id: "descriptors", name: "descriptors", barMaxWidth: 20, data: rows.map(([, value]) => value), itemStyle: { color: theme.accent },
                label: { show: true, position: "right", color: theme.ink, fontSize: 11, formatter: (at) => counted(at.value) } }],
        }),
    }), others];
}

// "upload 3", "upload (2 submissions)" -> "upload": pieces of one kind of work have one colour.
const kindOf = (span) => span.name.replace(/ \(\d+ submissions\)$/, "").replace(/[ #-]*\d+$/, "") || span.name;

// Engines over time: every piece of work from when it may have begun to when its end was seen, in its engine's lane.
function engineChart(run, tag) {
    const spans = rowsOf(`engines-${tag}`).map((span) => ({ ...span, begin: number(span.begin_ns), end: number(span.end_ns) })).filter((span) => span.end > span.begin);
    if (spans.length === 0) return null;
    // The scenario's own order of the engines, then what else worked.
    const lanes = [...new Set([...(run.engines?.engines ?? []), ...spans.map((span) => span.engine)])].filter((lane) => spans.some((span) => span.engine === lane));
    const start = Math.min(...spans.map((span) => span.begin));
    const end = Math.max(...spans.map((span) => span.end));
    const kinds = [...new Set(spans.map(kindOf))];
    const colour = (theme, slot) => theme.slots[slot % 8];
    return chart({
        id: `engines-${tag}`, height: 90 + 44 * lanes.length, title: `${runName(run)}: the engines over time`,
        caption: spans.every((span) => span.clock === "device") ? `When work ran on ${list(lanes)}, by timestamps that the engines wrote around it. ${time(end - start)} in all.` : `When work may have run on ${list(lanes)}, as far as the host can know: each bar lies between the moment when its work had been submitted and what it waits for was seen to be over, and the moment when the host first saw its end. The work was done somewhere within. Bars above each other were not kept apart by a wait and may have run together; a bar of several submissions, which the host saw to be over at once, may hold a later one that waited for what lies above it. ${time(end - start)} in all.`,
        key: kinds.map((name, slot) => ({ name, symbol: "rect", colour: (theme) => colour(theme, slot) })),
        option: (theme, width) => ({
            grid: { left: 96, right: 24, top: 10, bottom: 44 },
            xAxis: axis(theme, "time since the first piece of work", { type: "value", min: 0, max: Math.max(end - start, 1), axisLabel: { formatter: timeTick }, splitNumber: width < 500 ? 2 : 6 }),
            yAxis: axis(theme, "", { type: "category", inverse: true, data: lanes, splitLine: { show: true } }),
            tooltip: { trigger: "item", formatter: (at) => `${at.value[1]}: ${at.value[2]}\nfrom ${time(at.value[3])} to ${time(at.value[4])}, ${time(at.value[4] - at.value[3])}` },
            // A thick line for each piece, its ends drawn so that neighbours are told apart.
            series: kinds.map((name, slot) => ({ type: "line", id: `work-${slot}`, name, symbol: "rect", symbolSize: [2, 18], showAllSymbol: true, connectNulls: false,
                itemStyle: { color: theme.ink }, lineStyle: { width: 18, color: colour(theme, slot), opacity: 0.85, cap: "butt" },
                data: spans.filter((span) => kindOf(span) === name).flatMap((span) => {
                    const [from, to] = [span.begin - start, span.end - start];
                    return [[from, span.engine, span.name, from, to], [to, span.engine, span.name, from, to], [null, null]];
                }) })),
        }),
    });
}

const kRoles = { necessary: "necessary", throttle: "throttle: bounds how far the host runs ahead", redundant: "redundant: other waits order the same work" };

// How the scenario used the engines: its parameters, and why each of its waits is there.
function engineFigures(run, tag) {
    const { engines } = run;
    const others = facts([
        ["engines", list([...new Set(engines.engines)])], ["queues", counted(engines.queues)], ["submissions", counted(engines.submissions)],
        ["waits before their signal", counted(engines.early_waits)], ["bytes checked", bytesExact(engines.bytes_checked)],
        ...engines.parameters.map((each) => [words(each.name), counted(each.value)])]);
    const notes = engines.notes.map((note) => h("p", { class: "note" }, note));
    if (engines.waits.length === 0) return [h("h4", null, `${runName(run)}: engines`), others, notes];
    return [h("h4", null, `${runName(run)}: engines and waits`), others, notes,
        dataTable(`Why each wait is there: ${runName(run)}`, [{ name: "Wait" }, { name: "Role" }, { name: "Shown by" }],
            engines.waits.map((wait) => [wait.wait, kRoles[wait.role] ?? words(wait.role), wait.shown_by])),
        h("div", { class: "tools" }, saveButton(`waits-${tag}`, "Save as CSV", () => tableOf(`waits-${tag}`)))];
}

export function timelineCharts(run, tag, policy) {
    const charts = [];
    if (run.occupancy) {
        charts.push(h("div", { class: "pair" }, occupancyChart(run, tag, "heaps"), occupancyChart(run, tag, "pools"), fragmentationChart(run, tag)));
        charts.push(...chunkCharts(run, tag));
    }
    if (run.defragmentation_steps?.length) charts.push(defragmentationChart(run, tag));
    if (run.bindings) charts.push(...descriptorChart(run, tag));
    if (run.engines) charts.push(...engineFigures(run, tag));
    if (run.volatile.engine_spans?.length) charts.push(engineChart(run, tag));
    if (run.volatile.worst_frames?.length) charts.push(worstFramesChart(run, tag, policy));
    return charts;
}
