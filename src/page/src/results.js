// What each fold holds, in one line for its title: a number or a verdict out of the documents. Of several devices what
// they have alike stands once; empty: the documents do not say.
import { rowsOf } from "./tables.js";
import { bytes, count, list, number, percent, time } from "./units.js";

export const passed = ({ scenarios }) => scenarios.filter(({ verdict }) => ["validated", "replayed", "validated_in_part", "replayed_in_part"].includes(verdict)).length;

const most = (items, of) => items.reduce((best, each) => (of(each) > of(best) ? each : best), items[0]);

function policy({ policies: [first] }) {
    if (!first) return "";
    const used = first.buckets.filter((bucket) => number(bucket.expected_bytes) > 0);
    return `${count(used.length, "bucket")} in use, memory of its own above ${bytes(first.humongous_threshold_bytes.value)}`;
}

function validation({ validations: [first] }) {
    if (!first) return "";
    const faults = [...first.scenarios, ...first.baselines].reduce((sum, run) => sum + number(run.findings_total), 0);
    return `${passed(first)} of ${count(first.scenarios.length, "scenario")} passed, ${faults ? count(faults, "fault") : "no fault"}`;
}

const memory = ({ report }) => (report ? `${list(report.heaps.map((heap) => bytes(heap.size_bytes)))} in ${count(report.heaps.length, "heap")}, ${count(report.memory_types.length, "memory type")}` : "");

// "aligned to 1 KiB or 64 KiB"
function aligned(alignments) {
    const known = [...new Set(alignments.map(number))].filter((each) => each > 0).sort((a, b) => a - b);
    if (known.length === 0) return "";
    return `aligned to ${known.length > 3 ? `${bytes(known[0])} up to ${bytes(known.at(-1))}` : list(known.map(bytes), "or")}`;
}

const images = ({ images: sweep }) => aligned((sweep?.tables ?? []).flatMap(({ alignment }) => alignment));
const buffers = ({ buffers: sweep }) => aligned((sweep?.facts ?? []).flatMap((each) => each?.alignments ?? []));

function cost({ index }) {
    const rows = rowsOf(`cost-allocate-${index}`);
    if (rows.length === 0) return "";
    const dearest = most(rows, (row) => number(row.median_ns));
    return `an allocation takes ${time(Math.min(...rows.map((row) => number(row.median_ns))))} to ${time(dearest.median_ns)} (${bytes(dearest.size_bytes)})`;
}

function engines({ index, report }) {
    const measured = report?.volatile.engines;
    if (!measured) return "";
    const told = rowsOf(`engine-overlap-${index}`).filter((_, i) => !measured.overlaps[i].disturbed);
    if (told.length === 0) return count(measured.engines.length, "engine");
    const best = most(told, (row) => row.gained);
    return `at most ${percent(best.gained)} gained, by ${best.second_work} beside ${best.first_work}`;
}

function creations({ index }) {
    const rows = rowsOf(`creations-${index}`).filter((row) => row.object === "image" && row.memory_priority === "off");
    if (rows.length === 0) return "";
    const best = most(rows, (row) => number(row.pairs_per_s));
    return `most images by ${count(best.threads, "thread")}`;
}

const kResults = { policy, validation, devices: ({ first }) => first.driver, memory, images, buffers, cost, creations, engines };

export function resultOf(id, devices) {
    const told = [...new Set(devices.map((device) => kResults[id]?.(device)).filter(Boolean))];
    return told.length > 2 ? count(devices.length, "device") : told.join("; ");
}
