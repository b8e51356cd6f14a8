// axe-core over a page.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { open, openFolds } from "./harness.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const violations = (page, options) => page.evaluate(async (chosen) => (await window.axe.run(document, { resultTypes: ["violations"], ...chosen })).violations.map((each) =>
    `${each.id}: ${each.nodes.length} x ${each.nodes[0].html.slice(0, 160)} ${each.nodes[0].any[0]?.message ?? ""}`), options);

// Every rule with all folds open; in the dark, where colours alone differ, those of colours. `folded`: as it opens, too.
export async function checkAccessibility(made, { query = "", folded = false, prepare = async () => {} } = {}) {
    // The page forbids every script but its own, so it is opened without that rule here.
    const { page, context } = await open(made, { colorScheme: "light", bypassCSP: true, query });
    await page.evaluate(axe);
    await prepare(page);
    if (folded) assert.deepEqual(await violations(page, {}), [], "folded");
    await openFolds(page);
    assert.deepEqual(await violations(page, {}), [], "open");
    await page.emulateMedia({ colorScheme: "dark" });
    await page.waitForFunction(() => document.documentElement.dataset.theme === "dark");
    assert.deepEqual(await violations(page, { runOnly: ["color-contrast"] }), [], "dark");
    await context.close();
}
