// The HTML report in headless Chromium.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { chartIds, changed, committed, compare, drawAll, look, makePage, makePageAndTables, open, openBrowser, seriesOf, tooWide, work } from "./harness.mjs";
import { costPoints, csvRows, pointCounts, sourceImages, storageBuffers } from "./report_values.mjs";

const kH100 = committed("reports/nvidia-h100-580.159.04-vulkan.json");
const kH100Policy = committed("policies/nvidia-h100-580.159.04-vulkan-general-engine.json");
const kH100Validation = committed("reports/nvidia-h100-580.159.04-vulkan-validation.json");
const kRadv = committed("reports/radv-navi10-mesa-25.0.7.json");
const kAnv = committed("reports/anv-kbl-mesa-22.3.6.json");
// Documents with every member there is.
const kEvery = ["report", "policy", "validation"].map((kind) => committed(`tests/fuzz/corpus/read_${kind}/every-member.json`));

const kD3d12 = ["reports/nvidia-h100-580.159.04-vkd3d-1.2.json", "policies/nvidia-h100-580.159.04-vkd3d-1.2-general-engine.json",
    "reports/nvidia-h100-580.159.04-vkd3d-1.2-validation.json"].map(committed);
const kAnvLater = committed("reports/anv-kbl-mesa-25.0.7.json");

// What only the command line writes: the page shows these by its controls.
const kOnlyCommandLine = new Set(["devices", "image-requirements", "buffer-requirements"]);

const pages = {};
let browser;

// Two versions of one driver, and the same in Markdown.
const markdown = join(work, "comparison.md");
function comparison() {
    const file = join(work, "comparison.json");
    compare(kAnv, kAnvLater, file, "--write", `markdown=${markdown}`);
    return file;
}

before(async () => {
    pages.one = makePageAndTables("one", [kH100, kH100Policy, kH100Validation]);
    pages.three = makePageAndTables("three", [kRadv, kAnv, kH100]);
    pages.every = makePageAndTables("every", kEvery);
    pages.d3d12 = makePageAndTables("d3d12", kD3d12);
    pages.comparison = makePageAndTables("comparison", [kAnv, kAnvLater, comparison()]);
    browser = await openBrowser();
});
after(async () => {
    await browser?.close();
    rmSync(work, { recursive: true, force: true });
});

// Charts in which nothing is drawn, looked at in a small copy of each.
const blankCharts = (page) => page.evaluate(() => {
    const copy = new OffscreenCanvas(96, 96).getContext("2d", { willReadFrequently: true });
    return [...document.querySelectorAll("figure:not([hidden]) canvas")].filter((canvas) => {
        copy.clearRect(0, 0, 96, 96);
        copy.drawImage(canvas, 0, 0, 96, 96);
        return !copy.getImageData(0, 0, 96, 96).data.some((value) => value !== 0);
    }).map((canvas) => canvas.closest("figure").id);
});

// Controls without a name, charts without a description, names that are given twice.
const inaccessible = (page) => page.evaluate(() => [
    ...[...document.querySelectorAll("button, select, a")].filter((each) => !(each.textContent.trim() || each.labels?.length)).map((each) => each.outerHTML),
    ...[...document.querySelectorAll("[role=img]:not([aria-label])")].filter((each) => ["aria-labelledby", "aria-describedby"].some((name) =>
        !document.getElementById(each.getAttribute(name))?.textContent.trim())).map((each) => each.closest("figure").id),
    ...[...document.querySelectorAll("[id]")].filter((each, i, all) => all.findIndex((other) => other.id === each.id) !== i).map((each) => `twice: ${each.id}`)]);

async function checkTables(made, page) {
    const saved = await page.evaluate(() => Object.fromEntries([...window.heapwright.charts, ...window.heapwright.raw].map(([id, each]) => [id, each.csv()])));
    for (const [id, text] of Object.entries(saved)) assert.equal(text, made.csv(id), `${id}.csv`);
    const extra = readdirSync(made.csvFolder).map((name) => name.replace(/\.csv$/, "")).filter((name) => !(name in saved) && !kOnlyCommandLine.has(name));
    assert.deepEqual(extra, [], "tables that no chart shows");
}

for (const name of ["one", "three", "every", "d3d12", "comparison"]) {
    test(`page ${name}: all is drawn, saved as the command line saves it, named, and fits a phone; no message, no request`, async () => {
        const made = pages[name];
        const { page, context, complaints } = await open(made);
        assert.ok((await chartIds(page)).length >= 6);
        await drawAll(page);
        assert.deepEqual(await blankCharts(page), []);
        assert.deepEqual(await inaccessible(page), []);
        await checkTables(made, page);
        for (const width of [375, 320]) {
            // The narrowest with everything open, tables of data too.
            if (width === 320) await page.evaluate(() => document.querySelectorAll("details").forEach((each) => { each.open = true; }));
            await page.setViewportSize({ width, height: 700 });
            await page.waitForFunction((limit) => [...document.querySelectorAll("figure:not([hidden]) canvas")].every((canvas) => canvas.clientWidth <= limit), width);
            assert.equal(await tooWide(page), "", `at ${width}`);
            assert.deepEqual(await blankCharts(page), [], `at ${width}`);
        }
        assert.deepEqual(complaints, []);
        await context.close();
    });
}

test("a verdict of another policy than the one shown says so, and the verdict of this one does not", async () => {
    const ranWith = (name, hash) => makePage(name, [kH100, kH100Policy, changed(kH100Validation, (document) => {
        document.sources.find((source) => source.kind === "policy").stable_hash = hash;
    })]);
    const verdictOf = async (made) => {
        const { page, context } = await open(made);
        const text = await page.textContent("#validation");
        const first = await page.textContent("#verdict");
        const policy = await page.evaluate(() => window.heapwright.data.documents.find((each) => each.kind === "policy").stable_hash);
        await context.close();
        return { text, first, policy };
    };
    const other = await verdictOf(ranWith("other-policy", "0123456789abcdef0123456789abcdef"));
    assert.match(other.text, /Another policy was run than the one shown here \(its hash begins with 01234567\)/);
    assert.match(other.first, /Not validated/);
    const own = await verdictOf(ranWith("own-policy", other.policy));
    assert.doesNotMatch(own.text, /Another policy/);
    assert.match(own.first, /Validated on this device/);
});

test("page, Markdown and CSV tell the same of a comparison", async () => {
    const page = await look(pages.comparison);
    const told = (await page.locator("#comparison").textContent()).replace(/\s+/g, " ");
    const lines = readFileSync(markdown, "utf8").split("\n").map((line) => line.replace(/\\([\\|`*_[\]])/g, "$1").replaceAll("&lt;", "<"));
    // The counts of each status.
    const heads = lines.find((line) => line.startsWith("| device |")).split("|").slice(3, -1).map((cell) => cell.trim());
    const amounts = lines.find((line) => line.includes("->") && line.startsWith("| ")).split("|").slice(3, -1).map((cell) => Number(cell));
    const counted = heads.map((name, i) => [amounts[i], name]).filter(([amount]) => amount > 0).map(([amount, name]) => `${amount} ${name}`);
    assert.ok(counted.length > 3);
    assert.deepEqual((await page.textContent("#comparison .counts")).split(";")[0].split(", ").sort(), [...counted].sort());
    // What got worse, line by line: a sweep's change in its words, a field with both of its values.
    const worse = lines.filter((line) => /^\| (regressed|missing|changed) \|/.test(line)).map((line) => line.slice(line.indexOf("|", 2) + 1, -1).trim());
    assert.equal(worse.length, amounts[heads.indexOf("regressed")] + amounts[heads.indexOf("missing")] + amounts[heads.indexOf("changed")]);
    for (const line of worse) {
        const [, path, from, to] = line.match(/^(\/\S+): (\S+) to (\S+)$/) ?? [null, line.split(" (")[0].split(",")[0]];
        for (const each of [path, from, to].filter(Boolean)) assert.ok(told.includes(each.split(": ")[0]), `${each} of ${line}`);
    }
    // Each drawn point is a row of the CSV, with its own values.
    const rows = csvRows(pages.comparison.csv("sweep-changes-0-0-0")).slice(1);
    const drawn = (await seriesOf(page, "sweep-changes-0-0-0")).flatMap((series) => series.data);
    assert.ok(drawn.length > 100);
    const known = new Set(rows.map(([, path, , , from, to]) => `${path}/${from}/${to}`));
    for (const [, added, , from, to, path] of drawn) {
        assert.ok(known.has(`${path}/${from}/${to}`), `${path}: ${from} to ${to}`);
        assert.equal(added, Math.abs(to - from));
    }
});

test("documents are counted in English", async () => {
    const { page, context } = await open(makePage("policies", [kH100Policy, kD3d12[1]]));
    assert.match(await page.textContent("header"), /Made from 2 policies\./);
    await context.close();
});

test("the memory article's four graphs hold the reports' values, driver by driver", async () => {
    const { page, context } = await open(pages.three);
    const labels = csvRows(pages.three.csv("devices")).slice(1).map((row) => row[1]);
    assert.deepEqual(labels, ["RX 5700 XT · RADV 25.0.7", "HD Graphics 630 · ANV 22.3.6", "H100 80GB HBM3 · NVIDIA 580.159.04"]);
    const devices = pages.three.documents.map((document) => document.devices[0]);
    for (const [chart, pick] of [["image-alignment", "alignment"], ["image-storage", "size"]]) {
        const series = await seriesOf(page, chart);
        devices.forEach((device, i) => {
            const expected = pointCounts(sourceImages(device), pick);
            const held = series.find((each) => each.id === labels[i]).data;
            assert.equal(held.length, expected.size, `${chart}, ${labels[i]}`);
            for (const [texels, value, extents] of held) assert.equal(extents, expected.get(`${texels}/${value}`), `${chart}, ${labels[i]}: ${texels}/${value}`);
        });
    }
    for (const [chart, pick] of [["buffer-alignment", "alignment"], ["buffer-storage", "size"]]) {
        const series = await seriesOf(page, chart);
        devices.forEach((device, i) => {
            const expected = storageBuffers(device).map((row) => [row.request, row[pick]]);
            assert.deepEqual(series.find((each) => each.id === labels[i]).data, expected, `${chart}, ${labels[i]}`);
        });
    }
    // Every extent one after the other, as the source drew them.
    await page.selectOption("[data-part=order]", "extent");
    const series = await seriesOf(page, "image-storage");
    devices.forEach((device, i) => {
        const sizes = sourceImages(device).map((row) => row.size);
        assert.deepEqual(series.find((each) => each.id === labels[i]).data, sizes, labels[i]);
    });
    await context.close();
});

test("the memory article's observations can be read from the page", async () => {
    const page = await look(pages.three);
    const rows = await page.$$eval(".observations tbody tr", (found) => found.map((row) => [...row.cells].map((cell) => cell.textContent)));
    assert.match(rows[0][1], /4096 or 65536; 65536 exactly when both sides are at least 128/);
    assert.equal(rows[1][1], "always 4096");
    assert.equal(rows[2][1], "always 1024");
    assert.deepEqual(rows.map((row) => row[3]), ["all", "0 of 169", "all"]);
    assert.deepEqual(rows.map((row) => row[4].split(" B")[0]), ["16,384", "20,504", "8,192"]);
});

test("heat maps hold the report's alignment and overhead at each width and height", async () => {
    const page = await look(pages.three);
    for (const [i, document] of pages.three.documents.entries()) {
        const rows = sourceImages(document.devices[0]);
        const at = (kind) => seriesOf(page, `heat-${kind}-${i}`).then((series) => series[0].data);
        assert.deepEqual(await at("alignment"), rows.map((row) => [String(row.width), String(row.height), row.alignment]));
        assert.deepEqual(await at("overhead"), rows.map((row) => [String(row.width), String(row.height), row.size / row.texels]));
    }
});

test("latency curves hold the report's medians, and the frame budget is marked", async () => {
    const page = await look(pages.one);
    const device = pages.one.documents[0].devices[0];
    for (const [chart, operation, list] of [["allocate", "allocate"], ["touch", "touch"], ["free", "free"],
        ["dedicated", "allocate", "dedicated_image_points"], ["dedicated-free", "free", "dedicated_image_points"]]) {
        const series = await seriesOf(page, `cost-${chart}-0`);
        const curves = costPoints(device, operation, list);
        assert.ok(curves.some(({ points }) => points.length > 0), chart);
        for (const { type, points } of curves) {
            assert.deepEqual(series.find((each) => each.id === `type-${type}`)?.data ?? [], points, `${chart}, type ${type}`);
        }
        const marks = await page.evaluate((id) => window.heapwright.charts.get(id).option().series.find((each) => each.id === "marks").markLine.data.map((mark) => mark.yAxis), `cost-${chart}-0`);
        assert.ok(marks.includes(16666667), chart);
    }
});

test("the frame budget is the policy's member, whatever its decisions cite", async () => {
    const policy = changed(kH100Policy, (document) => {
        document.devices[0].frame_budget_ns = 8333333;
        document.devices[0].heaps[0].usable_bytes.inputs.push({ document: "workload", path: "/frame_budget_ns", value: "4000000" });
    });
    const { page, context } = await open(makePage("frame-budget", [kH100, policy]));
    const marks = await page.evaluate(() => window.heapwright.charts.get("cost-allocate-0").option().series.find((each) => each.id === "marks").markLine.data.map((mark) => mark.yAxis));
    assert.deepEqual(marks.filter((each) => each), [16666667, 8333333]);
    await context.close();
});

test("a verdict's reason is told whole, in whatever words it comes", async () => {
    const validation = changed(kH100Validation, (document) => { document.devices[0].reason = "every check passed: so it says"; });
    const { page, context } = await open(makePage("reason", [kH100, kH100Policy, validation]));
    assert.match(await page.textContent("#validation"), /Run on the device itself: every check passed: so it says\./);
    await context.close();
});

test("a button saves a chart's data as a file", async () => {
    const { page, context } = await open(pages.three);
    await page.click("nav a[href='#images']");
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#image-storage .tools button")]);
    assert.equal(download.suggestedFilename(), "image-storage.csv");
    assert.equal(readFileSync(await download.path(), "utf8"), pages.three.csv("image-storage"));
    await context.close();
});

test("controls change what is drawn: format, extents, drivers", async () => {
    const { page, context, complaints } = await open(pages.three);
    const points = async () => (await seriesOf(page, "image-storage")).filter((each) => each.type === "scatter" && each.data.length > 0).map((each) => each.data.reduce((sum, item) => sum + item[2], 0));
    assert.deepEqual(await points(), [169, 169, 169]);
    await page.selectOption("[data-part=extents]", "all");
    assert.deepEqual(await points(), [230, 230, 261]);
    await page.selectOption("[data-part=format]", "BC7_UNORM_BLOCK");
    assert.match(await page.textContent("#image-storage .caption"), /^BC7_UNORM_BLOCK/);
    const bc7 = pages.three.documents[2].devices[0].image_sweep.cases.some((each) => each.format === "BC7_UNORM_BLOCK" && each.table !== undefined);
    assert.equal((await points()).length > 0, bc7);
    assert.deepEqual(complaints, []);
    await context.close();
});

test("the keyboard reaches and works everything", async () => {
    const { page, context, complaints } = await open(pages.three);
    const focus = () => page.evaluate(() => {
        const { tagName, className, textContent, dataset } = document.activeElement;
        return { tag: tagName, className, text: textContent.trim(), key: dataset.key };
    });
    await page.keyboard.press("Tab");
    assert.equal((await focus()).className, "skip");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.id), "content");
    await page.reload();
    let found;
    for (let i = 0; i < 30 && found?.key !== "device:1"; ++i) {
        await page.keyboard.press("Tab");
        found = await focus();
    }
    assert.equal(found.key, "device:1", "a driver's button is reached with Tab");
    const drawn = async () => (await seriesOf(page, "image-alignment")).filter((each) => each.type === "scatter").map((each) => each.name);
    assert.equal((await drawn()).length, 3);
    await page.keyboard.press("Space");
    assert.equal((await drawn()).length, 2);
    assert.equal(await page.getAttribute(".device-bar [data-key='device:1']", "aria-pressed"), "false");
    assert.equal((await focus()).key, "device:1", "the focus stays on the button");
    await page.keyboard.press("Space");
    assert.equal((await drawn()).length, 3);
    // A list, a table behind a disclosure, and the theme.
    await page.focus("[data-part=order]");
    await page.keyboard.press("ArrowDown");
    assert.equal((await seriesOf(page, "image-alignment"))[0].type, "line");
    await page.focus("#image-alignment details summary");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#image-alignment tbody tr");  // the table is made once the disclosure has opened
    const rows = await page.$$eval("#image-alignment tbody tr", (all) => all.length);
    assert.equal(rows, csvRows(pages.three.csv("image-alignment")).length - 1);
    await page.focus("#theme");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
    assert.deepEqual(complaints, []);
    await context.close();
});

// WCAG's contrast of two colours as the browser writes them: "rgb(1, 2, 3)".
function contrast(a, b) {
    const luminance = (colour) => {
        const [r, g, b_] = colour.match(/[\d.]+/g).slice(0, 3).map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b_;
    };
    const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (light + 0.05) / (dark + 0.05);
}

test("light and dark follow the system and the button, and text is readable in both", async () => {
    for (const colorScheme of ["light", "dark"]) {
        const { page, context, complaints } = await open(pages.one, { colorScheme });
        const look = () => page.evaluate(() => {
            const style = getComputedStyle(document.body);
            return { back: style.backgroundColor, ink: style.color, soft: getComputedStyle(document.querySelector(".caption")).color,
                chart: window.heapwright.charts.get("image-storage").option().textStyle.color };
        });
        const system = await look();
        for (const part of ["ink", "soft"]) assert.ok(contrast(system.back, system[part]) >= 4.5, `${colorScheme}: ${part} ${contrast(system.back, system[part])}`);
        await page.click("#theme");
        const other = await look();
        for (const part of ["back", "ink", "chart"]) assert.notEqual(system[part], other[part], part);
        await page.click("#theme");
        assert.deepEqual(await look(), system);
        assert.deepEqual(complaints, []);
        await context.close();
    }
});

const kHostile = "<script>alert(1)</script>";
const kHostileTexts = ["</script><script>alert(2)</script>", "<img src=x onerror=alert(3)>", "<!--<script>", "\u2028\u2029]]>", "{{style}}", "null</script>"];

// The claims of a decision, as the document has them.
const saidBy = (decided) => decided.reason.map((claim) => claim.text ?? claim);

// Everything that people or drivers write in a document, replaced.
function poison(value, key = "", turn = { at: 0 }) {
    const kTexts = new Set(["reason", "statement", "clause", "value", "driver_info", "host", "resource"]);
    if (Array.isArray(value)) return value.map((each) => (["warnings", "evidence", "statements", "reason", "figures"].includes(key) && typeof each === "string" ? kHostileTexts[turn.at++ % kHostileTexts.length] : poison(each, key, turn)));
    if (value && typeof value === "object") {
        return Object.fromEntries(Object.entries(value).map(([name, each]) => {
            if (name === "name" && value.api) return [name, kHostile];
            if (name === "value" && "reason" in value && "inputs" in value) return [name, each];
            if (typeof each === "string" && kTexts.has(name)) return [name, kHostileTexts[turn.at++ % kHostileTexts.length]];
            return [name, poison(each, name, turn)];
        }));
    }
    return value;
}

test("spans of work on engines become a timeline, and each wait stands with its role", async () => {
    const spans = [{ engine: "copy", name: "texture 1", begin_ns: 1000, end_ns: 4000 }, { engine: "graphics", name: "lighting", begin_ns: 2000, end_ns: 9000 },
        { engine: "copy", name: "texture 2", begin_ns: 4000, end_ns: 5000 }];
    const waits = [{ wait: "graphics waits for copied 1", role: "necessary", shown_by: "copy writes, graphics reads" }, { wait: "copy waits for drawn 1", role: "throttle", shown_by: "" }];
    const validation = changed(kEvery[2], (document) => {
        const scenario = document.devices[0].scenarios[0];
        scenario.volatile.engine_spans = spans;
        Object.assign(scenario.engines, { engines: ["graphics", "copy"], waits, notes: ["<b>shared</b> queue"] });
    });
    const made = makePageAndTables("engines", [kEvery[0], kEvery[1], validation]);
    const { page, context, complaints } = await open(made);
    await checkTables(made, page);
    const series = await seriesOf(page, "engines-0-0-0");
    // Pieces of one kind share a series; lanes stand in the scenario's order.
    assert.deepEqual(series.map((each) => [each.name, ...each.data.filter((item) => item[0] !== null).map((item) => item.slice(0, 3))]), [
        ["texture", [0, "copy", "texture 1"], [3000, "copy", "texture 1"], [3000, "copy", "texture 2"], [4000, "copy", "texture 2"]],
        ["lighting", [1000, "graphics", "lighting"], [8000, "graphics", "lighting"]]]);
    assert.deepEqual(await page.evaluate(() => window.heapwright.charts.get("engines-0-0-0").option().yAxis[0].data), ["graphics", "copy"]);
    assert.equal(made.csv("engines-0-0-0"), "engine,name,begin_ns,end_ns,clock\ncopy,texture 1,1000,4000,host\ngraphics,lighting,2000,9000,host\ncopy,texture 2,4000,5000,host\n");
    assert.equal(made.csv("waits-0-0-0"), 'wait,role,shown_by\ngraphics waits for copied 1,necessary,"copy writes, graphics reads"\ncopy waits for drawn 1,throttle,\n');
    const text = await page.textContent("#validation");
    for (const each of ["throttle: bounds how far the host runs ahead", "copy writes, graphics reads", "<b>shared</b> queue"]) assert.ok(text.includes(each), each);
    assert.deepEqual(complaints, []);
    await context.close();
});

test("a map of chunks has a row for each chunk, and the free ranges are summed by pool and size", async () => {
    const chunk = (pool, used_percent, free_ranges_by_size) => ({ pool, size_bytes: 1024, used_bytes: 512, free_bytes: 512, largest_free_bytes: 256,
        free_ranges: 3, suballocations: 4, internal_waste_bytes: 5, fragmentation: 0.5, free_ranges_by_size, used_percent });
    const validation = changed(kEvery[2], (document) => {
        document.devices[0].scenarios[0].occupancy.maps = [
            { moment: "before-defragmentation", step: 7, chunks: [chunk("a", [100, 1, 0, 99], [0, 2]), chunk("a", [50, 49, 0, 0], [0, 1, 0, 1]), chunk("<i>b", [100, 100, 0, 0], [])], chunks_left_out: 5 },
            { moment: "end", step: 9, chunks: [], chunks_left_out: 0 }];
    });
    const made = makePageAndTables("chunks", [kEvery[0], kEvery[1], validation]);
    const { page, context, complaints } = await open(made);
    await checkTables(made, page);
    const [cells] = await seriesOf(page, "chunks-0-0-0-0");
    assert.deepEqual(cells.data, [[0, 0, 100], [1, 0, 1], [2, 0, 0], [3, 0, 99], [0, 1, 50], [1, 1, 49], [2, 1, 0], [3, 1, 0], [0, 2, 100], [1, 2, 100], [2, 2, 0], [3, 2, 0]]);
    assert.deepEqual(await page.evaluate(() => window.heapwright.charts.get("chunks-0-0-0-0").option().yAxis[0].data), ["a #1, 1 KiB", "a #2, 1 KiB", "<i>b #1, 1 KiB"]);
    assert.equal(made.csv("free-ranges-0-0-0-0"), "pool,at_least_bytes,free_ranges\na,2,3\na,8,1\n");
    assert.match(made.csv("chunks-0-0-0-0"), /\na,2,1024,512,512,256,3,4,5,0\.5,50 49 0 0\n/);
    const caption = await page.textContent("#chunks-0-0-0-0 .caption");
    for (const each of ["before any was moved", "3 chunks of 3 KiB", "5 chunks with fewer free bytes are not drawn"]) assert.ok(caption.includes(each), caption);
    assert.ok(!(await chartIds(page)).includes("chunks-0-0-0-1"), "a map without chunks is not drawn");
    assert.deepEqual(complaints, []);
    await context.close();
});

test("the engines' figures are the report's, and the policy says which engine does what", async () => {
    const page = await look(pages.every);
    const { engines } = pages.every.documents[0].devices[0].volatile;
    const overlap = await seriesOf(page, "engine-overlap-0");
    assert.deepEqual(overlap.map((each) => [each.id, each.data]), [["serial", engines.overlaps.map((each) => each.serial.ns)], ["concurrent", engines.overlaps.map((each) => each.concurrent.ns)]]);
    const copies = await seriesOf(page, "engine-copies-0");
    assert.deepEqual(copies.map((each) => [each.id, each.data]), [["download", [engines.copies[0].bytes_per_s]]]);
    const curves = await seriesOf(page, "copy-curves-upload-0");
    assert.deepEqual(curves.map((each) => each.data.map(([bytes, rate]) => [bytes, rate])), engines.copy_curves.map((curve) => curve.points.map((point) => [point.bytes, point.bytes_per_s])));
    const signals = await seriesOf(page, "engine-signals-0");
    assert.deepEqual(signals.find((each) => each.id === "signals").data, engines.signal_latencies.map((each) => each.time.ns));
    const frames = await seriesOf(page, "engine-pipelines-0");
    assert.deepEqual(frames[0].data, engines.pipelines[0].points.map((point) => point.frame.ns));
    const section = await page.textContent("section#engines");
    for (const each of [...engines.copy_curves.flatMap((curve) => curve.left_out.map((left) => left.reason)), ...engines.skipped, engines.pipelines[0].statement, engines.engines[1].priority_note]) assert.ok(section.includes(each), each);
    const policy = pages.every.documents[1].devices[0].engines;
    const shown = await page.textContent("#policy");
    for (const assignment of policy.assignments) {
        assert.ok(shown.includes(assignment.work) && saidBy(assignment.engine).every((each) => shown.includes(each)), assignment.work);
    }
    for (const key of ["async_copy", "async_compute", "copy_ring_length", "cpu_latency", "compute_graphics_latency"]) assert.ok(saidBy(policy[key]).every((each) => shown.includes(each)), key);
});

test("creations by threads are the report's curves, and the policy says by how many threads to create", async () => {
    const page = await look(pages.every);
    const { creations } = pages.every.documents[0].devices[0].volatile;
    const series = await seriesOf(page, "creations-0");
    assert.deepEqual(series.map((each) => each.data), creations.curves.map((curve) => curve.points.map((point) =>
        [point.threads, point.pairs_per_s, point.least_pairs_per_s, point.most_pairs_per_s])));
    const section = await page.textContent("section#creations");
    assert.ok(section.includes("images fall from 1329 a millisecond by one thread to 2.1 by 16 threads"), section);
    for (const each of creations.skipped) assert.ok(section.includes(each), each);
    const policy = pages.every.documents[1].devices[0].creations;
    const shown = await page.textContent("#policy");
    for (const key of Object.keys(policy)) assert.ok(saidBy(policy[key]).every((each) => shown.includes(each)), key);
});

test("the chunks that buckets keep ready stand beside their figures, each with its reason", async () => {
    const page = await look(pages.one);
    const { buckets } = pages.one.documents[1].devices[0];
    const table = page.locator("#policy table", { hasText: "Buckets at a glance" });
    const heads = await table.locator("thead th").allTextContents();
    const column = heads.findIndex((head) => head.includes("kept ready"));
    assert.ok(column > 0, heads.join());
    const rows = await table.locator("tbody tr").evaluateAll((found) => found.map((row) => [...row.cells].map((cell) => cell.textContent)));
    assert.deepEqual(rows.map((row) => [row[0], row[column]]), buckets.map((bucket) => [bucket.id, `${bucket.chunks_ahead?.value ?? ""}`]));
    const decided = buckets.filter((bucket) => bucket.chunks_ahead);
    assert.ok(decided.some((bucket) => bucket.chunks_ahead.value > 0) && decided.some((bucket) => bucket.chunks_ahead.value === 0));
    const shown = await page.textContent("#policy");
    for (const bucket of decided) assert.ok(shown.split(saidBy(bucket.chunks_ahead)[0]).length > 2, `${bucket.id}: beside the figures and among the bucket's own`);
});

test("a hostile document stays text", async () => {
    const files = [kH100, kH100Policy, kH100Validation].map((file) => changed(file, (document) => {
        Object.assign(document, poison(document));
        if (document.devices[0].findings) document.devices[0].findings.push({ id: "hostile", severity: "warning", statement: kHostile, clause: kHostileTexts[1], evidence: kHostileTexts });
    }));
    const made = makePage("hostile", files);
    const html = readFileSync(made.html, "utf8");
    assert.equal(html.split("</script>").length - 1, 2, "only the page's own two scripts end");
    const { page, context, complaints } = await open(made);
    await page.evaluate(() => document.querySelectorAll("details").forEach((each) => { each.open = true; }));
    assert.equal(await page.textContent("h1"), kHostile);
    assert.match(await page.title(), /^<script>alert\(1\)<\/script>/);
    const text = await page.evaluate(() => document.getElementById("page").textContent);
    for (const each of kHostileTexts) assert.ok(text.includes(each), each);
    const elements = await page.evaluate(() => [document.scripts.length, document.images.length, document.querySelectorAll("#page script, #page img").length]);
    assert.deepEqual(elements, [2, 0, 0]);
    await drawAll(page);
    await page.evaluate(() => window.heapwright.charts.forEach((chart) => chart.instance.dispatchAction({ type: "showTip", seriesIndex: 0, dataIndex: 0 })));
    assert.deepEqual(complaints, []);
    await context.close();
    // A spreadsheet must not take a name for a formula.
    const formula = changed(kAnv, (document) => { document.devices[0].identity.name = "=HYPERLINK(1)"; document.devices[0].identity.driver_name = 'a "b", c'; document.devices[0].identity.driver_id = ""; });
    assert.match(makePageAndTables("formula", [formula]).csv("devices"), /\n0,"'=HYPERLINK · a ""b"", c 22\.3\.6"\n/);
});

test("a page that was tampered with does not run", async () => {
    const html = readFileSync(pages.one.html, "utf8").replace("</body>", "<script>window.intruder = 1</script></body>");
    const made = { html: join(work, "tampered.html") };
    writeFileSync(made.html, html);
    const { page, context, complaints } = await open(made);
    assert.equal(await page.evaluate(() => window.intruder), undefined);
    assert.equal(complaints.filter((each) => each.includes("Content Security Policy")).length, 1);
    await context.close();
});

test("dist/page.html is what src/page builds", () => {
    const folder = committed("src/page");
    execFileSync(process.execPath, ["build.mjs", "--check"], { cwd: folder, encoding: "utf8" });
});
