// Thousands of devices in one file: a table that is searched, grouped and sorted, and a page for each device.
import assert from "node:assert/strict";
import { rmSync, statSync } from "node:fs";
import { after, before, test } from "node:test";
import { checkAccessibility } from "./accessibility.mjs";
import { fleetFiles } from "./fleet.mjs";
import { committed, json, makePage, open, openBrowser, seriesOf, tooWide, work } from "./harness.mjs";

const kReports = ["nvidia-h100-580.159.04-vulkan", "anv-kbl-mesa-25.0.7", "radv-navi10-mesa-25.0.7", "nvidia-h100-580.159.04-vkd3d-1.2"]
    .map((name) => committed(`reports/${name}.json`));
const kDevices = 2000;
const kProbed = 60;

let fleet;
let browser;

before(async () => {
    fleet = makePage("fleet", fleetFiles(work, kReports.map(json), kDevices, kProbed));
    browser = await openBrowser();
});
after(async () => {
    await browser?.close();
    rmSync(work, { recursive: true, force: true });
});

const text = (page, selector) => page.locator(selector).innerText();
const indexRows = (page) => page.$$eval(".index tbody tr:not(.group-row)", (all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));

test(`an index of ${kDevices} devices takes at most 20 MB and shows all of them`, async () => {
    assert.ok(statSync(fleet.html).size <= 20e6, `${statSync(fleet.html).size} bytes`);
    const begin = performance.now();
    const { page, context, complaints } = await open(fleet);
    await page.waitForFunction((count) => document.querySelectorAll(".index tbody tr").length === count, kDevices);
    // A figure to read, no verdict: how long it takes is the machine's, too.
    console.log(`index of ${kDevices} devices: ${statSync(fleet.html).size} bytes, opened in ${Math.round(performance.now() - begin)} ms`);
    assert.deepEqual(complaints, []);
    await context.close();
});

test("the index is searched, grouped and sorted, by the keyboard too", async () => {
    const { page, context, complaints } = await open(fleet);
    const column = (rows, i) => rows.map((row) => row[i]);
    const sorted = (values) => values.every((value, i) => i === 0 || values[i - 1] <= value);
    // Every word must be there, wherever.
    await page.fill("#index input", "radeon 0123");
    assert.deepEqual(column(await indexRows(page), 0), []);
    await page.fill("#index input", "amd 0122");
    assert.deepEqual(column(await indexRows(page), 0), ["AMD Radeon RX 5700 XT 0122"]);
    assert.equal(await text(page, "#index [role=status]"), "1 of 2,000 devices");
    await page.fill("#index input", "");
    await page.selectOption("#index select", "vendor");
    assert.deepEqual(await page.$$eval(".group-row", (all) => all.map((row) => row.textContent)), ["AMD: 500 devices", "Intel: 500 devices", "NVIDIA: 1,000 devices"]);
    await page.selectOption("#index select", "");
    // Memory, ascending and then descending.
    const button = page.locator(".index thead button", { hasText: "Device memory" });
    await button.focus();
    await page.keyboard.press("Enter");
    const memory = async () => column(await indexRows(page), 6).map((cell) => parseFloat(cell) * (cell.endsWith("GiB") ? 1024 : 1));
    assert.ok(sorted(await memory()));
    assert.equal(await page.getAttribute(".index th:nth-child(7)", "aria-sort"), "ascending");
    await page.keyboard.press("Enter");
    assert.ok(sorted((await memory()).reverse()));
    // Versions are numbers: 9 before 10.
    await page.locator(".index thead button", { hasText: "Version" }).click();
    const versions = column(await indexRows(page), 3).map((each) => each.split(".").map((part) => part.padStart(6, "0")).join("."));
    assert.ok(sorted(versions));
    assert.deepEqual(complaints, []);
    await context.close();
});

test("each device of the index has its page, with its own figures and charts", async () => {
    const { page, context, complaints } = await open(fleet);
    await page.fill("#index input", "0005");
    await page.locator(".index tbody a").first().click();
    await page.waitForSelector("#memory");
    const name = await text(page, "h1");
    assert.match(name, /0005$/);
    const document = fleet.documents[0];
    const device = document.devices[5];
    assert.equal(device.identity.name, name);
    // Its sweep is shared with others; its heaps are its own.
    const heaps = await page.evaluate(() => window.heapwright.charts.get("heaps-0").data().rows.map((row) => row[1]));
    assert.deepEqual(heaps, device.heaps.map((heap) => heap.size_bytes));
    const storage = await seriesOf(page, "image-storage");
    assert.equal(storage.find((each) => each.id && each.type === "scatter").data.reduce((sum, item) => sum + item[2], 0), 169);
    await page.click("text=All devices");
    await page.waitForSelector("#index");
    assert.deepEqual(complaints, []);
    await context.close();
    // One that an importer read: no sweep, and the first screen says so.
    const imported = await open(fleet, { query: "?device=1999" });
    assert.match(await text(imported.page, "h1"), /1999$/);
    assert.match(await text(imported.page, ".answers"), /another tool recorded/);
    assert.equal(await imported.page.locator("#images").count(), 0);
    assert.deepEqual(imported.complaints, []);
    await imported.context.close();
});

test("--index makes an index of few devices; a page of many is one without being asked", async () => {
    const made = makePage("small-index", kReports.slice(1, 3), "--index");
    const { page, context, complaints } = await open(made);
    assert.equal((await indexRows(page)).length, 2);
    assert.deepEqual(complaints, []);
    await context.close();
});

test("a phone: the index fits its width", async () => {
    const { page, context, complaints } = await open(fleet, { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
    assert.equal(await tooWide(page), "");
    assert.deepEqual(complaints, []);
    await context.close();
});

test("axe finds no violation on the index, light and dark, and on an imported device's page", async () => {
    // The table's rows are alike: a hundred stand for all.
    await checkAccessibility(fleet, { prepare: (page) => page.fill("#index input", "007") });
    await checkAccessibility(fleet, { query: "?device=1999" });
});
