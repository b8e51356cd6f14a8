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

# What a verdict of a scenario stands for, by its reason; the first row that fits.
VERDICTS = (
    # verdict, what the reason must hold, outcome
    ("validated", r"requests? for (a )?resources?\b", IN_PART),
    ("replayed", r"requests? for (a )?resources?\b", IN_PART),
    ("validated", r"", WHOLE),
    ("replayed", r"", WHOLE),
    ("validated_in_part", r"", IN_PART),
    ("not_supported", r"\w", NOT_SUPPORTED),
    ("inconclusive", r"^the device lacks the memory: \S|found no memory, the first: \S", NO_ROOM),
    ("failed", r"(larger than|exceeds) .*\b(limit|max\w+)\b.*\d", TOO_LARGE),
)

# Limits of heapwright's own, which no device is the reason of, whatever the verdict.
OWN_LIMITS = (r"larger than its block", r"time limit", r"\blimit 0\)")

# The exit code that a verdict of a device has.
EXIT_CODES = {"validated": 0, "replayed": 0, "validated_in_part": 4, "not_supported": 4, "inconclusive": 4, "failed": 1}


def judge_scenario(result, real):
    """(outcome, what is wrong or was said) of one scenario's entry in a validation document."""
    verdict, reason = result["verdict"], result.get("reason", "")
    told = f"{verdict}: {reason}"
    if not reason.strip():
        return FAILED, f"{verdict} without a reason"
    if verdict in ("validated", "replayed") and (verdict == "validated") != real:
        return FAILED, f"{told}, but the device is {'real' if real else 'replayed'}"
    if any(re.search(pattern, reason) for pattern in OWN_LIMITS):
        return FAILED, f"a limit of heapwright's own: {told}"
    for known, pattern, outcome in VERDICTS:
        if verdict == known and re.search(pattern, reason):
            if outcome == NO_ROOM and result.get("stand_in"):
                return FAILED, f"a stand-in without room in the limit that it was made for: {reason}"
            findings = result.get("findings_total", 0)
            if outcome != TOO_LARGE and findings:
                return FAILED, f"{told}, and {findings} findings"
            return IN_PART if outcome == WHOLE and result.get("stand_in") else outcome, reason
    details = "; ".join(f"{finding['resource']}: {finding['statement']}" for finding in result.get("findings", [])[:2])
    return FAILED, f"{told}{': ' if details else ''}{details}"


def judge_document(document, exit_code, wanted):
    """What is wrong with a validation as a whole; empty: nothing."""
    if document is None:
        return f"exit {exit_code} and no document"
    if len(document["devices"]) != 1:
        return f"{len(document['devices'])} devices in the document"
    device = document["devices"][0]
    there = [result["name"] for result in device["scenarios"]]
    if there != wanted:
        return f"not in the document: {sorted(set(wanted) - set(there))}; not asked for: {sorted(set(there) - set(wanted))}"
    expected = EXIT_CODES.get(device["verdict"])
    if exit_code != expected:
        return f"the verdict is {device['verdict']}, its exit code {exit_code} and not {expected}"
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
