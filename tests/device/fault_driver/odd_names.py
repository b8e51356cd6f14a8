#!/usr/bin/env python3
"""usage: odd_names.py PROGRAM FAULT_DRIVER_ICD

A driver whose names hold line ends, workflow commands, escape sequences and what is no UTF-8, through every command that
shows them: no output for people has a control character but line ends and tabs, none is anything but UTF-8; no line is a
workflow command that heapwright did not write; JSON and XML are whole. Needs lavapipe's ICD manifest in HEAPWRIGHT_ICD_LAVAPIPE.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
from pathlib import Path

PROGRAM, ICD = sys.argv[1], sys.argv[2]
GOOD = os.environ["HEAPWRIGHT_ICD_LAVAPIPE"]
ODD = "vkGetPhysicalDeviceProperties@1+=odd-name;vkGetPhysicalDeviceProperties2@1+=odd-name;" \
      "vkGetPhysicalDeviceProperties2KHR@1+=odd-name"
# Control characters of C0 and C1, and those that turn the text around.
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
CONTROL_IN_JSON = re.compile("[\x00-\x08\x0b-\x1f]")  # JSON keeps all others as they are
OWN_COMMAND = re.compile(r"^::(error|warning|notice|group|endgroup)( [^:]*)?::")
failed = []


def check(good, what):
    if not good:
        failed.append(what)
        print(f"FAILED {what}", flush=True)


def run(*arguments, codes=(0, 1, 5), faults=ODD):
    environment = {**os.environ, "HEAPWRIGHT_FAULT_DRIVER": GOOD, "HEAPWRIGHT_FAULT": faults}
    words = [PROGRAM, *(str(argument) for argument in arguments)]
    result = subprocess.run(words, env=environment, capture_output=True, check=False, timeout=120)
    name = " ".join(word.split("/")[-1] for word in words[1:])
    check(result.returncode in codes, f"{name}: exit code {result.returncode}: {result.stderr[-300:]!r}")
    decoded(result.stderr, f"{name}, standard error")
    return decoded(result.stdout, f"{name}, standard output", control=CONTROL if "json" not in name.split()[-1]
                   else CONTROL_IN_JSON)


def decoded(output, what, control=CONTROL):
    try:
        text = output.decode("utf-8")
    except UnicodeDecodeError as error:
        check(False, f"{what}: {error}")
        return output.decode("utf-8", "replace")
    found = control.search(text)
    check(found is None, f"{what}: a control character: {text[max(0, found.start() - 40):found.end() + 20]!r}"
          if found else what)
    for line in text.splitlines():
        if line.lstrip().startswith(("::", "##[")):
            check(OWN_COMMAND.match(line) and not re.match(r"^::(error|warning)::(device|driver|info)", line),
                  f"{what}: a workflow command: {line!r}")
    return text


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        report, plain = folder / "report.json", folder / "plain.json"
        run("probe", "--api", "vulkan", "--icd", ICD, "--no-timing", "-o", report)
        run("probe", "--api", "vulkan", "--icd", ICD, "--no-timing", "-o", plain, faults="")
        document = json.loads(decoded(report.read_bytes(), "report.json", CONTROL_IN_JSON))
        identity = document["devices"][0]["identity"]
        check("::error::device" in identity["name"], f"the odd name is not in the report: {identity}")
        check("::error::driver" in identity["driver_name"], f"the odd driver's name is not in the report: {identity}")
        changed = folder / "changed.json"
        edited = report.read_text(encoding="utf-8").replace('"alignment_bytes": 16', '"alignment_bytes": 64')
        check(edited != report.read_text(encoding="utf-8"), "nothing to edit in the report")
        changed.write_text(edited, encoding="utf-8")

        run("probe", "--api", "vulkan", "--icd", ICD, "--no-timing", "--text", "-v")
        run("devices", "--api", "vulkan", "--icd", ICD, "--text")
        json.loads(run("devices", "--api", "vulkan", "--icd", ICD, "--json"))
        for pair in ((report, changed), (report, plain), (plain, report)):
            for form in ("text", "markdown", "github", "step-summary", "junit", "sarif", "json"):
                text = run("compare", *pair, "--format", form)
                if form in ("json", "sarif"):
                    json.loads(text)
                if form == "junit":
                    suites = xml.etree.ElementTree.fromstring(text)
                    check(next(suites.iter("testcase"), None) is not None, "a JUnit document without a test")
        run("compare", report, changed, "--write", f"junit={folder}/c.xml", "--write", f"markdown={folder}/c.md")
        xml.etree.ElementTree.parse(folder / "c.xml")
        decoded((folder / "c.md").read_bytes(), "comparison as Markdown")
        policy, validation = folder / "policy.json", folder / "validation.json"
        run("advise", report, "-w", "2d-ui", "-o", policy)
        run("explain", policy)
        run("validate", policy, "-w", "2d-ui", "--replay", report, "-o", validation, codes=(0, 1, 2, 4))
        run("validate", policy, "-w", "2d-ui", "--icd", ICD, "-o", validation, codes=(0, 1, 4, 5))
        run("report", report, "-o", folder / "page.html")
        decoded((folder / "page.html").read_bytes(), "page.html")
        # A crash that is told with the device's name.
        run("probe", "--api", "vulkan", "--icd", ICD, "--no-timing", "--text",
            faults=ODD + ";vkGetPhysicalDeviceMemoryProperties@1+=crash;vkGetPhysicalDeviceMemoryProperties2@1+=crash",
            codes=(0, 3, 5))
    print(f"{len(failed)} failed")
    return 1 if failed else 0


sys.exit(main())
