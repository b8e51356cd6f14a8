// Two small pictures beneath the first screen's figures: memory over time, and the worst frame beside other allocators.
// A picture whose figures the validation lacks is not drawn.
import { h, svg } from "../dom.js";
import { grouped, rowsOf } from "../tables.js";
import { bytes, count, grouped as counted, list, number, percent, time, timeTick } from "../units.js";

const kWide = 340, kHigh = 100;

const text = (x, y, content, end) => svg("text", { x, y, "text-anchor": end ? "end" : null }, content);

function picture(name, claim, notes, facts, ...drawing) {
    return h("figure", { class: "picture", "data-picture": name }, h("figcaption", null, h("strong", null, claim), notes.map((each) => h("span", null, each))),
        svg("svg", { viewBox: `0 0 ${kWide} ${kHigh}`, role: "img", "aria-label": facts }, drawing));
}

// The sums over all heaps at each moment: { operations, used, reserved }.
function moments(tag) {
    const [first, ...rest] = grouped(rowsOf(`occupancy-heaps-${tag}`), "heap").map(([, rows]) => rows);
    const sum = (i, column) => [first, ...rest].reduce((all, rows) => all + number(rows[i][column]), 0);
    return (first ?? []).map((row, i) => ({ operations: number(row.operations), used: sum(i, "used_bytes"), reserved: sum(i, "reserved_bytes") }));
}

function memoryPicture(run, tag) {
    const all = moments(tag);
    const most = Math.max(...all.map((each) => each.reserved));
    const last = all.at(-1);
    if (!(most > 0 && last.operations > 0)) return null;
    const [top, bottom] = [20, 82];
    const points = (key) => all.map((each) => `${(each.operations / last.operations * kWide).toFixed(1)},${(bottom - each[key] / most * (bottom - top)).toFixed(1)}`).join(" ");
    const area = (key) => [svg("polygon", { class: key, points: `0,${bottom} ${points(key)} ${kWide},${bottom}` }), svg("polyline", { class: key, points: points(key) })];
    const key = (name, x) => [svg("rect", { class: name, x, y: 3, width: 18, height: 9 }), svg("line", { class: name, x1: x, x2: x + 18, y1: 3, y2: 3 }), text(x + 23, 12, name)];
    const operations = `${counted(last.operations)} operations`;
    const claim = `Waste ${percent(run.memory.mean_waste)} on average`;
    const end = `reserved ${bytes(last.reserved)}, used ${bytes(last.used)}`;
    return picture("memory", claim, [`At the end ${end}.`], `Reserved and used over ${operations}. ${claim}; at the end ${end}; at most ${bytes(most)} reserved.`,
        area("reserved"), area("used"), svg("line", { class: "axis", x1: 0, x2: kWide, y1: bottom, y2: bottom }),
        text(0, 12, `at most ${bytes(most)}`), key("reserved", 170), key("used", 270), text(0, 97, "0"), text(kWide, 97, operations, true));
}

function framePicture(run, baselines) {
    const times = (name, { worst_frame_ns, p99_frame_ns }) => ({ name, worst: number(worst_frame_ns), p99: number(p99_frame_ns ?? 0) });
    const others = baselines.filter((each) => each.name.startsWith(`${run.name}/`)).map((each) => times(each.label, each.volatile)).filter(({ worst }) => worst > 0);
    const own = times("This policy", run.volatile);
    if (others.length === 0 || own.worst === 0) return null;
    const all = [own, ...others];
    const [left, right, step] = [132, kWide - 58, 84 / all.length];
    // Whole powers of ten around all that is drawn.
    const low = Math.floor(Math.log10(Math.min(...all.flatMap(({ worst, p99 }) => [worst, p99 || worst]))) - 0.1);
    const high = Math.ceil(Math.log10(Math.max(...all.map(({ worst }) => worst))));
    const at = (ns) => left + (Math.log10(ns) - low) / (high - low) * (right - left);
    const ticks = Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i));
    const bar = ({ name, worst, p99 }, i) => [text(0, i * step + step / 2 + 4, name),
        svg("rect", { class: i === 0 ? "own" : "other", x: left, y: i * step + 3, width: at(worst) - left, height: step - 6 }),
        p99 ? svg("line", { class: "p99", x1: at(p99), x2: at(p99), y1: i * step + 1, y2: (i + 1) * step - 1 }) : null, text(at(worst) + 5, i * step + step / 2 + 4, time(worst))];
    const longer = others.filter(({ worst }) => worst > own.worst).length;
    const claim = `Worst frame beats ${longer} of ${count(others.length, "allocator")}`;
    const marked = all.some(({ p99 }) => p99);
    return picture("frames", claim, [`Lower is better, on a log scale${marked ? "; the mark is the 99th percentile" : ""}.`],
        `Worst frame beside other allocators, on a log scale, lower is better: ${list(all.map(({ name, worst, p99 }) => `${name} ${time(worst)}${p99 ? ` (99th percentile ${time(p99)})` : ""}`))}.`,
        ticks.map((ns, i) => [svg("line", { class: "axis", x1: at(ns), x2: at(ns), y1: 0, y2: 86 }), i % 2 ? null : svg("text", { x: at(ns), y: 97, "text-anchor": "middle" }, timeTick(ns))]), all.map(bar));
}

// Of the validation that the figures above are from: the one of the policy that is shown.
export function pictures(device) {
    const index = device.validations.findIndex((each) => !each.other_policy);
    const { scenarios = [], baselines } = device.validations[index] ?? {};
    const played = scenarios.findIndex((each) => each.name === "mixed-workload");
    if (played < 0) return null;
    const drawn = [memoryPicture(scenarios[played], `${device.index}-${index}-${played}`), framePicture(scenarios[played], baselines)].filter(Boolean);
    return drawn.length ? h("div", { class: "pictures" }, drawn) : null;
}
