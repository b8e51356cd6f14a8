#!/usr/bin/env python3
"""usage: failing_device.py PROGRAM FAULT_DRIVER_ICD [FAULT...]

A device that fails in one call of a measurement, of a scenario or of its closing: `probe` ends with 5 and names the call in a finding
or a failure, `compare` with a good probe ends with 1, `validate` beside a good device never ends with 0 where its own
calls failed, and what was asked before is kept. Needs lavapipe's ICD manifest in HEAPWRIGHT_ICD_LAVAPIPE.
"""
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from failing_drivers import real_runtime

PROGRAM, ICD, ONLY = sys.argv[1], sys.argv[2], sys.argv[3:]
GOOD = os.environ["HEAPWRIGHT_ICD_LAVAPIPE"]
LIMITS = ("--memory-limit", "64MiB", "--time-limit", "8")


class Fault(NamedTuple):
    fault: str
    probe: int        # exit code of a probe of this driver alone; 3: it has no device
    validate: int     # of a validation beside a good driver
    named: str        # what a finding or a failure names
    keeps: bool = True  # both sweeps


FAULTS = [
    Fault("vkQueueSubmit@1+=-4;vkQueueSubmit2@1+=-4;vkQueueSubmit2KHR@1+=-4", 5, 1, "VK_ERROR_DEVICE_LOST"),
    Fault("vkCreateDevice@1+=-3", 5, 5, "vkCreateDevice", keeps=False),
    Fault("vkEnumeratePhysicalDevices@1+=crash", 3, 5, ""),
    Fault("vkEnumeratePhysicalDevices@1+=-3", 3, 5, ""),
    Fault("vkCreateInstance@1+=-9", 3, 5, ""),
    Fault("vkEnumeratePhysicalDevices@1+=5", 3, 5, ""),
    Fault("vkMapMemory@2000=-5", 5, 0, "vkMapMemory"),
    Fault("vkAllocateMemory@2000=-2", 5, 0, "vkAllocateMemory"),
    Fault("vkCreateComputePipelines@1+=-1", 5, 0, "vkCreateComputePipelines"),
    Fault("vkQueueSubmit@60+=-1", 5, 4, "vkQueueSubmit"),
    Fault("vkBeginCommandBuffer@60+=-1", 5, 4, "vkBeginCommandBuffer"),
    Fault("vkCreateSemaphore@2+=-1", 5, 4, "vkCreateSemaphore"),
    Fault("vkWaitSemaphores@1+=2", 5, 4, "vkWaitSemaphores"),
    Fault("vkGetPhysicalDeviceImageFormatProperties@1+=-1", 5, 0, "vkGetPhysicalDeviceImageFormatProperties",
          keeps=False),
    Fault("vkAllocateMemory@3=-2", 5, 0, "vkAllocateMemory"),
    # Functions that leave their answer as it was.
    Fault("vkGetDeviceBufferMemoryRequirements@1+=-1", 5, 5, "vkGetDeviceBufferMemoryRequirements", keeps=False),
    Fault("vkGetDeviceImageMemoryRequirements@1+=-1", 5, 1, "vkGetDeviceImageMemoryRequirements", keeps=False),
    Fault("vkGetPhysicalDeviceMemoryProperties@1+=-1", 5, 4, "vkGetPhysicalDeviceMemoryProperties", keeps=False),
    Fault("vkDestroyDevice@1=crash", 5, 5, "vkDestroyDevice"),
    Fault("vkDestroyDevice@1+=crash", 5, 5, "vkDestroyDevice"),
    Fault("vkDestroyDevice@1=hang", 5, 5, "vkDestroyDevice"),
    Fault("vkDestroyDevice@2=crash", 5, 0, "vkDestroyDevice"),
    Fault("vkDestroyDevice@3=crash", 5, 0, "vkDestroyDevice"),
]


def run(*words, fault="", counts=""):
    environment = {**os.environ, "HEAPWRIGHT_FAULT_DRIVER": GOOD, "HEAPWRIGHT_FAULT": fault}
    if counts:
        environment["HEAPWRIGHT_FAULT_COUNTS"] = str(counts)
    return subprocess.run([PROGRAM, *map(str, words)], env=environment, capture_output=True, text=True, check=False,
                          timeout=120)


def probe(report, fault=""):
    return run("probe", "--api", "vulkan", "--icd", ICD, *LIMITS, "-q", "-o", report, fault=fault)


def answered(device):
    return [sum("table" in case for case in device[sweep].get("cases", [])) for sweep in ("image_sweep", "buffer_sweep")]


def statements(report):
    texts = [f"{failure.get('last_call', '')} {failure['reason']}" for failure in report.get("failures", [])]
    for device in report["devices"]:
        texts += [f"{each['id']}: {each['statement']}" for each in device["findings"]
                  if each["severity"] != "note"]
    return "\n".join(texts)


def judge_report(each, report, good, compared):
    wrong = []
    device = report["devices"][0]
    if each.keeps and answered(device) != answered(good["devices"][0]):
        wrong.append(f"{answered(device)} cases are kept of {answered(good['devices'][0])}")
    if each.named not in statements(report):
        wrong.append(f"no finding or failure names {each.named}: {statements(report)!r}")
    if compared.returncode != 1:
        wrong.append(f"compare ends with {compared.returncode}")
    if "source that does not hold" in compared.stdout:
        wrong.append("compare excuses what the probe lost")
    if each.fault.startswith("vkDestroyDevice"):
        if len(report["failures"]) != 1 or "vkDestroyDevice" not in report["failures"][0].get("last_call", ""):
            wrong.append(f"not one failure that names vkDestroyDevice, but {report['failures']}")
        timed = device.get("volatile", {})
        if not timed.get("memory_cost") or not timed.get("engines"):
            wrong.append("the measurements are lost")
    return wrong


def attempt(each, folder, good, policy):
    name = str(FAULTS.index(each))
    report, validation = folder / f"{name}.report.json", folder / f"{name}.validation.json"
    wrong = []
    probed = probe(report, each.fault)
    if probed.returncode != each.probe:
        wrong.append(f"probe ends with {probed.returncode}: {probed.stderr[-300:]}")
    if report.exists():
        compared = run("compare", folder / "good.json", report, "--no-impact")
        wrong += judge_report(each, json.loads(report.read_text(encoding="utf-8")), good, compared)
    elif probed.returncode != 3:
        wrong.append("there is no report")
    validated = run("validate", policy, "--icd", ICD, "--icd", GOOD, "--memory-limit", "128MiB", "--scale-to-fit",
                    "--scenario", "mixed-workload", "--time-limit", "8" if "hang" in each.fault else "60", "-q", "-o",
                    validation, fault=each.fault)
    if validated.returncode != each.validate:
        wrong.append(f"validate ends with {validated.returncode}: {validated.stderr[-300:]}")
    told = json.loads(validation.read_text(encoding="utf-8")) if validation.exists() else {"devices": []}
    if len(told["devices"]) + len(told.get("failures", [])) < 2:
        wrong.append("a device is gone from the validation")
    return [f"FAILED {each.fault}: {statement}" for statement in wrong]


def calls_of(scenarios, policy, folder):
    counts = folder / "counts"
    run("validate", policy, "--icd", ICD, *scenarios, "--scale-to-fit", "--memory-limit", "128MiB", "-q", "-o",
        folder / "counted.json", counts=counts).check_returncode()
    lines = [line.split() for line in counts.read_text(encoding="utf-8").splitlines()]
    return max(int(line[1]) for line in lines if line[0] == "vkAllocateMemory")


def scenarios_kept(policy, folder):
    """A driver that ends the process in the second scenario, or that hangs there, keeps the first one's result."""
    first, both = ("--scenario", "mixed-workload"), ("--scenario", "mixed-workload", "--scenario", "streaming")
    call = calls_of(first, policy, folder) + 2
    for what in ("crash", "exit", "hang"):
        validation = folder / f"{what}.json"
        validated = run("validate", policy, "--icd", ICD, "--icd", GOOD, *both, "--scale-to-fit", "--memory-limit",
                        "128MiB", "--time-limit", "20", "-q", "-o", validation, fault=f"vkAllocateMemory@{call}={what}")
        told = json.loads(validation.read_text(encoding="utf-8"))
        failing = [device for device in told["devices"] if device["verdict"] == "inconclusive"]
        kept = [(each["name"], each["verdict"]) for device in failing for each in device["scenarios"]]
        if kept != [("mixed-workload", "validated_in_part"), ("streaming", "inconclusive")]:
            yield f"{what} in the second scenario: kept {kept}"
        failures = [(each["step"], each["last_call"], each["kind"]) for each in told["failures"]]
        if failures != [("streaming", "vkAllocateMemory", what)]:
            yield f"{what} in the second scenario: failures {failures}"
        if validated.returncode != 5 or len(told["devices"]) != 2:
            yield f"{what} in the second scenario: {validated.returncode}, {len(told['devices'])} devices"


def questions_of_direct3d12(folder):
    """CheckFeatureSupport may refuse what a runtime does not know; any other failure is told, whichever question fails."""
    report, counts = folder / "d3d12.json", folder / "d3d12.counts"

    def asked(fault, counts=""):
        environment = {**os.environ, "HEAPWRIGHT_FAULT_RUNTIME": real_runtime(), "HEAPWRIGHT_FAULT": fault,
                       "LD_LIBRARY_PATH": str(Path(ICD).parent / "d3d12")}
        if counts:
            environment["HEAPWRIGHT_FAULT_COUNTS"] = str(counts)
        code = subprocess.run([PROGRAM, "probe", "--api", "d3d12", "--icd", GOOD, "--no-timing", "-q", "-o", report],
                              env=environment, capture_output=True, check=False, timeout=120).returncode
        devices = json.loads(report.read_text(encoding="utf-8"))["devices"]
        return code, [each for each in devices[0]["findings"] if each["id"].endswith("-not-measured")]

    call = "ID3D12Device::CheckFeatureSupport"
    if asked("", counts) != (0, []):
        yield "Direct3D 12 without a fault has findings"
    lines = [line.split() for line in counts.read_text(encoding="utf-8").splitlines()]
    total = max(int(line[1]) for line in lines if line[0] == call)
    # The first one asks for the name of a device in a list; reading it asks again.
    for at in ["1+", *range(2, 6), *range(6, total + 1, max(1, total // 6))]:
        code, findings = asked(f"{call}@{at}=0x8007000E")
        told = [each for each in findings if call in each["statement"] and "E_OUTOFMEMORY" in each["statement"]]
        if code != 5 or not told or told != findings:
            yield f"{call}@{at} of {total}: probe ends with {code}: {findings}"
    if asked(f"{call}@1+=0x80070057") != (0, []):
        yield f"{call}: a refusal is told as a failure"


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        probe(folder / "good.json").check_returncode()
        good = json.loads((folder / "good.json").read_text(encoding="utf-8"))
        run("probe", "--api", "vulkan", "--icd", ICD, "--icd", GOOD, "--no-timing", "-q", "-o",
            folder / "both.json").check_returncode()
        policy = folder / "policy.json"
        run("advise", folder / "both.json", "-w", "2d-ui", "-q", "-o", policy).check_returncode()
        failed = False
        for line in () if ONLY else (*scenarios_kept(policy, folder), *questions_of_direct3d12(folder)):
            failed = True
            print("FAILED", line, flush=True)
        tried = [each for each in FAULTS if not ONLY or each.fault in ONLY]
        # The longest first.
        tried.sort(key=lambda each: "hang" not in each.fault)
        with concurrent.futures.ThreadPoolExecutor(2 * (os.cpu_count() or 1)) as pool:
            for lines in pool.map(lambda each: attempt(each, folder, good, policy), tried):
                for line in lines:
                    failed = True
                    print(line, flush=True)
    return 1 if failed else 0


sys.exit(main())
