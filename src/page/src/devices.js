// The documents by device: every device once, with what each document says of it.

// Colours and marks are a device's own on the whole page. A vendor's first device gets the colour that people expect.
const kVendorSlots = { 0x1002: 4, 0x8086: 1, 0x10de: 2 };
const kSlots = 8;

function assignSlots(devices) {
    const used = new Set();
    for (const device of devices) {
        const wanted = kVendorSlots[device.identity.vendor_id];
        let slot = wanted !== undefined && !used.has(wanted) ? wanted : 3;
        while (used.has(slot) && used.size < kSlots) slot = (slot + 1) % kSlots;
        device.slot = slot;
        used.add(slot);
        if (used.size >= kSlots) used.clear();
    }
}

// Of the policy that was run its place among those that are shown, and its hash where it is not among them.
function whichPolicy(validation, shown) {
    const ran = validation.sources.find((source) => source.kind === "policy")?.stable_hash;
    const place = ran ? shown.indexOf(ran) : -1;
    return { place, other_policy: ran && shown.length && place < 0 ? ran : null };
}

// `devices` says which parts of which documents belong to which device; heapwright has sorted that out.
export function collectDevices({ devices, documents, images, buffers, first }) {
    const part = ([document, device]) => documents[document].document.devices[device];
    const all = devices.map((listed, index) => {
        const reports = listed.reports.map(part);
        const policies = listed.policies.map((place) => ({ ...part(place), workload: documents[place[0]].document.workload_name }));
        const shown = listed.policies.map(([document]) => documents[document].stable_hash);
        const validations = listed.validations.map((at) => {
            const { place, other_policy } = whichPolicy(documents[at[0]].document, shown);
            return { ...part(at), other_policy, policy: policies[place] };
        });
        return { index, label: listed.label, report: reports[0], policies, validations, images: images[index], buffers: buffers[index], first: first[index],
            identity: [...reports, ...policies, ...validations][0].identity };
    });
    assignSlots(all);
    return all;
}
