#!/usr/bin/env python3
"""Explanations are for people: nothing outside the rendering reads them to decide.

Usage: check_readers.py ROOT [--compiler CXX --include FOLDER...]

Three proofs, and each is first shown to fail where it has to:
- the compiler refuses the words of a claim where HEAPWRIGHT_SHOWS_WORDS is not defined (heapwright/model/claim_text.hpp), and
  what a claim holds everywhere;
- only the modules that show or encode words define it;
- no source outside the rendering searches or compares what a person is to read.
Exit code 0: all hold; 1: named what does not; 2: the usage or the tree is wrong.
"""
import argparse
import pathlib
import re
import subprocess
import sys

MARK = "HEAPWRIGHT_SHOWS_WORDS"
READERS = {"model", "render", "export", "loader"}  # the codec, the screens and the page, files and the C library for people

# Members that hold text for people.
TEXT = r"(?:reason|statement|note|explanation|message|shown_by|disturbed|unsettled|diagnostics|warning|warnings)s?"
SEARCH = r"(?:find\w*|rfind|contains|starts_with|ends_with|compare|substr|erase|replace)"
CPP_RULES = [
    ("searches a text for people", re.compile(rf"\b{TEXT}(?:\(\)|\[[^\]]*\])?(?:\.|->)(?:front\(\)\.|back\(\)\.)?{SEARCH}\(")),
    ("compares a text for people", re.compile(rf"(?:\.|->){TEXT}(?:\(\))?\s*[!=]=\s*[^=]")),
    ("compares a text for people", re.compile(rf"\"\s*[!=]=\s*\w+(?:\.|->){TEXT}\b")),
    ("matches a text for people", re.compile(rf"regex_(?:search|match|replace)\([^;]*\b{TEXT}\b")),
    ("reads the path of an input", re.compile(r"\binputs?(?:\[[^\]]*\]|\.front\(\)|\.back\(\))?(?:\.|->)(?:path|value)\s*(?:\.|[!=]=)")),
]
JS_TEXT = r"(?:reason|statement|note|explanation|path|warning|shown_by|alternatives|inputs)"
JS_RULES = [
    ("searches a text for people", re.compile(rf"\.{JS_TEXT}\??\.(?:replace|replaceAll|match|matchAll|search|includes|indexOf|startsWith|endsWith|split|slice|substring)\(")),
    ("compares a text for people", re.compile(rf"\.{JS_TEXT}\s*[!=]==?\s")),
    ("matches a text for people", re.compile(rf"\.(?:test|exec)\([^)]*\.{JS_TEXT}\b")),
    ("searches a text for people", re.compile(rf"\b(?:reason|statement|warning)\.(?:replace|match|search|includes|indexOf|startsWith|endsWith|split)\(")),
]
# What is no explanation although it looks like one, or is another program's text.
EXCEPTIONS = {
    "src/isolate/target_run.cpp": "what a driver printed before it died",
}


def complaints(name, text):
    """What a source does that only rendering may. `name` is relative to the root, with forward slashes."""
    if name in EXCEPTIONS:
        return []
    script = name.endswith((".js", ".mjs"))
    if not script and name.startswith(("src/render/", "src/model/detail/")):
        return []
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        code = re.sub(r"(?<!:)//.*", "", line)
        for what, rule in JS_RULES if script else CPP_RULES:
            if rule.search(code):
                found.append(f"{name}:{number}: {what}: {line.strip()}")
                break
    return found


def sources(root):
    for folder, suffixes in (("src", {".cpp", ".hpp", ".h"}), ("src/page/src", {".js"})):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in suffixes and "node_modules" not in path.parts:
                yield path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")


def marked_modules(root):
    """The modules that define the mark, and where else it is defined: a source must not lift it for itself."""
    modules, elsewhere = set(), []
    for path in sorted((root / "src").rglob("*")):
        if path.name == "CMakeLists.txt" and MARK in path.read_text(encoding="utf-8"):
            modules.add(path.parent.name)
        if path.suffix in {".cpp", ".hpp", ".h"} and re.search(rf"#\s*define\s+{MARK}", path.read_text(encoding="utf-8")):
            elsewhere.append(path.relative_to(root).as_posix())
    return modules, elsewhere


# Each of these lines is a reader that was once in the product, or could be.
PLANTED = {
    "src/loader/a.cpp": "if (scenario.reason.find(\"memory\") != std::string::npos) skip();",
    "src/cli/b.cpp": "if (warning.ends_with(command)) print(warning);",
    "src/validate/c.cpp": "if (result.statement == \"not measured\") return;",
    "src/export/d.cpp": "if (why.inputs.front().path.find(\"/heap_budgets/\") != npos) use(input.value);",
    "src/compare/e.cpp": "if (std::regex_search(change.reason, kNoise)) continue;",
    "src/page/src/f.js": "const rest = validation.reason.replace(/^every check passed[: ]*/, \"\");",
    "src/page/src/g.js": "if (value.path.endsWith(\"frame_budget_ns\")) budgets.add(value.value);",
    "src/page/src/h.js": "const rest = reason.replace(/^every check passed[: ]*/, \"\");",
    "src/page/src/i.js": "if (/too large/.test(finding.statement)) mark();",
}
HARMLESS = {
    "src/render/explain.cpp": "if (why.reason.starts_with(\"a\")) text += 'x';",
    "src/loader/a.cpp": "result.reason = fmt::format(\"{}\", reason); // reason.find(x)",
    "src/page/src/f.js": "h(\"li\", null, `${run.name}: ${run.reason}`)",
}

SHARED = '#include "heapwright/model/policy.hpp"\nusing namespace heapwright::model;\n'
ACCEPTED = SHARED + """
HeapPolicy copy(const HeapPolicy& heap) { HeapPolicy other = heap; other.usable_bytes.value /= 2; return other; }
Decided<int> make() { return because(1, {.reason = "said", .inputs = {}, .alternatives = {}}); }
"""
WORDS = SHARED + """#include "model/claim_words.hpp"
bool read(const HeapPolicy& heap) { return text_of(heap.usable_bytes.why.reason).empty(); }
"""
REFUSED = {
    "what a claim holds": SHARED
    + "bool read(const HeapPolicy& heap) { return heap.parts.why.reason.claims().front().figures_.empty(); }\n",
    "which claim it is": SHARED
    + "bool read(const HeapPolicy& heap) { return heap.parts.why.reason.claims().front().id_ == ClaimId{}; }\n",
    "the words of a claim": WORDS,
}


def compiles(compiler, includes, text, *flags):
    command = [compiler, "-std=c++20", "-fsyntax-only", *flags]
    command += [f"-I{folder}" for folder in includes] + ["-x", "c++", "-"]
    run = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    return run.returncode == 0, run.stderr


def check_compiler(compiler, includes):
    failures = []
    good, text = compiles(compiler, includes, ACCEPTED)
    if not good:
        failures.append(f"copying and making decisions is refused:\n{text}")
    for what, program in REFUSED.items():
        good, text = compiles(compiler, includes, program)
        if good or not ("are for people" in text or "is private" in text):
            failures.append(f"{what} can be read without {MARK}\n{text}")
    good, text = compiles(compiler, includes, WORDS, f"-D{MARK}")
    if not good:
        failures.append(f"the words of a claim cannot be read even with {MARK}:\n{text}")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--compiler")
    parser.add_argument("--include", action="append", default=[])
    arguments = parser.parse_args()
    failures = [f"the rule lets this pass: {name}: {line}" for name, line in PLANTED.items() if not complaints(name, line)]
    failures += [f"the rule refuses this: {each}" for name, line in HARMLESS.items() for each in complaints(name, line)]
    count = 0
    for name, text in sources(arguments.root):
        count += 1
        failures += complaints(name, text)
    if count == 0:
        print(f"no sources below {arguments.root}", file=sys.stderr)
        return 2
    modules, elsewhere = marked_modules(arguments.root)
    if modules != READERS:
        failures.append(f"{MARK} is defined for {sorted(modules)}, and is for {sorted(READERS)}")
    failures += [f"{name}: defines {MARK} for itself" for name in elsewhere]
    if arguments.compiler:
        failures += check_compiler(arguments.compiler, arguments.include)
    for each in failures:
        print(each)
    if not failures:
        print(f"{count} sources decide by values alone")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
