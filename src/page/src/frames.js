// How long a frame may take: lines in charts of time. The policy's own limits where it stands among the documents, else
// a frame at 60 Hz to compare with.
import { number, time } from "./units.js";

export const kFrame60Hz = 16666667;

// The shortest first: { ns, name }; the last is the whole frame.
export function frameLines(policy) {
    if (!policy) return [{ ns: kFrame60Hz, name: `a frame's ${time(kFrame60Hz)} at 60 Hz` }];
    const frame = { ns: number(policy.frame_budget_ns), name: `a frame's ${time(policy.frame_budget_ns)}` };
    const part = policy.bucket_frame_ns;
    return [...(part ? [{ ns: part, name: `a bucket's part of a frame, ${time(part)}` }] : []), frame];
}

export const markLine = (theme, lines) => ({ silent: true, symbol: "none", animation: false, lineStyle: { color: theme.ink, type: "dashed" },
    data: lines.map(({ ns, name }) => ({ xAxis: ns, label: { formatter: name, position: "start", align: "right", color: theme.ink, fontSize: 10 } })) });
