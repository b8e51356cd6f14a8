// A sweep's points of one case, as heapwright decoded them. A size of 0: the driver gave no answer there.
import { number } from "./units.js";

export const caseKey = (image) => JSON.stringify([image.format, image.tiling, image.dimension, image.usage.split("|"),
    image.full_mips, image.array_layers, image.samples]);

// Points of one image case: { width, height, onGrid, source, texels, size, alignment }; `source`: the article has it.
export function imagePoints(images, key) {
    const image = images.cases.find((each) => caseKey(each) === key);
    if (!image) return [];
    const { size, alignment } = images.tables[image.table];
    const texels = images.texels[image.texels];
    return images.width.map((width, i) => ({ width, height: images.height[i], onGrid: i < images.on_grid, source: images.source[i], texels: number(texels[i]),
        size: number(size[i]), alignment: number(alignment[i]) })).filter((point) => point.size > 0);
}

// What heapwright says of one image case's points: the article's, or all of them; null where there are none.
export function imageFacts(images, key, source) {
    const image = images.cases.find((each) => caseKey(each) === key);
    return image ? images.facts[image.facts][source ? "source" : "all"] : null;
}

// What it says of one buffer case: { alignments, smallest, most_added }.
export function bufferFacts(buffers, usage) {
    const buffer = buffers.cases.find((each) => each.usage === usage);
    return buffer ? buffers.facts[buffer.table] : null;
}

// Points of one buffer case: { request, size, alignment }.
export function bufferPoints(buffers, usage) {
    const buffer = buffers.cases.find((each) => each.usage === usage);
    if (!buffer) return [];
    const { size, alignment } = buffers.tables[buffer.table];
    return buffers.request.map((request, i) => ({ request: number(request), size: number(size[i]), alignment: number(alignment[i]) }))
        .filter((point) => point.size > 0);
}
