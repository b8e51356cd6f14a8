// A report's sweep as points. Tables are shared between cases, and requirements stand in runs ([index, how many]).
import { number } from "./units.js";

function requirementAt(sweep, table) {
    const indices = [];
    for (const entry of table.requirement) {
        if (Array.isArray(entry)) for (let i = 0; i < entry[1]; ++i) indices.push(entry[0]);
        else indices.push(entry);
    }
    return (point) => sweep.requirements[indices[point]];
}

function extents(grid) {
    const points = [];
    for (const width of grid.widths) for (const height of grid.heights) points.push([width, height]);
    return points.concat(grid.extra);
}

// The texels' bytes with nothing between them: every mip level, layer and sample.
export function packedBytes(formats, image, width, height) {
    const format = formats[image.format];
    let w = width;
    let h = height;
    let d = image.dimension === "3d" ? Math.min(width, height) : 1;
    let total = 0;
    for (;;) {
        total += Math.ceil(w / format.block_width) * Math.ceil(h / format.block_height) * d * format.block_bytes;
        if (!image.full_mips || (w === 1 && h === 1 && d === 1)) break;
        w = Math.max(1, w >> 1);
        h = Math.max(1, h >> 1);
        d = Math.max(1, d >> 1);
    }
    return total * image.array_layers * image.samples;
}

export const caseKey = (image) => JSON.stringify([image.format, image.tiling, image.dimension, image.usage,
    image.full_mips, image.array_layers, image.samples]);

// Points of one image case: { width, height, texels, size, alignment, typeBits, dedicated }.
export function imagePoints(device, formats, key) {
    const sweep = device.image_sweep;
    const image = sweep.cases.find((each) => each.table !== undefined && caseKey(each) === key);
    if (!image) return [];
    const table = sweep.tables[image.table];
    const requirement = requirementAt(sweep, table);
    return extents(sweep.grid).flatMap(([width, height], i) => {
        const size = number(table.size_bytes[i]);
        if (size === 0) return [];
        const { alignment_bytes, memory_type_bits, dedicated } = requirement(i);
        return [{ width, height, texels: packedBytes(formats, image, width, height), size,
            alignment: number(alignment_bytes), typeBits: memory_type_bits, dedicated }];
    });
}

// Points of one buffer case: { request, size, alignment, typeBits }.
export function bufferPoints(device, usage) {
    const sweep = device.buffer_sweep;
    const buffer = sweep.cases.find((each) => each.table !== undefined && each.usage.join("|") === usage);
    if (!buffer) return [];
    const table = sweep.tables[buffer.table];
    const requirement = requirementAt(sweep, table);
    return sweep.sizes.flatMap((request, i) => {
        const size = number(table.size_bytes[i]);
        if (size === 0) return [];
        return [{ request: number(request), size, alignment: number(requirement(i).alignment_bytes),
            typeBits: requirement(i).memory_type_bits }];
    });
}
