#!/usr/bin/env python3
"""usage: exit_codes.py PROGRAM FAULT_DRIVER_ICD

The exit codes of probe, run and validate where drivers fail beside one that works, and where none works; that each
is named in the document, the words and on standard error; and that `compare` fails for what only the failed one lacks.
Needs lavapipe's ICD manifest in HEAPWRIGHT_ICD_LAVAPIPE, and RADV's in HEAPWRIGHT_ICD_RADV.
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from failing_drivers import WAYS, complaints, write_drivers

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


def read(path):
    nothing = {"devices": [], "failures": []}
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else nothing


def check_all_named(words, validation, what):
    """That ten ways to fail are told in the document and in each text, and that the good device has its verdict."""
    device = next((each["identity"]["name"] for each in validation["devices"]), "no device")
    failed.extend(f"{what}: {each}" for each in complaints(validation.get("failures", []), device, words))
    verdicts = [(each["verdict"], len(each["scenarios"])) for each in validation["devices"]]
    if verdicts != [("validated", 1)]:
        failed.append(f"{what}: the good device is not complete: {verdicts}")


def ten_drivers(folder, policy):
    """Ten drivers that fail in ten ways and a good one, in one call."""
    drivers = [word for manifest in write_drivers(ICD, folder) for word in ("--icd", manifest)]
    limits = ("--memory-limit", "128MiB", "--scale-to-fit", "--scenario", "upload", "--time-limit", "5")
    document = folder / "ten.json"
    result = run(5, "", "validate", policy, *drivers, "--icd", GOOD, *limits, "-v", "-o", document)
    check_all_named({"standard error": result.stderr, "-v": result.stdout}, read(document), "validate of ten")
    run(0, "", "report", document, "-o", folder / "ten.html")
    if "enumerate-incomplete.json" not in (folder / "ten.html").read_text(encoding="utf-8"):
        failed.append("the page does not name a driver that failed")
    whole = folder / "whole.json"
    run(0, "", "validate", policy, "--icd", GOOD, *limits, "-o", whole)
    for form in ("text", "markdown", "junit", "sarif"):
        if "enumerate-incomplete.json" not in run(1, "", "compare", whole, document, "-f", form).stdout:
            failed.append(f"compare as {form} does not name a driver that is lost")
    result = run(5, "", "run", "--api", "vulkan", *drivers, "--icd", GOOD, "-w", "2d-ui", *limits,
                 "-o", folder / "run-ten")
    check_all_named({"standard error": result.stderr}, read(folder / "run-ten" / "validation.json"), "run of ten")
    lines = result.stdout.splitlines()
    # Two failures of at most two lines each, then how many more there are.
    more = next((i for i, line in enumerate(lines) if f"and {len(WAYS) - 2} more failures" in line), len(lines))
    named = [line.startswith("FAILED: not validated: ") for line in lines[:more]]
    if more > 4 or not named[0] or sum(named) != 2:
        failed.append(f"what failed does not lead on the screen: {lines[:5]}")


def no_memory_types(folder):
    """RADV's null hardware has no memory types: no policy can be computed for it."""
    os.environ["RADV_FORCE_FAMILY"] = "navi10"
    radv = ("--icd", os.environ["HEAPWRIGHT_ICD_RADV"])
    how = ("--api", "vulkan", "-w", "2d-ui", "--scale-to-fit", "--memory-limit", "128MiB", "--scenario",
           "mixed-workload")
    named = "NAVI10"
    alone = run(3, "", "run", *radv, *how, "-o", folder / "radv-alone")
    both = run(5, "", "run", *radv, "--icd", GOOD, *how, "-o", folder / "radv-both")
    validation = read(folder / "radv-both" / "validation.json")
    told = [each["driver"] for each in validation.get("failures", [])]
    if not any(named in each for each in told) or [each["verdict"] for each in validation["devices"]] != ["validated_in_part"]:
        failed.append(f"a device without memory types is lost: {told}")
    advised = run(5, "", "advise", folder / "radv-both" / "report.json", "-w", "2d-ui", "-o", folder / "advised.json")
    refused = run(3, "", "advise", folder / "radv-alone" / "report.json", "-w", "2d-ui", "-o", folder / "none.json")
    for result in (alone, both, advised, refused):
        if not any(named in line and "memory types" in line for line in result.stderr.splitlines()):
            failed.append(f"a device without memory types is not named: {result.stderr[-300:]}")
    del os.environ["RADV_FORCE_FAMILY"]


def main():
    refuses = "vkCreateDevice@1+=-3"
    crashes = "vkEnumeratePhysicalDevices@1+=crash"
    both = ("--api", "vulkan", "--icd", ICD, "--icd", GOOD)
    alone = ("--api", "vulkan", "--icd", ICD)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        good = folder / "good.json"
        run(0, "", "probe", *both, "--no-timing", "-o", good)
        (folder / "accepted.toml").write_text("".join(f'[[allow]]\npath = "{path}"\nreason = "known"\n' for path in
                                                      ("/failures/**", "/findings/**")), encoding="utf-8")
        for faults in (refuses, crashes):
            report = folder / "report.json"
            run(5, faults, "probe", *both, "--no-timing", "-o", report)
            run(1, "", "compare", good, report)
            # What was not asked is missing, even where the failure itself is accepted.
            compared = run(1, "", "compare", good, report, "--allow", folder / "accepted.toml")
            if "source that does not hold" in compared.stdout:
                failed.append(f"compare excuses what the probe lost: {compared.stdout[-500:]}")
            run(5, faults, "run", *both, "-w", "2d-ui", "--scale-to-fit", "--memory-limit", "128MiB",
                "--scenario", "mixed-workload", "-o", folder / f"run-{len(faults)}")
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
        ten_drivers(folder, policy)
        quick = ("--memory-limit", "128MiB", "--scale-to-fit", "--scenario", "mixed-workload")
        # A driver that cannot list its devices is one that failed, not one without any.
        for result in ("-3", "5"):
            listing = run(5, f"vkEnumeratePhysicalDevices@1+={result}", "probe", *both, "--no-timing", "-o", report)
            if Path(ICD).name not in listing.stderr:
                failed.append(f"probe does not name the driver that cannot list its devices: {listing.stderr}")
        # None has a verdict: the document says why all the same.
        alone_document = folder / "alone.json"
        run(3, refuses, "validate", policy, "--icd", ICD, *quick, "-o", alone_document)
        if read(alone_document)["devices"] or len(read(alone_document).get("failures", [])) != 1:
            failed.append("a validation without a verdict does not say why")
        # The order: a failed check goes before a lost device, and that before a verdict that may yet come.
        late = ("--time-limit", "0.000001")
        run(4, "", "validate", policy, "--icd", GOOD, *quick, *late, "-o", report)
        run(5, refuses, "validate", policy, "--icd", ICD, "--icd", GOOD, *quick, *late, "-o", report)
        lost = ("--icd", folder / "enumerate-error.json")
        run(1, WAYS[0][1], "validate", policy, "--icd", ICD, *lost, "--icd", GOOD, *quick, "-o", report)
        no_memory_types(folder)
    for statement in failed:
        print("FAILED", statement)
    return 1 if failed else 0


sys.exit(main())
