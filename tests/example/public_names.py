"""The names that the public headers of an installation declare, and the program that uses each of them."""
import re

# Of a declaration without its template<...> and attributes.
TYPE = re.compile(r"^(?:enum\s+class|enum|class|struct)\s+(?:alignas\([^)]*\)\s*)?(\w+)")
ALIAS = re.compile(r"^using\s+(\w+)\s*=")
FUNCTION = re.compile(r"(?<![\w:])(\w+)\s*\($")
VARIABLE = re.compile(r"(\w+)\s*(?:\[[^\]]*\])?\s*(?:=.*)?$", re.DOTALL)


def without_comments(text):
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.MULTILINE)
    return re.sub(r'"(?:\\.|[^"\\])*"', '""', text)


def closing(text, start, pair):
    """The position after the bracket that closes the one at `start`."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] == pair[0]) - (text[at] == pair[1])
        if depth == 0:
            return at + 1
    raise ValueError(f"no {pair[1]} for: {text[start:start + 60]}")


def name_of(declaration):
    """The name that a declaration at namespace level gives, or None."""
    declaration = re.sub(r"\[\[.*?\]\]", "", declaration).strip()
    while declaration.startswith("template"):
        declaration = declaration[closing(declaration, declaration.index("<"), "<>"):].strip()
    if not declaration or re.match(r"(static_assert|friend|requires|operator|struct\s+std::|using\s+(namespace|enum|[\w:]+$))", declaration):
        return None
    for pattern in (TYPE, ALIAS):
        if found := pattern.match(declaration):
            rest = declaration[found.end():].lstrip()
            if pattern is ALIAS or not rest or rest[0] in ":{":
                return found[1] if rest or pattern is ALIAS else None  # a forward declaration declares nothing here
    parameters = declaration.find("(")
    head = declaration[:parameters + 1] if parameters >= 0 and "=" not in declaration[:parameters] else ""
    if found := FUNCTION.search(head):
        return None if "operator" in head else found[1]
    found = VARIABLE.search(declaration.split("=")[0].split("{")[0])
    return found[1] if found else None


def names_of(text):
    """Qualified names at namespace level, those of detail namespaces left out."""
    text = without_comments(text)
    names, spaces, at, begin = set(), [], 0, 0
    while at < len(text):
        mark = text[at]
        if mark == "(":
            at = closing(text, at, "()")
            continue
        if mark in ";{}":
            declaration = text[begin:at].strip()
            space = re.match(r"(?:inline\s+)?namespace\s+([\w:]+)$", declaration)
            if mark == "{" and space:
                spaces.append(space[1])
            elif mark == "}":
                spaces.pop()
            elif declaration:
                if (name := name_of(declaration + mark if mark == "{" else declaration)) and "::detail" not in "::".join(spaces):
                    names.add("::".join([*spaces, name]))
                if mark == "{":
                    at = closing(text, at, "{}")
                    begin = at
                    continue
            begin = at + 1
        at += 1
    return names


def public_names(headers):
    """Of a folder that holds heapwright/: every C++ name, sorted."""
    return sorted({name for path in sorted(headers.rglob("*.hpp")) for name in names_of(path.read_text(encoding="utf-8"))})


def program(headers, names):
    """Includes every header and uses every name."""
    lines = [f"#include <{path.relative_to(headers)}>" for path in sorted(headers.rglob("*")) if path.suffix in (".h", ".hpp")]
    lines += [f"namespace name_{number} {{ using {name}; }}" for number, name in enumerate(names)]
    return "\n".join([*lines, "int main() {}", ""])
