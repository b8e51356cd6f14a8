// Numbers as people read them. Sizes in binary units, times in the unit that leaves one to three digits.

// Documents keep integers above 2^53 - 1 as "0x..." strings.
// Tables have them as their digits in an array of one.
export const number = (value) => (typeof value === "string" || Array.isArray(value) ? Number(value) : value);

export const grouped = (value) => number(value).toLocaleString("en-US", { maximumFractionDigits: 2 });

// With so many decimals, as heapwright's own text: of a tie, the even digit.
function fixed(value, decimals) {
    if ((value * 2 ** (decimals + 1)) % 2 !== 1) return value.toFixed(decimals);
    const below = Math.floor(value * 10 ** decimals);
    return ((below + (below % 2)) / 10 ** decimals).toFixed(decimals);
}

// Four digits at most.
const four = (amount) => Number(fixed(amount, amount < 10 ? 3 : amount < 100 ? 2 : amount < 1000 ? 1 : 0));

const kByteUnits = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

// As heapwright writes them: 65536 -> "64 KiB", 20504 -> "20.02 KiB", 20 -> "20 bytes"
export function bytes(value) {
    let amount = number(value);
    if (Math.abs(amount) < 1024) return `${Math.round(amount)} ${amount === 1 ? "byte" : "bytes"}`;
    let unit = -1;
    for (; Math.abs(amount) >= 1024 && unit + 1 < kByteUnits.length; ++unit) amount /= 1024;
    return `${four(amount)} ${kByteUnits[unit]}`;
}

// 20504 -> "20,504 B (20.02 KiB)"
export function bytesExact(value) {
    const exact = number(value);
    return exact < 1024 ? bytes(exact) : `${grouped(exact)} B (${bytes(exact)})`;
}

// For a cell of a heat map: 65536 -> "64K"
export const bytesTight = (value) => bytes(value).replace(" ", "").replace(/iB$|bytes?$/, "");

// As heapwright writes them: 1234567 -> "1.235 ms", 900 -> "900 ns"
export function time(nanoseconds) {
    let amount = number(nanoseconds);
    for (const unit of ["ns", "us", "ms"]) {
        if (Math.abs(amount) < 999.95) return `${four(amount)} ${unit}`;
        amount /= 1000;
    }
    return `${four(amount)} s`;
}

// As heapwright writes them: 0.114 -> "11.4%", and never "100%" or "0%" of what is not all or none.
export function percent(share) {
    const amount = share * 100;
    if (amount > 0 && amount < 0.01) return "less than 0.01%";
    if (amount >= 99.95) return share < 1 ? "over 99.9%" : `${fixed(amount, 0)}%`;
    const size = Math.abs(amount);
    return `${Number(fixed(amount, size < 0.1 ? 4 : size < 1 ? 3 : size < 10 ? 2 : 1))}%`;
}

// What an axis is marked with: 10000 -> "10 us".
export const timeTick = (nanoseconds) => (number(nanoseconds) === 0 ? "0" : time(nanoseconds));

export const ratio = (value) => `${value >= 10 ? Math.round(value) : Number(value.toFixed(2))}×`;

export const hex = (value, digits) => `0x${number(value).toString(16).padStart(digits, "0")}`;

// "largest_ordinary_bytes" -> "largest ordinary bytes"
export const words = (name) => String(name).replaceAll("_", " ");

// "mixed-workload: VMA's default" of another allocator on that scenario's operations; a scenario's own name.
export const runName = ({ name, label }) => (label ? `${name.slice(0, name.lastIndexOf("/"))}: ${label}` : name);

// "4096, 16384 and 65536"
export function list(items, word = "and") {
    const texts = items.map(String);
    return texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} ${word} ${texts.at(-1)}`;
}

export const count = (amount, one, many = `${one}s`) => `${grouped(amount)} ${amount === 1 ? one : many}`;

// Rows of tables whose column "settled" says whether a figure did.
export const unsettledText = (row) => (row.settled === "no" ? ", did not settle" : "");
export function unsettledCaption(rows) {
    const unsettled = rows.filter((row) => row.settled === "no").length;
    return unsettled ? ` ${unsettled} of ${rows.length} did not settle: their samples spread by more than 5% around the median.` : "";
}
