// What the charts must hold, computed from the documents without the page's own code.

const number = (value) => (typeof value === "string" ? Number(BigInt(value)) : value);

function requirementClasses(sweep, table) {
    return table.requirement.flatMap((entry) => (Array.isArray(entry) ? Array(entry[1]).fill(entry[0]) : [entry])).map((index) => sweep.requirements[index]);
}

// The R8G8B8A8 images of the memory article's graphs: powers of two up to 4096, optimal tiling, sampled and copied to.
export function sourceImages(device) {
    const sweep = device.image_sweep;
    const wanted = sweep.cases.find((each) => each.format === "R8G8B8A8_UNORM" && each.tiling === "optimal" && each.dimension === "2d" &&
        each.usage.join("|") === "TRANSFER_DST|SAMPLED" && !each.full_mips && each.array_layers === 1 && each.samples === 1);
    const table = sweep.tables[wanted.table];
    const classes = requirementClasses(sweep, table);
    const rows = [];
    sweep.grid.widths.forEach((width, w) => sweep.grid.heights.forEach((height, h) => {
        const at = w * sweep.grid.heights.length + h;
        if (width > 4096 || height > 4096 || table.size_bytes[at] === 0) return;
        rows.push({ width, height, texels: width * height * 4, size: number(table.size_bytes[at]), alignment: number(classes[at].alignment_bytes) });
    }));
    return rows;
}

// Equal points of the scatter as the chart draws them: "texels/value" -> how many.
export function pointCounts(rows, pick) {
    const counts = new Map();
    for (const row of rows) counts.set(`${row.texels}/${row[pick]}`, (counts.get(`${row.texels}/${row[pick]}`) ?? 0) + 1);
    return counts;
}

export function storageBuffers(device) {
    const sweep = device.buffer_sweep;
    const wanted = sweep.cases.find((each) => each.usage.join("|") === "STORAGE_BUFFER");
    const table = sweep.tables[wanted.table];
    const classes = requirementClasses(sweep, table);
    return sweep.sizes.map((request, i) => ({ request: number(request), size: number(table.size_bytes[i]), alignment: number(classes[i].alignment_bytes) })).filter((row) => row.size > 0);
}

export function costPoints(device, operation, list = "points") {
    return device.volatile.memory_cost.map((curve) => ({ type: curve.memory_type,
        points: (curve[list] ?? []).map((point) => [number(point.size_bytes), number(point[`${operation}_ns`]), number(point[`${operation}_p90_ns`]), number(point[`${operation}_worst_ns`])]).filter((point) => point[1] > 0) }));
}

// rows of a CSV text without its quoting rules: for tables without texts that need quotes.
export const csvRows = (text) => text.trim().split("\n").map((line) => line.split(","));
