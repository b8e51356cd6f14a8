#!/usr/bin/env python3
"""usage: check_screens.py PROGRAM REPOSITORY

Runs every command in a pseudo terminal of 24 lines and 100 columns: what it answers for one device must fit, the
prompt after it included. In a pipe the same command gives its document; -v gives more; colour stands where it may.
Needs lavapipe's ICD manifest in HEAPWRIGHT_ICD_LAVAPIPE.
"""
import fcntl
import json
import os
import pty
import re
import select
import shlex
import struct
import subprocess
import sys
import tempfile
import termios
import threading
from pathlib import Path

LINES, COLUMNS = 24, 100
ESCAPE = re.compile(r"\x1b\[[0-9;]*[mK]")
PROGRAM, ROOT = sys.argv[1], Path(sys.argv[2])
failures = []


def expect(condition, message):
    if not condition:
        failures.append(message)
        print(f"FAILED: {message}")


def on_terminal(arguments, environment=None):
    """Standard output in the terminal, standard error beside it; the text as the terminal got it, and the exit code."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    settings = {**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8", **(environment or {})}
    process = subprocess.Popen([PROGRAM, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=slave,
                               stderr=subprocess.PIPE, env=settings)
    parts = []
    reader = threading.Thread(target=lambda: parts.append(process.stderr.read()))
    reader.start()
    # This side keeps the terminal open: the last one that closes it takes with it what was not read yet.
    text = b""
    ended = False
    while True:
        readable, _, _ = select.select([master], [], [], 0.1)
        if readable:
            text += os.read(master, 65536)
        elif ended:
            break
        else:
            ended = process.poll() is not None
    reader.join()
    os.close(slave)
    os.close(master)
    return text.decode().replace("\r\n", "\n"), parts[0].decode(), process.wait()


def in_pipe(arguments):
    result = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False,
                            stdin=subprocess.DEVNULL)
    return result.stdout, result.returncode


def check_screen(arguments, *, code=0, words=()):
    text, complaint, seen = on_terminal(arguments)
    name = " ".join(map(str, arguments))
    plain = ESCAPE.sub("", text)
    lines = (plain + complaint).splitlines()
    print(f"--- {name}: {len(lines)} lines")
    expect(seen == code, f"{name}: exit code {seen}, expected {code}: {complaint}")
    # The command to run next is whole, and may take several lines of the terminal.
    rows = sum(max(1, -(-len(line) // COLUMNS)) for line in lines)
    expect(0 < rows < LINES, f"{name}: {rows} lines do not fit {LINES} with a prompt\n{plain}{complaint}")
    for line in lines:
        expect(len(line) <= COLUMNS or line.startswith("Next: "), f"{name}: {len(line)} columns: {line}")
    for word in words:
        expect(word in plain, f"{name}: no word of {word!r} in\n{plain}")
    return text


def main():
    icd = os.environ["HEAPWRIGHT_ICD_LAVAPIPE"]
    report = ROOT / "reports" / "nvidia-h100-580.159.04-vulkan.json"
    older, newer = (ROOT / "reports" / f"radv-navi10-mesa-{version}.json" for version in ("22.3.6", "25.0.7"))
    policy = ROOT / "policies" / "nvidia-h100-580.159.04-vulkan-general-engine.json"
    vulkan = ["--api", "vulkan", "--icd", icd]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)

        check_screen([], words=["heapwright run"])
        check_screen(["devices", "--icd", icd], words=["llvmpipe", "10005:0000", "--device"])
        check_screen(["probe", *vulkan, "--no-timing"], words=["no answer breaks", "device local", "aligned to"])
        check_screen(["probe", *vulkan, "--no-timing", "-o", folder / "probed.json"], words=["Next: heapwright advise"])
        check_screen(["advise", report], words=["the workload fits", "chunks of", "Humongous", "% waste"])
        check_screen(["advise", report, "-o", folder / "policy.json"], words=["Next: heapwright validate"])
        deep = folder / ("a folder of a long name " * 5)
        deep.mkdir()
        for end in ("one.json", "another.json"):
            check_screen(["advise", report, "-o", deep / end], words=[f"Next: heapwright validate {shlex.quote(str(deep / end))}"])
        check_screen(["validate", policy, "--replay", report, "--scenario", "mixed-workload", "--scenario", "upload"],
                     words=["replayed", "byte by byte", "Worst frame"])
        run = check_screen(["run", "--icd", icd, "-w", "desktop-app", "--scenario", "mixed-workload", "--baselines",
                            "--allow-broken-promises", "-o", folder / "results"],
                           words=["validated", "promised", "chunks of", "vma-default", "Next: heapwright report"])
        expect("\u2713" in run and "\x1b[32m" in run, f"run: neither a mark nor colour in {run!r}")
        check_screen(["explain", policy], words=["chunk size: ", "--why"])
        check_screen(["compare", older, newer], code=1, words=["regressed", "(-v)"])
        check_screen(["compare", report, report])
        check_screen(["export", policy, "-t", "vma", "-o", folder / "vma.hpp"][:6])
        check_screen(["export", "--list"])
        check_screen(["import", ROOT / "tests/golden/import/input/intel-b580-anv.38827.json"])
        check_screen(["workload"], words=["general-engine"])
        check_screen(["workload", "--show", "general-engine"], words=["BC7_UNORM_BLOCK"])
        check_screen(["workload", "--check", "general-engine"], words=["good"])
        for schema in ("report", "workload", "policy", "validation", "comparison", "what-if"):
            check_screen(["schema", schema], words=["--json", "-v"])
            every, _, _ = on_terminal(["schema", schema, "-v"])
            for line in every.splitlines():
                expect(len(line) <= COLUMNS, f"schema {schema} -v: {len(line)} columns: {line}")
        check_screen(["schema", "policy"], words=["Where resources live"])
        check_screen(["report", report], code=2, words=[])
        check_screen(["store", "add", folder / "reports.db", report])
        check_screen(["store", "query", folder / "reports.db"], words=["NVIDIA H100"])

        # The same commands for programs.
        for arguments in (["devices", "--icd", icd], ["advise", report], ["schema", "policy"],
                          ["workload", "--show", "2d-ui"], ["probe", *vulkan, "--no-timing"]):
            text, code = in_pipe(arguments)
            expect(code == 0 and isinstance(json.loads(text), dict), f"{arguments}: no JSON in a pipe")
            words, _ = in_pipe([*arguments, "--text"])
            expect(0 < len(words.splitlines()) < LINES, f"{arguments} --text: {words}")
        for arguments in (["explain", policy], ["workload"], ["workload", "--check", "2d-ui"],
                          ["compare", report, report], ["export", policy, "-t", "vma"], ["schema", "report"],
                          ["store", "query", folder / "reports.db"]):
            text, code = in_pipe([*arguments, "--json"])
            expect(code == 0 and isinstance(json.loads(text), dict), f"{arguments} --json: no JSON: {text[:200]}")
        header, _ = in_pipe(["export", policy, "-t", "vma"])
        expect(len(header.splitlines()) <= 90, f"the VMA header has {len(header.splitlines())} lines")

        # More where it is asked for, colour where it may be.
        short, _, _ = on_terminal(["explain", policy])
        full, _, _ = on_terminal(["explain", policy, "-v"])
        expect(len(full) > 2 * len(short), "explain -v says no more than explain")
        plain, _, _ = on_terminal(["advise", report], {"NO_COLOR": "1"})
        expect("\x1b" not in plain, "NO_COLOR is not kept")
        plain, _, _ = on_terminal(["advise", report], {"TERM": "dumb", "LC_ALL": "C"})
        expect("\x1b" not in plain and "\u2713" not in plain and "ok: " in plain, f"a dumb terminal got {plain!r}")
        coloured, _ = in_pipe(["advise", report, "--text", "--colour", "always"])
        expect("\x1b[32m" in coloured, "--colour always gives none")

        # Help, and the nearest word.
        helped, code = in_pipe(["help", "advise"])
        expect(code == 0 and "--strict" in helped, "help advise shows no options")
        for wrong, nearest in ((["advice"], '"advise"'), (["advise", report, "--stric"], '"--strict"')):
            _, complaint, code = on_terminal(wrong)
            expect(code == 2 and nearest in complaint, f"{wrong}: {code}: {complaint}")
    print(f"{len(failures)} failed")
    sys.exit(1 if failures else 0)


main()
