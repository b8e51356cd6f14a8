// Numbers as people read them. Sizes in binary units, times in the unit that leaves one to three digits.

// Documents keep integers above 2^53 - 1 as "0x..." strings.
export const number = (value) => (typeof value === "string" ? Number(value) : value);

export const grouped = (value) => number(value).toLocaleString("en-US", { maximumFractionDigits: 2 });

const kByteUnits = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

function scaled(value, step, units, digits) {
    let unit = 0;
    let amount = value;
    while (Math.abs(amount) >= step && unit + 1 < units.length) {
        amount /= step;
        ++unit;
    }
    const text = Number.isInteger(amount) || Math.abs(amount) >= 100 ? Math.round(amount) : amount.toFixed(digits);
    return `${text} ${units[unit]}`;
}

// 65536 -> "64 KiB", 20504 -> "20.0 KiB"
export const bytes = (value) => scaled(number(value), 1024, kByteUnits, 1);

// 20504 -> "20,504 B (20.0 KiB)"
export function bytesExact(value) {
    const exact = number(value);
    return exact < 1024 ? `${exact} B` : `${grouped(exact)} B (${bytes(exact)})`;
}

// For a cell of a heat map: 65536 -> "64K"
export const bytesTight = (value) => bytes(value).replace(" ", "").replace(/iB$|B$/, "");

export const time = (nanoseconds) => (number(nanoseconds) === 0 ? "0" : scaled(number(nanoseconds), 1000, ["ns", "µs", "ms", "s"], 1).replace(/\.0 /, " "));

export const percent = (share) => `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)}%`;

export const ratio = (value) => `${value >= 10 ? Math.round(value) : Number(value.toFixed(2))}×`;

export const hex = (value, digits) => `0x${number(value).toString(16).padStart(digits, "0")}`;

export const isPowerOfTwo = (value) => value > 0 && Number.isInteger(Math.log2(value));

// "largest_ordinary_bytes" -> "largest ordinary bytes"
export const words = (name) => String(name).replaceAll("_", " ");

// "4096, 16384 and 65536"
export function list(items, word = "and") {
    const texts = items.map(String);
    return texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} ${word} ${texts.at(-1)}`;
}

export const count = (amount, one, many = `${one}s`) => `${grouped(amount)} ${amount === 1 ? one : many}`;
