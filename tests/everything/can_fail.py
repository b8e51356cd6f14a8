#!/usr/bin/env python3
"""usage: can_fail.py PROGRAM SOURCE_FOLDER

The matrix must see what goes wrong. A program stands before heapwright that breaks one thing at a time: each time the
cells that it broke must fail, and no other. Without a fault no cell may.
"""
import json
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import judgment
import matrix

PROGRAM, SOURCE = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
BROKEN, OTHER = "copy-ring", "upload"
TARGETS = ["vma", "cpp"]

STAND_IN = '''#!{python}
import json, os, signal, subprocess, sys
fault, words = os.environ.get("FAULT", ""), sys.argv[1:]
named = [words[i + 1] for i, word in enumerate(words) if word == "--scenario"]
meant = words[0] == "validate" and "{broken}" in named
if meant and fault == "refused":
    print("heapwright: /buffers/2/host_access: the host does not see it", file=sys.stderr)
    sys.exit(2)
if meant and fault == "crash":
    os.kill(os.getpid(), signal.SIGSEGV)
if words[0] == "export" and fault == "empty export":
    sys.exit(0)
code = subprocess.call(["{program}", *words])
if meant and fault:
    path = words[words.index("-o") + 1]
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    device = document["devices"][0]
    result = next(result for result in device["scenarios"] if result["name"] == "{broken}")
    if fault == "left out":
        device["scenarios"].remove(result)
    elif fault == "no reason":
        result["reason"] = ""
    elif fault == "own limit":
        result.update(verdict="inconclusive",
                      reason="the device lacks the memory: suballoc: a suballocation of 327696 is larger than its block")
    elif fault == "unknown verdict":
        result["verdict"] = "skipped"
    elif fault == "failed":
        result.update(verdict="failed", reason="1 finding", findings_total=1)
    elif fault == "finding":
        result["findings_total"] = 1
    elif fault == "exit code":
        code = 4
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file)
sys.exit(code)
'''

# fault -> the cells that it must make fail
FAULTS = {
    "": set(),
    "refused": {matrix.TOGETHER, BROKEN},
    "crash": {matrix.TOGETHER, BROKEN},
    "left out": {matrix.TOGETHER, BROKEN},
    "no reason": {BROKEN},
    "own limit": {BROKEN},
    "unknown verdict": {BROKEN},
    "failed": {BROKEN},
    "finding": {BROKEN},
    "exit code": {matrix.TOGETHER},
    "empty export": {f"export {target}" for target in TARGETS},
}


def main():
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        stand_in = folder / "heapwright"
        stand_in.write_text(STAND_IN.format(python=sys.executable, program=PROGRAM, broken=BROKEN), encoding="utf-8")
        stand_in.chmod(0o755)
        lists = matrix.Lists(stand_in, SOURCE)
        report = next(carrier for carrier in lists.carriers if carrier.report)
        for fault, expected in FAULTS.items():
            os.environ["FAULT"] = fault
            pair = matrix.Pair(report, lists.presets[1], [OTHER, BROKEN], TARGETS, lists, matrix.LIMITS["fast"])
            cells = pair.play(folder / "pair")
            failed = {cell["scenario"] for cell in cells if cell["outcome"] == judgment.FAILED}
            if failed != expected:
                wrong.append(f"{fault or 'no fault'}: {sorted(failed)} failed, and not {sorted(expected)}: {cells}")
            unshown = [cell for cell in cells if cell["outcome"] == judgment.FAILED and not cell["command"]]
            if unshown:
                wrong.append(f"{fault}: without a command: {unshown}")
    for text in wrong:
        print("FAILED", text)
    print(f"{len(FAULTS)} faults, {len(wrong)} not seen")
    return 1 if wrong else 0


sys.exit(main())
