#!/usr/bin/env python3
"""usage: kills.py PROGRAM FAULT_DRIVER_ICD COUNT [SEED]

Ends probes, validations, runs and comparisons at random moments, by KILL, QUIT, TERM, INT or a terminal that goes away,
on a driver that is healthy, hangs, spins or has started helpers: 2 s later none of their processes is left, every
document is whole, an older one too that was to be replaced, and no other file lies beside it, hidden or not.
Then the process between a probe and its worker alone is killed: what the driver had started ends with it.
Needs lavapipe's ICD manifest in HEAPWRIGHT_ICD_LAVAPIPE.
"""
import collections
import json
import os
import pty
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAM, ICD, COUNT = sys.argv[1], sys.argv[2], int(sys.argv[3])
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 1
GOOD = os.environ["HEAPWRIGHT_ICD_LAVAPIPE"]
MARK = "HEAPWRIGHT_KILL_TEST"
HELPERS = "vkCreateInstance@1=fork;vkEnumeratePhysicalDevices@1=leave"
DRIVERS = {"healthy": "", "hangs": "*@3000+=hang", "spins": "*@3000+=spin", "has helpers": HELPERS,
           "has helpers and hangs": f"{HELPERS};*@3000+=hang"}
ENDS = ("KILL", "QUIT", "TERM", "INT", "terminal")
COMMANDS = ("probe", "validate", "run", "compare")
DOCUMENTS = ("report", "policy", "validation")
LEFT_S = 20.0  # what is left then would stay: a busy machine takes seconds to end a process


def alive(mark):
    """Processes of this try, by what their environment says, zombies left out."""
    wanted = f"{MARK}={mark}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if wanted in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def arguments_of(command, inputs, output):
    report, policy = inputs / "report.json", inputs / "policy.json"
    if command == "compare":
        return [PROGRAM, command, report, inputs / "other.json", "-f", "json", "-o", output]
    arguments = [PROGRAM, command, *([policy] if command == "validate" else ["--api", "vulkan"]), "--icd", ICD,
                 "--memory-limit", "128MiB", "-o", output]
    return arguments + ([] if command == "probe" else ["-w", "2d-ui", "--scale-to-fit"])


def prepare(inputs):
    """A report, its policy, and a report that differs."""
    inputs.mkdir()
    report, policy = inputs / "report.json", inputs / "policy.json"
    for words in (["probe", "--api", "vulkan", "--icd", GOOD, "--memory-limit", "128MiB", "-q", "-o", report],
                  ["advise", report, "-w", "2d-ui", "-q", "-o", policy]):
        subprocess.run([PROGRAM, *words], check=True)
    other = json.loads(report.read_text(encoding="utf-8"))
    for heap in other["devices"][0]["heaps"]:
        heap["size_bytes"] //= 2
    (inputs / "other.json").write_text(json.dumps(other), encoding="utf-8")


def documents_in(output, command):
    return [output / f"{name}.json" for name in DOCUMENTS] if command == "run" else [output]


def is_document(path, documents):
    """Those that `run` found in its folder it keeps under another name."""
    return str(path).removesuffix(".previous") in map(str, documents)


def one(number, choice, inputs, folder):
    command = choice.choice(COMMANDS)
    driver = choice.choice(sorted(DRIVERS))
    end = choice.choice(ENDS)
    delay_s = choice.uniform(0.02, 1.5)
    folder.mkdir()
    output = folder / "output"
    arguments = arguments_of(command, inputs, output)
    documents = documents_in(output, command)
    if choice.choice((False, True)):
        if command == "run":
            output.mkdir()
        for document in documents:
            document.write_text(json.dumps("older"), encoding="utf-8")
    mark = f"{os.getpid()}-{number}"
    environment = {**os.environ, "HEAPWRIGHT_FAULT_DRIVER": GOOD, "HEAPWRIGHT_FAULT": DRIVERS[driver], MARK: mark}
    master, slave = pty.openpty()
    process = subprocess.Popen([str(word) for word in arguments], env=environment, stdin=slave, stdout=slave,
                               stderr=slave, start_new_session=True,
                               preexec_fn=lambda: __import__("fcntl").ioctl(0, __import__("termios").TIOCSCTTY, 0))
    os.close(slave)
    time.sleep(delay_s)
    if end == "terminal":
        os.close(master)
        master = -1
    else:
        process.send_signal(getattr(signal, f"SIG{end}"))
    deadline = time.monotonic() + LEFT_S
    left = [process.pid]
    while left and time.monotonic() < deadline:
        process.poll()
        left = alive(mark)
        time.sleep(0.02)
    what = f"{command}, the driver {driver}, {end} after {delay_s:.2f} s"
    wrong = []
    if left:
        wrong.append(f"{len(left)} processes are left: {left}")
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
    process.wait()
    if master >= 0:
        os.close(master)
    for path in folder.rglob("*"):
        if is_document(path, documents):
            try:
                json.loads(path.read_text(encoding="utf-8"))
            except ValueError as error:
                wrong.append(f"{path.name} is no whole document: {error}")
        elif not (path == output and path.is_dir()):
            wrong.append(f"{path.name} is left")
    for statement in wrong:
        print(f"FAILED {what}: {statement}", flush=True)
    return command, not wrong


def gone_within(pids, mark):
    deadline = time.monotonic() + LEFT_S
    while pids & set(alive(mark)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not pids & set(alive(mark))


def supervisor_alone(folder):
    """The driver hangs with two helpers, one in a session of its own, and the probe lives on."""
    mark = f"{os.getpid()}-supervisor"
    environment = {**os.environ, "HEAPWRIGHT_FAULT_DRIVER": GOOD, "HEAPWRIGHT_FAULT": DRIVERS["has helpers and hangs"],
                   MARK: mark}
    process = subprocess.Popen([PROGRAM, "probe", "--api", "vulkan", "--icd", ICD, "-q", "-o", str(folder / "alone.json")],
                               env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 20
    while len(alive(mark)) < 5 and time.monotonic() < deadline:
        time.sleep(0.02)
    started = set(alive(mark)) - {process.pid}
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="utf-8").split()
    os.kill(int(children[0]), signal.SIGKILL)
    good = len(started) == 4 and gone_within(started, mark)
    if not good:
        print(f"FAILED the supervisor alone was killed: of {started} there is left {started & set(alive(mark))}", flush=True)
    process.kill()
    process.wait()
    for pid in set(alive(mark)) if not gone_within(set(alive(mark)), mark) else ():
        os.kill(pid, signal.SIGKILL)
    return good


def main():
    choice = random.Random(SEED)
    with tempfile.TemporaryDirectory() as name:
        inputs = Path(name) / "inputs"
        prepare(inputs)
        ended = collections.Counter(one(number, choice, inputs, Path(name) / str(number)) for number in range(COUNT))
        alone = supervisor_alone(Path(name))
    good = sum(ended[command, True] for command in COMMANDS)
    print(f"{good} of {COUNT} ended in order:",
          ", ".join(f"{command} {ended[command, True]} of {ended[command, True] + ended[command, False]}"
                    for command in COMMANDS))
    return 0 if good == COUNT and alone else 1


sys.exit(main())
