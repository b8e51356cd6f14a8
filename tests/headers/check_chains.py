#!/usr/bin/env python3
"""usage: check_chains.py SOURCE_FOLDER CHAINS_FILE HEADER...

Checks chains.py on trees made for it, and that each header of this build stands in one chain or is shown by its source.
Exit codes: 0 good, 1 otherwise.
"""

import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True
import chains  # noqa: E402 (beside this file)

failures = []


def expect(what, seen, wanted):
    if seen != wanted:
        failures.append(f"{what}: {seen}, not {wanted}")


def chains_of(files):
    """What chains.py writes for a tree of these headers."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            (root / name).write_text(text, encoding="utf-8")
        output = root / "chains.txt"
        headers = [name for name in files if name.endswith(".hpp")]
        expect("its exit code", chains.main([folder, "p", str(output), *headers]), 0)
        return [line.split() for line in output.read_text(encoding="utf-8").splitlines()]


GUARD = "// What it is for.\n#pragma once\n"
A = GUARD + "#include <vector>\nstruct A {};\n"
B = GUARD + '#include <string>\n\n#include "p/a.hpp"\nstruct B {};\n'
C = GUARD + '#include "p/b.hpp"\nstruct C {};\n'

expect("a chain of three", chains_of({"a.hpp": A, "b.hpp": B, "c.hpp": C}), [["a.hpp", "b.hpp", "c.hpp"]])
expect("an include through another one", chains_of({"a.hpp": A, "b.hpp": B, "c.hpp": C})[0][0], "a.hpp")
expect("headers that share nothing", chains_of({"a.hpp": A, "d.hpp": A}), [["a.hpp"], ["d.hpp"]])
expect("one that two others include stands before one of them alone",
       sorted(map(len, chains_of({"a.hpp": A, "b.hpp": B, "d.hpp": B}))), [1, 2])
expect("an include inside a condition",
       chains_of({"a.hpp": A, "b.hpp": GUARD + '#ifdef X\n#include "p/a.hpp"\n#endif\n'}), [["a.hpp"], ["b.hpp"]])
expect("an include behind a macro",
       chains_of({"a.hpp": A, "b.hpp": GUARD + '#define X 1\n#include "p/a.hpp"\n'}), [["a.hpp"], ["b.hpp"]])
expect("an include in a comment",
       chains_of({"a.hpp": A, "b.hpp": GUARD + '/* #include "p/a.hpp" */\n'}), [["a.hpp"], ["b.hpp"]])
expect("headers that include each other", sorted(chains_of({
    "a.hpp": GUARD + '#include "p/b.hpp"\n', "b.hpp": GUARD + '#include "p/a.hpp"\n'})[0]), ["a.hpp", "b.hpp"])

expect("one whose source includes it first", chains_of({"a.hpp": A, "a.cpp": '#include "p/a.hpp"\n'}), [])
expect("one whose source includes another first",
       chains_of({"a.hpp": A, "a.cpp": '#include <vector>\n#include "p/a.hpp"\n'}), [["a.hpp"]])
expect("a chain through one that its source shows",
       chains_of({"a.hpp": A, "b.hpp": B, "b.cpp": '#include "p/b.hpp"\n', "c.hpp": C}), [["a.hpp", "c.hpp"]])

source, chains_file, *headers = sys.argv[1:]
held = sorted(name for line in pathlib.Path(chains_file).read_text(encoding="utf-8").splitlines()
              for name in line.split())
src = pathlib.Path(source) / "src"
expect("the headers of this build", held,
       sorted(header for header in headers if not chains.is_shown_by_its_source(src, "heapwright", header)))

for failure in failures:
    print(f"check_chains: {failure}", file=sys.stderr)
sys.exit(1 if failures else 0)
