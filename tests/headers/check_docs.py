#!/usr/bin/env python3
"""usage: check_docs.py REPOSITORY

Every file and folder that the documents for people name exists: relative links, their headings, and paths in backticks
that begin like a folder of the repository, from there or from the document's own folder. Every folder of src has its row
in docs/architecture.md, every public header is named in docs/engines.md. First the check itself is tried on documents
that break each rule.
"""
import re
import sys
import tempfile
from pathlib import Path

TOP = ("src", "tests", "scripts", "docs", "policies", "reports", "cmake")
PATH = re.compile(r"`((?:" + "|".join(TOP) + r")(?:/[\w.*/-]+)?)(?: [^`]*)?`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
PLACEHOLDER = re.compile(r"(^|/)[A-Z][A-Z_]+($|[./])")


def headings(text):
    """The anchors that GitHub gives a document's headings."""
    return {re.sub(r"[^\w -]", "", line.lstrip("#").strip().lower()).replace(" ", "-")
            for line in text.splitlines() if line.startswith("#")}


def violations_of(root, document):
    text = (root / document).read_text(encoding="utf-8")
    for link in LINK.findall(text):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (root / document).parent / path if path else root / document
        if not target.exists():
            yield f"{document}: links to {link}, which does not exist"
        elif anchor and anchor not in headings(target.read_text(encoding="utf-8")):
            yield f"{document}: links to {link}, and there is no such heading"
    for path in PATH.findall(text):
        made_by_a_build = "/node_modules" in path
        if PLACEHOLDER.search(path.removesuffix("README.md")) or made_by_a_build:
            continue
        here = (root / document).parent
        if not any(root.glob(path.rstrip("/"))) and not any(here.glob(path.rstrip("/"))):
            yield f"{document}: names {path}, which does not exist"


def violations(root):
    documents = [path.relative_to(root) for pattern in ("*.md", "docs/*.md", "*/README.md", "*/*/README.md")
                 for path in sorted(root.glob(pattern)) if path.relative_to(root).parts[0] != "build"]
    found = [violation for document in documents for violation in violations_of(root, document)]
    architecture = (root / "docs/architecture.md").read_text(encoding="utf-8")
    found += [f"docs/architecture.md: has no row for src/{folder.name}" for folder in sorted((root / "src").iterdir())
              if folder.is_dir() and f"| `src/{folder.name}` |" not in architecture]
    headers = root / "include/heapwright"
    engines = root / "docs/engines.md"
    text = engines.read_text(encoding="utf-8") if engines.exists() else ""
    names = [path.relative_to(headers) for path in sorted(headers.rglob("*.h*"))]
    found += [f"docs/engines.md: does not tell of the public header {name}" for name in names
              if "detail" not in name.parts and f"`{name}`" not in text]
    return documents, found


def try_the_check():
    """Whether each rule can fail."""
    bad = {"a link": ("[x](none.md)", "links to none.md, which does not exist"),
           "a heading": ("[x](#none)", "links to #none, and there is no such heading"),
           "a path": ("`src/none.cpp`", "names src/none.cpp, which does not exist"),
           "a path with arguments": ("`scripts/none -R x`", "names scripts/none, which does not exist"),
           "a pattern": ("`src/core/none_*.cpp`", "names src/core/none_*.cpp, which does not exist")}
    good = "# A heading\n[x](#a-heading) [y](docs/architecture.md#rooms) `src/core` `src/NAME.cpp` `src/c*` <https://x.y>"
    failures = 0
    with tempfile.TemporaryDirectory() as work:
        root = Path(work)
        for folder in ("docs", "src/core"):
            (root / folder).mkdir(parents=True)
        (root / "docs/architecture.md").write_text("# Rooms\n| `src/core` | x |\n")
        (root / "README.md").write_text(good)
        if violations(root)[1]:
            failures += 1
            print(f"FAILED a good document: {violations(root)[1]}")
        (root / "src/extra").mkdir()
        if violations(root)[1] != ["docs/architecture.md: has no row for src/extra"]:
            failures += 1
            print(f"FAILED a room without a row: {violations(root)[1]}")
        (root / "src/extra").rmdir()
        (root / "include/heapwright").mkdir(parents=True)
        (root / "include/heapwright/a.hpp").touch()
        if violations(root)[1] != ["docs/engines.md: does not tell of the public header a.hpp"]:
            failures += 1
            print(f"FAILED a public header without a word: {violations(root)[1]}")
        (root / "include/heapwright/a.hpp").unlink()
        for name, (text, expected) in bad.items():
            (root / "README.md").write_text(f"{good}\n{text}\n")
            if violations(root)[1] != [f"README.md: {expected}"]:
                failures += 1
                print(f"FAILED {name}: {violations(root)[1]} (expected {expected})")
    return failures


failures = try_the_check()
documents, found = violations(Path(sys.argv[1]))
for violation in found:
    print(violation)
print(f"{len(documents)} documents, {len(found)} broken")
sys.exit(1 if failures or found or not documents else 0)
