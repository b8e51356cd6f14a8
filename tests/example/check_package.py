#!/usr/bin/env python3
"""Installs the build into an empty prefix, compiles a program that uses every public name (public_names.txt) against
it, builds the examples outside the tree and runs them on lavapipe. HEAPWRIGHT_UPDATE_GOLDEN=1 writes public_names.txt.

usage: check_package.py --build DIR --cmake FILE --cxx FILE --vma-include DIR --policies DIR [--sanitize=NAMES]
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import public_names  # noqa: E402 (beside this file)

HERE = pathlib.Path(__file__).resolve().parent


def run(command, **options):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)
    if result.returncode != 0:
        sys.exit(f"FAILED ({result.returncode}): {' '.join(map(str, command))}\n{result.stdout}{result.stderr}")
    return result.stdout


def expect(condition, message):
    if not condition:
        sys.exit(f"FAILED: {message}")


def check_static_library(library):
    """A program that links it keeps all names but heapwright's for itself. Weak symbols are templates and inline
    functions, which any library may have."""
    foreign = set()
    for line in run(["nm", "--defined-only", "--extern-only", library]).splitlines():
        words = line.split()
        if len(words) == 3 and words[1] not in "WVuw" and not re.match(r"heapwright_|_Z\w*10heapwright", words[2]):
            foreign.add(words[2])
    expect(not foreign, f"{len(foreign)} names that are not heapwright's: {sorted(foreign)[:20]}")


def pkg_config(prefix, *arguments):
    path = next(prefix.rglob("heapwright.pc")).parent
    return run(["pkg-config", *arguments], env=dict(os.environ, PKG_CONFIG_PATH=str(path))).split()


def check_public_names(prefix, cxx, folder):
    """The C++ names are those of the list, and a program that sees the installed headers alone has each of them."""
    headers = next(prefix.rglob("heapwright/pool.h")).parent.parent
    names = public_names.public_names(headers)
    golden = HERE / "public_names.txt"
    if os.environ.get("HEAPWRIGHT_UPDATE_GOLDEN"):
        golden.write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
    listed = golden.read_text(encoding="utf-8").split()
    expect(names == listed, f"public names: new {sorted(set(names) - set(listed))}, gone {sorted(set(listed) - set(names))}")
    source = folder / "names.cpp"
    source.write_text(public_names.program(headers, names), encoding="utf-8")
    flags = pkg_config(prefix, "--cflags", "heapwright")
    run([cxx, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror", *flags, source])
    print(f"{len(names)} public names of {sum(1 for _ in headers.rglob('*.h*'))} headers")


def check_pkg_config(prefix, cxx, folder):
    flags = pkg_config(prefix, "--cflags", "--libs", "heapwright", "heapwright-policy", "heapwright-pool")
    run([cxx, "-std=c++20", HERE / "pool_example.cpp", "-o", folder / "by_pkg_config", *flags, "-lvulkan"])


def main():
    parser = argparse.ArgumentParser()
    for name in ("build", "cmake", "cxx", "vma-include", "policies"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--sanitize", default="")
    arguments = parser.parse_args()
    icd = os.environ.get("HEAPWRIGHT_ICD_LAVAPIPE")
    if not icd:
        print("HEAPWRIGHT_ICD_LAVAPIPE is not set: eval \"$(scripts/drivers --export)\"")
        sys.exit(1)
    flags = f"-fsanitize={arguments.sanitize}" if arguments.sanitize else ""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prefix, source, build = folder / "prefix", folder / "example", folder / "build"
        run([arguments.cmake, "--install", arguments.build, "--prefix", prefix])
        check_public_names(prefix, arguments.cxx, folder)
        if not arguments.sanitize:
            # Of the shared library only the C functions are visible.
            library = next(prefix.rglob("libheapwright_policy.so"))
            names = [line.split()[-1] for line in run(["nm", "-D", "--defined-only", library]).splitlines()]
            expect(len(names) >= 14 and all(name.startswith("heapwright_") for name in names), f"symbols: {names}")
            library = next(prefix.rglob("libheapwright_pool.so"))
            names = {line.split()[-1] for line in run(["nm", "-D", "--defined-only", library]).splitlines()}
            listed = (HERE.parent / "unit/vulkan/abi.txt").read_text(encoding="utf-8").splitlines()
            expect(names == {line.split()[1] for line in listed if line.startswith("function")}, f"symbols: {names}")
            check_static_library(next(prefix.rglob("libheapwright.a")))
            check_pkg_config(prefix, arguments.cxx, folder)
        # Away from the tree: nothing of it may be found by a relative path.
        shutil.copytree(HERE, source)
        shutil.copytree(arguments.policies, folder / "policies", ignore=shutil.ignore_patterns("lavapipe-*.json"))
        run([arguments.cmake, "-S", source, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}",
             f"-DCMAKE_CXX_COMPILER={arguments.cxx}", f"-DVMA_INCLUDE={arguments.vma_include}",
             f"-DCMAKE_CXX_FLAGS={flags}"])
        run([arguments.cmake, "--build", build])
        environment = dict(os.environ, VK_DRIVER_FILES=icd, VK_ICD_FILENAMES=icd)
        output = run([build / "adopt_example"], env=environment)
        print(f"adopt_example: {output}")
        expect("made at start" in output and re.search(r"[1-9][0-9]* bytes verified", output), "adopt_example")
        for program in ("vma_example", "pool_example"):
            output = run([build / program, folder / "policies"], env=environment)
            print(f"{program}: {output}")
            # No policy is for lavapipe: one was computed, and the reason says so.
            expect("computed for the workload 2d-ui" in output, f"{program} does not say what was picked")
            expect(re.search(r"[1-9][0-9]* bytes verified", output), f"{program} verified nothing")
            expect("match 4" in output, f"{program} did not end well")


main()
