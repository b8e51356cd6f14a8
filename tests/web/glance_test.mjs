// What the page answers at once: the first screen, devices and policies side by side, search; that it fits a phone and
// prints; and that every kind of page is accessible, in light and dark.
import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { checkAccessibility } from "./accessibility.mjs";
import { changed, committed, compare, json, look, makePage, open, openBrowser, openFolds, run, tooWide, work } from "./harness.mjs";
import { bytes, percent, time } from "../../src/page/src/units.js";

const kReport = committed("reports/nvidia-h100-580.159.04-vulkan.json");
const kPolicy = committed("policies/nvidia-h100-580.159.04-vulkan-general-engine.json");
const kValidation = committed("reports/nvidia-h100-580.159.04-vulkan-validation.json");
const kOtherPolicy = committed("policies/nvidia-h100-580.159.04-vkd3d-1.2-general-engine.json");
const kAnv = committed("reports/anv-kbl-mesa-25.0.7.json");
const kAnvEarlier = committed("reports/anv-kbl-mesa-22.3.6.json");

const kOtherValidation = committed("reports/nvidia-h100-580.159.04-vkd3d-1.2-validation.json");
const kLavapipe = ["reports/lavapipe-mesa-22.3.6.json", "policies/lavapipe-mesa-22.3.6-desktop-app.json", "reports/lavapipe-mesa-22.3.6-validation.json"].map(committed);

const kScreen = { width: 1280, height: 800 };

const pages = {};
let browser;

before(async () => {
    pages.validated = makePage("validated", [kReport, kPolicy, kValidation]);
    const policy = `${work}/policy.json`;
    run("advise", kReport, "-w", "general-engine", "-o", policy, "-q");
    pages.policy = makePage("policy", [kReport, policy]);
    pages.report = makePage("report", [kAnv]);
    pages.policies = makePage("two-policies", [kPolicy, kOtherPolicy]);
    const comparison = `${work}/comparison.json`;
    compare(kAnvEarlier, kAnv, comparison);
    pages.comparison = makePage("comparison", [kAnvEarlier, kAnv, comparison]);
    browser = await openBrowser();
});
after(async () => {
    await browser?.close();
    rmSync(work, { recursive: true, force: true });
});

const text = (page, selector) => page.locator(selector).innerText();

// Where an element ends, in pixels from the top of the page.
const bottom = (page, selector) => page.evaluate((found) => {
    const boxes = [...document.querySelectorAll(found)].map((each) => each.getBoundingClientRect().bottom + scrollY);
    return Math.max(...boxes);
}, selector);

// The part of a frame that the policy leaves to a bucket.
function bucketFrameNs({ devices: [device] }) {
    const { figures: [parts] } = device.buckets[0].chunk_size_bytes.reason.find((each) => each.id === "chunk_frame_part");
    return device.frame_budget_ns / parts;
}

const figures = (page) => page.$$eval(".figure", (all) => all.map((each) => ({ name: each.querySelector("dt").textContent,
    value: each.querySelector(".amount").textContent, beside: [...each.querySelectorAll(".beside span")].map((line) => line.textContent) })));

test("the first screen of a validated policy: trust, gain, driver, next; all of it on one screen", async () => {
    const { page, context, complaints } = await open(pages.validated, { viewport: kScreen });
    assert.ok(await bottom(page, "#verdict") <= kScreen.height, `ends at ${await bottom(page, "#verdict")}`);
    const verdict = await text(page, ".first .verdict");
    assert.match(verdict, /Validated on this device/);
    assert.match(verdict, /Every check passed/);
    const { scenarios, baselines } = pages.validated.documents[2].devices[0];
    const played = scenarios.find((each) => each.name === "mixed-workload");
    const vma = baselines.find((each) => each.name === "mixed-workload/vma-default");
    const [waste, frame, allocations] = await figures(page);
    assert.equal(waste.value, percent(played.memory.mean_waste));
    assert.equal(waste.name, "Waste, lower is better");
    assert.equal(waste.beside[0], `${Number((vma.memory.mean_waste / played.memory.mean_waste).toFixed(1))} times less than VMA's default, ${percent(vma.memory.mean_waste)}`);
    const worstNs = played.volatile.worst_frame_ns;
    assert.equal(frame.value, time(worstNs));
    assert.match(frame.beside[0], /^\d+ times less than VMA's default, /);
    assert.ok(frame.beside.includes(`limits: ${time(bucketFrameNs(pages.validated.documents[1]))} a bucket, 16.67 ms a frame`), frame.beside.join());
    assert.equal(allocations.value, String(played.counts.device_allocations));
    assert.equal(allocations.beside[0], "the device sets no limit");
    const answers = await text(page, ".answers");
    for (const each of ["No answer breaks the specification", "general-engine", "heapwright export nvidia-h100-580.159.04-vulkan-general-engine.json --target vma"]) assert.ok(answers.includes(each), each);
    assert.deepEqual(complaints, []);
    await context.close();
});

test("figures stand beside the limits that the documents state, and beside none that they do not", async () => {
    const limited = changed(kReport, (report) => { report.devices[0].limits.VkPhysicalDeviceLimits.maxMemoryAllocationCount = 4096; });
    const silent = changed(kPolicy, ({ devices: [device] }) => device.buckets.forEach(({ chunk_size_bytes: { reason } }) => {
        reason.splice(0, reason.length, ...reason.filter((each) => each.id !== "chunk_frame_part"));
    }));
    const page = await look(makePage("limited", [limited, silent, changed(kValidation, (validation) => { validation.sources = validation.sources.filter((each) => each.kind !== "policy"); })]));
    const [, frame, allocations] = await figures(page);
    assert.ok(frame.beside.includes("a frame has 16.67 ms"), frame.beside.join());
    assert.equal(allocations.beside[0], `${percent(Number(allocations.value) / 4096)} of the 4096 that the device allows`);
    const alone = await figures(await look(makePage("no-report", [kPolicy, kValidation])));
    assert.equal(alone[2].beside[0], `the policy allows ${json(kPolicy).devices[0].max_chunks.value}`);
});

test("buckets stand in words, each fold's title has its result, and no option is cut at its hyphens", async () => {
    const { page, context } = await open(pages.validated, { viewport: kScreen });
    const verdict = await text(page, "#verdict");
    assert.doesNotMatch(verdict, /\b(any|linear|optimal)\/\d/);
    assert.match(verdict, /images and buffers\s+memory type 1 \(device\), aligned to 1 KiB/);
    const folds = await page.$$eval("main > section > details.fold > summary", (all) => all.map((each) => [each.querySelector("h2").textContent, each.querySelector(".result")?.textContent ?? ""]));
    assert.ok(folds.length > 8);
    for (const [title, result] of folds) assert.ok(result.length > 3, title);
    const results = Object.fromEntries(folds);
    const { scenarios } = pages.validated.documents[2].devices[0];
    assert.equal(results["The policy at work"], `${scenarios.length} of ${scenarios.length} scenarios passed, no fault`);
    assert.match(results["Memory map"], /in 2 heaps, 5 memory types$/);
    assert.ok((await page.$$eval("#policy h5", (all) => all.map((each) => each.textContent))).includes("bucket any/1024/1: images and buffers, memory type 1 (device), aligned to 1 KiB"));
    // The command has more than a card's width.
    const wide = (selector) => page.$eval(selector, (each) => each.getBoundingClientRect().width);
    assert.ok(await wide(".command") > 1.4 * await wide(".figure"));
    await context.close();
    const bare = makePage("bare", [kReport, kPolicy, changed(kValidation, (all) => { all.devices[0].baselines = []; })]);
    for (const width of [360, 500, 1000, 1280]) {
        const narrow = await open(bare, { viewport: { width, height: 800 } });
        const options = await narrow.page.$$eval(".option", (all) => all.filter((each) => each.checkVisibility()).map((each) => [each.textContent, each.getClientRects().length]));
        for (const each of ["--baselines", "--target", "-o"]) assert.ok(options.some(([option]) => option === each), each);
        for (const [option, parts] of options) assert.equal(parts, 1, `${option} at ${width}`);
        await narrow.context.close();
    }
});

test("compared drivers: the verdict leads; two reports alone name the command that compares them", async () => {
    const compared = await look(pages.comparison);
    const { devices: [device] } = pages.comparison.documents[2].documents[0];
    const all = [...device.fields, ...device.sweeps];
    const told = ["regressed", "missing", "changed"].map((status) => [all.filter((each) => each.status === status).length, status]).filter(([amount]) => amount);
    const violations = device.fields.filter((each) => each.path.startsWith("/findings/") && each.to === "violation").length;
    assert.ok(told.length > 0 && violations === 1);
    assert.equal(await compared.$eval("main .verdict >> nth=0", (each) => each.querySelector(".headline").textContent), `✗${told.map((each) => each.join(" ")).join(", ")}, 1 violation`);
    assert.equal(await compared.$eval("main .verdict, main table", (each) => each.className), "verdict bad");
    // The heading keeps its distance from the menu.
    const { page, context, complaints } = await open(makePage("two-reports", [kAnvEarlier, kAnv]), { viewport: kScreen });
    const gap = await page.evaluate(() => document.querySelector("#verdict-title").getBoundingClientRect().top - document.querySelector(".sticky").getBoundingClientRect().bottom);
    assert.ok(gap >= 10, `${gap} pixels`);
    assert.equal(await text(page, "#verdict > .first .command code"), "heapwright compare anv-kbl-mesa-22.3.6.json anv-kbl-mesa-25.0.7.json");
    assert.equal(await compared.locator("#verdict > .first .command").count(), 0);
    assert.deepEqual(complaints, []);
    await context.close();
});

test("charts: red is the worst's alone, the policy's limits stand as lines, other allocators beside their scenario by plain names", async () => {
    const page = await look(pages.validated);
    const [red, green, blue] = await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--slot-0").trim().match(/[0-9a-f]{2}/g).map((each) => parseInt(each, 16)));
    assert.ok(red <= green && red <= blue, "the first colour is no red");
    const policy = pages.validated.documents[1];
    const lines = (id) => page.evaluate((chart) => window.heapwright.charts.get(chart).option().series.flatMap((each) => each.markLine?.data.map((line) => line.xAxis) ?? []), id);
    const limits = [bucketFrameNs(policy), policy.devices[0].frame_budget_ns];
    assert.deepEqual(await lines("latency-0-0"), limits);
    assert.deepEqual(await lines("worst-frames-0-0-0"), limits.slice(0, 1));
    const rows = await page.evaluate(() => window.heapwright.charts.get("waste-0-0").option().yAxis[0].data);
    assert.deepEqual(rows.slice(0, 4), ["mixed-workload", "mixed-workload: One allocation each", "mixed-workload: The article's rule", "mixed-workload: VMA's default"]);
    const reasons = await page.$$eval("#validation .reasons li", (all) => all.map((each) => each.textContent.replace(/^.*?: (?=[a-z])/, "")));
    assert.equal(new Set(reasons).size, reasons.length);
    // A validation alone states no limit: a frame at 60 Hz is there to compare with.
    assert.deepEqual(await (await look(makePage("run-alone", [kValidation]))).evaluate(() => window.heapwright.charts.get("latency-0-0").option().series[0].markLine.data.map((line) => line.xAxis)), [16666667]);
});

test("the index of devices is not cut at the width of a laptop", async () => {
    const html = `${work}/wide-index.html`;
    const adreno = `${work}/adreno.json`;
    writeFileSync(adreno, gunzipSync(readFileSync(committed("reports/known/qualcomm-adreno-650.json.gz"))));
    run("report", adreno, kReport, kPolicy, kValidation, "--index", "-o", html);
    const page = await look({ html });
    assert.equal(await page.$eval("#index .scroll", (each) => each.scrollWidth - each.clientWidth), 0);
});

// What the pictures tell in words: { memory, frames }.
const pictures = (page) => page.$$eval(".first .picture", (all) => Object.fromEntries(all.map((each) => [each.dataset.picture, each.querySelector("svg[role=img]").getAttribute("aria-label")])));

test("two pictures beneath the figures of each validation: memory over time, the worst frame beside other allocators", async () => {
    for (const made of [pages.validated, makePage("validated-d3d12", [kOtherPolicy, kOtherValidation]), makePage("validated-lavapipe", kLavapipe)]) {
        const { page, context, complaints } = await open(made, { viewport: { width: 1160, height: 690 } });
        const { scenarios, baselines } = made.documents.at(-1).devices[0];
        const { name, memory: { mean_waste }, occupancy: { steps, heaps }, volatile } = scenarios.find((each) => each.name === "mixed-workload");
        const sums = (key) => steps.map((_, i) => heaps.reduce((all, heap) => all + heap[key][i], 0));
        const [reserved, used] = [sums("reserved_bytes"), sums("used_bytes")];
        const { memory, frames } = await pictures(page);
        assert.equal(memory, `Reserved and used over ${steps.at(-1).toLocaleString("en-US")} operations. Waste ${percent(mean_waste)} on average; at the end reserved ${bytes(reserved.at(-1))}, used ${bytes(used.at(-1))}; at most ${bytes(Math.max(...reserved))} reserved.`);
        const others = baselines.filter((each) => each.name.startsWith(`${name}/`));
        assert.equal(others.length, 3);
        for (const each of [volatile, ...others.map((other) => other.volatile)])
            assert.ok(frames.includes(`${time(each.worst_frame_ns)} (99th percentile ${time(each.p99_frame_ns)})`), frames);
        for (const each of ["lower is better", "log scale", "This policy", "VMA's default", "One allocation each", "The article's rule"]) assert.ok(frames.includes(each), each);
        assert.ok(await bottom(page, ".pictures") <= 690, `end at ${await bottom(page, ".pictures")}`);
        assert.equal(await page.$$eval(".picture text", (all) => all.filter((each) => {
            const [own, around] = [each.getBoundingClientRect(), each.closest("svg").getBoundingClientRect()];
            return own.left < around.left - 1 || own.right > around.right + 1 || own.bottom > around.bottom + 1;
        }).length), 0, "a text is cut");
        assert.deepEqual(complaints, []);
        await context.close();
    }
});

test("no picture without its figures: no validation, one of another policy, none of over time or of other allocators", async () => {
    const named = async (made) => Object.keys(await pictures(await look(made))).join();
    for (const name of ["policy", "report", "policies", "comparison"]) assert.equal(await named(pages[name]), "", name);
    const lacking = async (name, change) => named(makePage(name, [kReport, kPolicy, changed(kValidation, change)]));
    assert.equal(await lacking("other", (all) => { all.sources.find((each) => each.kind === "policy").stable_hash = "0123456789abcdef0123456789abcdef"; }), "");
    assert.equal(await lacking("no-baseline", (all) => { all.devices[0].baselines = []; }), "memory");
    assert.equal(await lacking("no-occupancy", (all) => all.devices[0].scenarios.forEach((each) => { delete each.occupancy; })), "frames");
});

test("a figure reads the same wherever it stands: what heapwright wrote, and what the page writes", async () => {
    const page = await look(pages.policies);
    await page.evaluate(() => document.querySelector("#policies button").click());
    const rows = await page.$$eval("#policies tbody tr:not(.group-row)", (all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
    const written = new Set(rows.flat());
    let told = 0;
    for (const { devices: [device] } of pages.policies.documents) {
        const figures = [...device.heaps.map((heap) => `${bytes(heap.usable_bytes.value)} of ${bytes(heap.size_bytes)}`), bytes(device.humongous_threshold_bytes.value),
            bytes(device.uploads.ring_bytes.value), bytes(device.uploads.page_bytes.value), time(device.frame_budget_ns)];
        for (const figure of figures) assert.ok(written.has(figure), figure);
        told += figures.length;
    }
    assert.ok(told > 10);
    // The table that heapwright's own texts are tested with: ties and the borders of units among it.
    const { bytes: sizes, times, shares } = json(committed("tests/unit/render/figures.json"));
    for (const [value, wanted] of sizes) assert.equal(bytes(value), wanted);
    for (const [value, wanted] of times) assert.equal(time(value), wanted);
    for (const [value, wanted] of shares) assert.equal(percent(value), wanted);
});

test("what the documents lack is said: no run, no policy", async () => {
    const policy = await look(pages.policy);
    assert.match(await text(policy, ".first .verdict"), /Not validated/);
    assert.match(await text(policy, ".next"), /heapwright validate policy\.json/);
    const expected = pages.policy.documents[1].devices[0].expectations;
    const [waste, , allocations] = await figures(policy);
    assert.equal(waste.value, percent(expected.mean_waste.value));
    assert.deepEqual(waste.beside, ["expected, not measured"]);
    assert.equal(allocations.value, String(expected.device_allocations.value));
    const report = await look(pages.report);
    assert.match(await text(report, ".first .verdict"), /No policy yet/);
    assert.match(await text(report, ".answers"), /1 answer breaks the specification[\s\S]*memory type 3 \(0x1\) stands after memory type 1[\s\S]*heapwright reproduce memory-type-order anv-kbl-mesa-25\.0\.7\.json/);
    assert.deepEqual((await figures(report)).at(-1), { name: "An allocation takes", value: "not known", beside: ["not measured"] });
});

test("two policies stand side by side: rows that differ are marked and stand alone until all are asked for", async () => {
    const { page, context, complaints } = await open(pages.policies);
    const rows = () => page.$$eval("#policies tbody tr:not(.group-row)", (all) => all.map((row) => ({ differs: row.className === "differs", name: row.cells[0].childNodes[0].textContent,
        cells: [...row.cells].slice(1).map((cell) => cell.textContent) })));
    const differing = await rows();
    assert.ok(differing.length > 5 && differing.every((row) => row.differs && row.cells[0] !== row.cells[1]));
    await page.click("#policies button");
    const all = await rows();
    const thresholds = pages.policies.documents.map((document) => document.devices[0].humongous_threshold_bytes.value / 2 ** 20);
    const own = all.find((row) => row.name === "above");
    own.cells.forEach((cell, i) => assert.ok(Math.abs(parseFloat(cell) - thresholds[i]) < 0.01 && cell.endsWith("MiB"), cell));
    assert.ok(all.length > differing.length);
    assert.ok(all.some((row) => !row.differs) && all.filter((row) => !row.differs).every((row) => row.cells[0] === row.cells[1] || row.cells.includes("none")));
    await page.fill("#policies input", "ring");
    assert.deepEqual((await rows()).map((row) => row.name), ["upload ring"]);
    assert.match(await text(page, "#policies [role=status]"), /^1 row of/);
    assert.deepEqual(complaints, []);
    await context.close();
});

test("a text finds its lines in the policy, and nothing else stays", async () => {
    const { page, context, complaints } = await open(pages.policy);
    const field = page.locator("#policy input[type=search]");
    const shown = () => page.$$eval("#policy details.decision", (all) => all.filter((each) => each.checkVisibility()).map((each) => each.querySelector(".name").textContent));
    // Reached with the keyboard.
    await page.focus("#policy summary");
    await page.keyboard.press("Enter");
    for (let i = 0; i < 40 && !(await field.evaluate((each) => each === document.activeElement)); ++i) await page.keyboard.press("Tab");
    assert.ok(await field.evaluate((each) => each === document.activeElement));
    await page.keyboard.type("ring bytes");
    const found = await shown();
    assert.ok(found.includes("ring") && found.length < 8, found.join());
    const status = await text(page, "#policy [role=status]");
    assert.match(status, /^\d+ lines?$/);
    await page.keyboard.press("Escape");
    assert.equal(await field.inputValue(), "");
    assert.equal(await page.locator("#policy details.decision[hidden]").count(), 0);
    assert.deepEqual(complaints, []);
    await context.close();
});

test("a driver that could not be validated leads the page", async () => {
    const lost = changed(kValidation, (validation) => {
        validation.failures = [{ driver: "lost_icd.json", api: "vulkan", last_call: "vkCreateInstance", reason: "it crashed" }];
    });
    const { page, context, complaints } = await open(makePage("lost", [kReport, kPolicy, lost]), { viewport: kScreen });
    assert.match(await text(page, "header .note >> nth=0"), /^1 driver or device could not be validated: lost_icd.json \(it crashed\)/);
    assert.deepEqual(complaints, []);
    await context.close();
});

test("a phone: the first screen and the comparison fit its width, folded and open", async () => {
    for (const name of ["validated", "policies", "comparison"]) {
        const { page, context, complaints } = await open(pages[name], { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
        assert.equal(await tooWide(page), "", `${name}, folded`);
        await openFolds(page);
        assert.equal(await tooWide(page), "", `${name}, open`);
        assert.deepEqual(complaints, []);
        await context.close();
    }
});

test("a comparison: the rules of the specification that a driver newly breaks before all else that differs", async () => {
    const { page, context, complaints } = await open(pages.comparison, { viewport: kScreen });
    await openFolds(page);
    const tables = await page.$$eval(".device-block", (blocks) => blocks.map((block) => block.textContent));
    const block = tables.find((each) => each.includes("Changes in what the driver asks"));
    const rule = block.indexOf("/findings/memory-type-order");
    assert.ok(rule > block.indexOf("Rules of the specification that it newly breaks"));
    assert.ok(rule < block.indexOf("Changes in what the driver asks"));
    assert.equal(block.lastIndexOf("/findings/memory-type-order"), rule);
    assert.deepEqual(complaints, []);
    await context.close();
});

test("it prints: on white whatever the screen shows, the verdict, no control but legends, every chart of what is open", async () => {
    const { page, context, complaints } = await open(pages.validated, { colorScheme: "dark" });
    const pdf = await (await look(pages.report)).pdf({ format: "A4" });
    assert.equal(pdf.subarray(0, 5).toString(), "%PDF-");
    assert.ok(pdf.length > 50000, `${pdf.length} bytes`);
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.click("#folds");
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    assert.equal(await paper(), "rgb(253, 252, 250)");
    assert.equal(await page.evaluate(() => [...window.heapwright.charts.values()].filter((chart) => !chart.instance).length), 0);
    const seen = await page.evaluate(() => [...document.querySelectorAll("button, input, select, nav")].filter((each) => each.checkVisibility() && !each.closest(".legend")).map((each) => each.outerHTML.slice(0, 80)));
    assert.deepEqual(seen, []);
    assert.ok(await page.locator(".first .verdict").isVisible());
    await page.emulateMedia({ media: "screen" });
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    assert.equal(await paper(), "rgb(20, 23, 27)");
    assert.deepEqual(complaints, []);
    await context.close();
});

test("all but the answers is folded; a link, an address and a button open it", async () => {
    const { page, context, complaints } = await open(pages.validated, { viewport: kScreen });
    const opened = () => page.$$eval("main > section > details.fold[open]", (all) => all.map((each) => each.parentElement.id));
    assert.deepEqual(await opened(), []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollHeight) <= 2 * kScreen.height);
    assert.equal(await page.evaluate(() => [...window.heapwright.charts.values()].filter((chart) => chart.instance).length), 0, "nothing is drawn that nobody sees");
    await page.focus("nav a[href='#memory']");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => window.heapwright.charts.get("heaps-0").instance);
    assert.deepEqual(await opened(), ["memory"]);
    await page.goto(`${page.url().split("#")[0]}#cost`);
    assert.ok((await opened()).includes("cost"));
    await page.click("#folds");
    assert.equal((await opened()).length, await page.locator("main > section > details.fold").count());
    await page.click("#folds");
    assert.deepEqual(await opened(), []);
    assert.deepEqual(complaints, []);
    await context.close();
});

for (const name of ["validated", "report", "policies", "comparison"]) {
    test(`axe finds no violation on the page ${name}, light and dark`, async () => {
        await checkAccessibility(pages[name], { folded: name === "policies" });
    });
}
