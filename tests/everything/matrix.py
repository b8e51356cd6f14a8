#!/usr/bin/env python3
"""usage: matrix.py PROGRAM SOURCE_FOLDER [--fast] [--icd FILE] [--memory-limit SIZE] [--only TEXT]... [--jobs N]
                 [--json FILE] [--keep FOLDER]

Runs every preset with every scenario on every driver of this machine and on every report in SOURCE_FOLDER/reports, and
writes every export target of every policy that this makes. Presets and targets are asked of the program, scenarios too,
drivers of scripts/drivers, so that a new one cannot be forgotten. What may become of a cell stands in judgment.py.
Beside the presets stands DEFAULT, on each Vulkan driver: who states no workload gets one that runs whole, in the memory
that heapwright takes by itself, and all that is promised of it is kept.
Prints a table of the outcomes, and each cell that fails with the command that shows it.

  --fast        a fixed selection in which every preset, scenario, target, driver and report comes at least once
  --icd FILE    instead of all of them the driver of this manifest, through Vulkan and Direct3D 12
  --memory-limit SIZE  most device memory for a preset
  --only TEXT   only drivers, reports, presets whose "CARRIER PRESET" holds this text (repeatable: all of them)
  --jobs N      so many at the same time (default: 2, of --fast 1)
  --json FILE   keeps all cells there, also while it runs
  --keep FOLDER keeps reports, policies and validations there

Exit codes: 0 every cell is as it may be, 1 one is not, 2 wrong usage.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import judgment

# lavapipe's heap is RAM, and two runs share the machine.
LIMITS = {"full": "1GiB", "fast": "256MiB"}
ROUNDS = 2  # of the fast selection, which is to take a minute of one core at most
TIME_LIMIT_S = 900
TOGETHER, ADVICE = "(together)", "(advice)"  # cells of a whole document, and of the policy
DEFAULT = "(default)"
WORKLOAD_SCENARIO = "mixed-workload"  # plays the workload itself


def run(command, environment=None, timeout_s=TIME_LIMIT_S + 60):
    """(exit code, standard output, what it said of errors); a signal is a negative code."""
    changed = dict(os.environ)
    for entry in environment or []:
        changed.pop(entry["name"], None)
        if "value" in entry:
            changed[entry["name"]] = entry["value"]
    try:
        result = subprocess.run([str(word) for word in command], env=changed, capture_output=True, text=True,
                                check=False, timeout=timeout_s)
    except subprocess.TimeoutExpired:
        return "no end", "", f"ran longer than {timeout_s} s"
    return result.returncode, result.stdout, result.stderr.strip()


class Lists:
    """What there is, as those say who have it."""

    def __init__(self, program, source, icd=None):
        self.program = program
        self.presets = [preset["name"] for preset in json.loads(self.said("workload", "--list", "--json"))["presets"]]
        self.targets = [line.split()[0] for line in self.said("export", "--list").splitlines()]
        # There is no list of scenarios but in the refusal of one that there is not.
        _, _, refusal = run([program, "validate", "policy.json", "--scenario", "?"])
        self.scenarios = re.search(r"there are ([\w\-, ]+)", refusal).group(1).split(", ")
        self.carriers, self.left_out = [], []
        if icd:
            self.carriers = [Carrier(f"{icd.stem} {api}", api, driver={"icd": icd}) for api in ("vulkan", "d3d12")]
            return
        for driver in json.loads(run([source / "scripts" / "drivers", "--json"])[1])["drivers"]:
            why = driver.get("absent") or ("runs no work" if driver.get("timing") is False else "") or \
                ("another program" if driver.get("command") else "")
            if why:
                self.left_out.append(f"{driver['id']}: {why}")
            else:
                self.carriers.append(Carrier(driver["id"], driver["api"], driver=driver))
        for path in sorted((source / "reports").glob("*.json")):
            report = json.loads(path.read_text(encoding="utf-8"))
            if ":schema:report:" in report["$schema"]:
                self.carriers.append(Carrier(path.stem, report["devices"][0]["identity"]["api"], report=path))
        for what in ("presets", "targets", "scenarios", "carriers"):
            if len(set(map(str, getattr(self, what)))) < 2:
                raise SystemExit(f"not a list of {what}: {getattr(self, what)}")

    def said(self, *arguments):
        code, text, error = run([self.program, *arguments])
        if code != 0:
            raise SystemExit(f"heapwright {' '.join(arguments)}: exit {code}: {error}")
        return text


class Carrier:
    """A driver, or a report that acts as one."""

    def __init__(self, name, api, driver=None, report=None):
        self.name, self.api, self.driver, self.report = name, api, driver, report
        self.environment = (driver or {}).get("environment", [])

    def __str__(self):
        return self.name

    def probe(self, program, preset, report, limit):
        how = ["--no-timing"] if preset == DEFAULT or limit == LIMITS["fast"] else []
        asked = [] if preset == DEFAULT else ["-w", preset, "--memory-limit", limit]
        return [program, "probe", "--api", self.api, "--icd", self.driver["icd"], *asked, *how, "-q", "-o", report]

    def validate(self, program, policy, preset, limit, scenarios, validation):
        where = ["--icd", self.driver["icd"]] if self.driver else ["--replay", self.report]
        names = [word for name in scenarios for word in ("--scenario", name)]
        how = [] if preset == DEFAULT else ["--scale-to-fit", "--memory-limit", limit]
        return [program, "validate", policy, *where, *how, "--time-limit", TIME_LIMIT_S, *names, "-q", "-o", validation]


class Pair:
    """One preset on one driver or report: its policy, its scenarios, its exports."""

    def __init__(self, carrier, preset, scenarios, targets, lists, limit):
        self.carrier, self.preset, self.scenarios, self.targets = carrier, preset, scenarios, targets
        self.program, self.all_scenarios, self.limit = lists.program, scenarios == lists.scenarios, limit
        self.cells, self.commands = [], []

    def __str__(self):
        return f"{self.carrier} {self.preset}"

    def play(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        self.report = self.carrier.report or folder / "report.json"
        self.policy = folder / "policy.json"
        if self.make_policy():
            self.play_scenarios(folder)
            self.write_exports()
        return self.cells

    def make_policy(self):
        if self.carrier.driver:
            code, _, error = self.command(self.carrier.probe(self.program, self.preset, self.report, self.limit))
            if code not in (0, 5) or not self.report.exists():
                self.cell(ADVICE, judgment.FAILED, f"probe: exit {code}: {error}", code, 0)
                return False
        began = time.monotonic()
        code, _, error = self.command([self.program, "advise", self.report, *([] if self.preset == DEFAULT else ["-w", self.preset]), "-q", "-o",
                                       self.policy])
        if code == 0:
            self.cell(ADVICE, judgment.WHOLE, "", code, time.monotonic() - began)
        else:
            self.cell(ADVICE, judgment.FAILED, f"advise: exit {code}: {error}", code, time.monotonic() - began)
        return code == 0

    def play_scenarios(self, folder):
        document, code, error = self.validation(folder, self.scenarios, all_of_them=self.all_scenarios)
        results = {}
        if document and len(document["devices"]) == 1:
            results = {result["name"]: result for result in document["devices"][0]["scenarios"]}
        wrong = judgment.judge_document(document, code, self.scenarios)
        self.cell(TOGETHER, judgment.FAILED if wrong else judgment.WHOLE, f"{wrong}: {error}" if wrong else "", code,
                  self.seconds)
        for name in self.scenarios:
            # One of them may end the run for all: then each is played alone.
            if name in results:
                self.judge(name, results[name], code)
                continue
            alone, code_alone, error = self.validation(folder, [name])
            wrong = judgment.judge_document(alone, code_alone, [name])
            if wrong:
                self.cell(name, judgment.FAILED, f"{wrong}: {error}", code_alone, self.seconds)
            else:
                self.judge(name, alone["devices"][0]["scenarios"][0], code_alone)
            self.commands.pop()

    def validation(self, folder, scenarios, all_of_them=False):
        path = folder / ("validation.json" if len(scenarios) > 1 else f"{scenarios[0]}.json")
        path.unlink(missing_ok=True)
        began = time.monotonic()
        code, _, error = self.command(self.carrier.validate(self.program, self.policy, self.preset, self.limit,
                                                            [] if all_of_them else scenarios, path))
        self.seconds = time.monotonic() - began
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None, code, error

    def judge(self, name, result, code):
        seconds = result.get("volatile", {}).get("total_ns", 0) / 1e9
        outcome, text = judgment.judge_scenario(result, real=self.carrier.driver is not None)
        if self.preset == DEFAULT:
            outcome, text = judgment.judge_promises(result) if outcome == judgment.WHOLE else \
                (judgment.FAILED, f"did not run whole: {text}")
        self.cell(name, outcome, text, code, seconds)

    def write_exports(self):
        for target in self.targets:
            code, text, error = self.command([self.program, "export", self.policy, "--target", target])
            self.cell(f"export {target}", *judgment.judge_export(code, error, text, self.carrier.api), code, 0)
            self.commands.pop()

    def command(self, words):
        self.commands.append(words)
        return run(words, self.carrier.environment)

    def cell(self, what, outcome, text, code, seconds):
        self.cells.append({"carrier": self.carrier.name, "preset": self.preset, "scenario": what, "outcome": outcome,
                           "text": text, "exit_code": code, "seconds": round(seconds, 3),
                           "command": self.reproduction(what) if outcome == judgment.FAILED else ""})

    def reproduction(self, what):
        """Runs in an empty folder; of a scenario, that one alone."""
        lines = self.commands[:]
        if what not in (TOGETHER, ADVICE) and not what.startswith("export "):
            lines = [line for line in lines if line[1] in ("probe", "advise")]
            lines.append(self.carrier.validate(self.program, self.policy, self.preset, self.limit, [what],
                                               "validation.json"))
        text = " && ".join(shlex.join(str(word) for word in line) for line in lines)
        set_first = "".join(f"{entry['name']}={shlex.quote(entry.get('value', ''))} "
                            for entry in self.carrier.environment)
        return set_first + text.replace(f"{self.policy.parent}/", "")


def first_runs(lists):
    return [Pair(carrier, DEFAULT, [WORKLOAD_SCENARIO], [], lists, None)
            for carrier in lists.carriers if carrier.driver and carrier.api == "vulkan"]


def everything(lists):
    return first_runs(lists) + [Pair(carrier, preset, lists.scenarios, lists.targets, lists, LIMITS["full"])
                                for preset in lists.presets for carrier in lists.carriers]


def selection(lists):
    """A round is as many pairs as the longer of the lists of presets and carriers has entries, and deals out scenarios
    and targets among them. Each round turns presets by one and scenarios by two against carriers, so that no two of a
    preset, a carrier and a scenario meet again before a list is around."""
    count = max(len(lists.presets), len(lists.carriers))

    def dealt(names, turn):
        return [name for i, name in enumerate(names) if i % count == turn % count]

    return first_runs(lists) + [
        Pair(lists.carriers[i % len(lists.carriers)], lists.presets[(i + turn) % len(lists.presets)],
             dealt(lists.scenarios, i + 2 * turn), dealt(lists.targets, i + 2 * turn), lists, LIMITS["fast"])
        for turn in range(ROUNDS) for i in range(count)]


def table(lists, cells):
    carriers = [carrier.name for carrier in lists.carriers]
    counts = collections.Counter((cell["carrier"], cell["outcome"]) for cell in cells)
    shown = [outcome for outcome in judgment.OUTCOMES if any(counts[name, outcome] for name in carriers)]
    width = max(map(len, carriers)) + 2
    lines = [" " * width + "".join(f"{outcome:>15}" for outcome in shown)]
    for name in [name for name in carriers if any(counts[name, outcome] for outcome in shown)]:
        lines.append(f"{name:{width}}" + "".join(f"{counts[name, outcome]:>15}" for outcome in shown))
    lines.append(f"{'all':{width}}" + "".join(f"{sum(counts[name, o] for name in carriers):>15}" for o in shown))
    lines += ["", *(f"{outcome}: {judgment.MEANING[outcome]}" for outcome in shown if outcome in judgment.MEANING)]
    return "\n".join(lines)


def kind_of(cell):
    return re.sub(r"\d[\d.,]*", "N", cell["text"])[:160]


def failures(cells):
    """Those that fail for the same reason stand together, the most frequent reason first."""
    kinds = collections.defaultdict(list)
    for cell in cells:
        if cell["outcome"] == judgment.FAILED:
            kinds[kind_of(cell)].append(cell)
    lines = []
    for of_kind in sorted(kinds.values(), key=len, reverse=True):
        lines.append(f"\n{len(of_kind)} x {of_kind[0]['text'][:600]}")
        for cell in of_kind:
            lines.append(f"  FAILED {cell['carrier']}, {cell['preset']}, {cell['scenario']}\n    {cell['command']}")
    return "\n".join(lines)


def keep(path, cells):
    if path:
        path.with_suffix(".part").write_text(json.dumps({"cells": cells}, indent=1) + "\n", encoding="utf-8")
        path.with_suffix(".part").replace(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("source", type=Path)
    parser.add_argument("--fast", action="store_true")
    parser.add_argument("--icd", type=Path)
    parser.add_argument("--memory-limit")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--keep", type=Path)
    arguments = parser.parse_args()
    LIMITS["full"] = arguments.memory_limit or LIMITS["full"]
    lists = Lists(arguments.program.resolve(), arguments.source.resolve(), arguments.icd)
    pairs = [pair for pair in (selection if arguments.fast else everything)(lists)
             if all(text in str(pair) for text in arguments.only)]
    print(f"{len(lists.presets)} presets, {len(lists.scenarios)} scenarios, {len(lists.targets)} export targets, "
          f"{len(lists.carriers)} drivers and reports; {len(pairs)} pairs of preset and carrier", flush=True)
    for line in lists.left_out:
        print(f"left out: {line}")
    cells, lock = [], threading.Lock()

    def play(folder, pair):
        began = time.monotonic()
        done = pair.play(folder / str(pair).replace(" ", "-"))
        with lock:
            cells.extend(done)
            keep(arguments.json, cells)
            failed = sum(cell["outcome"] == judgment.FAILED for cell in done)
            print(f"{pair}: {len(done)} cells, {failed} failed, {time.monotonic() - began:.1f} s", flush=True)

    with tempfile.TemporaryDirectory() as temporary:
        folder = (arguments.keep or Path(temporary)).resolve()
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs or (1 if arguments.fast else 2)) as pool:
            for done in [pool.submit(play, folder, pair) for pair in pairs]:
                done.result()
    print("\n" + table(lists, cells))
    print(failures(cells))
    failed = sum(cell["outcome"] == judgment.FAILED for cell in cells)
    print(f"\n{len(cells)} cells, {failed} failed")
    return 1 if failed or not cells else 0


if __name__ == "__main__":
    sys.exit(main())
