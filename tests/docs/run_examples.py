#!/usr/bin/env python3
"""usage: run_examples.py PROGRAM REPOSITORY [--remake]

Runs each example of README.md and docs/*.md, a block of ```console below the line <!-- example -->, and holds what the
document shows against what the program prints. A line of three dots stands for any lines. In examples of a driver,
"<!-- example: lavapipe -->", figures may differ. "exit N" beside it is the exit code of its commands. The examples of
one document run one after the other, in one folder, as a reader would. --remake writes what is printed today in place
of what is shown and no longer printed: whole where all was shown, else as many lines, at the same places.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM, ROOT = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
REMAKE = "--remake" in sys.argv[3:]
EXAMPLE = re.compile(r"<!-- example(?::? ?([^>]*?))? -->\n```console\n(.*?)```", re.DOTALL)
FIGURE = re.compile(r"\d[\d.]*( [KMG]iB| ns| us| ms| s\b)?")


def commands_of(block):
    """[(command, lines shown)]"""
    commands = []
    for line in block.splitlines():
        if line.startswith("$ "):
            commands.append((line[2:], []))
        elif commands:
            commands[-1][1].append(line)
    return commands


def comparable(line, figures_may_differ):
    line = " ".join(line.split())
    return FIGURE.sub("#", line) if figures_may_differ else line


def first_difference(shown, printed, figures_may_differ):
    """The shown line that is not where it should be; None: all are."""
    at = 0
    anywhere = False
    for line in shown:
        if line.strip() == "...":
            anywhere = True
            continue
        wanted = comparable(line, figures_may_differ)
        if anywhere:
            while at < len(printed) and comparable(printed[at], figures_may_differ) != wanted:
                at += 1
        if at >= len(printed) or comparable(printed[at], figures_may_differ) != wanted:
            return line
        at += 1
        anywhere = False
    return None if anywhere or at == len(printed) else f"nothing more, but it printed: {printed[at]}"


def remade(shown, printed):
    """The lines to show of what is printed now. After three dots goes on what says the same but for its figures; None:
    nothing does."""
    if "..." not in map(str.strip, shown):
        return printed
    lines, at, anywhere = [], 0, False
    for line in shown:
        if line.strip() == "...":
            lines.append(line)
            anywhere = True
            continue
        if anywhere:
            wanted = comparable(line, True)
            at = next((i for i in range(at, len(printed)) if comparable(printed[i], True) == wanted), len(printed))
        if at == len(printed):
            return None
        lines.append(printed[at])
        at += 1
        anywhere = False
    return lines if anywhere else lines + printed[at:]


def run_document(document, folder):
    failures, examples = 0, 0
    for name in ("reports", "policies", "tests"):
        (folder / name).symlink_to(ROOT / name)
    environment = {**os.environ, "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
    text = document.read_text(encoding="utf-8")
    for marks, block in EXAMPLE.findall(text):
        expected = int(match[1]) if (match := re.search(r"exit (\d+)", marks)) else 0
        for command, shown in commands_of(block):
            examples += 1
            # As a terminal would show it: words, and both streams.
            result = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, text=True, check=False,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
            wrong = first_difference(shown, result.stdout.splitlines(), "lavapipe" in marks)
            if result.returncode == expected and wrong is None:
                continue
            if REMAKE and result.returncode == expected and (lines := remade(shown, result.stdout.splitlines())):
                old, new = ("\n".join([f"$ {command}", *those]) + "\n" for those in (shown, lines))
                text = text.replace(old, new)
                document.write_text(text, encoding="utf-8")
                continue
            failures += 1
            print(f"FAILED {document.name}: $ {command}\n  exit code {result.returncode}, expected {expected}\n"
                  f"  shown, but not printed: {wrong}\n  printed:\n{result.stdout}")
    return failures, examples


def try_the_check():
    """Whether a wrong example can fail."""
    printed = ["a 1", "b", "c"]
    good = [["a 1", "b", "c"], ["...", "c"], ["a 1", "..."], ["..."]]
    bad = [["a 2", "b", "c"], ["a 1", "b"], ["...", "b"], ["...", "d", "..."], ["c", "..."]]
    return (all(first_difference(shown, printed, False) is None for shown in good)
            and all(first_difference(shown, printed, False) is not None for shown in bad)
            and first_difference(bad[0], printed, True) is None
            and remade(["a 2", "..."], printed) == ["a 1", "..."] and remade(["...", "a 7", "b"], printed) == ["...", *printed]
            and remade([*printed, "d"], printed) == printed
            and remade(["...", "d"], printed) is None)


def main():
    if not try_the_check():
        print("FAILED: the comparison of lines")
        return 1
    failures = examples = 0
    for document in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        with tempfile.TemporaryDirectory() as folder:
            failed, ran = run_document(document, Path(folder))
            failures, examples = failures + failed, examples + ran
            if ran:
                print(f"{document.name}: {ran} commands, {failed} failed")
    if examples < 10:
        print(f"FAILED: {examples} examples were found")
        failures += 1
    return 1 if failures else 0


sys.exit(main())
