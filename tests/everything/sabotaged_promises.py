#!/usr/bin/env python3
"""usage: sabotaged_promises.py PROGRAM SOURCE_FOLDER

A promise binds on both sides. Each sabotage below changes one rule of a policy, or what it was made from, and is no
longer what the promises were made of: at least one of them must be broken or loose then, and none without a change.
Chunk rules and seeds are played on the replayed H100. A replayed device has no times, so costs are changed in the
report, and the new promises stand beside the times that were measured on the H100.
"""
import copy
import json
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM, SOURCE = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
REPORT = SOURCE / "reports/nvidia-h100-580.159.04-vulkan.json"
MEASURED = SOURCE / "reports/nvidia-h100-580.159.04-vulkan-validation.json"
SMALL = "general-engine@25%"
SCENARIO = "mixed-workload"
STEPS = {"mean_waste": 0.005, "peak_waste": 0.005, "device_allocations": 1}  # where all seeds agree (expectations.cpp)
OTHER_SEEDS = ("2", "3", "4")
TIMES = ("p99_frame_ns", "worst_frame_ns", "worst_load_ns")


def run(*words):
    result = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: exit code {result.returncode}\n{result.stderr}")
    return json.loads(result.stdout)


def decided(value):
    return {"value": value, "reason": "sabotage", "inputs": [], "alternatives": []}


def largest_bucket(policy):
    return max(policy["buckets"], key=lambda bucket: bucket["expected_bytes"])


def scale_chunk(policy, factor):
    chunk = largest_bucket(policy)["chunk_size_bytes"]
    chunk["value"] = int(chunk["value"] * factor)


def set_rule(policy, name, value):
    largest_bucket(policy)[name] = decided(value)


def grow(policy):
    largest_bucket(policy)["growth"] = {"first_chunk_bytes": decided(1 << 20), "divisor": decided(4)}


def keep_many_ready(policy):
    for bucket in policy["buckets"]:
        bucket["chunks_ahead"] = decided(8)


def refuse_chunks_early(policy):
    policy["humongous_threshold_bytes"]["value"] = 1 << 20


POLICIES = {
    "chunks four times larger": lambda policy: scale_chunk(policy, 4),
    "chunks a quarter as large": lambda policy: scale_chunk(policy, 1 / 4),
    "the fullest chunk first": lambda policy: set_rule(policy, "chunk_choice", "fullest"),
    "ranges in steps of 64 KiB": lambda policy: set_rule(policy, "granule_bytes", 64 << 10),
    "memory of its own from 1 MiB on": lambda policy: set_rule(policy, "dedicated_threshold_bytes", 1 << 20),
    "humongous from 1 MiB on": refuse_chunks_early,
    "chunks that grow from 1 MiB": grow,
    "eight chunks ready in each bucket": keep_many_ready,
}
COSTS = {"costs eight times higher": 8, "costs an eighth": 1 / 8}


class Sabotage:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.policy = run("advise", REPORT, "-w", SMALL, "--json", "-q")

    def promises(self, policy, *words):
        path = self.folder / "policy.json"
        path.write_text(json.dumps(policy), encoding="utf-8")
        validation = run("validate", path, "--replay", REPORT, "--scenario", SCENARIO, "--memory-limit", "8GiB",
                         "--allow-broken-promises", "--json", "-q", *words)
        return validation["devices"][0]["scenarios"][0]["volatile"]["promises"]

    def of_policy(self, change):
        policy = copy.deepcopy(self.policy)
        change(policy["devices"][0])
        return missed(self.promises(policy))

    def of_one_seed(self):
        """Intervals of one seed's figures and the steps that they come in, and the runs of other seeds."""
        policy = copy.deepcopy(self.policy)
        expected = policy["devices"][0]["expectations"]
        for promise in self.promises(policy, "--seed", "1"):
            if promise["name"] in STEPS:
                value, step = promise["measured"], STEPS[promise["name"]]
                expected[promise["name"] + "_interval"] = {"least": max(0, value - step), "most": value + step}
                expected[promise["name"]]["value"] = value
        return [text for seed in OTHER_SEEDS for text in missed(self.promises(policy, "--seed", seed))]

    def of_cost(self, factor):
        report = json.loads(REPORT.read_text(encoding="utf-8"))
        for curve in report["devices"][0]["volatile"]["memory_cost"]:
            for point in curve["points"]:
                for name in point:
                    if name.endswith("_ns") and isinstance(point[name], int):
                        point[name] = round(point[name] * factor)
        path = self.folder / "report.json"
        path.write_text(json.dumps(report), encoding="utf-8")
        expected = run("advise", path, "-w", "general-engine", "--json", "-q")["devices"][0]["expectations"]
        found = []
        for name, measured in measured_times().items():
            interval = expected[name + "_interval"]
            if not interval["least"] <= measured <= interval["most"]:
                found.append(f"{name} {measured:.4g} of {interval['least']:.4g} to {interval['most']:.4g}")
        return found


def measured_times():
    scenarios = json.loads(MEASURED.read_text(encoding="utf-8"))["devices"][0]["scenarios"]
    mixed = next(scenario for scenario in scenarios if scenario["name"] == SCENARIO)
    return {promise["name"]: promise["measured"] for promise in mixed["volatile"]["promises"]
            if promise["name"] in TIMES and "measured" in promise}


def missed(promises):
    return [f"{promise['name']} {promise['measured']:.4g} of {promise['least']:.4g} to {promise['most']:.4g}"
            for promise in promises if promise["verdict"] in ("broken", "loose")]


def main():
    with tempfile.TemporaryDirectory() as folder:
        sabotage = Sabotage(folder)
        harmless = {"nothing changed": sabotage.of_policy(lambda policy: None), "costs as they are": sabotage.of_cost(1)}
        seen = {name: sabotage.of_policy(change) for name, change in POLICIES.items()}
        seen |= {name: sabotage.of_cost(factor) for name, factor in COSTS.items()}
        seen["a promise of one seed"] = sabotage.of_one_seed()
    for name, found in (harmless | seen).items():
        print(f"{name}: {'; '.join(found) or 'every promise kept'}")
    wrong = [name for name, found in harmless.items() if found] + [name for name, found in seen.items() if not found]
    if wrong:
        sys.exit(f"not as it should be: {', '.join(wrong)}")
    print(f"{len(seen)} sabotages, each seen")


main()
