// A what-if on the page: which way is best and by how much, what a setting does, and the same figures as CSV.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { after, before, test } from "node:test";
import { checkAccessibility } from "./accessibility.mjs";
import { chartIds, changed, committed, drawAll, look, makePage, makePageAndTables, open, openBrowser, seriesOf, tooWide, work } from "./harness.mjs";
import { csvRows } from "./report_values.mjs";

const kWhatIf = committed("tests/fuzz/corpus/read_what_if/every-member.json");
const kReport = committed("reports/anv-kbl-mesa-25.0.7.json");
const kHostile = "<script>alert(1)</script>";

const pages = {};
let browser;

before(async () => {
    pages.alone = makePageAndTables("what-if", [kWhatIf]);
    browser = await openBrowser();
});
after(async () => {
    await browser?.close();
    rmSync(work, { recursive: true, force: true });
});

const wayRows = (page) => page.$$eval("#what-if table.ways tbody tr", (all) => all.map((row) => [...row.cells].map((cell) => cell.innerText.replace(/\s+/g, " ").trim())));

test("the claim, the ways that were not played, and each figure with its difference", async () => {
    const page = await look(pages.alone);
    assert.match(await page.textContent("h1"), /^What if: Synthetic GPU "A"$/);
    const section = page.locator("#what-if");
    assert.match(await section.locator(".verdict").innerText(), /advised reserves 1\.5 GiB at the peak where vma-default has 2\.25 GiB \(50% more\)/);
    assert.match(await section.locator(".warn-box").innerText(), /d3d12ma-default was not played: needs a report through Direct3D 12/);
    const rows = await wayRows(page);
    assert.equal(rows.length, 3);
    assert.match(rows[0][0], /^advised the advice for this device and program$/);
    assert.equal(rows[0][1], "1.5 GiB (best)");
    assert.equal(rows[1][1], "2.25 GiB 672 to 864 MiB more");
    assert.match(rows[2][0], /^advised on the device /);
    const text = await section.innerText();
    assert.match(text, /Bold and underlined: the best of the column, or not told from it\. Differences are told by 30 stretches of frames and 8 plays on the device/);
    assert.match(text, /none is assumed/);
    assert.match(text, /Not played at 1 MiB: needs 5000 allocations of 4096/);
});

test("charts hold the curve's points, and no figure on the page is in bytes or nanoseconds", async () => {
    const { page, context, complaints } = await open(pages.alone);
    await drawAll(page);
    const [document] = pages.alone.documents;
    for (const [chart, column] of [["peak-reserved", "peak_reserved_bytes"], ["mean-waste", "mean_waste"], ["worst-frame", "worst_frame_ns"]]) {
        const [points] = await seriesOf(page, `what-if-0-0-${chart}`);
        const played = document.curves[0].points.filter((point) => point.cells?.length);
        assert.ok(played.length > 1);
        assert.deepEqual(points.data, played.map((point) => [point.size_bytes, point.cells.find((cell) => cell.column === column).value]), chart);
    }
    await page.evaluate(() => document.querySelectorAll("details").forEach((each) => { each.open = true; }));
    await page.waitForSelector("#what-if-0-0-worst-frame tbody tr");
    const text = await page.locator("#what-if").innerText();
    assert.doesNotMatch(text, /\d{5,}(?! creations)/);
    assert.match(text, /16 MiB\s+225 us/);
    assert.deepEqual(complaints, []);
    await context.close();
});

test("the page saves what the command line writes", async () => {
    const page = await look(pages.alone);
    const saved = await page.evaluate(() => Object.fromEntries([...window.heapwright.charts, ...window.heapwright.raw].map(([id, each]) => [id, each.csv()])));
    assert.deepEqual(Object.keys(saved).sort(), ["what-if-0-0-mean-waste", "what-if-0-0-peak-reserved", "what-if-0-0-worst-frame", "what-if-curves-0", "what-if-rows-0"]);
    for (const [id, text] of Object.entries(saved)) assert.equal(text, pages.alone.csv(id), id);
    const [names, ...rows] = csvRows(pages.alone.csv("what-if-rows-0"));
    assert.deepEqual(rows.map((row) => row[0]), pages.alone.documents[0].rows.map((row) => row.name));
    assert.ok(names.includes("best_in") && rows.every((row) => row.length === names.length));
});

test("it stands beside the documents of devices, and in an index of many", async () => {
    const both = await open(makePage("what-if-beside", [kReport, kWhatIf, kWhatIf]));
    assert.match(await both.page.textContent("h1"), /HD Graphics 630/);
    assert.match(await both.page.textContent("header"), /Made from 1 report and 2 what-ifs\./);
    assert.equal(await both.page.locator("#what-if table.ways").count(), 2);
    assert.ok((await chartIds(both.page)).includes("what-if-1-0-peak-reserved"));
    assert.deepEqual(both.complaints, []);
    await both.context.close();
    const index = await open(makePage("what-if-index", [kReport, kWhatIf], "--index"));
    assert.equal(await index.page.locator("#index, #what-if").count(), 2);
    await drawAll(index.page);
    assert.equal((await seriesOf(index.page, "what-if-0-0-mean-waste"))[0].data.length, 2);
    assert.deepEqual(index.complaints, []);
    await index.context.close();
});

test("failed requests lead, exact differences say so, and names stay text", async () => {
    const file = changed(kWhatIf, (document) => {
        document.stretches = 0;
        document.plays = 0;
        document.rows.splice(3);
        document.rows[0].name = kHostile;
        document.curves[0].of = kHostile;
        document.curves[0].setting = `${kHostile}\u001b`;
        document.notes = [kHostile];
        document.rows[1].cells.find((cell) => cell.column === "failed_requests").value = 12;
    });
    const { page, context, complaints } = await open(makePage("what-if-hostile", [file]));
    await drawAll(page);
    const text = await page.locator("#what-if").innerText();
    assert.match(text, /vma-default found no memory for 12 of its requests/);
    assert.ok(text.indexOf("found no memory") < text.indexOf("at the peak"));
    assert.match(text, /Differences are exact, for this trace alone\./);
    assert.ok(text.includes(kHostile) && text.includes("\\x1b"));
    assert.equal(await page.evaluate(() => document.querySelectorAll("#page script").length), 0);
    assert.deepEqual(complaints, []);
    await context.close();
});

test("it fits a phone, and is accessible in light and dark", async () => {
    for (const width of [375, 320]) {
        const { page, context } = await open(pages.alone, { viewport: { width, height: 700 } });
        await drawAll(page);
        assert.equal(await tooWide(page), "", `at ${width}`);
        await context.close();
    }
    await checkAccessibility(pages.alone, { folded: true });
});
