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
export function compare(baseline, other, file, ...options) {
    const { status, stderr } = spawnSync(program, ["compare", baseline, other, "--no-impact", "-f", "json", "-o", file, "-q", ...options], { encoding: "utf8" });
    if (status !== 0 && status !== 1) throw new Error(`compare ended with ${status}: ${stderr}`);
}

// A page: { html, documents }.
export function makePage(name, files, ...options) {
    const html = join(work, `${name}.html`);
    run("report", ...files, "-o", html, ...options);
    return { name, html, files, documents: files.map(json) };
}

// A page and its CSV files: also { csv(name), csvFolder }.
export function makePageAndTables(name, files) {
    const csvFolder = join(work, `${name}-csv`);
    const made = makePage(name, files, "--csv", csvFolder);
    return { ...made, csvFolder, csv: (table) => readFileSync(join(csvFolder, `${table}.csv`), "utf8") };
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
    browser = await chromium.launch({ executablePath: required("HEAPWRIGHT_CHROMIUM"), args: ["--no-sandbox"] });
    return browser;
}

export const openFolds = (page) => page.evaluate(() => window.heapwright.setFolds(true));

// Charts are drawn when their fold is open and they come near the window: all of them now.
export const drawAll = (page) => page.evaluate(() => {
    window.heapwright.setFolds(true);
    window.heapwright.startAll();
});

// A page that tests only read: opened once.
const read = new Map();
export async function look(made) {
    if (!read.has(made)) read.set(made, await open(made));
    return read.get(made).page;
}

// Opens a page and collects what must not happen on it.
export async function open(made, { query = "", ...options } = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true, ...options });
    const page = await context.newPage();
    const complaints = [];
    const url = pathToFileURL(made.html).href;
    page.on("console", (message) => complaints.push(`console ${message.type()}: ${message.text()}`));
    page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
    page.on("dialog", (dialog) => { complaints.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
    page.on("request", (request) => { if (request.url().split(/[?#]/)[0] !== url) complaints.push(`request: ${request.url()}`); });
    await page.goto(url + query);
    return { page, context, complaints };
}

// The series of a chart as the chart holds them: [{ id, data }], data as plain arrays.
export const seriesOf = (page, id) => page.evaluate((chart) => {
    const found = window.heapwright.charts.get(chart);
    if (!found) throw new Error(`no chart ${chart}; there are ${[...window.heapwright.charts.keys()].join(" ")}`);
    return found.option().series.map((series) => ({ id: series.id, type: series.type, name: series.name,
        data: (series.data ?? []).map((item) => (item !== null && typeof item === "object" && !Array.isArray(item) ? item.value : item)) }));
}, id);

// How much wider than the window the page is, and what makes it so; empty: it fits.
export const tooWide = (page) => page.evaluate(() => {
    const beyond = document.documentElement.scrollWidth - innerWidth;
    const culprits = [...document.querySelectorAll("main *")].filter((each) => each.getBoundingClientRect().right > innerWidth + 1 && !each.closest(".scroll, .unseen"));
    return beyond > 0 || culprits.length ? `${beyond} pixels: ${culprits.slice(0, 3).map((each) => each.outerHTML.slice(0, 120)).join(" ")}` : "";
});

export const chartIds = (page) => page.evaluate(() => [...window.heapwright.charts.keys()]);
