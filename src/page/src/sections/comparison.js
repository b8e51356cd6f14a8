// What differs between documents: broken rules first, what got worse, then what changed, what was expected, and what a policy makes of it.
import { axis, chart, logAxis } from "../chart.js";
import { dataTable, facts, h } from "../dom.js";
import { rowsOf } from "../tables.js";
import { bytes, count, grouped, list, number, percent, words } from "../units.js";

const kStatus = { same: "good", improved: "good", regressed: "bad", changed: "warn", expected: null, missing: "bad", new: "warn", inconclusive: "warn" };
const kOrder = ["regressed", "missing", "changed", "new", "inconclusive", "improved", "expected", "same"];
const badge = (status) => h("span", { class: `badge ${kStatus[status] ?? ""}` }, words(status));
const kFailing = new Set(["regressed", "missing", "changed"]);
const isNewViolation = ({ path, to, status }) => path.startsWith("/findings/") && to === "violation" && kFailing.has(status);
const bySeverity = (a, b) => kOrder.indexOf(a.status) - kOrder.indexOf(b.status);
const nameOf = (identity) => (identity ? `${identity.name} (${identity.driver_name} ${identity.driver_info})` : "none");

const baseName = (file) => file.split(/[/\\]/).at(-1);

// Every changed point of the sweep: how many bytes more, or less, than the baseline's value.
function sweepChart(tag) {
    const rows = rowsOf(`sweep-changes-${tag}`);
    const properties = [...new Set(rows.map((row) => row.property))];
    const nameOfProperty = (property) => words(property).replace(" bytes", "");
    const points = rows.map((row) => ({ property: row.property, path: row.case, extent: number(row.height) > 0 ? `${row.width_or_size} × ${row.height}` : `${row.width_or_size} B`,
        from: number(row.from), to: number(row.to) }))
        .filter((point) => point.from > 0 && point.to > 0 && point.from !== point.to);
    const series = properties.flatMap((property, i) => [["more", 1], ["less", -1]].map(([name, sign]) => ({ id: `${property}-${name}`, name: `${nameOfProperty(property)}, ${name}`,
        symbol: ["circle", "rect"][i], colour: (theme) => (sign > 0 ? [theme.bad, theme.slots[4]][i] : [theme.good, theme.slots[5]][i]), points: points.filter((point) => point.property === property && Math.sign(point.to - point.from) === sign) })))
        .filter((each) => each.points.length > 0);
    if (series.length === 0) return null;
    return chart({
        id: `sweep-changes-${tag}`, height: 360, title: "What the driver asks now, against the baseline",
        caption: () => {
            const more = points.filter((point) => point.to > point.from).length;
            const most = points.reduce((worst, point) => (Math.abs(point.to / point.from - 1) > Math.abs(worst.to / worst.from - 1) ? point : worst));
            return `Every changed point, of the first case of each change: ${count(more, "point")} ${more === 1 ? "asks" : "ask"} for more, ${grouped(points.length - more)} for less. The largest change is ${nameOfProperty(most.property)} at ${most.extent}, ${grouped(most.from)} B to ${grouped(most.to)} B.`;
        },
        key: series.map(({ name, symbol, colour }) => ({ name, symbol, colour })),
        option: (theme, width) => ({
            grid: { left: 70, right: 24, top: 16, bottom: 52 },
            xAxis: logAxis(theme, "the baseline's value", points.flatMap((point) => [point.from / 1.5, point.from * 1.5]), { most: width < 500 ? 4 : 12, axisLabel: { formatter: bytes } }),
            yAxis: logAxis(theme, "bytes more or less", points.flatMap((point) => [Math.abs(point.to - point.from) / 1.5, Math.abs(point.to - point.from) * 1.5]), { nameGap: 52, axisLabel: { formatter: bytes } }),
            tooltip: { trigger: "item", formatter: (at) => `${at.seriesName}, ${at.value[2]}\n${grouped(at.value[3])} B became ${grouped(at.value[4])} B\n${at.value[5]}` },
            series: series.map((each) => ({ type: "scatter", id: each.id, name: each.name, symbol: each.symbol, symbolSize: 8, itemStyle: { color: each.colour(theme), opacity: 0.65 },
                data: each.points.map((point) => [point.from, Math.abs(point.to - point.from), point.extent, point.from, point.to, point.path]) })),
        }),
    });
}

function fieldRow(field) {
    const test = field.test ? `${field.test.ratio.toFixed(2)}× over ${count(field.test.points, "point")}, p = ${field.test.p_value.toPrecision(2)}` : "";
    return [h("code", null, field.path), badge(field.status), h("div", { class: "long" }, field.from), h("div", { class: "long" }, field.to), [field.reason ?? "", field.reason && test ? "; " : "", test]];
}

function sweepRow(sweep) {
    return [sweep.statement, badge(sweep.status), `${grouped(sweep.changed_points)} of ${grouped(sweep.compared_points)}`,
        h("details", null, h("summary", null, count(sweep.cases.length, "case")), h("ul", null, sweep.cases.map((each) => h("li", null, h("code", null, each))))), sweep.reason ?? ""];
}

function impact(device) {
    const { impact: found } = device;
    if (!found) return null;
    return h("div", null, h("h4", null, `What the advisor makes of it, for ${found.workload}`), h("p", null, found.statement),
        facts([["waste before", percent(found.waste_from)], ["waste after", percent(found.waste_to)], ["numbers that change", grouped(found.numbers.length)]]),
        found.numbers.length ? h("details", null, h("summary", null, "Numbers of the policy that change"),
            dataTable("Numbers of the policy that change", [{ name: "Where" }, { name: "Baseline" }, { name: "Other" }], found.numbers.map((each) => [h("code", null, each.path), each.from, each.to]))) : null);
}

function deviceBlock(device, counts, pair, tag) {
    const fields = [...device.fields].sort(bySeverity);
    const broken = fields.filter(isNewViolation);
    const decisive = fields.filter((field) => !isNewViolation(field) && !["expected", "same", "new", "improved"].includes(field.status));
    const gained = fields.filter((field) => ["new", "improved"].includes(field.status));
    const expected = fields.filter((field) => ["expected", "same"].includes(field.status));
    const sweeps = [...device.sweeps].sort(bySeverity);
    const fieldColumns = [{ name: "Field" }, { name: "Status" }, { name: "Baseline" }, { name: "Other" }, { name: "Why" }];
    return h("div", { class: "device-block" },
        h("h3", null, nameOf(device.other ?? device.baseline), " ", badge(device.status)),
        h("p", { class: "note" }, pair.across_devices ? `Two different devices, side by side: ${nameOf(device.baseline)} is the baseline.` : `Baseline: ${nameOf(device.baseline)} in ${baseName(pair.baseline.file)}; other: ${baseName(pair.other.file)}.`),
        h("p", { class: "counts" }, `${counts}; ${count(number(device.same_fields), "field and point is", "fields and points are")} the same.`),
        broken.length ? dataTable("Rules of the specification that it newly breaks", fieldColumns, broken.map(fieldRow)) : null,
        sweeps.length ? dataTable("Changes in what the driver asks", [{ name: "Change" }, { name: "Status" }, { name: "Points", number: true }, { name: "Cases" }, { name: "Why" }], sweeps.map(sweepRow)) : null,
        sweepChart(tag),
        decisive.length ? dataTable("Changed fields", fieldColumns, decisive.map(fieldRow)) : null,
        gained.length ? h("details", null, h("summary", null, `${count(gained.length, "field")} that ${gained.length === 1 ? "is" : "are"} new or better`), dataTable("New and improved fields", fieldColumns, gained.map(fieldRow))) : null,
        expected.length ? h("details", null, h("summary", null, `${count(expected.length, "difference")} that ${expected.length === 1 ? "was" : "were"} expected`), dataTable("Expected differences", fieldColumns, expected.map(fieldRow))) : null,
        impact(device));
}

function groupsChart(clusters, tag) {
    const groups = rowsOf(`behaviour-groups-${tag}`);
    const drawn = groups.slice(0, 40);
    return chart({
        id: `behaviour-groups-${tag}`, height: 60 + 24 * drawn.length, title: "Groups of equal allocation behaviour",
        caption: `${count(number(clusters.reports), "report")} of ${count(number(clusters.devices), "device")} fall into ${count(groups.length, "group")}; in a group every device asks for the same.${groups.length > drawn.length ? ` The ${drawn.length} largest are drawn.` : ""}`,
        option: (theme, width) => ({
            grid: { left: Math.min(320, width * 0.45), right: 44, top: 8, bottom: 34 },
            xAxis: axis(theme, "", { type: "value", minInterval: 1, axisLabel: { formatter: grouped } }),
            yAxis: axis(theme, "", { type: "category", inverse: true, data: drawn.map((group, i) => `${i + 1}. ${group.device}`), splitLine: { show: false }, axisLabel: { interval: 0, hideOverlap: false, width: Math.min(310, width * 0.43), overflow: "truncate" } }),
            tooltip: { trigger: "item", formatter: (at) => `${at.name}\n${count(at.value, "report")}` },
            series: [{ type: "bar", id: "reports", name: "reports", barMaxWidth: 16, data: drawn.map((group) => ({ value: number(group.reports), itemStyle: { color: group.outlier ? theme.bad : theme.accent } })),
                label: { show: true, position: "right", color: theme.ink, fontSize: 11 } }],
        }),
    });
}

function clustersBlock(clusters, tag) {
    return h("div", { class: "device-block" }, h("h3", null, "Many reports at once"), groupsChart(clusters, tag),
        dataTable(`Policies that serve the groups, for ${clusters.workload || "the workload"}`, [{ name: "Policy" }, { name: "Groups", number: true }, { name: "Reports", number: true }],
            clusters.policies.map((policy) => [policy.file, grouped(policy.groups), grouped(policy.reports)])),
        clusters.version_changes.length ? dataTable("Drivers that do not behave alike in all versions", [{ name: "Device" }, { name: "Driver" }, { name: "What changed" }],
            clusters.version_changes.map((change) => [change.device, change.driver, change.statement])) : null,
        clusters.skipped.length ? h("details", null, h("summary", null, `${count(clusters.skipped.length, "file")} left out`), h("ul", null, clusters.skipped.map((each) => h("li", null, h("code", null, each.file), `: ${each.reason}`)))) : null);
}

export function comparisonSection(documents) {
    const comparisons = documents.filter((each) => each.kind === "comparison");
    if (comparisons.length === 0) return null;
    return h("section", { id: "comparison", "aria-labelledby": "comparison-title" }, h("h2", { id: "comparison-title" }, "The comparison"),
        comparisons.flatMap(({ document: comparison, counts }, c) => [
            comparison.documents.flatMap((pair, p) => pair.devices.map((device, d) => deviceBlock(device, counts[p][d], pair, `${c}-${p}-${d}`))),
            comparison.allow_list.length ? h("div", { class: "warn-box" }, h("h4", null, "Allow-list"), h("ul", null, comparison.allow_list.map((note) => h("li", null, `${note.file}:${note.line}: ${note.statement}`)))) : null,
            comparison.clusters ? clustersBlock(comparison.clusters, String(c)) : null,
        ]));
}
