#!/usr/bin/env python3
"""usage: can_fail.py PROGRAM SOURCE_FOLDER

The matrix must see what goes wrong. A program stands before heapwright that breaks one thing at a time: each time the
cells that it broke must fail, with the command that shows it, and no other. What may be must pass.
"""
import json
import os
import sys
import tempfile
from pathlib import Path

import judgment
import matrix

PROGRAM, SOURCE = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
BROKEN, OTHER = "copy-ring", "multi-engine-frame"
TARGETS = ["vma", "cpp"]

# Takes heapwright's place. FAULT is JSON: what is done instead of a call, or how its document and exit code change.
STAND_IN = '''#!{python}
import json, os, signal, subprocess, sys
fault, words = json.loads(os.environ["FAULT"]), sys.argv[1:]
meant = words[0] == "validate" and "{broken}" in words
if meant and fault.get("refuse"):
    print("heapwright: refused", file=sys.stderr)
    sys.exit(2)
if meant and fault.get("crash"):
    os.kill(os.getpid(), signal.SIGSEGV)
if words[0] in fault.get("silent", []):
    sys.exit(0)
code = subprocess.call(["{program}", *words])
if meant:
    path = words[words.index("-o") + 1]
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    scenarios = document["devices"][0]["scenarios"]
    place = next(i for i, result in enumerate(scenarios) if result["name"] == "{broken}")
    scenarios[place].update(fault.get("result", {{}}))
    if fault.get("leave out"):
        del scenarios[place]
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file)
    code = fault.get("exit", code)
sys.exit(code)
'''


def result(verdict, reason, code, **more):
    return {"result": {"verdict": verdict, "reason": reason, **more}, "exit": code}


LACKS = "the device lacks the memory: "
LARGER = "91% of the bytes ran; not buffers/0: the buffer is larger than maxBufferSize (value 8, limit 7)"
# What is wrong, how it is brought about, the cells that must fail.
FAULTS = (
    ("nothing", {}, set()),
    ("a refusal", {"refuse": True}, {matrix.TOGETHER, BROKEN}),
    ("a crash", {"crash": True}, {matrix.TOGETHER, BROKEN}),
    ("a scenario that is not in the document", {"leave out": True}, {matrix.TOGETHER, BROKEN}),
    ("another exit code", {"exit": 4}, {matrix.TOGETHER}),
    ("a failure", result("failed", "1 finding", 1, findings_total=1), {BROKEN}),
    ("a failure beside one that is too large", result("failed", f"3 findings; {LARGER}", 1, findings_total=3),
     {BROKEN}),
    ("a finding beside one that is too large", result("replayed_in_part", LARGER, 4, findings_total=1), {BROKEN}),
    ("a finding without a failure", {"result": {"findings_total": 1}}, {BROKEN}),
    ("no reason", {"result": {"reason": ""}}, {BROKEN}),
    ("a verdict that nobody knows", {"result": {"verdict": "skipped"}}, {BROKEN}),
    ("a verdict of a device that is not there", {"result": {"verdict": "validated"}}, {BROKEN}),
    ("no reason for a lack", result("not_supported", " ", 0), {BROKEN}),
    ("a limit of its own", result("inconclusive", LACKS + "a suballocation of 8 is larger than its block", 4),
     {BROKEN}),
    ("a limit of 0", result("inconclusive", LACKS + "heap 1 cannot hold 8 bytes more (value 8, limit 0)", 4), {BROKEN}),
    ("no figure", result("inconclusive", LACKS + "heap 1 is full", 4), {BROKEN}),
    ("no time", result("inconclusive", "did not run: the time limit of 8 ms came before it", 4), {BROKEN}),
    ("a part without the exit code", result("replayed_in_part", "half of it", 0), {matrix.TOGETHER}),
    ("an empty export", {"silent": ["export"]}, {f"export {target}" for target in TARGETS}),
    # These may be.
    ("a part", result("replayed_in_part", "half of it", 4), set()),
    ("a part that was asked for", result("replayed_in_part", "half of it", 0, part={"asked_for": True}), set()),
    ("a lack", result("not_supported", "one queue", 0), set()),
    ("no room", result("inconclusive", LACKS + "heap 1 cannot hold 8 bytes more (value 8, limit 7)", 4), set()),
    ("one that is too large", result("replayed_in_part", LARGER, 4), set()),
)


def promise(name, verdict):
    return {"name": name, "verdict": verdict, "reason": ""}


# What is promised of the default workload, and whether that is as it must be.
PROMISES = (
    ("all are kept, times of a CPU are not judged",
     [promise("mean_waste", "kept"), promise("worst_frame_ns", "not_tested")], judgment.WHOLE),
    ("one is broken", [promise("mean_waste", "kept"), promise("worst_frame_ns", "broken")], judgment.FAILED),
    ("one is loose", [promise("mean_waste", "kept"), promise("worst_frame_ns", "loose")], judgment.FAILED),
    ("one is not tested", [promise("device_allocations", "not_tested")], judgment.FAILED),
    ("there are none", [], judgment.FAILED),
)


def main():
    wrong = []
    for what, promises, expected in PROMISES:
        outcome, _ = judgment.judge_promises({"reason": "every check passed", "volatile": {"promises": promises}})
        if outcome != expected:
            wrong.append(f"promises, {what}: {outcome} and not {expected}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        stand_in = folder / "heapwright"
        stand_in.write_text(STAND_IN.format(python=sys.executable, program=PROGRAM, broken=BROKEN), encoding="utf-8")
        stand_in.chmod(0o755)
        os.environ["FAULT"] = "{}"
        lists = matrix.Lists(stand_in, SOURCE)
        report = next(carrier for carrier in lists.carriers if carrier.report)
        for what, fault, expected in FAULTS:
            os.environ["FAULT"] = json.dumps(fault)
            cells = matrix.Pair(report, "2d-ui", [OTHER, BROKEN], TARGETS, lists, matrix.LIMITS["fast"]).play(folder)
            failed = {cell["scenario"]: cell for cell in cells if cell["outcome"] == judgment.FAILED}
            if set(failed) != expected or not all(cell["command"] for cell in failed.values()):
                wrong.append(f"{what}: {sorted(expected)} must fail; these did: {json.dumps(failed, indent=1)}")
    for text in wrong:
        print("FAILED", text)
    print(f"{len(FAULTS) + len(PROMISES)} tried, {len(wrong)} judged wrong")
    return 1 if wrong else 0


sys.exit(main())
