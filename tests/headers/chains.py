#!/usr/bin/env python3
"""usage: chains.py INCLUDE_FOLDER PREFIX OUTPUT HEADER...

Writes the fewest sources that show of every header that it compiles alone. HEADER: relative to INCLUDE_FOLDER, included
as "PREFIX/HEADER". Left out is a header whose own source, of the same name beside it, includes it before all else: that
source shows it.

A source includes a chain of headers, each of which is included by the next one, itself or through others. So what
stands before a header in a source is what that header includes anyway, and its code finds nothing there that it did not
bring. Includes inside #if or behind code do not count.

OUTPUT gets a line for each source, its headers in order, and is left alone where nothing changes. Exit codes: 0 good,
2 wrong usage.
"""

import pathlib
import re
import sys

TOKEN = re.compile(
    r"(?P<blank>\s+|//[^\n]*|/\*.*?\*/|#[ \t]*pragma[ \t]+once\b[^\n]*)"
    r'|#[ \t]*include[ \t]*(?P<name>"[^"]+"|<[^>]+>)'
    r"|(?P<code>.)",
    re.DOTALL,
)


def leading_includes(text):
    """The names that the text includes before any code and any condition."""
    names = []
    for token in TOKEN.finditer(text):
        if token["code"]:
            break
        if token["name"]:
            names.append(token["name"].strip('"'))
    return names


def brought(includes):
    """Header -> all headers that it includes, itself or through others."""
    result = {}

    def visit(name):
        if name in result:
            return result[name]
        result[name] = set()  # what ends a circle
        everything = set()
        for include in includes[name]:
            everything |= {include} | visit(include)
        result[name] = everything - {name}
        return result[name]

    for name in includes:
        visit(name)
    return result


def chains(includes):
    """The fewest chains that hold every header once: a largest matching of each header with a next one."""
    brings = brought(includes)
    before = {}  # header -> the one before it

    def take_a_next(name, tried):
        for follower in sorted(followers[name]):
            if follower not in tried:
                tried.add(follower)
                if follower not in before or take_a_next(before[follower], tried):
                    before[follower] = name
                    return True
        return False

    # Of headers that include each other, each is before the other; the names decide.
    followers = {name: set() for name in includes}
    for follower, names in brings.items():
        for name in names:
            if follower not in brings[name] or name < follower:
                followers[name].add(follower)
    for name in sorted(includes):
        take_a_next(name, set())
    found = []
    for last in sorted(set(includes) - set(before.values())):
        chain = [last]
        while chain[-1] in before:
            chain.append(before[chain[-1]])
        found.append(chain[::-1])
    return found


def is_shown_by_its_source(folder, prefix, header):
    source = (folder / header).with_suffix(".cpp")
    return source.exists() and leading_includes(source.read_text(encoding="utf-8"))[:1] == [f"{prefix}/{header}"]


def main(arguments):
    if len(arguments) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    folder, prefix, output = pathlib.Path(arguments[0]), arguments[1], pathlib.Path(arguments[2])
    names = {f"{prefix}/{header}": header for header in arguments[3:]}
    includes = {
        header: [
            names[name]
            for name in leading_includes((folder / header).read_text(encoding="utf-8"))
            if name in names and names[name] != header
        ]
        for header in names.values()
    }
    brings = brought(includes)
    unshown = {header for header in includes if not is_shown_by_its_source(folder, prefix, header)}
    text = "".join(" ".join(chain) + "\n" for chain in chains({
        header: [name for name in brings[header] if name in unshown] for header in unshown}))
    if not output.exists() or output.read_text(encoding="utf-8") != text:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
