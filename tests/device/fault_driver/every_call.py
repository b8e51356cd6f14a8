#!/usr/bin/env python3
"""usage: every_call.py vulkan PROGRAM FAULT_DRIVER_ICD [FUNCTION...]
       every_call.py d3d12 PROGRAM FAULT_RUNTIME_FOLDER [FUNCTION...]

For every function of the driver (Vulkan) or of the runtime (Direct3D 12) that a probe calls: a crash, a hang and each
error that its specification allows, at the first, a middle and the last call. The report must be whole, name the call,
keep what came before it, and the other device must be complete. Prints a table. Needs lavapipe's ICD manifest in
HEAPWRIGHT_ICD_LAVAPIPE.
"""
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
from pathlib import Path

from failing_drivers import real_runtime

API, PROGRAM, FAULTY, ONLY = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
GOOD = os.environ["HEAPWRIGHT_ICD_LAVAPIPE"]
REGISTRY = "/usr/share/vulkan/registry/vk.xml"
LIMIT_S = "12"
AT_ONCE = 3 * (os.cpu_count() or 1)  # those that hang leave the processors idle

FIRST_CALL = {"vulkan": "vkCreateInstance", "d3d12": "D3D12CreateDevice"}
AFTER_FACTS = {"vulkan": "vkCreateDevice", "d3d12": "ID3D12Device::CreateDescriptorHeap"}
# HRESULTs of the methods that give one.
HRESULTS = {"E_OUTOFMEMORY": 0x8007000E, "E_INVALIDARG": 0x80070057, "E_NOTIMPL": 0x80004001, "E_FAIL": 0x80004005,
            "DXGI_ERROR_DEVICE_REMOVED": 0x887A0005}
AN_ANSWER = "VK_ERROR_FORMAT_NOT_SUPPORTED"  # says that there is no such image
LEFT_OUT = "left out"  # of a function that gives no result: it does nothing
WITHOUT_HRESULT = re.compile(r"^IUnknown::(AddRef|Release)$|::(Get(?!DeviceRemovedReason)|Copy|Clear|Set(?!Event)|Dispatch|"
                             r"ResourceBarrier|ExecuteCommandLists)|::Create\w+View$|::CreateSampler$")
# Functions of the driver that Vulkan's loader itself calls, and the calls in which it does so.
BY_THE_LOADER = {"vkEnumerateInstanceExtensionProperties", "vkEnumerateInstanceVersion", "vkEnumeratePhysicalDevices",
                 "vkEnumerateDeviceExtensionProperties", "vkGetPhysicalDeviceProperties",
                 "vkGetPhysicalDeviceProperties2"}
OF_THE_LOADER = {"vkCreateInstance", "vkEnumeratePhysicalDevices", "vkEnumerateInstanceExtensionProperties",
                 "vkCreateDevice", "vkDestroyInstance"}


def vulkan_results():
    """The VkResults other than VK_SUCCESS that each function may give; nothing for those that give none."""
    registry = xml.etree.ElementTree.parse(REGISTRY)
    values = {"VK_NOT_READY": 1, "VK_TIMEOUT": 2, "VK_INCOMPLETE": 5}
    for entry in registry.iter("enum"):
        name = entry.get("name", "")
        if name.startswith("VK_ERROR_") and entry.get("value"):
            values[name] = int(entry.get("value"))
    commands, aliases = {}, {}
    for command in registry.iter("command"):
        if command.get("alias"):
            aliases[command.get("name")] = command.get("alias")
        elif command.find("proto/type") is not None and command.findtext("proto/type") == "VkResult":
            listed = f"{command.get('successcodes') or ''},{command.get('errorcodes') or ''}".split(",")
            commands[command.findtext("proto/name")] = {name: values[name] for name in listed if name in values}
    return commands | {alias: commands[name] for alias, name in aliases.items() if name in commands}


def results_of(functions):
    if API == "d3d12":
        return {name: {} if WITHOUT_HRESULT.search(name) else HRESULTS for name in functions}
    known = vulkan_results()
    return {name: known.get(name, {}) for name in functions}


class Run:
    """One probe of the faulty driver beside the good one."""

    def __init__(self, faults, *more, command="probe"):
        with tempfile.TemporaryDirectory() as name:
            report, counts = Path(name) / "report.json", Path(name) / "counts"
            environment = {**os.environ, "HEAPWRIGHT_FAULT": faults, "HEAPWRIGHT_FAULT_COUNTS": str(counts)}
            arguments = [PROGRAM, command, "--api"]
            if API == "vulkan":
                environment["HEAPWRIGHT_FAULT_DRIVER"] = GOOD
                arguments += ["vulkan", "--icd", FAULTY, "--icd", GOOD]
            else:
                environment["LD_LIBRARY_PATH"] = FAULTY
                environment["HEAPWRIGHT_FAULT_RUNTIME"] = real_runtime()
                arguments += ["all", "--icd", GOOD]
            if command == "probe":
                arguments += ["--time-limit", LIMIT_S, "--memory-limit", "64MiB", "-q", "-o", str(report), *more]
            result = subprocess.run(arguments, env=environment, capture_output=True, text=True, check=False, timeout=300)
            self.code, self.stderr, self.report, self.unreadable = result.returncode, result.stderr, None, ""
            if report.exists():
                try:
                    self.report = json.loads(report.read_text(encoding="utf-8"))
                except ValueError as error:
                    self.unreadable = str(error)
            # A process that crashed or hung tells no counts.
            self.counts = [(line.split()[0], int(line.split()[1])) for line in counts.read_text().splitlines()] \
                if counts.exists() else []

    def calls(self):
        most = collections.Counter()
        for function, count in self.counts:
            most[function] = max(most[function], count)
        return most

    def processes(self):
        """Those that told their counts: not one that crashed or hung."""
        return sum(name == FIRST_CALL[API] for name, _ in self.counts)

    def reached(self, function, call, whole):
        """Whether some process called the function that often: how often a measurement calls depends on its time."""
        if (self.report or {}).get("failures") or self.processes() < whole.processes():
            return True
        return self.calls()[function] >= call

    def device(self, faulty):
        """The faulty one is the first of two Vulkan devices, the second where the other is Direct3D 12's."""
        devices = self.report["devices"] if self.report else []
        if API == "d3d12":
            wanted = [entry for entry in devices if (entry["identity"]["api"] == "d3d12") == faulty]
        else:
            wanted = devices[:-1] if faulty else devices[-1:]
        return wanted[0] if wanted else None

    def statements(self):
        """What the report and the messages say of failures."""
        texts = [self.stderr]
        for failure in (self.report or {}).get("failures", []):
            texts += [failure.get("last_call", ""), failure["reason"]]
        device = self.device(True)
        for finding in device["findings"] if device else []:
            texts.append(finding["statement"])
        if device:
            texts.append(json.dumps(device["image_sweep"]) + json.dumps(device.get("volatile", {}).get("engines", "")))
        return "\n".join(texts)

    def crashed(self):
        return any("crashed with" in failure["reason"] for failure in (self.report or {}).get("failures", []))


def answered(device):
    if device is None:
        return 0
    return sum("table" in case for sweep in ("image_sweep", "buffer_sweep") for case in device[sweep].get("cases", []))


def bare(function):
    return re.sub(r"2?(KHR|EXT)?$", "", function)


def names(text, function):
    called = {bare(word) for word in re.findall(r"vk[A-Z]\w+|\w+::\w+|D3D12\w+|vkd3d_\w+", text)}
    if bare(function) in called:
        return True
    return function in BY_THE_LOADER and any(bare(caller) in called for caller in OF_THE_LOADER)


def crashed_in_the_loader(run, function):
    """The loader's own call failed, and the loader does not outlive that."""
    return function in BY_THE_LOADER and all(failure.get("last_call", "").split(":")[0] in OF_THE_LOADER
                                             for failure in run.report["failures"])


def judge(run, whole, function, fault, earlier):
    """What is wrong; empty: nothing."""
    if run.code not in (0, 5):
        # A probe without a device says why; only the first device can be lost here.
        return f"exit code {run.code}: {run.stderr[-200:]}"
    if run.report is None:
        return "no report" + run.unreadable
    if answered(run.device(False)) != answered(whole.device(False)):
        return "the other device is not complete"
    ends = fault in ("crash", "hang")
    if ends:
        if run.code != 5:
            return f"a {fault}, and exit code {run.code}"
        named = "\n".join(f"{failure.get('last_call', '')} {failure['reason']}" for failure in run.report["failures"])
        if not names(named, function):
            return f"no failure names the call, but {named.strip()[:160]!r}"
    elif fault != LEFT_OUT and run.crashed() and not crashed_in_the_loader(run, function):
        # A driver that leaves out what it should do may crash of it.
        return f"an error that became a crash: {run.report['failures'][0]}"
    faulty = run.device(True)
    # Of a device that fails before it told a fact, the failure holds the name.
    named_device = any(failure["driver"] == whole.device(True)["identity"]["name"] for failure in run.report["failures"])
    if earlier["identity"] and faulty is None and not named_device:
        return "the device was listed, and nothing of it is left"
    if earlier["facts"] and faulty is None:
        return "the device's facts are missing, though they came before"
    if earlier["sweep"] and answered(faulty) != answered(whole.device(True)):
        return f"{answered(faulty)} of {answered(whole.device(True))} cases are kept, though all came before"
    lost = faulty is None or answered(faulty) != answered(whole.device(True))
    # The loader keeps failures of its own calls to itself: such a driver is one without a device, or of an older version.
    hidden = function in BY_THE_LOADER and not run.report["failures"]
    if fault == LEFT_OUT:
        # No call failed: what misses its work is named, whichever call that is.
        return "something is missing, and no failure tells of it" if lost and run.code != 5 and not hidden else ""
    if lost and fault != AN_ANSWER and not hidden and not names(run.statements(), function):
        return "something is missing, and nothing names the call"
    return ""


def main():
    whole, listed, swept = Run(""), Run("", command="devices"), Run("", "--no-timing")
    # It ends at the first call after the facts are told.
    facts = Run(f"{AFTER_FACTS[API]}@1=exit", "--no-timing")
    calls = whole.calls()
    functions = [name for name in sorted(calls) if not ONLY or name in ONLY]
    results = results_of(functions)
    tries = []
    for function in functions:
        faults = {"crash": "crash", "hang": "hang"} | {name: str(value) for name, value in results[function].items()}
        if not results[function]:
            faults[LEFT_OUT] = "-1"
        for title, fault in faults.items():
            for call in sorted({1, (calls[function] + 1) // 2, calls[function]}):
                tries.append((function, title, fault, call))

    def attempt(item):
        function, title, fault, call = item
        run = Run(f"{function}@{call}={fault}")
        reached = run.reached(function, call, whole)
        earlier = {"identity": call > listed.calls()[function], "facts": call > facts.calls()[function],
                   "sweep": call > swept.calls()[function]}
        wrong = judge(run, whole, function, title if reached else "", earlier)
        mark = "!" if wrong else "" if reached else "~"
        return item, f"{run.code}/{answered(run.device(True))}{mark}", wrong

    cells = collections.defaultdict(list)
    failed = []
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for (function, title, _, call), cell, wrong in pool.map(attempt, tries):
            cells[function, title].append(cell)
            if wrong:
                failed.append(f"FAILED {function}@{call}, {title}: {wrong}")
                print(failed[-1], flush=True)
    for function in functions:
        row = [f"{title} {' '.join(cells[name, title])}" for name, title in cells if name == function]
        print(f"| {function} | {calls[function]} | {'; '.join(row)} |", flush=True)
    print(f"{len(functions)} functions, {len(tries)} faults, {len(failed)} failed. A cell: exit code/cases kept of "
          f"{answered(whole.device(True))}, at the first, a middle and the last call; ~ was not reached this time")
    return 1 if failed or not functions else 0


sys.exit(main())
