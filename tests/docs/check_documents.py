#!/usr/bin/env python3
"""usage: check_documents.py PROGRAM REPOSITORY

What is committed of real runs is as scripts/remake-documents makes it today. In a copy with one number changed in each
kind of document the check names just those.
"""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM, ROOT = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
SET = "lavapipe-mesa-22.3.6"


def complaints(root):
    result = subprocess.run([root / "scripts/remake-documents", "--check", "--program", PROGRAM], text=True, check=False,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    lines = result.stdout.splitlines()
    return lines if result.returncode == (1 if lines else 0) else [*lines, f"exit code {result.returncode}"]


def change(path, pattern, replacement):
    text, count = re.subn(pattern, replacement, path.read_text(encoding="utf-8"), count=1)
    assert count == 1, path
    path.write_text(text, encoding="utf-8")


def complaints_of_changes():
    """(what the check says of the changed copy, what it should say)"""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        for folder in ("reports", "policies", "docs"):
            shutil.copytree(ROOT / folder, root / folder)
        (root / "scripts").mkdir()
        shutil.copy(ROOT / "scripts/remake-documents", root / "scripts")
        policy, validation = f"policies/{SET}-desktop-app.json", f"reports/{SET}-validation.json"
        change(root / policy, r'("frame_budget_ns": \D*)\d+', r"\g<1>77")
        change(root / validation, r'("worst_frame_ns": )\d+', r"\g<1>77")
        change(root / "docs/results.md", r"(\n\| general-engine \| )", r"\g<1>77")
        with (root / "docs/images/side-by-side.png").open("ab") as picture:
            picture.write(b"x")
        return complaints(root), [f"{policy}: advise makes another policy today",
                                  f"{validation}: validates another policy than the one that is committed",
                                  "docs/results.md: other figures than those of the validations",
                                  "docs/results.md: what-if says something else of general-engine on NVIDIA H100 80GB HBM3",
                                  "docs/images/side-by-side.png: made with another docs/images/side-by-side.png",
                                  f"docs/images/index.png: made with another {policy}",
                                  f"docs/images/index.png: made with another {validation}"]


found = complaints(ROOT)
print("\n".join(found))
seen, wanted = complaints_of_changes()
missing = [line for line in wanted if line not in seen]
unasked = [line for line in seen if line not in wanted + found]
print(f"{len(found)} stale; of changes {len(missing)} were missed {missing}, {len(unasked)} made up {unasked}")
sys.exit(1 if found or missing or unasked else 0)
