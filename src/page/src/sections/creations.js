// How many objects the driver creates and destroys, by threads: where a line falls, threads wait for each other.
import { chart, hidden, isShown, logAxis, onUpdate, symbolOf } from "../chart.js";
import { h } from "../dom.js";
import { rowsOf } from "../tables.js";
import { count, list, number, unsettledCaption } from "../units.js";

const kNames = { image: "images", buffer: "buffers", memory: "device memory", descriptors: "descriptor pools" };

// "1329", "2.1"
const perMillisecond = (rate) => { const each = number(rate) / 1000; return each < 10 ? `${Number(each.toPrecision(2))}` : each.toFixed(0); };

function deviceCreations(device) {
    const rows = rowsOf(`creations-${device.index}`);
    const keys = [...new Set(rows.map((row) => `${row.object}:${row.memory_priority}`))];
    const curves = keys.map((key, slot) => {
        const points = rows.filter((row) => `${row.object}:${row.memory_priority}` === key);
        return { id: key, key: `creations-${device.index}:${key}`, slot, points, name: `${kNames[points[0].object]}${points[0].memory_priority === "on" ? " with memoryPriority" : ""}` };
    });
    const shown = () => curves.filter((curve) => !hidden.has(curve.key));
    const first = (curve) => number(curve.points[0].pairs_per_s);
    const last = (curve) => number(curve.points.at(-1).pairs_per_s);
    const losing = () => shown().filter((curve) => last(curve) < first(curve) / 2);
    const { skipped } = device.report.volatile.creations;
    return h("div", { class: "device-block" }, h("h3", null, device.label),
        chart({
            id: `creations-${device.index}`, title: `Created and destroyed, by threads: ${device.label}`, height: 360,
            caption: () => (losing().length
                ? `Threads wait for each other: ${list(losing().map((curve) => `${curve.name} fall from ${perMillisecond(first(curve))} a millisecond by one thread to ${perMillisecond(last(curve))} by ${count(curve.points.at(-1).threads, "thread")}`))}.`
                : "More threads create more, or about as much.") + unsettledCaption(rows),
            legend: () => curves.map(({ key, name, slot }) => ({ key, name, symbol: symbolOf(slot), colour: (theme) => theme.slots[slot % 8] })),
            option(theme, width) {
                return {
                    grid: { left: 62, right: width < 500 ? 14 : 230, top: 24, bottom: 52 },
                    xAxis: logAxis(theme, "threads", rows.map((row) => number(row.threads)), { axisLabel: { formatter: (threads) => `${threads}` } }),
                    yAxis: logAxis(theme, "pairs a millisecond", rows.map((row) => number(row.pairs_per_s)), { base: 10, nameGap: 46, axisLabel: { formatter: perMillisecond } }),
                    tooltip: { trigger: "axis", formatter: (at) => [count(at[0].value[0], "thread"),
                        ...at.map((each) => `${each.seriesName}: ${perMillisecond(each.value[1])} (${perMillisecond(each.value[2])} to ${perMillisecond(each.value[3])})`)].join("\n") },
                    series: shown().map(({ id, name, slot, points }) => ({ type: "line", id, name,
                        data: points.map((point) => [number(point.threads), number(point.pairs_per_s), number(point.least_pairs_per_s), number(point.most_pairs_per_s)]),
                        symbol: symbolOf(slot), symbolSize: 7, itemStyle: { color: theme.slots[slot % 8] }, lineStyle: { color: theme.slots[slot % 8], width: 2 },
                        endLabel: { show: width >= 500, formatter: name, color: theme.slots[slot % 8], fontSize: 11 }, labelLayout: { hideOverlap: true } })),
                };
            },
        }),
        skipped.length ? [h("h4", null, "Not measured"), h("ul", null, skipped.map((each) => h("li", null, each)))] : null);
}

export function creationsSection(devices) {
    const measured = devices.filter((device) => rowsOf(`creations-${device.index}`).length > 0);
    if (measured.length === 0) return null;
    const blocks = measured.map((device) => ({ device, block: deviceCreations(device) }));
    onUpdate(() => blocks.forEach(({ device, block }) => { block.hidden = !isShown(device); }));
    return h("section", { id: "creations", "aria-labelledby": "creations-title" },
        h("h2", { id: "creations-title" }, "Creating by several threads"),
        h("p", { class: "lead" }, "Creations, each with its destruction, of all threads together, on logarithmic axes; medians. An engine creates by no more threads than gain something."),
        blocks.map(({ block }) => block));
}
