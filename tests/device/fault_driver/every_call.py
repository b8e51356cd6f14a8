#!/usr/bin/env python3
"""usage: every_call.py PROGRAM FAULT_DRIVER_ICD [FUNCTION...]

For every function of the driver that a probe calls: a crash, a hang and an error at the first, a middle and the last
call. The report must be well-formed, name the function's crash or hang, keep what came before, and the other driver's
device must be complete. Prints a table. Needs lavapipe's ICD manifest in HEAPWRIGHT_ICD_LAVAPIPE.
"""
import collections
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM, ICD, ONLY = sys.argv[1], sys.argv[2], sys.argv[3:]
GOOD = os.environ["HEAPWRIGHT_ICD_LAVAPIPE"]
FAULTS = ("crash", "hang", "-3", "-4")
LIMIT_S = "3"


def probe(folder, faults, counts=None):
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    environment = {**os.environ, "HEAPWRIGHT_FAULT_DRIVER": GOOD, "HEAPWRIGHT_FAULT": faults}
    if counts:
        environment["HEAPWRIGHT_FAULT_COUNTS"] = str(counts)
    result = subprocess.run([PROGRAM, "probe", "--api", "vulkan", "--icd", ICD, "--icd", GOOD, "--time-limit", LIMIT_S,
                             "--memory-limit", "64MiB", "-q", "-o", report], env=environment, capture_output=True,
                            text=True, check=False, timeout=300)
    return result, json.loads(report.read_text()) if report.exists() else None


def answered(device):
    return sum("table" in case for case in device["image_sweep"].get("cases", []))


def was_reached(counts_file, function, call):
    """Whether some process called the function that often; one that crashed or hung at it says nothing."""
    lines = counts_file.read_text().splitlines() if counts_file.exists() else []
    return not any(line.split()[0] == function and int(line.split()[1]) < call for line in lines)


def judge(result, report, whole, fault):
    """What is wrong; empty: nothing."""
    if result.returncode not in (0, 5):
        return f"exit code {result.returncode}: {result.stderr[-200:]}"
    if report is None:
        return "no report"
    complete = report["devices"][-1]
    if answered(complete) != answered(whole["devices"][-1]):
        return "the other device is not complete"
    if fault in ("crash", "hang"):
        named = [failure for failure in report["failures"] if failure.get("last_call") or failure["reason"]]
        # A call that the probe never waits for (a debug name, a destroyed object at the end) still names what ran.
        if not named:
            return "no failure names the call"
        if result.returncode != 5:
            return "a crash or a hang, and exit code 0"
    return ""


def main():
    wrong = collections.Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        counts_file = folder / "counts"
        _, whole = probe(folder, "", counts_file)
        calls = collections.Counter()
        for line in counts_file.read_text().splitlines():
            function, count = line.split()
            calls[function] = max(calls[function], int(count))
        rows = []
        for function, count in sorted(calls.items()):
            if ONLY and function not in ONLY:
                continue
            cells = []
            for fault in FAULTS:
                seen = []
                for call in sorted({1, (count + 1) // 2, count}):
                    counts_file.unlink(missing_ok=True)
                    result, report = probe(folder, f"{function}@{call}={fault}", counts_file)
                    # How often a measurement calls depends on the time that it takes.
                    reached = was_reached(counts_file, function, call)
                    fails = judge(result, report, whole, fault if reached else "")
                    kept = answered(report["devices"][0]) if report and len(report["devices"]) > 1 else 0
                    seen.append(f"{result.returncode}/{kept}" + ("!" if fails else "" if reached else "~"))
                    if fails:
                        wrong[fails] += 1
                        print(f"FAILED {function}@{call}={fault}: {fails}", flush=True)
                cells.append(" ".join(seen))
            rows.append((function, count, cells))
            print(f"| {function} | {count} | " + " | ".join(cells) + " |", flush=True)
    print(f"{len(rows)} functions, {sum(wrong.values())} failed; a cell: exit code/image cases kept, at the first, a "
          "middle and the last call; ~ is a call that was not reached this time")
    return 1 if wrong or not rows else 0


sys.exit(main())
