// Reports of many devices, made from the committed ones: each has its own name, ids, driver, memory, limits and, where it
// was probed, its own measurements. Most are as an importer leaves them, without a sweep; the rest are whole.
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const kPerFile = 100;

// The same numbers each time.
function randomNumbers(seed) {
    let state = seed;
    return (most) => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return Math.floor((state / 2 ** 32) * most);
    };
}

const digits = (random, count) => Array.from({ length: count }, () => random(16).toString(16)).join("");

function vary(device, index, random, isProbed) {
    // What changes is copied, the rest is shared.
    const copy = { ...device, ...structuredClone({ identity: device.identity, heaps: device.heaps, limits: device.limits }) };
    const { identity } = copy;
    identity.name = `${identity.name.replace(/ \(.*/, "")} ${String(index).padStart(4, "0")}`;
    identity.device_id = 1 + random(65535);
    identity.device_uuid = digits(random, 32);
    identity.driver_uuid = digits(random, 32);
    identity.driver_version = random(2 ** 31);
    identity.driver_info = identity.driver_info.replace(/\d+\.\d+\.\d+/, `${20 + random(8)}.${random(4)}.${random(20)}`);
    copy.heaps.forEach((heap) => { heap.size_bytes = Math.max(2 ** 28, Number(heap.size_bytes) - random(4096) * 2 ** 16); });
    for (const group of Object.values(copy.limits)) {
        for (const name of Object.keys(group)) if (typeof group[name] === "number" && group[name] > 64 && random(8) === 0) group[name] -= random(16);
    }
    if (isProbed) {
        copy.volatile = structuredClone(device.volatile);
        for (const curve of copy.volatile.memory_cost) for (const point of curve.points) point.allocate_ns = Number(point.allocate_ns) + random(999);
    }
    return copy;
}

const imported = (device) => ({ ...device, origin: "import", image_sweep: { ...device.image_sweep, requirements: [], tables: [], cases: [] },
    buffer_sweep: { ...device.buffer_sweep, requirements: [], tables: [], cases: [] },
    observations: { ...device.observations, images: [], buffers: [], statements: [] }, absent: ["/image_sweep", "/buffer_sweep"] });

// The files of `count` devices, of which the first `probed` are whole.
export function fleetFiles(folder, reports, count, probed) {
    const random = randomNumbers(20);
    const whole = reports.map((report) => report.devices[0]);
    const parts = whole.map(imported);
    const files = [];
    for (let begin = 0; begin < count; begin += kPerFile) {
        const devices = Array.from({ length: Math.min(kPerFile, count - begin) }, (_, i) =>
            vary((begin + i < probed ? whole : parts)[(begin + i) % reports.length], begin + i, random, begin + i < probed));
        const file = join(folder, `fleet-${begin / kPerFile}.json`);
        writeFileSync(file, JSON.stringify({ ...reports[0], devices }));
        files.push(file);
    }
    return files;
}
