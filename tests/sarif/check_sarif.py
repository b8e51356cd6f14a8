#!/usr/bin/env python3
"""usage: check_sarif.py HEAPWRIGHT SOURCE_FOLDER

Hands comparisons as SARIF to the validator of Microsoft's SARIF SDK (npm: @microsoft/sarif-multitool), which must have
neither an error nor a warning for them: every pair of committed reports of one API, both ways, hostile names of devices
and files, a strict comparison with an allow-list, and nothing that could be compared. Exit codes: 0 good, 1 not, 4 the
validator is not installed (scripts/setup installs it).
"""
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
SOURCE = pathlib.Path(sys.argv[2]).resolve()
PACKAGE = SOURCE / "tests/sarif/node_modules/@microsoft/sarif-multitool-linux"
EVIL = "::error::evil\n\r\x1b[31m\x07\x7f\u009b31m\ufffe\u202e\t##[error]{0} {x} [link](1) \"quoted\" \\ %41 "
KINDS = ["Sarif", "Sarif;Ghas"]


def compare(output, *arguments, codes=(0, 1)):
    result = subprocess.run([PROGRAM, "compare", "--no-impact", "-q", *arguments, "--write", b"sarif=" + os.fsencode(output)],
                            capture_output=True, check=False, cwd=output.parent)
    assert result.returncode in codes, f"compare {arguments}: {result.returncode}\n{result.stderr!r}"
    document = json.loads(output.read_bytes())
    assert document["version"] == "2.1.0", output
    return document["runs"][0]


def complaints(validator, kind, *files):
    """The lines of the validator's output that tell of an error or a warning."""
    result = subprocess.run([validator, "validate", *files, "--rule-kind", kind], capture_output=True, text=True, check=False,
                            env=dict(os.environ, DOTNET_SYSTEM_GLOBALIZATION_INVARIANT="1"), timeout=250)
    scanned = re.search(r"(\d+) files scanned", result.stdout)
    if not scanned or int(scanned[1]) != len(files):
        return [f"not all of {len(files)} files were read: {result.stdout[-2000:]}{result.stderr[-2000:]}"]
    return [line for line in result.stdout.splitlines() if re.search(r"\): (error|warning) ", line)]


def hostile(report, marker):
    device = report["devices"][0]
    for key in ("name", "driver_name", "driver_info", "driver_id", "api_version"):
        device["identity"][key] = EVIL + marker
    device["extensions"][0]["name"] = EVIL + marker
    device["limits"]["VkPhysicalDeviceLimits"][EVIL + marker] = 1
    report["failures"] = [{"driver": EVIL, "api": "vulkan", "last_call": EVIL, "reason": EVIL + marker}]
    return report


def write_comparisons(folder):
    reports = [file for file in sorted((SOURCE / "reports").glob("*.json")) if "validation" not in file.name]
    results = 0
    for index, (one, other) in enumerate(itertools.permutations(reports, 2)):
        run = compare(folder / f"pair-{index}.sarif", one, other)
        results += len(run["results"])
    compare(folder / "same.sarif", reports[0], reports[0], codes=(0,))
    compare(folder / "across.sarif", "--across", reports[0], reports[-1])
    text = reports[0].read_text(encoding="utf-8")
    names = [b"a:b c%#?.json", b"f\xff\n{0}.json"]
    for name, marker in zip(names, "ab"):
        with open(os.path.join(os.fsencode(folder), name), "w", encoding="utf-8") as file:
            json.dump(hostile(json.loads(text), marker), file)
    run = compare(folder / "hostile.sarif", *names)
    assert run["results"] and "%FF%0A%7B0%7D.json" in json.dumps(run["results"]), "no result of the hostile names"
    (folder / "allow.toml").write_text(
        '[[allow]]\npath = "/limits/**"\nreason = "{0} [accepted](1)"\n\n[[allow]]\npath = "/x"\nreason = "stale"\n')
    compare(folder / "strict.sarif", reports[0], reports[1], "--allow", "allow.toml", "--strict", "--fail-on",
            "/nothing/here")
    run = compare(folder / "nothing.sarif", reports[0], "missing.json", codes=(2,))
    assert not run["invocations"][0]["executionSuccessful"], run
    return results


def main():
    packed = PACKAGE / "Sarif.Multitool"
    if not packed.is_file():
        print(f"SKIP: the validator is not installed: {packed}")
        return 4
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        # npm runs no script of the package, so the program cannot be executed where it lies.
        validator = folder / "tool" / "Sarif.Multitool"
        validator.parent.mkdir()
        shutil.copyfile(packed, validator)
        validator.chmod(0o755)
        written = folder / "written"
        written.mkdir()
        results = write_comparisons(written)
        files = sorted(written.glob("*.sarif"))
        wrong = [line for kind in KINDS for line in complaints(validator, kind, *files)]
        # It sees what is wrong.
        broken = json.loads(files[0].read_text(encoding="utf-8"))
        broken["runs"][0]["results"] = [{"ruleId": "HW-NONE", "ruleIndex": 999, "message": {"text": "no such rule"}}]
        bad = folder / "broken.sarif"
        bad.write_text(json.dumps(broken), encoding="utf-8")
        if not complaints(validator, KINDS[0], bad):
            wrong.append("the validator finds nothing wrong with a broken file")
    for line in wrong:
        print(line[:600])
    print(f"{len(files)} files, {results} results of pairs, {len(wrong)} errors and warnings")
    return 1 if wrong else 0


sys.exit(main())
