// What the driver asks for images: the two graphs of the memory article (docs/glossary.md), the table of its observations, and two heat maps a device.
import { axis, chart, deviceLegend, isShown, logAxis, onUpdate, symbolOf, updateAll } from "../chart.js";
import { dataTable, h, replace } from "../dom.js";
import { caseKey, imageFacts, imagePoints } from "../sweep.js";
import { rawExport } from "./raw.js";
import { bytes, bytesTight, grouped, list, number, ratio, words } from "../units.js";

const kSourceLimit = 4096;  // the article's graphs end at the extent that every Vulkan device must support
const kSourceCase = JSON.stringify(["R8G8B8A8_UNORM", "optimal", "2d", ["TRANSFER_DST", "SAMPLED"], false, 1, 1]);

const usageName = (usage) => usage.map((bit) => words(bit.toLowerCase())).join(" + ");
function shapeName([, tiling, dimension, , mips, layers, samples]) {
    return [tiling, dimension.toUpperCase(), mips && "all mip levels", layers > 1 && `${layers} layers`,
        samples > 1 && `${samples} samples`].filter(Boolean).join(", ");
}

// Every case that some device supports, once.
function casesOf(devices) {
    const cases = new Map();
    for (const device of devices) {
        for (const image of device.images.cases) cases.set(caseKey(image), JSON.parse(caseKey(image)));
    }
    return cases;
}

// Three lists that narrow each other down: format, usage, shape.
function casePicker(cases, start, changed) {
    let current = JSON.parse(start);
    const parts = [
        { label: "Format", key: (each) => each[0], name: (each) => each[0] },
        { label: "Usage", key: (each) => each[3].join("|"), name: (each) => usageName(each[3]) },
        { label: "Shape", key: (each) => JSON.stringify([each[1], each[2], each[4], each[5], each[6]]), name: shapeName },
    ];
    const selects = parts.map((part, i) => h("select", { "data-part": part.label.toLowerCase(), change: () => choose(i) }));
    const fitting = (upTo) => [...cases.values()].filter((each) =>
        parts.slice(0, upTo).every((part) => part.key(each) === part.key(current)));
    function choose(i) {
        const candidates = fitting(i).filter((each) => parts[i].key(each) === selects[i].value);
        const like = (each) => parts.filter((part) => part.key(each) === part.key(current)).length;
        current = candidates.reduce((best, each) => (like(each) > like(best) ? each : best));
        fill();
        changed(JSON.stringify(current));
    }
    function fill() {
        parts.forEach((part, i) => {
            const options = new Map(fitting(i).map((each) => [part.key(each), part.name(each)]));
            replace(selects[i], [...options].map(([value, name]) =>
                h("option", { value, selected: value === part.key(current) }, name)));
            selects[i].value = part.key(current);
        });
    }
    fill();
    return h("div", { class: "controls" }, parts.map((part, i) => h("label", null, h("span", null, part.label), selects[i])));
}

function sorted(values) {
    return [...new Set(values)].sort((a, b) => a - b);
}

export function imagesSection(devices) {
    const measured = devices.filter((device) => device.images);
    if (measured.length === 0) return null;
    const cases = casesOf(measured);
    const state = { key: cases.has(kSourceCase) ? kSourceCase : cases.keys().next().value, source: true, order: "bytes" };

    const pointsOf = (device) => imagePoints(device.images, state.key).filter((point) => !state.source || point.source);
    const shown = () => measured.filter(isShown).map((device) => ({ device, points: pointsOf(device), facts: imageFacts(device.images, state.key, state.source) }))
        .filter(({ points }) => points.length > 0);

    const caseText = () => {
        const each = JSON.parse(state.key);
        return `${each[0]}, ${shapeName(each)}, ${usageName(each[3])}`;
    };
    const extentText = (point) => `${point.width} × ${point.height}`;
    const allExtents = () => {
        const known = new Map();
        for (const { points } of shown()) for (const point of points) known.set(extentText(point), point);
        return [...known.values()].sort((a, b) => a.width - b.width || a.height - b.height);
    };

    const table = (pick) => ({
        columns: ["device", "width", "height", "texel_bytes", `${pick}_bytes`],
        rows: shown().flatMap(({ device, points }) => points.map((point) =>
            [device.label, point.width, point.height, point.texels, point[pick]])),
    });
    const rawRows = (device) => pointsOf(device).map((point) => [`${point.width}x${point.height}`, point.alignment, point.size]);

    // Both graphs: alignment or storage against size. Points of several devices stand side by side, not on each other.
    function graph(id, title, pick, caption, marks) {
        return chart({
            id, title, heading: "h3", height: (width) => (width < 500 ? 320 : 400), data: () => table(pick), caption,
            legend: () => deviceLegend(measured),
            option(theme, width) {
                const drawn = shown();
                const small = width < 500;
                const byBytes = state.order === "bytes";
                const extents = byBytes ? [] : allExtents().map(extentText);
                const series = drawn.map(({ device, points, facts }, i) => {
                    const common = { name: device.label, id: device.label, itemStyle: { color: theme.slots[device.slot], opacity: 0.75 },
                        lineStyle: { color: theme.slots[device.slot], width: 1.5 }, symbol: symbolOf(device.slot) };
                    if (!byBytes) {
                        const at = new Map(points.map((point) => [extentText(point), point[pick]]));
                        return { ...common, type: "line", step: "middle", symbolSize: 3, showSymbol: false,
                            data: extents.map((extent) => at.get(extent) ?? null) };
                    }
                    // Equal points count: [texels, value, how many extents, one of them].
                    const groups = new Map();
                    for (const point of points) {
                        const key = `${point.texels}/${point[pick]}`;
                        const group = groups.get(key) ?? [point.texels, point[pick], 0, extentText(point)];
                        ++group[2];
                        groups.set(key, group);
                    }
                    const step = small ? 5 : 9;
                    // The rule stands where the device's largest alignment begins.
                    const rule = pick === "alignment" && !small ? facts.largest_alignment : "";
                    const largest = Math.max(...points.map((point) => point.alignment));
                    const first = Math.min(...points.filter((point) => point.alignment === largest).map((point) => point.texels));
                    const label = { show: true, position: "top", align: "left", distance: 8, color: theme.slots[device.slot], formatter: () => rule };
                    const data = [...groups.values()].map((value) => (rule && value[0] === first && value[1] === largest ? { value, label } : value));
                    return { ...common, type: "scatter", data,
                        symbolOffset: [(i - (drawn.length - 1) / 2) * step, 0],
                        symbolSize: (value) => (small ? 4 : 6) + 2 * Math.sqrt(value[2]) };
                });
                if (byBytes) series.push(...marks(theme, drawn, small));
                const values = drawn.flatMap(({ points }) => points.map((point) => point[pick]));
                const texels = drawn.flatMap(({ points }) => points.map((point) => point.texels));
                const most = small ? 5 : 14;
                return {
                    grid: { left: 66, right: small ? 12 : 28, top: byBytes && pick === "size" ? 40 : 16, bottom: byBytes ? 52 : 60 },
                    xAxis: byBytes
                        ? logAxis(theme, small ? "bytes of the texels" : "bytes of the texels alone: width × height × bytes of a texel", [...texels, Math.min(...texels) / 1.5, Math.max(...texels) * 1.5],
                            { most, axisLabel: { formatter: bytes } })
                        : axis(theme, "every width × height, heights within widths", { type: "category", data: extents, nameGap: 38,
                            splitLine: { show: false }, axisLabel: { fontSize: 10 } }),
                    yAxis: logAxis(theme, pick === "alignment" ? "required alignment" : "required storage",
                        pick === "alignment" ? [Math.min(...values) / 1.5, Math.max(...values) * 2.5] : [...values, Math.max(...values) * 1.2],
                        { nameGap: 52, axisLabel: { formatter: bytes } }),
                    tooltip: byBytes ? { trigger: "item", formatter: (at) => (at.value?.length > 2
                        ? `${at.seriesName}\n${grouped(at.value[1])} B for ${at.value[2]} extent${at.value[2] === 1 ? "" : "s"} of ${bytes(at.value[0])} of texels\n${at.value[3]}${at.value[2] > 1 ? " for one" : ""}` : "") }
                        : { trigger: "axis", valueFormatter: (value) => (value === null || value === undefined ? "none" : `${grouped(value)} B`) },
                    series,
                };
            },
        });
    }

    const alignmentCaption = () => {
        const parts = shown().map(({ device, facts }) => `${device.label}: ${facts.alignment}`);
        return `${caseText()}. ${parts.join(". ")}.`;
    };
    const storageCaption = () => {
        const parts = shown().map(({ device, facts }) =>
            `${device.label} takes ${facts.powers === facts.squares ? "powers of two only" : "sizes that are no powers of two"}, at least ${grouped(facts.smallest)} B`);
        return `${caseText()}. ${state.order === "bytes" ? "On the dashed line nothing is added to the texels. " : ""}${parts.join("; ")}.`;
    };

    // The memory article's own example: a 128 x 16 image, which should take 8192 bytes.
    function storageMarks(theme, drawn, small) {
        const all = drawn.flatMap(({ points }) => points.map((point) => point.texels));
        const ends = [Math.min(...all), Math.max(...all)];
        const lines = [{ type: "line", silent: true, symbol: "none", data: ends.map((end) => [end, end]), z: 1,
            lineStyle: { color: theme.soft, type: "dashed", width: 1 }, tooltip: { show: false } }];
        const found = drawn.map(({ facts }) => facts.example).filter(Boolean);
        if (found.length === 0) return lines;
        const texels = number(found[0][1]);
        lines.push({ type: "scatter", silent: true, data: [], markLine: { silent: true, symbol: "none", animation: false,
            lineStyle: { color: theme.soft, type: "dotted" },
            label: { position: "end", color: theme.ink, fontSize: 11, align: small ? "center" : "left",
                formatter: () => `128 × 16 of ${bytes(texels)} takes ${list(sorted(found.map(([size]) => number(size))).reverse(), "or")}` },
            data: [{ xAxis: texels }] } });
        return lines;
    }

    const alignment = graph("image-alignment", "Alignment against size: images", "alignment", alignmentCaption, () => []);
    const storage = graph("image-storage", "Storage against size: images", "size", storageCaption, storageMarks);

    // The memory article's observations, for every device in one row.
    const observations = h("div", { class: "observations" });
    function drawObservations() {
        const rows = shown().map(({ device, facts: { alignment, smallest, powers, squares, example, equal } }) => [device.label, alignment, `${grouped(smallest)} B`,
            powers === squares ? "all" : `${powers} of ${squares}`,
            example ? `${grouped(example[0])} B (${ratio(number(example[0]) / number(example[1]))})` : "not measured",
            equal ? `2 to ${equal[0]} × ${kSourceLimit}: ${bytes(equal[1])}` : "not measured"]);
        replace(observations, dataTable(`What the graphs show: ${caseText()}`, [{ name: "Device" }, { name: "Alignment" },
            { name: "Smallest image", number: true }, { name: "Sizes that are powers of two", number: true },
            { name: "128 × 16", number: true }, { name: "Widths that cost the same", number: true }], rows));
    }

    // Heat maps: one column a width, one row a height.
    function heatMap(device, kind) {
        const isAlignment = kind === "alignment";
        const value = (point) => (isAlignment ? point.alignment : point.size / point.texels);
        const grid = () => pointsOf(device).filter((point) => point.onGrid);
        return chart({
            id: `heat-${kind}-${device.index}`, heading: "h3",
            title: isAlignment ? `${device.label}: alignment` : `${device.label}: overhead`,
            height: (width) => Math.min(520, Math.max(300, width * 0.8)),
            caption() {
                const points = grid();
                if (points.length === 0) return "This device does not support these images.";
                const { alignment: aligned, overhead } = imageFacts(device.images, state.key, state.source);
                if (isAlignment) return `Alignment is ${aligned}.`;
                return `Bytes taken for each byte of texels: up to ${ratio(overhead.most)} (at ${overhead.at[0]} × ${overhead.at[1]})${overhead.large ? `, ${ratio(overhead.large)} on average from 64 KiB of texels on` : ""}.`;
            },
            data: () => ({ columns: ["width", "height", isAlignment ? "alignment_bytes" : "overhead"],
                rows: grid().map((point) => [point.width, point.height, value(point)]) }),
            option(theme, width) {
                const points = grid();
                const widths = sorted(points.map((point) => point.width)).map(String);
                const heights = sorted(points.map((point) => point.height)).map(String);
                const cells = points.map((point) => [String(point.width), String(point.height), value(point)]);
                const levels = sorted(points.map(value));
                const room = (width - 60) / Math.max(1, widths.length);
                const shade = (rank, of) => theme.ramp[of < 2 ? 1 : Math.round((rank * (theme.ramp.length - 1)) / (of - 1))];
                const pieces = isAlignment
                    ? levels.map((level, rank) => ({ value: level, label: bytes(level), color: shade(rank, levels.length) }))
                    : [[0, 1.0001, "none"], [1.0001, 1.5, "to 1.5×"], [1.5, 2.5, "to 2.5×"], [2.5, 8, "to 8×"], [8, 64, "to 64×"], [64, Infinity, "more"]]
                        .map(([gt, lte, label], rank) => ({ gt, ...(lte === Infinity ? {} : { lte }), label, color: theme.ramp[rank] }));
                const light = new Set([theme.ramp[0], theme.ramp[1], theme.ramp[2]]);
                const colourOf = (amount) => (pieces.find((piece) => (piece.value !== undefined ? piece.value === amount
                    : amount > piece.gt && (piece.lte === undefined || amount <= piece.lte))) ?? pieces[0]).color;
                return {
                    grid: { left: 52, right: 8, top: 8, bottom: 92 },
                    xAxis: axis(theme, "width", { type: "category", data: widths, nameGap: 24, splitLine: { show: false }, axisLabel: { fontSize: 10, interval: 0, rotate: room < 26 ? 60 : 0, hideOverlap: false } }),
                    yAxis: axis(theme, "height", { type: "category", data: heights, nameGap: 38, splitLine: { show: false }, axisLabel: { fontSize: 10 } }),
                    visualMap: { type: "piecewise", dimension: 2, orient: "horizontal", left: "center", bottom: 0, pieces, itemWidth: 14, itemHeight: 12,
                        itemGap: 8, textStyle: { color: theme.soft, fontSize: 11 }, hoverLink: false, selectedMode: false, showLabel: true },
                    tooltip: { trigger: "item", formatter: (at) => `${at.value[0]} × ${at.value[1]}\n${isAlignment ? `${grouped(at.value[2])} B` : ratio(at.value[2])}` },
                    series: [{ type: "heatmap", id: kind, name: device.label,
                        data: cells.map((each) => ({ value: each, label: { color: light.has(colourOf(each[2])) ? theme.ink : theme.paper } })),
                        label: { show: room >= 26, fontSize: room >= 34 ? 10 : 8,
                            formatter: (at) => (isAlignment ? bytesTight(at.value[2]) : Number(at.value[2].toFixed(at.value[2] < 10 ? 1 : 0))) },
                        itemStyle: { borderColor: theme.paper, borderWidth: 1 } }],
                };
            },
        });
    }

    const maps = measured.map((device) => ({ device, figures: [heatMap(device, "alignment"), heatMap(device, "overhead")] }));
    onUpdate(() => {
        drawObservations();
        for (const { device, figures } of maps) for (const figure of figures) figure.hidden = !isShown(device);
    });
    const controls = h("div", { class: "controls-bar" },
        casePicker(cases, state.key, (key) => { state.key = key; updateAll(); }),
        h("div", { class: "controls" },
            h("label", null, h("span", null, "Order"), h("select", { "data-part": "order", change: (event) => { state.order = event.target.value; updateAll(); } },
                h("option", { value: "bytes" }, "by bytes of texels"), h("option", { value: "extent" }, "every extent, one after the other"))),
            h("label", null, h("span", null, "Extents"), h("select", { "data-part": "extents", change: (event) => { state.source = event.target.value === "source"; updateAll(); } },
                h("option", { value: "source" }, "powers of two up to 4096"), h("option", { value: "all" }, "all that were measured")))));
    drawObservations();
    return h("section", { id: "images", "aria-labelledby": "images-title" },
        h("h2", { id: "images-title" }, "What the driver asks for images"),
        h("p", { class: "lead" }, "Memory requirements as the driver stated them, for every combination of width and height. Storage and alignment follow the driver, not the arithmetic."),
        controls, observations, alignment, storage,
        h("div", { class: "pair" }, maps.map(({ figures }) => figures)),
        rawExport("images", measured, rawRows));
}
