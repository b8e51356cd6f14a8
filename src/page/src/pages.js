// The page of one device out of an index's, which stand as lines: how many values are shared, these, and a line a device.
// {"$": 3} stands for the fourth shared value.

const isReference = (value) => value !== null && typeof value === "object" && !Array.isArray(value) && Object.keys(value).length === 1 && "$" in value;

export function devicePage(text, device) {
    const lines = text.split("\n");
    const shared = Number(lines[0]);
    const known = new Map();
    function whole(value) {
        if (isReference(value)) {
            if (!known.has(value.$)) known.set(value.$, whole(JSON.parse(lines[1 + value.$])));
            return known.get(value.$);
        }
        if (Array.isArray(value)) return value.map(whole);
        if (value !== null && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, whole(each)]));
        return value;
    }
    const line = lines[1 + shared + device];
    return line ? whole(JSON.parse(line)) : null;
}
