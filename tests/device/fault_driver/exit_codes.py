#!/usr/bin/env python3
"""usage: exit_codes.py PROGRAM FAULT_DRIVER_ICD

The exit codes of probe, run and validate where a driver fails beside one that works, and where none works; and that
`compare` fails for what only the failed one lacks. Needs lavapipe's ICD manifest in HEAPWRIGHT_ICD_LAVAPIPE.
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM, ICD = sys.argv[1], sys.argv[2]
GOOD = os.environ["HEAPWRIGHT_ICD_LAVAPIPE"]
failed = []


def run(code, faults, *arguments):
    environment = {**os.environ, "HEAPWRIGHT_FAULT_DRIVER": GOOD, "HEAPWRIGHT_FAULT": faults}
    words = [PROGRAM, *(str(argument) for argument in arguments)]
    result = subprocess.run(words, env=environment, capture_output=True, text=True, check=False, timeout=200)
    if result.returncode != code:
        failed.append(f"{' '.join(words[1:])} with {faults!r}: exit code {result.returncode}, expected {code}: "
                      f"{result.stderr[-300:]}")
    return result


def main():
    refuses = "vkCreateDevice@1+=-3"
    crashes = "vkEnumeratePhysicalDevices@1+=crash"
    both = ("--api", "vulkan", "--icd", ICD, "--icd", GOOD)
    alone = ("--api", "vulkan", "--icd", ICD)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        good = folder / "good.json"
        run(0, "", "probe", *both, "--no-timing", "-o", good)
        for faults in (refuses, crashes):
            report = folder / "report.json"
            run(5, faults, "probe", *both, "--no-timing", "-o", report)
            run(1, "", "compare", good, report)
            run(5, faults, "run", *both, "-w", "2d-ui", "--scale-to-fit", "--memory-limit", "128MiB",
                "-o", folder / f"run-{len(faults)}")
        run(3, crashes, "probe", *alone, "--no-timing", "-o", folder / "none.json")
        run(3, crashes, "run", *alone, "-w", "2d-ui", "-o", folder / "run-none")
        # The only device, and a crash within its sweep: what came before is there, and the code says that it is a part.
        part = folder / "part.json"
        run(5, "*@30000=crash", "probe", *alone, "--no-timing", "-o", part)
        if not json.loads(part.read_text(encoding="utf-8"))["devices"][0]["image_sweep"]["cases"]:
            failed.append("nothing is kept of what came before a crash")
        # A crash at the very end is a difference as well.
        last = folder / "last.json"
        run(5, "vkDestroyInstance@1=crash", "probe", *both, "--no-timing", "-o", last)
        compared = run(1, "", "compare", good, last)
        if "vkDestroyInstance" not in compared.stdout:
            failed.append(f"compare does not name vkDestroyInstance: {compared.stdout[-500:]}")
        policy = folder / "policy.json"
        run(0, "", "advise", good, "-w", "2d-ui", "-o", policy)
        run(1, "vkAllocateMemory@3=crash", "validate", policy, "--icd", ICD, "--icd", GOOD, "--memory-limit", "128MiB",
            "--scale-to-fit", "-o", folder / "validation.json")
    for statement in failed:
        print("FAILED", statement)
    return 1 if failed else 0


sys.exit(main())
