// What happened when a policy ran: scenarios with the baselines beside them, latencies, worst frames and findings.
import { axis, bytesAxis, chart, logAxis } from "../chart.js";
import { csvText } from "../csv.js";
import { dataTable, h } from "../dom.js";
import { frameLines, markLine } from "../frames.js";
import { passed } from "../results.js";
import { rowsOf, tableOf } from "../tables.js";
import { bytes, count, grouped, list, number, percent, runName, time, timeTick, words } from "../units.js";
import { rawTables, saveButton } from "./raw.js";
import { timelineCharts } from "./timeline.js";

const kVerdicts = {
    validated: ["good", "Validated"], replayed: ["warn", "Replayed"], validated_in_part: ["warn", "Validated in part"], replayed_in_part: ["warn", "Replayed in part"], failed: ["bad", "Failed"], inconclusive: ["warn", "Inconclusive"],
    not_supported: ["warn", "Not supported"],
};
const badge = (verdict) => h("span", { class: `badge ${kVerdicts[verdict]?.[0] ?? "warn"}` }, kVerdicts[verdict]?.[1] ?? words(verdict));

// Beside each scenario the other allocators that ran its operations.
function runsOf({ scenarios, baselines }) {
    const paired = scenarios.flatMap((run) => [{ run, kind: "scenario" }, ...baselines.filter((other) => other.name.startsWith(`${run.name}/`)).map((other) => ({ run: other, kind: "baseline" }))]);
    return [...paired, ...baselines.filter((other) => !paired.some(({ run }) => run === other)).map((run) => ({ run, kind: "baseline" }))];
}

function memoryChart(tag, validation) {
    const rows = new Map(rowsOf(`waste-${tag}`).map((row) => [row.scenario, row]));
    const runs = runsOf(validation).filter(({ run }) => rows.has(run.name)).map(({ run, kind }) => ({ ...rows.get(run.name), scenario: runName(run), kind }));
    if (runs.length === 0) return null;
    return chart({
        id: `waste-${tag}`, title: "Used and reserved at the peak", height: 70 + 58 * runs.length,
        caption: () => {
            const waste = (run) => `${percent(run.mean_waste)} ${run.scenario}`;
            const baselines = runs.filter(({ kind }) => kind === "baseline");
            return `What was asked for against what was taken from the device. Waste, on average over the run: ${list(runs.filter(({ kind }) => kind === "scenario").map(waste))}${baselines.length ? `; with another allocator in the policy's place: ${list(baselines.map(waste))}` : ""}.`;
        },
        key: [{ name: "used", symbol: "rect", colour: (theme) => theme.accent }, { name: "reserved", symbol: "rect", colour: (theme) => theme.ramp[2] }],
        option(theme, width) {
            const most = Math.max(...runs.map((run) => number(run.peak_reserved_bytes)), 1);
            const series = [["used", theme.accent, "peak_used_bytes"], ["reserved", theme.ramp[2], "peak_reserved_bytes"]];
            return {
                grid: { left: Math.min(250, width * 0.38), right: width < 500 ? 20 : 90, top: 8, bottom: 40 },
                xAxis: bytesAxis(theme, most, width < 500 ? 3 : 6),
                yAxis: axis(theme, "", { type: "category", inverse: true, data: runs.map((run) => run.scenario), splitLine: { show: false }, axisLabel: { width: Math.min(240, width * 0.36), overflow: "truncate" } }),
                tooltip: { trigger: "axis", axisPointer: { type: "none" }, formatter: (at) => [at[0].name, ...at.map((each) => `${each.seriesName}: ${bytes(each.value)}`)].join("\n") },
                series: series.map(([id, colour, column]) => ({ type: "bar", id, name: id, barMaxWidth: 16, barGap: "10%", itemStyle: { color: colour },
                    data: runs.map((run) => number(run[column])),
                    label: { show: true, fontSize: 10, color: theme.ink, position: "right", formatter: (at) => (at.value > most * 0.6 && width < 500 ? "" : bytes(at.value)),
                        ...(width < 500 ? { position: "insideLeft" } : {}) } })),
            };
        },
    });
}

const kFigures = [["p50_ns", "median"], ["p99_ns", "p99"], ["p999_ns", "p99.9"], ["worst_ns", "worst"]];

const kMarks = ["circle", "diamond", "triangle", "rect"];
const markColours = (theme) => [theme.ramp[3], theme.accent, theme.ramp[4], theme.bad];

function latencyChart(tag, validation) {
    const names = new Map(runsOf(validation).map(({ run }) => [run.name, runName(run)]));
    const order = [...names.keys()];
    const rows = rowsOf(`latency-${tag}`).map((row) => ({ ...row, label: `${names.get(row.scenario) ?? row.scenario}: ${row.call}` }))
        .sort((a, b) => order.indexOf(a.scenario) - order.indexOf(b.scenario));
    if (rows.length === 0) return null;
    const lines = frameLines(validation.policy);
    return chart({
        id: `latency-${tag}`, title: "How long each call takes", height: 96 + 24 * rows.length,
        caption: () => {
            const worst = rows.reduce((most, each) => (number(each.worst_ns) > number(most.worst_ns) ? each : most));
            return `From the median to the worst call, on a logarithmic axis; dashed: ${list(lines.map(({ name }) => name))}. The slowest of all is ${worst.label}, ${time(worst.worst_ns)}. Create is the whole creation of a resource, allocate the part that finds its memory.`;
        },
        key: kFigures.map(([, name], i) => ({ name, symbol: kMarks[i], colour: (theme) => markColours(theme)[i] })),
        option(theme, width) {
            const labels = rows.map((row) => row.label);
            const positive = rows.flatMap((each) => kFigures.map(([key]) => number(each[key]))).filter((value) => value > 0);
            return {
                grid: { left: Math.min(290, width * 0.42), right: 24, top: 22, bottom: 44 },
                xAxis: logAxis(theme, "time of a call", [...positive, 2 * lines.at(-1).ns], { base: 10, most: width < 500 ? 4 : 9, axisLabel: { formatter: timeTick } }),
                yAxis: axis(theme, "", { type: "category", inverse: true, data: labels, axisLabel: { width: Math.min(280, width * 0.4), overflow: "truncate", interval: 0, hideOverlap: false } }),
                tooltip: { trigger: "item", formatter: (at) => `${labels[at.value[1]]}\n${at.seriesName}: ${time(at.value[0])}` },
                series: kFigures.map(([key, name], i) => ({ type: "scatter", id: key, name, symbol: kMarks[i], symbolSize: 10, itemStyle: { color: markColours(theme)[i] },
                    data: rows.map((each, row) => [number(each[key]), row]),
                    ...(i === 0 ? { markLine: markLine(theme, lines.map(({ ns }) => ({ ns, name: time(ns) }))) } : {}) })),
            };
        },
    });
}

function findings(validation) {
    const rows = runsOf(validation).flatMap(({ run }) => run.findings.map((finding) => [words(finding.fault), run.name, finding.step, finding.resource, finding.statement]));
    if (rows.length === 0) return h("p", { class: "good" }, "No fault was found in any scenario.");
    return dataTable("Faults", [{ name: "Fault" }, { name: "Scenario" }, { name: "Step", number: true }, { name: "Resource" }, { name: "What was seen" }], rows);
}

// Times that did not settle are marked where they are told.
const unsettled = (run) => run.volatile.steadiness?.answer === "did_not_settle";

const kPromiseVerdicts = { kept: ["good", "Kept"], broken: ["bad", "Broken"], not_tested: ["warn", "Not tested"] };
const promiseBadge = (verdict) => h("span", { class: `badge ${kPromiseVerdicts[verdict]?.[0] ?? "warn"}` }, kPromiseVerdicts[verdict]?.[1] ?? words(verdict));

// What the policy promised of its workload, beside what happened.
function promises(device, validation, tag) {
    const all = runsOf(validation).flatMap(({ run }) => (run.volatile.promises ?? []).map((promise) => ({ run, promise })));
    if (all.length === 0) return null;
    rawTables.set(`promises-${tag}`, { csv: () => csvText(tableOf(`promises-${tag}`)) });
    return [h("h4", null, "What the policy promised"),
        dataTable(`Promises: ${device.label}`,
            [{ name: "Promise" }, { name: "Verdict" }, { name: "Promised", number: true }, { name: "Measured", number: true }, { name: "Keeps it", number: true }, { name: "Tolerance" }, { name: "Why it was not tested" }],
            all.map(({ promise }) => [promise.name, promiseBadge(promise.verdict), promise.predicted, promise.measured, promise.bounds, promise.tolerance, promise.reason]), { "data-promises": tag })];
}

const kMeanings = { validated: "Run on the device itself", replayed: "Run on a replayed report, not on the device", failed: "A check found a fault",
    validated_in_part: "Run on the device itself, a part of the workload", replayed_in_part: "Run on a replayed report, a part of the workload",
    inconclusive: "Stopped before the checks were complete", not_supported: "The device lacks what the scenarios need" };

// The verdict's whole reason, and under which conditions it was found.
function whatRan(validation) {
    const unsupported = validation.scenarios.filter((each) => each.verdict === "not_supported").length;
    return [h("p", null, `${[kMeanings[validation.verdict], validation.reason].filter((each) => each).join(": ")}.`),
        validation.other_policy ? h("p", { class: "bad" }, `Another policy was run than the one shown here (its hash begins with ${validation.other_policy.slice(0, 8)}): this verdict is that policy's.`) : null,
        h("p", { class: "note" }, [`${passed(validation)} of ${validation.scenarios.length} scenarios passed`, unsupported && `${unsupported} need what the device lacks`,
            validation.replayed && count(validation.interpolated_requirements, "interpolated requirement"), validation.assumed_requirements && `${count(validation.assumed_requirements, "requirement")} assumed, because the report holds no sweep`, `validation layers ${validation.validation_layers ? "on" : "off"}`].filter(Boolean).join("; "), ".")];
}

// How much of the workload ran, where not all of it did, and what did not, by hint.
function playedParts(validation) {
    const all = validation.scenarios.filter((run) => run.part);
    const planned = validation.left_out?.length ? dataTable("Left out by plan", [{ name: "Hint" }, { name: "Bytes of the workload", number: true }, { name: "Resources", number: true }, { name: "What the device lacks" }],
        validation.left_out.map((hint) => [hint.hint, percent(hint.bytes_share), grouped(hint.resources), hint.lacks.map(words).join(", ")])) : null;
    return [planned, all.map((run) => [h("p", { class: "bad" }, `${run.name}: ${run.part.statement}.`),
        run.part.unplayed.length === 0 ? null : dataTable("What did not run", [{ name: "Hint" }, { name: "Bytes of the workload", number: true }, { name: "Requests", number: true }, { name: "Why" }],
            run.part.unplayed.map((hint) => [hint.hint, percent(hint.bytes_share), grouped(hint.requests), hint.reason]))])];
}

// Everything that one run drew, behind its name.
function runFold(run, figures) {
    if (figures.length === 0) return null;
    return h("details", { class: "fold run" }, h("summary", null, h("span", { class: "name" }, runName(run)), " ", badge(run.verdict)), figures);
}

// Each reason once, with the runs that have it.
function reasonsOf(validation) {
    const reasons = new Map();
    for (const { run } of runsOf(validation)) reasons.set(run.reason, [...(reasons.get(run.reason) ?? []), runName(run)]);
    return reasons;
}

function validationBlock(device, validation, index) {
    const tag = `${device.index}-${index}`;
    const scenarioTable = dataTable(`Scenarios${validation.baselines.length ? ", and other allocators on the same operations" : ""}: ${device.label}`,
        [{ name: "Scenario" }, { name: "Verdict" }, { name: "Operations", number: true }, { name: "Checked", number: true }, { name: "Used, peak", number: true },
            { name: "Reserved, peak", number: true }, { name: "Waste, mean", number: true }, { name: "Fragmentation, mean", number: true },
            { name: "Device allocations", number: true }, { name: "Worst frame", number: true }, { name: "Worst of the load", number: true }],
        runsOf(validation).map(({ run }) => [`${runName(run)}${unsettled(run) ? " *" : ""}`, badge(run.verdict), run.bindings || run.engines ? "" : grouped(run.counts.operations), bytes(run.counts.verified_bytes),
            // What a scenario that plays no allocations cannot have stays empty.
            ...(number(run.memory.peak_reserved_bytes) > 0 ? [bytes(run.memory.peak_used_bytes), bytes(run.memory.peak_reserved_bytes), percent(run.memory.mean_waste), percent(run.memory.mean_fragmentation),
                grouped(run.counts.device_allocations), time(run.volatile.worst_frame_ns), run.volatile.worst_load_ns === undefined ? "" : time(run.volatile.worst_load_ns)] : ["", "", "", "", "", "", ""])]), { "data-scenarios": tag });
    return h("div", { class: "device-block" }, h("h3", null, device.label, " ", badge(validation.verdict)), whatRan(validation), playedParts(validation), scenarioTable, promises(device, validation, tag),
        runsOf(validation).some(({ run }) => run.volatile.worst_load_ns !== undefined) ? h("p", { class: "note" }, "The first resources are created before the first frame: what the longest of these creations spent on memory stands as the worst of the load, and is part of no frame.") : null,
        runsOf(validation).some(({ run }) => unsettled(run)) ? h("p", { class: "note" }, "* Its times did not settle while it ran: another run may well give others.") : null,
        h("div", { class: "tools" }, saveButton(`scenarios-${tag}`, "Save as CSV", () => tableOf(`scenarios-${tag}`))),
        h("ul", { class: "reasons" }, [...reasonsOf(validation)].map(([reason, names]) => h("li", null, h("strong", null, list(names)), `: ${reason}`))),
        h("h4", null, "Faults"), findings(validation), memoryChart(tag, validation), latencyChart(tag, validation),
        [...validation.scenarios, ...validation.baselines].map((run, i) => runFold(run, timelineCharts(run, `${tag}-${i}`, validation.policy))));
}

export function validationSection(devices) {
    const blocks = devices.flatMap((device) => device.validations.map((validation, i) => validationBlock(device, validation, i)));
    if (blocks.length === 0) return null;
    return h("section", { id: "validation", "aria-labelledby": "validation-title" }, h("h2", { id: "validation-title" }, "The policy at work"),
        h("p", { class: "lead" }, "Each resource was filled with its own pattern and read back, as far as a copy can show its bytes; every rule was checked on the way."), blocks);
}
