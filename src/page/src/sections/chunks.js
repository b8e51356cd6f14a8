// The chunks of a scenario's pools at one moment: a row a chunk, coloured by how full each part of it is, and how large
// the free ranges between are.
import { axis, chart } from "../chart.js";
import { rowsOf } from "../tables.js";
import { bytes, count, grouped, list, number, percent } from "../units.js";

const kMoments = { end: ["at the end", "After the last operation, with everything still in place"],
    "before-defragmentation": ["before defragmentation", "After most resources were released, before any was moved"] };
const momentOf = (map) => kMoments[map.moment] ?? [map.moment, `At the moment named ${map.moment}`];

const sumOf = (chunks, key) => chunks.reduce((sum, chunk) => sum + number(chunk[key]), 0);
const chunksOf = (id) => rowsOf(`chunks-${id}`).map((row) => ({ ...row, used: row.used_percent === "" ? [] : row.used_percent.split(" ").map(Number) }));

function mapChart(run, map, id) {
    const rows = chunksOf(id);
    const cells = Math.max(...rows.map((chunk) => chunk.used.length), 1);
    const [when, words] = momentOf(map);
    // A text of its own for each row: a category that comes twice would be one row.
    const label = (chunk) => `${chunk.pool} #${chunk.chunk}, ${bytes(chunk.size_bytes)}`;
    return chart({
        id: `chunks-${id}`, height: 96 + (rows.length > 24 ? 12 : 18) * rows.length, title: `${run.name}: the chunks ${when}`,
        caption: () => {
            const emptiest = rows.reduce((most, chunk) => (number(chunk.free_bytes) > number(most.free_bytes) ? chunk : most));
            const left = number(map.chunks_left_out);
            return `${words}. A row is a chunk from its first byte to its last; a cell is one part of it. ${count(rows.length, "chunk")} of ${bytes(sumOf(rows, "size_bytes"))} with ${bytes(sumOf(rows, "used_bytes"))} used${left ? `; ${count(left, "chunk")} with fewer free bytes ${left === 1 ? "is" : "are"} not drawn` : ""}. Most free bytes: ${emptiest.pool}, ${bytes(emptiest.free_bytes)} in ${count(number(emptiest.free_ranges), "range")}, the largest ${bytes(emptiest.largest_free_bytes)}.`;
        },
        option(theme, width) {
            const labels = rows.map(label);
            const pieces = [{ value: 0, label: "free", color: theme.ramp[0] }, { gt: 0, lt: 50, label: "less than half used", color: theme.ramp[1] },
                { gte: 50, lt: 100, label: "half or more", color: theme.ramp[2] }, { value: 100, label: "full", color: theme.ramp[3] }];
            return {
                grid: { left: Math.min(210, width * 0.4), right: 20, top: 8, bottom: 76 },
                xAxis: axis(theme, "place in the chunk", { type: "category", data: Array.from({ length: cells }, (_, i) => String(i)), nameGap: 24, splitLine: { show: false },
                    axisLabel: { interval: (i) => (i * 4) % cells === 0, formatter: (i) => percent(i / cells) } }),
                yAxis: axis(theme, "", { type: "category", inverse: true, data: labels, splitLine: { show: false },
                    axisLabel: { fontSize: 10, interval: 0, hideOverlap: false, width: Math.min(200, width * 0.38), overflow: "truncate" } }),
                visualMap: { type: "piecewise", dimension: 2, orient: "horizontal", left: "center", bottom: 0, pieces, itemWidth: 14, itemHeight: 12, itemGap: 8,
                    textStyle: { color: theme.soft, fontSize: 11 }, hoverLink: false, selectedMode: false, showLabel: true },
                tooltip: { trigger: "item", formatter: (at) => {
                    const chunk = rows[at.value[1]];
                    const part = number(chunk.size_bytes) / chunk.used.length;
                    return `${labels[at.value[1]]}\nfrom ${bytes(at.value[0] * part)} to ${bytes((at.value[0] + 1) * part)}: ${at.value[2]}% used\nwhole chunk: ${bytes(chunk.used_bytes)} used in ${count(number(chunk.suballocations), "suballocation")}, ${bytes(chunk.free_bytes)} free in ${count(number(chunk.free_ranges), "range")}, the largest ${bytes(chunk.largest_free_bytes)}\nfragmentation ${percent(chunk.fragmentation)}, lost to rounding ${bytes(chunk.internal_waste_bytes)}`;
                } },
                series: [{ type: "heatmap", id: "cells", name: "used", progressive: 0, itemStyle: { borderColor: theme.paper, borderWidth: 1 },
                    data: rows.flatMap((chunk, row) => chunk.used.map((used, cell) => [cell, row, used])) }],
            };
        },
    });
}

function rangesChart(run, map, id) {
    const rows = rowsOf(`free-ranges-${id}`).map((row) => [row.pool, number(row.at_least_bytes), number(row.free_ranges)]);
    if (rows.length === 0) return null;
    const [when] = momentOf(map);
    const sizes = [...new Set(rows.map(([, size]) => size))].sort((a, b) => a - b);
    const pools = [...new Set(rows.map(([pool]) => pool))];
    const all = Array.from({ length: Math.log2(sizes.at(-1)) - Math.log2(sizes[0]) + 1 }, (_, i) => sizes[0] * 2 ** i);
    return chart({
        id: `free-ranges-${id}`, height: 260, title: `${run.name}: free ranges by size ${when}`,
        caption: `How many free ranges there are of each size, from the one named to its double: few and large serve any request, many and small are crumbs. ${list(pools.map((pool) => {
            const own = rows.filter(([name]) => name === pool);
            return `${pool} has ${count(own.reduce((sum, [, , ranges]) => sum + ranges, 0), "range")}, the largest of at least ${bytes(own.at(-1)[1])}`;
        }))}.`,
        key: pools.map((name, slot) => ({ name, symbol: "rect", colour: (theme) => theme.slots[slot % 8] })),
        option: (theme, width) => ({
            grid: { left: 56, right: 20, top: 16, bottom: 56 },
            xAxis: axis(theme, "size of the range, at least", { type: "category", data: all.map(bytes), splitLine: { show: false }, axisLabel: { rotate: width < 500 ? 60 : 0 } }),
            yAxis: axis(theme, "", { type: "value", minInterval: 1, axisLabel: { formatter: grouped } }),
            tooltip: { trigger: "axis", axisPointer: { type: "none" }, formatter: (at) => [at[0].name, ...at.filter((each) => each.value > 0).map((each) => `${each.seriesName}: ${count(each.value, "range")}`)].join("\n") },
            series: pools.map((pool, slot) => ({ type: "bar", stack: "ranges", id: `pool-${slot}`, name: pool, barMaxWidth: 28, itemStyle: { color: theme.slots[slot % 8] },
                data: all.map((size) => rows.find(([name, at]) => name === pool && at === size)?.[2] ?? 0) })),
        }),
    });
}

export function chunkCharts(run, tag) {
    return (run.occupancy.maps ?? []).flatMap((map, i) => (chunksOf(`${tag}-${i}`).length === 0 ? [] : [mapChart(run, map, `${tag}-${i}`), rangesChart(run, map, `${tag}-${i}`)]));
}
