"""What may become of a cell of the matrix: one scenario, one preset, one driver or report. What no row of these tables
names fails the test.
"""
import re

WHOLE = "whole"
IN_PART = "in part"
NOT_SUPPORTED = "not supported"
NO_ROOM = "no room"
TOO_LARGE = "too large"
OTHER_API = "other API"
FAILED = "FAILED"
OUTCOMES = (WHOLE, IN_PART, NOT_SUPPORTED, NO_ROOM, TOO_LARGE, OTHER_API, FAILED)
MEANING = {
    WHOLE: "every check passed",
    IN_PART: "every check passed, and a part of the workload did not run: the limit or the device has no room for it",
    NOT_SUPPORTED: "the device lacks what the scenario needs, and the reason says what",
    NO_ROOM: "the device or the memory limit ended it early",
    TOO_LARGE: "a single resource is larger than the device allows",
    OTHER_API: "the export target configures the other API",
}

FIGURE = r".*\(value \d+, limit [1-9]\d*\)"  # a limit of 0 is none

LARGER = r"larger than (any device allocation may be|maxMemoryAllocationSize|maxBufferSize|its memory \w+)"

# What a verdict of a scenario stands for, by its reason; the first row that fits. A request that found no memory is in
# no row: the run was scaled to what fits.
VERDICTS = (
    # verdict, what the reason holds, outcome
    ("validated", r"requests? for (a )?resources?\b", IN_PART),
    ("replayed", r"requests? for (a )?resources?\b", IN_PART),
    ("validated", r"", WHOLE),
    ("replayed", r"", WHOLE),
    ("validated_in_part", LARGER + FIGURE, TOO_LARGE),
    ("replayed_in_part", LARGER + FIGURE, TOO_LARGE),
    ("validated_in_part", r"", IN_PART),
    ("replayed_in_part", r"", IN_PART),
    ("not_supported", r"", NOT_SUPPORTED),
    ("inconclusive", r"^the device lacks the memory: " + FIGURE, NO_ROOM),
)

# Limits of heapwright's own, which no device is the reason of, whatever the verdict.
OWN_LIMITS = (r"larger than its block", r"time limit")


def judge_scenario(result, real):
    """(outcome, what was said) of one scenario's entry in a validation document."""
    verdict, reason = result["verdict"], result.get("reason", "")
    told = f"{verdict}: {reason}"
    if not reason.strip():
        return FAILED, f"{verdict} without a reason"
    if verdict.startswith("replayed" if real else "validated"):
        return FAILED, f"{told}, but the device is {'real' if real else 'replayed'}"
    if any(re.search(pattern, reason) for pattern in OWN_LIMITS):
        return FAILED, f"a limit of heapwright's own: {told}"
    outcome = next((row[2] for row in VERDICTS if verdict == row[0] and re.search(row[1], reason)), FAILED)
    if outcome == FAILED:
        details = "; ".join(f"{one['resource']}: {one['statement']}" for one in result.get("findings", [])[:2])
        return FAILED, told + (": " if details else "") + details
    if result.get("findings_total"):
        return FAILED, f"{told}, and findings: {result['findings_total']}"
    return IN_PART if outcome == WHOLE and result.get("stand_in") else outcome, reason


def judge_promises(result):
    """Of the default workload, which runs whole: what is promised is kept, and no promise is loose. Times of a CPU are not
    judged."""
    promises = result.get("volatile", {}).get("promises", [])
    wrong = [f"{promise['name']} {promise['verdict']}: {promise['reason']}" for promise in promises
             if promise["verdict"] in ("broken", "loose") or
             (promise["verdict"] != "kept" and not re.search(r"_ns$|^late_chunks$", promise["name"]))]
    if not promises:
        wrong = ["nothing was promised"]
    return (FAILED, "; ".join(wrong)) if wrong else (WHOLE, result["reason"])


def exit_code_of(device):
    """What the program must exit with, by the verdicts of a device's scenarios."""
    verdicts = {result["verdict"] for result in device["scenarios"]}
    if "failed" in verdicts:
        return 1
    short = any(result["verdict"].endswith("_in_part") and not result.get("part", {}).get("asked_for")
                for result in device["scenarios"])
    return 4 if short or "inconclusive" in verdicts or verdicts == {"not_supported"} else 0


def judge_document(document, exit_code, wanted):
    """What is wrong with a validation as a whole; empty: nothing."""
    if document is None:
        return f"exit {exit_code} and no document"
    if len(document["devices"]) != 1:
        return f"{len(document['devices'])} devices in the document"
    device = document["devices"][0]
    there = [result["name"] for result in device["scenarios"]]
    if there != wanted:
        return f"the scenarios {there} in the document, and not {wanted}"
    if exit_code != exit_code_of(device):
        return f"exit {exit_code} and not {exit_code_of(device)}, as the scenarios have it; verdict {device['verdict']}"
    if not device.get("reason", "").strip():
        return f"{device['verdict']} without a reason"
    return ""


def judge_export(exit_code, message, text, api):
    other = {"vulkan": r"the policy is for Vulkan, but .* configures Direct3D 12",
             "d3d12": r"the policy is for Direct3D 12, but .* configures Vulkan"}[api]
    if exit_code == 0 and text.strip():
        return WHOLE, ""
    if exit_code == 2 and re.search(other, message):
        return OTHER_API, message
    return FAILED, f"exit {exit_code}, {len(text)} characters: {message}"
