// What several ways to allocate would do to one program: the claim, a row a way, and what a setting does. heapwright wrote
// the words and the figures.
import { axis, bytesAxis, chart, logAxis } from "../chart.js";
import { dataTable, h } from "../dom.js";
import { rowsOf, tableOf } from "../tables.js";
import { bytes, number, percent, time, timeTick } from "../units.js";
import { saveButton } from "./raw.js";

const kText = { bytes, share: percent, time };
const kTick = { bytes, share: percent, time: timeTick };
const kStanding = { less: "good", more: "bad", not_told: "soft", same: "soft", first: "soft" };

function cell(given) {
    if (!given) return h("span", { class: "soft" }, "-");
    return [given.best ? h("span", { class: "best" }, given.value, h("span", { class: "unseen" }, " (best)")) : given.value,
        given.difference ? h("span", { class: `difference ${kStanding[given.verdict]}` }, given.difference) : null];
}

function rowsTable(whatIf) {
    const columns = [{ name: "Way to allocate" }, ...whatIf.columns.map(({ name }) => ({ name, number: true }))];
    return dataTable(whatIf.first ? `Each way, and how it differs from ${whatIf.first}. Less is better.` : "Less is better.", columns,
        whatIf.rows.map((row) => [[row.name, h("span", { class: "difference soft" }, row.how)], ...row.cells.map(cell)]), { class: "ways" });
}

const save = (name, text) => saveButton(name, text, () => tableOf(name));

function curveChart({ table, name, unit, caption, own, own_text }, { setting, of }) {
    const points = rowsOf(table).map((row) => Object.values(row)).map(([size, value, best]) => ({ size: number(size), value: number(value), best: number(best) === 1 }));
    const most = Math.max(...points.map((point) => point.value), own ?? 0);
    const some = points.some((point) => point.best);
    return chart({
        id: table, title: name[0].toUpperCase() + name.slice(1), heading: "h4", height: 250, caption,
        shown: [bytes, kText[unit], (best) => (number(best) === 1 ? "best" : "")],
        key: some ? [{ name: "the best, or not told from it", symbol: "diamond", colour: (theme) => theme.good }] : undefined,
        option: (theme, width) => ({
            grid: { left: 70, right: 24, top: 20, bottom: 50 },
            xAxis: logAxis(theme, setting, points.map((point) => point.size), { most: width < 500 ? 4 : 6, axisLabel: { formatter: bytes } }),
            yAxis: unit === "bytes" ? bytesAxis(theme, most * 1.05, 5) : axis(theme, "", { type: "value", min: 0, splitNumber: 4, axisLabel: { formatter: kTick[unit] } }),
            tooltip: { trigger: "item", formatter: (at) => `${setting} of ${bytes(at.value[0])}\n${name}: ${kText[unit](at.value[1])}` },
            series: [{ type: "line", id: "points", name, lineStyle: { color: theme.accent, width: 2 },
                data: points.map((point) => ({ value: [point.size, point.value], symbol: point.best ? "diamond" : "circle", symbolSize: point.best ? 12 : 6,
                    itemStyle: { color: point.best ? theme.good : theme.accent } })),
                markLine: own === null ? undefined : { silent: true, symbol: "none", animation: false, data: [{ yAxis: own }],
                    lineStyle: { color: theme.soft, type: "dashed", width: 1.5 },
                    label: { formatter: `${of}: ${own_text}`, position: "insideEndBottom", color: theme.soft, fontSize: 11 } } }],
        }),
    });
}

function curveBlock(curve) {
    return h("div", null, h("h3", null, `What the setting ${curve.setting} does to ${curve.of}`),
        h("div", { class: "curves" }, curve.charts.map((each) => curveChart(each, curve))),
        curve.not_played.length ? h("ul", { class: "note" }, curve.not_played.map((each) => h("li", null, each))) : null);
}

function block(whatIf, index, alone) {
    const { failed, not_played: notPlayed, rows, curves, columns, notes } = whatIf;
    const marked = rows.some((row) => row.cells.some((each) => each?.best));
    return h("div", { class: "device-block" },
        alone ? null : h("h3", null, whatIf.program),
        h("p", { class: "note" }, alone ? `${whatIf.program} on ${whatIf.device}` : `On ${whatIf.device}`),
        failed.length ? h("div", { class: "bad-box" }, h("ul", null, failed.map((each) => h("li", null, each)))) : null,
        notPlayed.length ? h("div", { class: "warn-box" }, h("ul", null, notPlayed.map((each) => h("li", null, each)))) : null,
        h("div", { class: "verdict" }, h("p", { class: "headline" }, whatIf.claim), whatIf.best ? h("p", null, whatIf.best) : null),
        rows.length ? [rowsTable(whatIf),
            h("p", { class: "note" }, marked ? `Bold and underlined: the best of the column${whatIf.exact ? "" : ", or not told from it"}. ` : "", whatIf.told),
            h("details", null, h("summary", null, "What the columns mean"), h("dl", { class: "facts" }, columns.map(({ name, meaning }) => h("div", null, h("dt", null, name), h("dd", null, meaning)))))] : null,
        notes.length ? h("ul", { class: "note" }, notes.map((each) => h("li", null, each))) : null,
        curves.map(curveBlock),
        h("p", { class: "raw" }, "As CSV: ", save(`what-if-rows-${index}`, "the ways"), curves.length ? save(`what-if-curves-${index}`, "every size of the settings") : null));
}

export function whatIfSection(whatIfs) {
    if (!whatIfs.length) return null;
    return h("section", { id: "what-if", "aria-labelledby": "what-if-title" }, h("h2", { id: "what-if-title" }, "What if it allocated another way"),
        whatIfs.map((each, index) => block(each, index, whatIfs.length === 1)));
}
