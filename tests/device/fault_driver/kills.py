#!/usr/bin/env python3
"""usage: kills.py PROGRAM FAULT_DRIVER_ICD COUNT [SEED]

Ends probes and runs at random moments, by KILL, QUIT, TERM, INT or a terminal that goes away, on a driver that is
healthy, hangs, spins or has started helpers: 2 s later none of their processes is left, every document is whole, and
none lies beside it that was being written.
Then the process between a probe and its worker alone is killed: what the driver had started ends with it.
Needs lavapipe's ICD manifest in HEAPWRIGHT_ICD_LAVAPIPE.
"""
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
LEFT_S = 2.0


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


def one(number, choice, folder):
    command = choice.choice(("probe", "run"))
    driver = choice.choice(sorted(DRIVERS))
    end = choice.choice(ENDS)
    delay_s = choice.uniform(0.02, 1.5)
    output = folder / str(number)
    arguments = [PROGRAM, command, "--api", "vulkan", "--icd", ICD, "--memory-limit", "128MiB", "-o", output]
    if command == "run":
        arguments += ["-w", "2d-ui", "--scale-to-fit"]
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
    documents = sorted(output.glob("*.json")) if output.is_dir() else [output] if output.exists() else []
    for document in documents:
        try:
            json.loads(document.read_text(encoding="utf-8"))
        except ValueError as error:
            wrong.append(f"{document.name} is no whole document: {error}")
    for place in [folder, output] if output.is_dir() else [folder]:
        for rest in place.glob("*.tmp"):
            wrong.append(f"{rest.name} is left")
            rest.unlink()
    for statement in wrong:
        print(f"FAILED {what}: {statement}", flush=True)
    return not wrong


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
        good = sum(one(number, choice, Path(name)) for number in range(COUNT))
        alone = supervisor_alone(Path(name))
    print(f"{good} of {COUNT} ended in order")
    return 0 if good == COUNT and alone else 1


sys.exit(main())
