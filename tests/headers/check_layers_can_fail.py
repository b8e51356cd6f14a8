#!/usr/bin/env python3
"""usage: check_layers_can_fail.py REPOSITORY BUILD_FOLDER

Plants one violation at a time in a small tree and in a copy of src, and expects scripts/check-layers to name it.
"""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

repository, build = Path(sys.argv[1]), Path(sys.argv[2])
checks = failures = 0

# A tree in which every rule is kept.
GOOD_TREE = {
    "core/CMakeLists.txt": "heapwright_module(core SOURCES size.cpp)\n",
    "core/size.hpp": "#pragma once\n#include <cstdint>\n",
    "core/size.cpp": '#include "heapwright/core/size.hpp"\n#include <fmt/format.h>\n',
    "model/CMakeLists.txt": "heapwright_module(model LINK nlohmann_json::nlohmann_json)\n",
    "model/detail/x_json.hpp": "#pragma once\n#include <nlohmann/json.hpp>\n",
    "policy/CMakeLists.txt": "set(more model)\nheapwright_module(policy SOURCES rule.cpp  # a comment\n"
                             "    DEPENDS core ${more})\n",
    "policy/rule.hpp": '#pragma once\n#include "heapwright/core/size.hpp"\n',
    "policy/rule.cpp": '#include "policy/rule.hpp"\n#include "model/detail/x_json.hpp"\n',
    "pool/CMakeLists.txt": "heapwright_module(pool SOURCES pool.cpp)\n",
    "pool/pool.cpp": "// #include <vulkan/vulkan.h>\n",
    "vulkan/CMakeLists.txt": "heapwright_module(vulkan DEPENDS core LINK dl)\n",
    "vulkan/api.hpp": '#pragma once\n#include <vulkan/vulkan_core.h>\n#include "heapwright/core/size.hpp"\n',
    "vulkan/backend.hpp": '#pragma once\n#include "heapwright/core/size.hpp"\n',
    "cli/CMakeLists.txt": "heapwright_program(heapwright OPTIONAL vulkan)\n",
    "cli/commands.hpp": '#pragma once\n#include "vulkan/backend.hpp"\n#include <CLI/CLI.hpp>\n',
}
PUBLIC = {"core/size.hpp"}


def expect(name, exit_code, text, *arguments):
    global checks, failures
    checks += 1
    run = subprocess.run([repository / "scripts/check-layers", *arguments], text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if run.returncode != exit_code or text not in run.stdout:
        print(f"FAILED {name}: exit code {run.returncode} (expected {exit_code}), output:\n{run.stdout}"
              f"(expected in it: {text})")
        failures += 1


def expect_of_tree(name, exit_code, text, additions, replacements=(), graph=None):
    """Writes the good tree with lines added to some files and words replaced in others, and checks it."""
    with tempfile.TemporaryDirectory() as work:
        tree = dict(GOOD_TREE)
        for path, line in additions:
            tree[path] = tree.get(path, "") + line + "\n"
        for path, before, after in replacements:
            assert before in tree[path], path
            tree[path] = tree[path].replace(before, after)
        for path, content in tree.items():
            file = Path(work) / ("include/heapwright" if path in PUBLIC else "src") / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)
        arguments = [Path(work) / "src"]
        if graph is not None:
            (Path(work) / "modules.txt").write_text(graph)
            arguments += ["--graph", Path(work) / "modules.txt"]
        expect(name, exit_code, text, *arguments)


expect_of_tree("a tree without violation", 0, "9 files keep to their layers", [])

# ---- the module graph
POOL, RULE, SIZE = "pool/pool.cpp", "policy/rule.hpp", "core/size.hpp"
expect_of_tree("an undeclared module", 1, f"{POOL}: includes core/size.hpp, but pool does not declare core",
               [(POOL, '#include "heapwright/core/size.hpp"')])
expect_of_tree("an undeclared module, relative", 1, f"{POOL}: includes policy/rule.hpp, but pool does not declare policy",
               [(POOL, '#include "../policy/rule.hpp"')])
expect_of_tree("a module that is declared by one that is declared", 1,
               f"{POOL}: includes core/size.hpp, but pool does not declare core",
               [(POOL, '#include "policy/rule.hpp"'), (POOL, '#include "heapwright/core/size.hpp"')],
               [("pool/CMakeLists.txt", "pool.cpp", "pool.cpp DEPENDS policy")])
expect_of_tree("a dependency that nothing uses", 1, "pool: declares core, but includes no header of it", [],
               [("pool/CMakeLists.txt", "pool.cpp", "pool.cpp DEPENDS core")])
expect_of_tree("a dependency by a variable that nothing uses", 1, "pool: declares core, but includes no header of it", [],
               [("pool/CMakeLists.txt", "heapwright_module(pool SOURCES pool.cpp",
                 "set(other core)\nheapwright_module(pool SOURCES pool.cpp DEPENDS ${other}")])
expect_of_tree("a dependency that no module is", 1, "pool: declares cores, which no module is", [],
               [("pool/CMakeLists.txt", "pool.cpp", "pool.cpp DEPENDS cores")])
expect_of_tree("a circle of two", 1, "the declared dependencies form a circle: core -> policy -> core",
               [("core/size.cpp", '#include "policy/rule.hpp"')],
               [("core/CMakeLists.txt", "size.cpp", "size.cpp DEPENDS policy")])
expect_of_tree("a circle of three", 1, "the declared dependencies form a circle: core -> pool -> policy -> core",
               [("core/size.cpp", '#include "pool/pool.hpp"'),
                ("pool/pool.hpp", '#include "policy/rule.hpp"')],
               [("core/CMakeLists.txt", "size.cpp", "size.cpp DEPENDS pool"),
                ("pool/CMakeLists.txt", "pool.cpp", "pool.cpp DEPENDS policy")])
expect_of_tree("a folder without a module", 1, "stray/a.hpp: stands in no module", [("stray/a.hpp", "#pragma once")])
expect_of_tree("a source that is not compiled", 1, "pool/old_pool.cpp: is not in pool/CMakeLists.txt",
               [("pool/old_pool.cpp", "")])

GRAPH = "core core\nmodel model\npolicy policy core model\npool pool\nvulkan vulkan core\nheapwright cli vulkan\n"
expect_of_tree("the graph that CMake wrote", 0, "9 files keep to their layers", [], graph=GRAPH)
expect_of_tree("the graph that CMake wrote lacks one", 1,
               "policy/rule.cpp: includes model/detail/x_json.hpp, but policy does not declare model", [],
               graph=GRAPH.replace("core model", "core"))
expect_of_tree("the graph that CMake wrote says too much", 1, "pool: declares core, but includes no header of it", [],
               graph=GRAPH.replace("pool pool", "pool pool core"))

# ---- graphics APIs
for header in ("<vulkan/vulkan.h>", "<volk.h>", "<directx/d3d12.h>", "<d3d12.h>", "<dxgi1_6.h>", '"volk.h"'):
    expect_of_tree(f"a pure folder includes {header}", 1, f"{POOL}: reaches graphics API header",
                   [(POOL, f"  #  include {header}")])
through_two = [(SIZE, '#include "vulkan/api.hpp"')]
expect_of_tree("a pure folder reaches Vulkan by two headers", 1,
               "policy/rule.cpp: reaches graphics API header <vulkan/vulkan_core.h> (by policy/rule.cpp -> "
               "policy/rule.hpp -> core/size.hpp -> vulkan/api.hpp)", through_two)
expect_of_tree("a pure folder includes a backend", 1, "core/size.hpp: reaches backend header vulkan/api.hpp", through_two)
expect_of_tree("a pure folder includes an API-free header of a backend", 1,
               "policy/rule.cpp: reaches backend header vulkan/backend.hpp",
               [("policy/rule.cpp", '#include "vulkan/backend.hpp"')])
expect_of_tree("a user of backends reaches an API", 1, "cli/commands.hpp: reaches graphics API header",
               [("cli/commands.hpp", '#include "vulkan/api.hpp"')])
expect_of_tree("a relative include", 1, "policy/rule.cpp: reaches backend header vulkan/api.hpp",
               [("policy/rule.cpp", '#include "../vulkan/api.hpp"')])

# ---- libraries in headers, public headers, missing headers
for header in ("nlohmann/json_fwd.hpp", "CLI/CLI.hpp", "fmt/core.h"):
    line = [(SIZE, f"#include <{header}>")]
    expect_of_tree(f"a header includes {header}", 1, f"{SIZE}: reaches library header <{header}>", line)
    expect_of_tree(f"a header reaches {header}", 1, f"{RULE}: reaches library header <{header}>", line)
expect_of_tree("a header reaches JSON by an internal one", 1, f"{RULE}: reaches library header",
               [(RULE, '#include "model/detail/x_json.hpp"')])
expect_of_tree("a header that is not there", 1, f"{RULE}: reaches missing header core/none.hpp",
               [(RULE, '#include "core/none.hpp"')])

expect_of_tree("a private header by a public name", 1, f"{RULE}: reaches missing header heapwright/policy/rule.hpp",
               [(RULE, '#include "heapwright/policy/rule.hpp"')])
expect_of_tree("a public header by a private name", 1, f"{RULE}: reaches missing header private core/size.hpp",
               [(RULE, '#include "core/size.hpp"')])
expect_of_tree("a public header that includes a private one", 1,
               f"{SIZE}: is public and includes core/clock.hpp, which is not",
               [(SIZE, '#include "core/clock.hpp"'), ("core/clock.hpp", "#pragma once")])

expect_of_tree("views", 1, "policy/rule.cpp: reaches <ranges>", [("policy/rule.cpp", "#include <ranges>")])

# ---- nothing to check, and the real tree
with tempfile.TemporaryDirectory() as work:
    expect("nothing to check", 2, "no source file", work)
    expect("no such folder", 2, "no folder", Path(work) / "none")
    expect("no such graph", 2, "no file", "--graph", Path(work) / "none")
    copy = Path(work) / "src"
    shutil.copytree(repository / "src", copy, ignore=shutil.ignore_patterns("node_modules"))
    shutil.copytree(repository / "include", Path(work) / "include")
    with open(Path(work) / "include/heapwright/core/error.hpp", "a", encoding="utf-8") as header:
        header.write('#include <volk.h>\n#include "heapwright/model/policy.hpp"\n')
    expect("the real tree reaches an API", 1, "core/error.hpp: reaches graphics API header <volk.h>", copy)
    expect("the real tree includes a module that it does not declare", 1,
           "core/error.hpp: includes model/policy.hpp, but core does not declare model",
           "--graph", build / "modules.txt", copy)

print(f"{checks} checks, {failures} failed")
sys.exit(1 if failures else 0)
