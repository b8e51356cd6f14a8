// Pages for the tests, and what every page must keep to: no console message, no request but its own file.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const required = (name) => {
    const value = process.env[name];
    if (!value) throw new Error(`${name} is not set: run this through ctest (test_web)`);
    return value;
};
export const program = required("HEAPWRIGHT_PROGRAM");
export const source = required("HEAPWRIGHT_SOURCE_DIR");
export const work = mkdtempSync(join(tmpdir(), "heapwright-web-"));

export const committed = (path) => join(source, path);
export const json = (path) => JSON.parse(readFileSync(path, "utf8"));
export const run = (...argumentList) => execFileSync(program, argumentList, { encoding: "utf8", maxBuffer: 1 << 28 });

// Writes the comparison of two reports. Exit code 1 says that they differ in a way that counts.
export function compare(baseline, other, file) {
    const { status, stderr } = spawnSync(program, ["compare", baseline, other, "--no-impact", "-f", "json", "-o", file, "-q"], { encoding: "utf8" });
    if (status !== 0 && status !== 1) throw new Error(`compare ended with ${status}: ${stderr}`);
}

// A page and its CSV files: { html, csv(name), csvFolder, documents }.
export function makePage(name, files) {
    const html = join(work, `${name}.html`);
    const csvFolder = join(work, `${name}-csv`);
    run("report", ...files, "-o", html, "--csv", csvFolder);
    return { name, html, csvFolder, files, documents: files.map(json), csv: (table) => readFileSync(join(csvFolder, `${table}.csv`), "utf8") };
}

// A changed copy of a document.
export function changed(path, change) {
    const document = json(path);
    change(document);
    mkdirSync(join(work, "changed"), { recursive: true });
    const copy = join(work, "changed", basename(path));
    writeFileSync(copy, JSON.stringify(document));
    return copy;
}

let browser;
export async function openBrowser() {
    browser = await chromium.launch({ executablePath: process.env.HEAPWRIGHT_CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox"] });
    return browser;
}

// Opens a page and collects what must not happen on it.
export async function open(made, options = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true, ...options });
    const page = await context.newPage();
    const complaints = [];
    const url = pathToFileURL(made.html).href;
    page.on("console", (message) => complaints.push(`console ${message.type()}: ${message.text()}`));
    page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
    page.on("dialog", (dialog) => { complaints.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
    page.on("request", (request) => { if (request.url() !== url) complaints.push(`request: ${request.url()}`); });
    await page.goto(url);
    await page.waitForFunction(() => window.heapwright.charts.size === 0 || [...window.heapwright.charts.values()].every((chart) => chart.instance));
    return { page, context, complaints };
}

// The series of a chart as the chart holds them: [{ id, data }], data as plain arrays.
export const seriesOf = (page, id) => page.evaluate((chart) => {
    const found = window.heapwright.charts.get(chart);
    if (!found) throw new Error(`no chart ${chart}; there are ${[...window.heapwright.charts.keys()].join(" ")}`);
    return found.option().series.map((series) => ({ id: series.id, type: series.type, name: series.name,
        data: (series.data ?? []).map((item) => (item !== null && typeof item === "object" && !Array.isArray(item) ? item.value : item)) }));
}, id);

export const chartIds = (page) => page.evaluate(() => [...window.heapwright.charts.keys()]);
