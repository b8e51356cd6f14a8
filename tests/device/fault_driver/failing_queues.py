#!/usr/bin/env python3
"""usage: failing_queues.py PROGRAM FAULT_RUNTIME_FOLDER

Every scenario with a Direct3D 12 call that fails once while lists run. The failure is told, and nothing that the lists
use is freed before they end: vkd3d would crash. Needs lavapipe's ICD manifest in HEAPWRIGHT_ICD_LAVAPIPE.
"""
import concurrent.futures
import itertools
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from failing_drivers import real_runtime

PROGRAM, FAULTY = sys.argv[1:]
GOOD = os.environ["HEAPWRIGHT_ICD_LAVAPIPE"]
REMOVED = 0x887A0005
FUNCTIONS = ("ID3D12CommandQueue::Signal", "ID3D12GraphicsCommandList::Close")
CALL = 3


def run(*arguments, **faults):
    words = [PROGRAM, *(str(argument) for argument in arguments)]
    return subprocess.run(words, env={**os.environ, **faults}, capture_output=True, text=True, check=False, timeout=200)


def complaint(policy, scenario, function):
    result = run("validate", policy, "--icd", GOOD, "--memory-limit", "256MiB", "--scale-to-fit", "--scenario", scenario,
                 "--json", HEAPWRIGHT_FAULT=f"{function}@{CALL}={REMOVED}", HEAPWRIGHT_FAULT_RUNTIME=real_runtime(),
                 LD_LIBRARY_PATH=FAULTY)
    told = result.stdout + result.stderr
    is_told = result.returncode in (1, 3) and function in told and "DXGI_ERROR_DEVICE_REMOVED" in told
    is_unsupported = result.returncode == 4 and "not_supported" in result.stdout
    if (is_told or is_unsupported) and "crashed" not in told:
        return None
    return f"{scenario} with a failing {function}: exit code {result.returncode}: {result.stderr[-600:]}"


with tempfile.TemporaryDirectory() as name:
    report, policy = Path(name) / "report.json", Path(name) / "policy.json"
    run("probe", "--api", "d3d12", "--icd", GOOD, "--no-timing", "-o", report).check_returncode()
    run("advise", report, "-w", "2d-ui", "-o", policy).check_returncode()
    listed = run("validate", policy, "--scenario", "none of them").stderr.splitlines()[0]
    scenarios = listed.split("there are ")[1].split(", ")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
        failed = [each for each in threads.map(lambda case: complaint(policy, *case),
                                               itertools.product(scenarios, FUNCTIONS)) if each]
for statement in failed:
    print("FAILED", statement)
sys.exit(1 if failed else 0)
