#!/usr/bin/env python3
"""usage: check_shell_files.py --program FILE --shell-files DIR

The manual page and the completions against what the program's own --help says: each command and each option of it must
be in each file. The shells parse their files, bash completes with its one, and two readers of manual pages find no
fault.
"""
import argparse
import pathlib
import re
import subprocess
import sys

failures = []


def run(command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)


def expect(condition, message):
    if not condition:
        failures.append(message)


def names_in_help(text):
    """Options of a --help text: those that begin a line, with their other names."""
    names = set()
    for line in text.splitlines():
        match = re.match(r"\s+(-{1,2}[A-Za-z][\w-]*(?:,-{1,2}[A-Za-z][\w-]*)*)", line)
        if match:
            names.update(match.group(1).split(","))
    return names


def commands_below(program, *words):
    """The commands that --help lists below these words, and those below them: lists of words."""
    text = run([program, *words, "--help"]).stdout
    found = []
    parts = re.split(r"^Subcommands:$", text, flags=re.MULTILINE | re.IGNORECASE)
    if len(parts) < 2:
        return found
    for line in parts[1].splitlines()[1:]:
        match = re.match(r"  ([a-z][a-z-]*)\s", line)
        if match:
            found.append([*words, match.group(1)])
            found += commands_below(program, *words, match.group(1))
        elif line.strip() == "" and found:
            break
    return found


def section(text, start, end):
    """What stands between a line that matches `start` and the next that matches `end`."""
    found = re.search(start, text, re.MULTILINE)
    if not found:
        return ""
    rest = text[found.end():]
    stop = re.search(end, rest, re.MULTILINE)
    return rest[:stop.start()] if stop else rest


def check_content(program, folder):
    files = {
        "man": (folder / "heapwright.1").read_text(),
        "bash": (folder / "heapwright.bash").read_text(),
        "zsh": (folder / "_heapwright").read_text(),
        "fish": (folder / "heapwright.fish").read_text(),
    }
    top = run([program, "--help"]).stdout
    commands = commands_below(program)
    expect(len(commands) >= 9, f"--help lists too few commands: {commands}")
    checked = 0
    for words in commands:
        command = " ".join(words)
        in_man = command.replace("-", r"\-")
        zsh_indent = " " * (8 + 8 * len(words))
        fish = "; and ".join(f"__fish_seen_subcommand_from {word}" for word in words)
        parts = {
            "man": section(files["man"], rf"^\.SS {re.escape(in_man)}$", r"^\.S[SH] "),
            "bash": section(files["bash"], rf"^        '{command}'\)$", r"^            ;;$"),
            "zsh": section(files["zsh"], rf"^{zsh_indent}{words[-1]}\)$", rf"^{zsh_indent}    ;;$"),
            "fish": "\n".join(line for line in files["fish"].splitlines() if f" -n '{fish}' " in line),
        }
        options = names_in_help(run([program, *words, "--help"]).stdout)
        expect("--help" in options, f"{command} --help lists no --help")
        for name in options:
            dashed = name.replace("-", r"\-")
            bare = name.lstrip("-")
            flag = "-l" if name.startswith("--") else "-s"
            checked += 1
            expect(re.search(rf"\\fB{re.escape(dashed)}\\fR", parts["man"]), f"man: {command} {name}")
            expect(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", parts["bash"]), f"bash: {command} {name}")
            expect(f"'{name}[" in parts["zsh"] or f"'*{name}[" in parts["zsh"], f"zsh: {command} {name}")
            expect(re.search(rf" {flag} {re.escape(bare)} ", parts["fish"]), f"fish: {command} {name}")
    for name in names_in_help(top):
        expect(name in files["man"].replace("\\-", "-"), f"man: {name}")
        expect(name in files["bash"], f"bash: {name}")
        expect(name in files["zsh"], f"zsh: {name}")
    print(f"{len(commands)} commands, {checked} options in four files")
    for hidden in ("worker", "generate"):
        for kind, text in files.items():
            expect(not re.search(rf"^(\.SS |        '?|                ){hidden}('?\)|$)", text, re.MULTILINE),
                   f"{kind}: the hidden command {hidden}")
    return commands


def check_syntax(folder):
    for shell, name in (("bash", "heapwright.bash"), ("zsh", "_heapwright"), ("fish", "heapwright.fish")):
        result = run([shell, "-n", folder / name])
        expect(result.returncode == 0, f"{shell} -n: {result.stderr}")
        print(f"{shell} -n: {result.returncode}")
    lint = run(["mandoc", "-Tlint", "-Wwarning", folder / "heapwright.1"])
    expect(lint.returncode == 0 and not lint.stdout, f"mandoc -Tlint: {lint.stdout}{lint.stderr}")
    groff = run(["groff", "-man", "-Tutf8", "-ww", "-z", folder / "heapwright.1"])
    expect(groff.returncode == 0 and not groff.stderr, f"groff -ww: {groff.stderr}")
    print(f"mandoc -Tlint: {lint.returncode}, groff -ww: {groff.returncode}")


def completions(folder, *words):
    """What bash offers after these words; the last is being typed."""
    script = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); _heapwright; '
              'printf "%s\\n" "${COMPREPLY[@]}"')
    result = run(["bash", "-c", script, "bash", folder / "heapwright.bash", *words], cwd=folder)
    expect(result.returncode == 0, f"bash completion of {words}: {result.stderr}")
    return result.stdout.split()


def check_completion(folder, commands):
    top = sorted(words[0] for words in commands if len(words) == 1)
    expect(sorted(completions(folder, "heapwright", "")) == top, "bash does not offer the commands")
    expect(completions(folder, "heapwright", "expor") == ["export"], "bash: expor")
    expect("--target" in completions(folder, "heapwright", "export", "--"), "bash: export --")
    targets = completions(folder, "heapwright", "export", "--target", "v")
    expect(sorted(targets) == ["vkd3d-proton", "vma", "vulkano"], f"bash: export --target v: {targets}")
    expect(completions(folder, "heapwright", "probe", "--api", "v") == ["vulkan"], "bash: probe --api v")
    schemas = completions(folder, "heapwright", "schema", "p")
    expect(schemas == ["policy"], f"bash: schema p: {schemas}")
    expect("heapwright.1" in completions(folder, "heapwright", "explain", "heapwright."), "bash: files")
    expect("heapwright.1" in completions(folder, "heapwright", "advise", "-o", "heapwright."), "bash: files after -o")
    print("bash completes commands, options, values and files")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--shell-files", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    arguments.shell_files = arguments.shell_files.resolve()
    commands = check_content(arguments.program, arguments.shell_files)
    check_syntax(arguments.shell_files)
    check_completion(arguments.shell_files, commands)
    for failure in failures:
        print(f"FAILED: {failure}")
    sys.exit(1 if failures else 0)


main()
