#!/usr/bin/env python3
"""usage: slow_copies.py PROGRAM FAULT_DRIVER_ICD

A driver that makes each copy of buffers twice: `compare` of its report with a good one finds that the rates of copies
by size have regressed, and those of the shader have not; of two good ones it finds neither. A machine that is busy in
between leaves some figures inconclusive: then it is tried again. Needs lavapipe's ICD manifest in
HEAPWRIGHT_ICD_LAVAPIPE.
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM, ICD = sys.argv[1:3]
TRIES = 4


def run(*words, fault=""):
    environment = {**os.environ, "HEAPWRIGHT_FAULT_DRIVER": os.environ["HEAPWRIGHT_ICD_LAVAPIPE"],
                   "HEAPWRIGHT_FAULT": fault}
    return subprocess.run([PROGRAM, *map(str, words)], env=environment, capture_output=True, text=True, check=False,
                          timeout=240)


def probe(report, fault=""):
    run("probe", "--api", "vulkan", "--icd", ICD, "-q", "--force", "-o", report, fault=fault)
    return report


def regressed(baseline, other):
    """The copy curves whose rate has regressed."""
    told = json.loads(run("compare", baseline, other, "--json").stdout)
    return {change["path"] for device in told["devices"] for change in device["changes"]
            if change["status"] == "regressed" and "/copy_curves/" in change["path"]
            and change["path"].endswith("/rate")}


with tempfile.TemporaryDirectory() as folder:
    folder = Path(folder)
    for attempt in range(1, TRIES + 1):
        good = probe(folder / "good.json")
        again = probe(folder / "again.json")
        slow = probe(folder / "slow.json", "vkCmdCopyBuffer@1+=twice")
        alarms, found = regressed(good, again), regressed(good, slow)
        print(f"attempt {attempt}: two good ones differ in {sorted(alarms)}, the slow one in {sorted(found)}")
        by_command = {path for path in found if path.endswith(" by command/rate")}
        if not alarms and by_command and by_command == found:
            sys.exit(0)
sys.exit("copies at half the rate were not told from others")
