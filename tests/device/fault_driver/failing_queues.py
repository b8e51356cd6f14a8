#!/usr/bin/env python3
"""usage: failing_queues.py PROGRAM FAULT_DRIVER_ICD FAULT_RUNTIME_FOLDER

Every scenario with a call that fails once while lists run. The failure is told, and nothing that the lists use is freed
before they end: lavapipe would crash. Needs its ICD manifest in HEAPWRIGHT_ICD_LAVAPIPE.
"""
import concurrent.futures
import itertools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from failing_drivers import real_runtime

PROGRAM, ICD, RUNTIME_FOLDER = sys.argv[1:]
GOOD = os.environ["HEAPWRIGHT_ICD_LAVAPIPE"]
# API, function, the call of it that fails, with what, and what must be told.
FAULTS = [("d3d12", "ID3D12CommandQueue::Signal", 3, 0x887A0005, "DXGI_ERROR_DEVICE_REMOVED"),
          ("d3d12", "ID3D12GraphicsCommandList::Close", 3, 0x887A0005, "DXGI_ERROR_DEVICE_REMOVED"),
          ("vulkan", "vkWaitSemaphores", 2, -4, "VK_ERROR_DEVICE_LOST")]


def run(*arguments, **faults):
    words = [PROGRAM, *(str(argument) for argument in arguments)]
    return subprocess.run(words, env={**os.environ, **faults}, capture_output=True, text=True, check=False, timeout=200)


def complaint(policies, scenario, fault):
    api, function, call, result, name = fault
    environment = {"HEAPWRIGHT_FAULT": f"{function}@{call}={result}"}
    if api == "d3d12":
        environment |= {"HEAPWRIGHT_FAULT_RUNTIME": real_runtime(), "LD_LIBRARY_PATH": RUNTIME_FOLDER}
    else:
        environment["HEAPWRIGHT_FAULT_DRIVER"] = GOOD
    result = run("validate", policies[api], "--icd", GOOD if api == "d3d12" else ICD, "--memory-limit", "256MiB",
                 "--scale-to-fit", "--scenario", scenario, "--json", **environment)
    told = result.stdout + result.stderr
    is_told = result.returncode in (1, 3) and function in told and name in told
    is_unsupported = result.returncode == 4 and "not_supported" in result.stdout
    if (is_told or is_unsupported) and "crashed" not in told:
        return None
    return f"{scenario} with a failing {function}: exit code {result.returncode}: {result.stderr[-600:]}"


def complaint_of_a_probe(report, call):
    """Of a queue of Direct3D 12 that stops signalling for good: its work may not outlive what it uses."""
    result = run("probe", "--api", "d3d12", "--icd", GOOD, "--memory-limit", "64MiB", "-q", "-o", report,
                 HEAPWRIGHT_FAULT=f"ID3D12CommandQueue::Signal@{call}+=0x887A0005",
                 HEAPWRIGHT_FAULT_RUNTIME=real_runtime(), LD_LIBRARY_PATH=RUNTIME_FOLDER)
    failures = json.loads(report.read_text(encoding="utf-8")).get("failures", []) if report.exists() else ["no report"]
    if result.returncode == 5 and not failures:
        return None
    return f"a probe with no Signal from the {call}. on: exit code {result.returncode}: {failures}"


with tempfile.TemporaryDirectory() as name:
    policies = {}
    for api in ("d3d12", "vulkan"):
        report, policies[api] = Path(name) / f"{api}.report.json", Path(name) / f"{api}.policy.json"
        run("probe", "--api", api, "--icd", GOOD, "--no-timing", "-o", report).check_returncode()
        run("advise", report, "-w", "2d-ui", "-o", policies[api]).check_returncode()
    listed = run("validate", policies["vulkan"], "--scenario", "none of them").stderr.splitlines()[0]
    scenarios = listed.split("there are ")[1].split(", ")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
        cases = itertools.product(scenarios, FAULTS)
        failed = [each for each in threads.map(lambda case: complaint(policies, *case), cases) if each]
        failed += filter(None, threads.map(lambda call: complaint_of_a_probe(Path(name) / f"{call}.json", call),
                                           (20, 21, 40, 60, 100)))
for statement in failed:
    print("FAILED", statement)
sys.exit(1 if failed else 0)
