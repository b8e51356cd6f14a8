// `heapwright report` as a command: what it takes, what it refuses, and that it leaves no half file.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

const program = process.env.HEAPWRIGHT_PROGRAM;
const report = join(process.env.HEAPWRIGHT_SOURCE_DIR, "reports/anv-kbl-mesa-22.3.6.json");
const folder = mkdtempSync(join(tmpdir(), "heapwright-command-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const command = (argumentList, input) => spawnSync(program, ["report", ...argumentList], { encoding: "utf8", input, maxBuffer: 1 << 28 });

test("a file, standard input, and the same page on standard output", () => {
    const file = join(folder, "out.html");
    const written = command([report, "-o", file]);
    assert.deepEqual([written.status, written.stdout, written.stderr], [0, "", ""]);
    const html = readFileSync(file, "utf8");
    assert.ok(html.startsWith("<!DOCTYPE html>") && html.trimEnd().endsWith("</html>"));
    assert.equal(command([report]).stdout, html);
    const piped = command(["-"], readFileSync(report, "utf8"));
    assert.equal(piped.status, 0);
    // Commands name a file that can be called so.
    assert.ok(piped.stdout.includes("heapwright advise report.json"));
    const named = piped.stdout.replace('"file":"standard input"', '"file":"anv-kbl-mesa-22.3.6.json"').replace(/(advise|memory-type-order) report\.json/g, "$1 anv-kbl-mesa-22.3.6.json");
    assert.equal(named, html);
    assert.deepEqual(readdirSync(folder), ["out.html"]);
});

test("--csv alone writes no page", () => {
    const csv = join(folder, "csv", "deep");
    const done = command([report, "--csv", csv]);
    assert.deepEqual([done.status, done.stdout], [0, ""]);
    assert.ok(readdirSync(csv).includes("raw-images-0.csv"));
    const raw = readFileSync(join(csv, "raw-images-0.csv"), "utf8").split("\n");
    assert.equal(raw[0], "size,alignment,storage");
    assert.ok(raw.includes("128x16,4096,20504"));
});

test("beside good input a bad one is named and left out", () => {
    const broken = join(folder, "broken-beside.json");
    writeFileSync(broken, "{");
    const out = join(folder, "beside.html");
    const done = command([report, broken, "-o", out]);
    assert.equal(done.status, 5, done.stderr);
    assert.match(done.stderr, /broken-beside\.json/);
    const alone = join(folder, "alone.html");
    assert.equal(command([report, "-o", alone]).status, 0);
    assert.equal(readFileSync(out, "utf8"), readFileSync(alone, "utf8"));
});

test("bad input is named, and what was there stays", () => {
    const out = join(folder, "kept.html");
    writeFileSync(out, "before");
    const broken = join(folder, "broken.json");
    const refused = (argumentList, code, message) => {
        const done = command([...argumentList, "-o", out]);
        assert.equal(done.status, code, done.stderr);
        assert.match(done.stderr, message);
        assert.equal(readFileSync(out, "utf8"), "before");
    };
    refused([join(folder, "none.json")], 2, /none\.json/);
    writeFileSync(broken, "{");
    refused([broken, join(folder, "none.json")], 2, /broken\.json[^]*none\.json/);
    const document = JSON.parse(readFileSync(report, "utf8"));
    document.devices[0].surprise = 1;
    writeFileSync(broken, JSON.stringify(document));
    refused([broken], 2, /broken\.json.*surprise/s);
    refused([join(process.env.HEAPWRIGHT_SOURCE_DIR, "policies/presets/desktop-app.json")], 2, /desktop-app\.json.*is a workload; the page shows reports, policies, validations, comparisons and what-ifs/);
    refused([], 2, /FILES/);
    const nowhere = command([report, "-o", join(folder, "no", "such", "folder.html")]);
    assert.equal(nowhere.status, 2);
    assert.ok(!existsSync(join(folder, "no")));
});
