// One chart with everything around it: heading, a caption that says what is seen, controls, a legend of buttons, the
// drawing, the same data as a table, and as CSV. All charts are in window.heapwright.charts, so that a test can compare
// what they hold with the report.
import { BarChart, HeatmapChart, LineChart, ScatterChart } from "echarts/charts";
import { GridComponent, MarkAreaComponent, MarkLineComponent, TooltipComponent, VisualMapComponent } from "echarts/components";
import * as echarts from "echarts/core";
import { LabelLayout } from "echarts/features";
import { CanvasRenderer } from "echarts/renderers";
import { csvText, download } from "./csv.js";
import { dataTable, freshId, h, replace } from "./dom.js";
import { unfold } from "./fold.js";
import { tableOf } from "./tables.js";
import { colours, onThemeChange } from "./theme.js";
import { bytes } from "./units.js";

echarts.use([BarChart, HeatmapChart, LineChart, ScatterChart, GridComponent, MarkAreaComponent, MarkLineComponent,
    TooltipComponent, VisualMapComponent, LabelLayout, CanvasRenderer]);

export const charts = new Map();

const near = new IntersectionObserver((entries) => entries.filter((each) => each.isIntersecting)
    .forEach((each) => charts.get(each.target.id)?.start()), { rootMargin: "600px" });

// Device names that are switched off on the whole page, as `device:INDEX`.
export const hidden = new Set();

const kSymbols = ["circle", "rect", "triangle", "diamond", "roundRect", "pin", "arrow", "emptyCircle"];
export const symbolOf = (slot) => kSymbols[slot % kSymbols.length];

function base(theme) {
    return {
        animation: false,
        textStyle: { fontFamily: theme.font, color: theme.ink, fontSize: 12 },
        color: theme.slots,
        backgroundColor: "transparent",
        // Drawn on the canvas, so a name is never markup and no inline style is needed.
        tooltip: { renderMode: "richText", confine: true, backgroundColor: theme.paper, borderColor: theme.line,
            textStyle: { color: theme.ink, fontSize: 12 } },
    };
}

export function axis(theme, name, extra) {
    return {
        name, nameLocation: "middle", nameGap: 30, nameTextStyle: { color: theme.soft, fontSize: 12 },
        axisLine: { lineStyle: { color: theme.line } }, axisTick: { show: false },
        axisLabel: { color: theme.soft, hideOverlap: true, fontSize: 11 },
        splitLine: { lineStyle: { color: theme.line, opacity: 0.6 } },
        minorTick: { show: false },
        ...extra,
        ...(extra?.axisLabel ? { axisLabel: { color: theme.soft, hideOverlap: true, fontSize: 11, ...extra.axisLabel } } : {}),
    };
}

// A logarithmic axis of the powers of two (or ten) around the values, with at most `most` of them written.
export function logAxis(theme, name, values, { base: logBase = 2, most = 9, ...extra } = {}) {
    const log = (value) => Math.log(value) / Math.log(logBase);
    const positive = values.filter((value) => value > 0);
    const low = Math.floor(log(Math.min(...positive)) + 1e-9);
    const high = Math.max(low + 1, Math.ceil(log(Math.max(...positive)) - 1e-9));
    const step = Math.max(1, Math.ceil((high - low) / most));
    const ticks = [];
    // Steps count from 1, 16, 256, ... so that two charts of one kind write the same numbers.
    for (let at = Math.ceil(low / step) * step; at <= high; at += step) ticks.push(logBase ** at);
    return axis(theme, name, { type: "log", logBase, min: logBase ** low, max: logBase ** high, ...extra,
        axisTick: { show: false, customValues: ticks }, axisLabel: { customValues: ticks, ...extra.axisLabel } });
}

// A linear axis in bytes from 0, with a step of a power of two, so that it reads 0, 32 GiB, 64 GiB.
export function bytesAxis(theme, most, ticks, extra) {
    const interval = 2 ** Math.ceil(Math.log2(Math.max(1, most) / ticks));
    return axis(theme, "", { type: "value", min: 0, interval, max: Math.ceil(Math.max(1, most) / interval) * interval, ...extra, axisLabel: { formatter: bytes } });
}

// legend entries: { key, name, colour(theme), symbol }
export function swatchOf(entry, theme) {
    const swatch = h("span", { class: `swatch ${entry.symbol ?? "circle"}`, "aria-hidden": "true" });
    swatch.style.setProperty("--swatch", entry.colour(theme));
    return swatch;
}

function drawLegend(element, entries, toggle) {
    const theme = colours();
    replace(element, entries.map((entry) => {
        const shown = !hidden.has(entry.key);
        const swatch = swatchOf(entry, theme);
        return h("button", { type: "button", "aria-pressed": String(shown), "data-key": entry.key,
            click: () => toggle(entry.key) }, swatch, entry.name);
    }));
}

// chart({ id, title, caption, height, legend, key, data, shown, option }): `key` is a legend that switches nothing;
// `shown` has for each column of the table a function that gives its values as texts; caption, legend, data and option are functions: data() gives { columns, rows }, for the table and the CSV, by default the
// table of the chart's name, option(theme, width) the drawing. A chart is drawn when it comes near the window.
export function chart(spec) {
    const data = spec.data ?? (() => tableOf(spec.id));
    const titleId = freshId("chart");
    const captionElement = h("p", { class: "caption", id: freshId("caption") });
    const canvas = h("div", { class: "canvas", role: "img", "aria-labelledby": titleId,
        "aria-describedby": captionElement.id });
    const heightAt = typeof spec.height === "function" ? spec.height : () => spec.height ?? 340;
    canvas.style.height = `${heightAt(1000)}px`;
    const legend = h("div", { class: "legend", role: "group", "aria-label": "Show or hide" });
    const key = h("p", { class: "key", hidden: !spec.key });
    const table = h("details", { class: "data", toggle: () => fillTable() }, h("summary", null, "The data as a table"));
    const tableBody = h("div");
    table.append(tableBody);
    const save = h("button", { type: "button", class: "quiet", click: () => download(`${spec.id}.csv`, csvText(data())) },
        "Save as CSV");
    const figure = h("figure", { class: `chart ${spec.class ?? ""}`, id: spec.id },
        h(spec.heading ?? "h4", { id: titleId }, spec.title), captionElement, legend, key, canvas,
        h("div", { class: "tools" }, save, table));

    let instance = null;
    function fillTable() {
        if (!table.open) return;
        const { columns, rows, names } = data();
        replace(tableBody, dataTable(spec.title, columns.map((name, i) => ({
            name: names?.[i] ?? name.replaceAll("_", " "), number: rows.length > 0 && typeof rows[0][i] === "number" })),
            spec.shown ? rows.map((row) => row.map((value, i) => spec.shown[i](value))) : rows));
    }
    // What stands around the drawing.
    function describe() {
        const caption = typeof spec.caption === "function" ? spec.caption() : spec.caption;
        replace(captionElement, caption ?? "");
        const entries = spec.legend ? spec.legend() : [];
        legend.hidden = entries.length < 2;
        drawLegend(legend, entries, toggle);
        if (spec.key) replace(key, spec.key.map((entry) => h("span", null, swatchOf(entry, colours()), entry.name)));
        fillTable();
    }
    let width = 0;
    // Behind a closed fold nothing has a width; it is drawn once that opens.
    function draw() {
        if (!instance || width === 0) return;
        const height = heightAt(width);
        canvas.style.height = `${height}px`;
        instance.resize({ width, height });
        const theme = colours();
        const { tooltip, ...rest } = spec.option(theme, width);
        const common = base(theme);
        instance.setOption({ ...common, ...rest, tooltip: { ...common.tooltip, ...tooltip } }, { notMerge: true });
    }
    function update() {
        describe();
        draw();
    }
    function start() {
        if (instance || canvas.clientWidth === 0) return;
        near.unobserve(figure);
        width = canvas.clientWidth;
        instance = echarts.init(canvas, null, { renderer: "canvas", devicePixelRatio: Math.max(2, devicePixelRatio), width, height: heightAt(width) });
        draw();
        new ResizeObserver(([{ contentRect }]) => {
            if (contentRect.width === width) return;
            width = contentRect.width;
            requestAnimationFrame(draw);
        }).observe(canvas);
    }
    charts.set(spec.id, { id: spec.id, title: spec.title, update, start, data, csv: () => csvText(data()),
        option: () => { unfold(figure); start(); return instance.getOption(); }, get instance() { return instance; }, figure });
    update();
    figure.update = update;
    return figure;
}

export function toggle(key) {
    if (hidden.has(key)) hidden.delete(key);
    else hidden.add(key);
    const focused = document.activeElement?.dataset?.key === key ? document.activeElement.closest(".legend") : null;
    updateAll();
    // The buttons were drawn anew; the keyboard stays where it was.
    if (focused) [...focused.children].find((button) => button.dataset.key === key)?.focus();
}

const listeners = [];
export const onUpdate = (listener) => listeners.push(listener);
export function updateAll() {
    listeners.forEach((listener) => listener());
    charts.forEach((each) => each.update());
}
// Every chart outside closed folds at once, as paper wants them.
export const startAll = () => charts.forEach((each) => each.start());
// Each when it is about to be seen.
export const startNear = () => charts.forEach((each) => near.observe(each.figure));
addEventListener("beforeprint", startAll);
onThemeChange(updateAll);

export const deviceKey = (device) => `device:${device.index}`;
export const isShown = (device) => !hidden.has(deviceKey(device));
export const deviceLegend = (devices) => devices.map((device) => ({ key: deviceKey(device), name: device.label,
    symbol: symbolOf(device.slot), colour: (theme) => theme.slots[device.slot] }));
