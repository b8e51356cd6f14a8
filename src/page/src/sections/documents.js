// Which documents the page shows, and what they were made from.
import { dataTable, h } from "../dom.js";
import { words } from "../units.js";

export function documentsSection(documents, tool) {
    return h("section", { id: "documents", "aria-labelledby": "documents-title" }, h("h2", { id: "documents-title" }, "Documents"),
        dataTable("What this page was made from", [{ name: "File" }, { name: "Kind" }, { name: "Written by" }, { name: "At" }, { name: "On" }, { name: "Made from" }],
            documents.map(({ file, kind, document }) => [file, words(kind), `${document.tool?.name ?? "heapwright"} ${document.tool?.version ?? ""}`,
                document.volatile?.created_utc || "", document.volatile?.host || "",
                (document.sources ?? []).map((source) => `${source.kind} ${source.stable_hash.slice(0, 8)}`).join(", ")])),
        h("p", { class: "note" }, `heapwright ${tool}. Charts: Apache ECharts (Apache License 2.0); the notices are in this page's source. This page loads nothing from anywhere.`));
}
