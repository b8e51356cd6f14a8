#!/usr/bin/env python3
"""usage: check_test_summary.py REPOSITORY

Gives scripts/lib/test-summary results of every kind, one at a time and together, and expects its last line and code.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

repository = Path(sys.argv[1])
checks = failures = 0

PASSED = '<testcase name="{}" status="run"><system-out>1 skipped</system-out></testcase>'
SKIPPED = '<testcase name="{}" status="notrun"><skipped message="SKIP_RETURN_CODE=4"/></testcase>'
FAILED = '<testcase name="{}" status="fail"><failure message="Timeout"/></testcase>'
ABSENT = '<testcase name="{}" status="notrun"><skipped message="Unable to find executable"/></testcase>'


def expect(name, exit_code, last_line, named, cases, partly=(), hardware=()):
    """cases: test name to form. named: texts that the output says too."""
    global checks, failures
    checks += 1
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        body = "".join(form.format(test) for test, form in cases.items())
        (folder / "ctest.xml").write_text(f"<testsuite>{body}</testsuite>")
        (folder / "tests.json").write_text(json.dumps({"tests": [
            {"name": test, "properties": [{"name": "LABELS", "value": ["hardware" if test in hardware else "unit"]}]}
            for test in cases]}))
        for test in cases:
            count = 2 if test in partly else 0
            (folder / f"{test}.xml").write_text(f'<testsuites><testsuite name="x" skipped="{count}"/></testsuites>')
        run = subprocess.run([repository / "scripts/lib/test-summary", folder / "ctest.xml", folder / "tests.json", folder],
                             text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if (run.returncode != exit_code or run.stdout.splitlines()[-1:] != [last_line]
            or any(text not in run.stdout for text in named)):
        print(f"FAILED {name}: exit code {run.returncode} (expected {exit_code}), output:\n{run.stdout}"
              f"(expected last: {last_line}, and in it: {named})")
        failures += 1


expect("all passed", 0, "2 passed, 0 failed", [], {"a": PASSED, "b": PASSED})
expect("nothing ran", 1, "0 passed, 0 failed", [], {})
expect("one failed", 1, "1 passed, 1 failed", ["b: Timeout"], {"a": PASSED, "b": FAILED})
expect("a program that is not there", 1, "1 passed, 1 failed", ["b: Unable to find executable"],
       {"a": PASSED, "b": ABSENT})
expect("one skipped", 1, "1 passed, 1 failed", ["although", "\n  b"], {"a": PASSED, "b": SKIPPED})
expect("one skipped for want of hardware", 0, "1 passed, 0 failed, 1 skipped", [], {"a": PASSED, "b": SKIPPED},
       hardware=["b"])
expect("only skipped", 1, "0 passed, 0 failed, 1 skipped", [], {"b": SKIPPED}, hardware=["b"])
expect("one skipped in part", 1, "1 passed, 1 failed", ["although", "\n  b"], {"a": PASSED, "b": PASSED}, partly=["b"])
expect("one skipped in part for want of hardware", 0, "2 passed, 0 failed", [], {"a": PASSED, "b": PASSED}, partly=["b"],
       hardware=["b"])
expect("all together", 1, "1 passed, 3 failed, 1 skipped", ["b: Timeout", "\n  c", "\n  d"],
       {"a": PASSED, "b": FAILED, "c": SKIPPED, "d": PASSED, "e": SKIPPED}, partly=["d"], hardware=["e"])

print(f"{checks} checks, {failures} failed")
sys.exit(1 if failures else 0)
