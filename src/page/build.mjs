// Builds dist/page.html: one file with the style, the script and the licences of what the script contains.
//
//   node build.mjs           writes dist/page.html
//   node build.mjs --check   builds into memory and compares; exit code 1 where the committed file differs
//
// heapwright's own build embeds dist/page.html and needs no npm; only a change of this folder does.
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const folder = dirname(fileURLToPath(import.meta.url));
const file = (...parts) => join(folder, ...parts);
const text = (...parts) => readFile(file(...parts), "utf8");

// A script in the page may run only if its text has this hash; a style likewise.
const hash = (content) => `'sha256-${createHash("sha256").update(content, "utf8").digest("base64")}'`;

async function bundle(entry, options) {
    const result = await build({
        entryPoints: [file("src", entry)],
        bundle: true,
        minify: true,
        write: false,
        charset: "ascii",
        legalComments: "none",
        logLevel: "warning",
        ...options,
    });
    return result.outputFiles[0].text.trim();
}

// Notices of everything that the bundle contains, as their licences ask.
async function licences() {
    const parts = [];
    for (const [name, files] of [
        ["echarts", ["NOTICE", "LICENSE", "licenses/LICENSE-d3"]],
        ["zrender", ["LICENSE"]],
        ["tslib", ["LICENSE.txt"]],
    ]) {
        const { version } = JSON.parse(await text("node_modules", name, "package.json"));
        for (const each of files) {
            const content = (await text("node_modules", name, each)).replace(/\r\n?/g, "\n").trim().replaceAll("*/", "* /");
            parts.push(`==== ${name} ${version}: ${each} ====\n\n${content}`);
        }
    }
    return `/*! This script contains the following software.\n\n${parts.join("\n\n")}\n*/\n`;
}

async function page() {
    const script = (await licences()) + (await bundle("main.js", { format: "iife", target: "es2020" }));
    const style = await bundle("style.css", { target: "chrome100" });
    const policy = [
        "default-src 'none'",
        `script-src ${hash(script)}`,
        `style-src ${hash(style)}`,
        "base-uri 'none'",
        "form-action 'none'",
    ].join("; ");
    const parts = { policy, style, script };
    return (await text("src", "page.html")).replace(/\{\{(policy|style|script)\}\}/g, (_, name) => parts[name]);
}

const built = await page();
const target = file("dist", "page.html");
if (process.argv.includes("--check")) {
    const committed = await readFile(target, "utf8").catch(() => "");
    if (committed !== built) {
        console.error("dist/page.html is not what this folder builds: run `npm ci && npm run build` in src/page");
        process.exit(1);
    }
    console.log(`dist/page.html is what this folder builds (${built.length} bytes)`);
} else {
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, built);
    console.log(`dist/page.html: ${built.length} bytes`);
}
