#!/usr/bin/env python3
"""usage: every_call.py [--stages STAGES] [--cells] vulkan PROGRAM FAULT_DRIVER_ICD [FUNCTION...]
       every_call.py [--stages STAGES] [--cells] d3d12 PROGRAM FAULT_RUNTIME_FOLDER [FUNCTION...]

For every function of the driver (Vulkan) or of the runtime (Direct3D 12) that a probe calls: a crash and a hang at the
first, a middle and the last call, and each error that its specification allows at the first and the last call and from
the first on for good; a process that crashed or hangs calls nothing more. The report must be whole, name the call, keep
what came before it, and the other device must be complete. Then the same of `validate` and `run` with one short scenario:
a crash, a hang and one error at the first and the last call. How often a measurement calls depends on its time: where
runs without a fault differ, "the last" is as far below the fewest as the most is above, and may still not be reached.
Prints how many ended as they must, in Markdown. Needs lavapipe's ICD manifest in HEAPWRIGHT_ICD_LAVAPIPE.
"""
import argparse
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

ARGUMENTS = argparse.ArgumentParser()
ARGUMENTS.add_argument("--stages", default="probe,validate,run", help="those to try, with commas")
ARGUMENTS.add_argument("--cells", action="store_true", help="also each fault as it ends: exit code/answers kept, ! failed, ~ was not reached")
for word in ("api", "program", "faulty"):
    ARGUMENTS.add_argument(word)
ARGUMENTS.add_argument("only", nargs="*")
CHOSEN = ARGUMENTS.parse_args()
API, PROGRAM, FAULTY, ONLY = CHOSEN.api, CHOSEN.program, CHOSEN.faulty, CHOSEN.only
STAGES = CHOSEN.stages.split(",")
GOOD = os.environ["HEAPWRIGHT_ICD_LAVAPIPE"]
REGISTRY = "/usr/share/vulkan/registry/vk.xml"
LIMIT_S = "12"
SHORT_LIMIT_S = "5"  # of a validation with one short scenario
AT_ONCE = 3 * (os.cpu_count() or 1)  # those that hang leave the processors idle; so many without a fault, too

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


def surroundings(faults, counts):
    """The environment of a run, and the options that name its drivers."""
    environment = {**os.environ, "HEAPWRIGHT_FAULT": faults, "HEAPWRIGHT_FAULT_COUNTS": str(counts)}
    if API == "vulkan":
        environment["HEAPWRIGHT_FAULT_DRIVER"] = GOOD
        return environment, ["--icd", FAULTY, "--icd", GOOD]
    environment["LD_LIBRARY_PATH"] = FAULTY
    environment["HEAPWRIGHT_FAULT_RUNTIME"] = real_runtime()
    return environment, ["--icd", GOOD]


def read_counts(path):
    """Of each process that told them: not of one that crashed or hung."""
    return [(line.split()[0], int(line.split()[1])) for line in path.read_text().splitlines()] if path.exists() else []


class Counted:
    def calls(self):
        most = collections.Counter()
        for function, count in self.counts:
            most[function] = max(most[function], count)
        return most

    def processes(self):
        return sum(name == FIRST_CALL[API] for name, _ in self.counts)


class Run(Counted):
    """One probe of the faulty driver beside the good one."""

    def __init__(self, faults, *more, command="probe"):
        with tempfile.TemporaryDirectory() as name:
            report, counts = Path(name) / "report.json", Path(name) / "counts"
            environment, drivers = surroundings(faults, counts)
            arguments = [PROGRAM, command, "--api", "vulkan" if API == "vulkan" else "all", *drivers]
            if command == "probe":
                arguments += ["--time-limit", LIMIT_S, "--memory-limit", "64MiB", "-q", "-o", str(report), *more]
            result = subprocess.run(arguments, env=environment, capture_output=True, text=True, check=False, timeout=300)
            self.code, self.stderr, self.report, self.unreadable = result.returncode, result.stderr, None, ""
            if report.exists():
                try:
                    self.report = json.loads(report.read_text(encoding="utf-8"))
                except ValueError as error:
                    self.unreadable = str(error)
            self.counts = read_counts(counts)

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


class Stage(Counted):
    """A validation, or a whole run, of the faulty driver beside the good one, with one short scenario."""

    def __init__(self, faults, command, policy):
        with tempfile.TemporaryDirectory() as name:
            folder, counts = Path(name) / "out", Path(name) / "counts"
            environment, drivers = surroundings(faults, counts)
            arguments = [PROGRAM, command]
            if command == "validate":
                folder.mkdir()
                arguments += [str(policy), "-o", str(folder / "validation.json")]
            else:
                arguments += ["--api", "vulkan" if API == "vulkan" else "all", "-o", str(folder)]
            arguments += [*drivers, "-w", "2d-ui", "--memory-limit", "128MiB", "--scale-to-fit", "--scenario", "upload",
                          "--time-limit", SHORT_LIMIT_S, "-q"]
            result = subprocess.run(arguments, env=environment, capture_output=True, text=True, check=False, timeout=300)
            self.code, self.stderr, self.counts = result.returncode, result.stderr, read_counts(counts)
            self.unreadable = ""
            self.documents = {}
            for path in folder.glob("*.json") if folder.exists() else ():
                try:
                    self.documents[path.stem] = json.loads(path.read_text(encoding="utf-8"))
                except ValueError as error:
                    self.unreadable = f"{path.name}: {error}"

    def devices(self, document="validation"):
        return self.documents.get(document, {}).get("devices", [])

    def good(self, document="validation"):
        """The good device's part: the last of two Vulkan devices, the Vulkan one beside Direct3D 12's."""
        devices = self.devices(document)
        if API == "d3d12":
            devices = [entry for entry in devices if entry["identity"]["api"] == "vulkan"]
        return devices[-1] if devices else None

    def failures(self):
        return [each for document in ("report", "validation")
                for each in self.documents.get(document, {}).get("failures", [])]

    def statements(self):
        return "\n".join([self.stderr, *(json.dumps(document) for document in self.documents.values())])


def judge_stage(run, whole, function, fault):
    """What is wrong; empty: nothing. `fault` is empty where the call was not reached."""
    if run.code not in (0, 1, 4, 5):
        return f"exit code {run.code}: {run.stderr[-200:]}"
    if run.unreadable or "validation" not in run.documents:
        return f"no whole validation: {run.unreadable}{run.stderr[-200:]}"
    good, expected = run.good(), whole.good()
    if good is None or [each["verdict"] for each in good["scenarios"]] != [each["verdict"] for each in expected["scenarios"]]:
        return "the other device is not validated as it should be"
    if "report" in whole.documents and answered(run.good("report")) != answered(whole.good("report")):
        return "the other device's report is not complete"
    lost = len(run.devices()) < len(whole.devices())
    # To the loader a driver that tells no version is one of Vulkan 1.0; what that lacks is named.
    hidden = function in BY_THE_LOADER and (not run.failures() or function == "vkEnumerateInstanceVersion")
    named = "\n".join(f"{failure.get('last_call', '')} {failure['reason']}" for failure in run.failures())
    if fault in ("crash", "hang"):
        if run.code != 5:
            return f"a {fault}, and exit code {run.code}"
        return "" if names(named, function) else f"no failure names the call, but {named.strip()[:160]!r}"
    if fault and fault != LEFT_OUT and "crashed with" in named and function not in BY_THE_LOADER:
        return f"an error that became a crash: {named.strip()[:200]}"
    if lost and not hidden and (run.code != 5 or not run.failures()):
        return f"a device is lost, and the exit code is {run.code}: {run.failures()}"
    if fault and fault != LEFT_OUT and run.code != whole.code and not hidden and not names(run.statements(), function):
        return f"exit code {run.code}, and nothing names the call"
    return ""


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
        # No call failed: what misses its work is named, whichever call that is, or the function that gave nothing.
        told = run.code == 5 or hidden or names(run.statements(), function)
        return "something is missing, and nothing tells of it" if lost and not told else ""
    if lost and fault != AN_ANSWER and not hidden and not names(run.statements(), function):
        return "something is missing, and nothing names the call"
    return ""


def last_calls(runs):
    """Of each function a last call that most runs reach."""
    last = {}
    for function in set().union(*(run.calls() for run in runs)):
        counts = [run.calls()[function] for run in runs if run.calls()[function]]
        last[function] = max(2 * min(counts) - max(counts), (min(counts) + 1) // 2)
    return last


def calls_of_the_sweeps():
    """How often each function is called until both sweeps are answered: all of a probe without measurements, but for the
    closing of the device, which comes after its last answer."""
    calls = Run("", "--no-timing").calls()
    if API == "vulkan":
        calls["vkDestroyDevice"] = 0
    else:
        calls["IUnknown::Release"] -= 2  # the device's, and its adapter's
    return calls


def try_probes(record, pool):
    healthy = list(pool.map(Run, [""] * AT_ONCE))
    whole, listed, swept = healthy[0], Run("", command="devices"), calls_of_the_sweeps()
    # It ends at the first call after the facts are told.
    facts = Run(f"{AFTER_FACTS[API]}@1=exit", "--no-timing")
    calls = last_calls(healthy)
    functions = [name for name in sorted(calls) if not ONLY or name in ONLY]
    results = results_of(functions)
    tries = []
    for function in functions:
        faults = {"crash": "crash", "hang": "hang"} | {name: str(value) for name, value in results[function].items()}
        if not results[function]:
            faults[LEFT_OUT] = "-1"
        for title, fault in faults.items():
            ends = title in ("crash", "hang")
            places = {1, calls[function]} | ({(calls[function] + 1) // 2} if ends else set())
            tries += [(function, title, fault, call, False) for call in sorted(places)]
            tries += [] if ends else [(function, title, fault, 1, True)]

    def attempt(item):
        function, title, fault, call, lasting = item
        run = Run(f"{function}@{call}{'+' if lasting else ''}={fault}")
        reached = run.reached(function, call, whole)
        earlier = {"identity": call > listed.calls()[function], "facts": call > facts.calls()[function],
                   "sweep": call > swept[function]}
        wrong = judge(run, whole, function, title if reached else "", earlier)
        mark = "!" if wrong else "" if reached else "~"
        return item, f"{run.code}/{answered(run.device(True))}{mark}", wrong

    for (function, title, _, call, lasting), cell, wrong in pool.map(attempt, tries):
        record(function, "probe", title + (" for good" if lasting else ""), f"{call}{'+' if lasting else ''}", cell, wrong)
    return results


def try_stages(command, record, pool, results):
    with tempfile.TemporaryDirectory() as name:
        report, policy = Path(name) / "report.json", Path(name) / "policy.json"
        environment, drivers = surroundings("", Path(name) / "counts")
        subprocess.run([PROGRAM, "probe", "--api", "vulkan" if API == "vulkan" else "all", *drivers, "--no-timing", "-q",
                        "-o", str(report)], env=environment, check=True)
        subprocess.run([PROGRAM, "advise", str(report), "-w", "2d-ui", "-q", "-o", str(policy)], check=True)
        healthy = list(pool.map(lambda _: Stage("", command, policy), range(AT_ONCE)))
        whole, calls = healthy[0], last_calls(healthy)
        tries = []
        for function in sorted(calls):
            if ONLY and function not in ONLY:
                continue
            errors = [value for title, value in results.get(function, {}).items() if title != AN_ANSWER]
            faults = {"crash": "crash", "hang": "hang"} | ({"an error": str(errors[0])} if errors else {})
            tries += [(function, title, fault, call) for title, fault in faults.items()
                      for call in sorted({1, calls[function]})]

        def attempt(item):
            function, title, fault, call = item
            run = Stage(f"{function}@{call}={fault}", command, policy)
            reached = bool(run.failures()) or run.processes() < whole.processes() or run.calls()[function] >= call
            wrong = judge_stage(run, whole, function, title if reached else "")
            return item, f"{run.code}{'!' if wrong else '' if reached else '~'}", wrong

        for (function, title, _, call), cell, wrong in pool.map(attempt, tries):
            record(function, command, title, str(call), cell, wrong)


def numbers(cells):
    """Tried, ended as they must, not reached."""
    return len(cells), sum(cell[-1] not in "!~" for cell in cells), sum(cell[-1] == "~" for cell in cells)


def summary(tried):
    """A row for all functions of the same numbers, and their sum."""
    rows, sums = collections.defaultdict(list), collections.defaultdict(list)
    for function in sorted({each[0] for each in tried}):
        row = []
        for stage in STAGES:
            cells = [cell for name, of_stage, _, cell in tried if (name, of_stage) == (function, stage)]
            sums[stage] += cells
            row.append(" / ".join(map(str, numbers(cells))) if cells else "")
        rows[" | ".join(row)].append(f"`{function}`")
    yield f"| function | {' | '.join(STAGES)} |"
    yield "|---" * (len(STAGES) + 1) + "|"
    for row, functions in sorted(rows.items(), key=lambda item: item[1][0]):
        yield f"| {', '.join(functions)} | {row} |"
    yield f"| all | {' | '.join(' / '.join(f'{each:,}' for each in numbers(sums[stage])) for stage in STAGES)} |"


def main():
    tried, failed = [], []

    def record(function, stage, way, where, cell, wrong):
        tried.append((function, stage, way, cell))
        if CHOSEN.cells:
            print(f"{function}@{where}, {stage}, {way}: {cell}", flush=True)
        if wrong:
            failed.append(function)
            print(f"FAILED {function}@{where}, {stage}, {way}: {wrong}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        results = try_probes(record, pool) if "probe" in STAGES else results_of(sorted(Run("").calls()))
        for command in ("validate", "run"):
            if command in STAGES:
                try_stages(command, record, pool, results)
    print("Faults tried / ended as they must / not reached this time\n", *summary(tried), sep="\n")
    print(f"\n{len({each[0] for each in tried})} functions, {len(tried)} faults, {len(failed)} failed")
    return 1 if failed or not tried else 0


sys.exit(main())
