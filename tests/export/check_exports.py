#!/usr/bin/env python3
"""usage: check_exports.py TARGET --program FILE --cxx FILE --vma-include DIR --policy FILE... [--advise FILE...]

Exports every policy whose API the target takes and gives the result to something that is not heapwright: a C++
compiler, rustc, a JSON, INI or Markdown parser, sh or CMake. Compiled configurations are run, too. The output must
hold the version that it was checked against and how much changed, and the account every value of the policy.
"""
import argparse
import configparser
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def run(command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)


def expect(condition, message):
    if not condition:
        sys.exit(f"FAILED: {message}")


def must_succeed(result, what):
    expect(result.returncode == 0, f"{what}: exit code {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def byte_text(count):
    """As heapwright writes it: "32 MiB"."""
    units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
    power = min(len(units) - 1, max(0, count.bit_length() - 1) // 10)
    return f"{count / 1024 ** power:.4g} {units[power]}"


class Check:
    def __init__(self, arguments, folder):
        self.arguments = arguments
        self.folder = folder

    def cxx(self, file, includes, definitions=(), standard="c++17"):
        program = self.folder / "consumer"
        command = [self.arguments.cxx, f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I",
                   HERE / "consumers"]
        for include in includes:
            command += ["-isystem", include]
        command += [f'-DHEAPWRIGHT_EXPORT="{file}"', *[f"-D{d}" for d in definitions],
                    HERE / "consumers" / f"{self.arguments.target}.cpp", "-o", program]
        must_succeed(run(command), "the C++ compiler")
        return must_succeed(run([program]), "the compiled configuration")

    def rust(self, file, crate, *program_arguments):
        library = self.folder / f"lib{crate}.rlib"
        must_succeed(run(["rustc", "--edition", "2021", "--crate-type", "rlib", "--crate-name", crate, "-o", library,
                          HERE / "declarations" / "rust" / f"{crate}.rs"]), "rustc, the declarations")
        program = self.folder / "consumer"
        environment = dict(os.environ, HEAPWRIGHT_EXPORT=str(file))
        must_succeed(run(["rustc", "--edition", "2021", "-D", "warnings", "--extern", f"{crate}={library}", "-o",
                          program, HERE / "consumers" / f"{self.arguments.target}.rs"], env=environment), "rustc")
        return must_succeed(run([program, *program_arguments]), "the compiled configuration")

    def shell(self, file, name):
        must_succeed(run(["sh", "-n", file]), "sh -n")
        return must_succeed(run(["sh", "-c", f'. "$1" && printf %s "${{{name}-}}"', "sh", file]), "sh")

    def vma(self, file, _):
        return self.cxx(file, [self.arguments.vma_include])

    def d3d12ma(self, file, _):
        return self.cxx(file, [HERE / "declarations" / "d3d12ma", "/usr/include/wsl/stubs"])

    def diligent_vulkan(self, file, _):
        return self.cxx(file, [HERE / "declarations" / "diligent"])

    diligent_d3d12 = diligent_vulkan

    def nvrhi(self, file, _):
        return self.cxx(file, [HERE / "declarations" / "nvrhi"])

    def dawn(self, file, _):
        return self.cxx(file, [HERE / "declarations" / "dawn"])

    def cpp(self, file, policy):
        of_d3d12 = policy["devices"][0]["identity"]["api"] == "d3d12"
        return self.cxx(file, [], ["OF_DIRECT3D12"] if of_d3d12 else [])

    def gpu_allocator(self, file, _):
        return self.rust(file, "gpu_allocator")

    def wgpu(self, file, _):
        return self.rust(file, "wgpu")

    def vulkano(self, file, policy):
        return self.rust(file, "vulkano", len(policy["devices"][0]["memory_types"]))

    def llama_cpp(self, file, _):
        size = self.shell(file, "GGML_VK_SUBALLOCATION_BLOCK_SIZE")
        expect(re.fullmatch("[1-9][0-9]*", size), f"no block size: {size!r}")
        return size

    def vkd3d_proton(self, file, _):
        config = self.shell(file, "VKD3D_CONFIG")
        expect(config in ("", "no_upload_hvv"), f"VKD3D_CONFIG is {config!r}")
        return config

    def o3de(self, file, policy):
        document = json.loads(file.read_text())
        vulkan = policy["devices"][0]["identity"]["api"] == "vulkan"
        limits = document["O3DE"]["Atom"]["RHI"]["PlatformLimits"]["vulkan" if vulkan else "dx12"]
        for key, value in limits["PlatformDefaultValues"].items():
            expect(key.endswith("InBytes") and isinstance(value, int) and value > 0, f"{key} is {value!r}")
        expect("BufferPoolPageSizeInBytes" in limits["PlatformDefaultValues"], "no page size for buffers")
        if not vulkan:
            heaps = limits["DescriptorHeapLimits"]
            expect(heaps["DESCRIPTOR_HEAP_TYPE_SAMPLER"][1] <= 2048, f"too many samplers: {heaps}")
            expect(0 <= limits["StaticDescriptorRatio"] <= 1, "StaticDescriptorRatio")
        node = "JSON.parse(require('fs').readFileSync(process.argv[1], 'utf8'))"
        must_succeed(run(["node", "-e", node, file]), "node's JSON parser")
        return limits

    def godot(self, file, _):
        parser = configparser.ConfigParser(strict=True)
        parser.read_string(file.read_text())
        staging = "rendering_device/staging_buffer/"
        block = parser.getint("rendering", staging + "block_size_kb")
        most = parser.getint("rendering", staging + "max_size_mb")
        expect(most * 1024 >= 4 * block, f"{most} MiB hold no four blocks of {block} KiB")
        samplers = parser.getint("rendering", "rendering_device/d3d12/max_sampler_descriptors", fallback=1024)
        expect(256 <= samplers <= 2048, f"{samplers} samplers")
        return dict(parser["rendering"])

    def dxvk(self, file, _):
        parser = configparser.ConfigParser(strict=True)
        parser.optionxform = str
        parser.read_string("[dxvk]\n" + file.read_text())
        expect(parser.getint("dxvk", "dxgi.maxDeviceMemory") > 0, "no device memory")
        return dict(parser["dxvk"])

    def bgfx(self, file, policy):
        script = self.folder / "print.cmake"
        script.write_text(f'include("{file}")\nforeach(d IN LISTS HEAPWRIGHT_BGFX_DEFINITIONS)\n'
                          'message(NOTICE "${d}")\nendforeach()\n')
        result = run(["cmake", "-P", script])
        must_succeed(result, "cmake")
        definitions = result.stderr.split()
        known = (HERE / "declarations" / "bgfx" / "config.h").read_text()
        for definition in definitions:
            expect(f"#ifndef {definition.split('=')[0]}\n" in known, f"bgfx has no setting {definition}")
        if policy["devices"][0]["identity"]["api"] == "vulkan":
            expect(definitions, "no definitions")
        return self.cxx(file, [HERE / "declarations" / "bgfx"], definitions)

    def markdown(self, file, policy):
        html = must_succeed(run(["cmark-gfm", "--extension", "table", file]), "cmark-gfm")
        expect("<table>" in html and "<script" not in html, "no table")
        cells = re.findall(r"<td>(.*?)</td>", html)
        for bucket in policy["devices"][0]["buckets"]:
            if bucket["expected_bytes"] == 0:
                continue
            expect(byte_text(bucket["chunk_size_bytes"]["value"]) in cells, f"no chunk size of {bucket['id']}")
        return f"{len(cells)} cells"


def decided_values(node, path=""):
    """Every decided value below a device of the policy's JSON, found without heapwright. Buckets that the workload
    does not use become no pools."""
    if isinstance(node, dict) and "chunk_size_bytes" in node and node.get("expected_bytes", 0) == 0:
        return
    if isinstance(node, dict) and "value" in node and "reason" in node:
        yield path
    elif isinstance(node, dict):
        for key, value in node.items():
            yield from decided_values(value, f"{path}/{key}")
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from decided_values(value, f"{path}/{index}")


def check_account(text, account, result, policy, target):
    """The account says what became of every value; the output and standard error say how much changed."""
    flat = text.replace("\\", "")  # Markdown escapes underscores
    expect("Checked against" in flat, "the output does not say which version it was checked against")
    for path in decided_values(policy["devices"][0]):
        expect(path in account, f"{path} is neither used nor listed as not expressible")
    in_account = {"changed": 0, "missing": 0}
    section = ""
    for line in account.splitlines():
        section = line if line.endswith(":") else section
        in_account["changed"] += section == "Clamped or rounded:" and line.startswith("  ") and line != "  nothing"
        in_account["missing"] += line.startswith("  not expressible in ")
    told = re.search(r"(\d+) values? clamped or rounded, (\d+) values? not expressible here", flat)
    expect(told and [int(n) for n in told.groups()] == list(in_account.values()),
           f"the output's head and the account differ: {told and told.groups()}, {in_account}")
    lines = result.stderr.splitlines()
    expect(len(lines) == (1 if sum(in_account.values()) else 0), f"standard error is not one line: {lines}")
    return in_account["changed"], in_account["missing"]


def check_command(program, target, policy_file):
    """--list, and how wrong calls end."""
    table = must_succeed(run([program, "export", "--list", "--target", target]), "export --list --target")
    for column in ("setting", "unit", "range", "rounding", "default", "comes from"):
        expect(column in table.splitlines()[1], f"the table of settings has no column {column}")
    expect(any(line.split()[0] == target for line in must_succeed(run([program, "export", "--list"]), "--list").splitlines()),
           "--list does not name the target")
    for wrong in ([policy_file], ["--target", target], [policy_file, "--target", "nothing"],
                  [policy_file, "--target", target, "--device", "99"], ["no-such-file.json", "--target", target]):
        result = run([program, "export", *wrong])
        expect(result.returncode == 2 and result.stderr and not result.stdout,
               f"export {wrong}: exit code {result.returncode}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("target")
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--cxx", required=True)
    parser.add_argument("--vma-include", type=pathlib.Path, required=True)
    parser.add_argument("--policy", type=pathlib.Path, action="append", default=[])
    parser.add_argument("--advise", type=pathlib.Path, action="append", default=[])
    arguments = parser.parse_args()
    check_command(arguments.program, arguments.target, arguments.policy[0])
    taken = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        policies = list(arguments.policy)
        for report in arguments.advise:
            policies.append(folder / f"{report.stem}-policy.json")
            must_succeed(run([arguments.program, "advise", report, "-q", "-o", policies[-1]]), f"advise {report}")
        for policy_file in policies:
            policy = json.loads(policy_file.read_text())
            output = folder / "export"
            account = folder / "account"
            result = run([arguments.program, "export", policy_file, "--target", arguments.target, "-o", output,
                          "--account", account])
            if result.returncode == 2 and re.search(r"the policy is for .*, but .* configures", result.stderr):
                continue
            must_succeed(result, f"heapwright export {policy_file}")
            taken += 1
            changes, missing = check_account(output.read_text(), account.read_text(), result, policy, arguments.target)
            seen = getattr(Check(arguments, folder), re.sub("[-.]", "_", arguments.target))(output, policy)
            print(f"{policy_file.name}: {str(seen).strip()}")
            print(f"  {changes} changed, {missing} not expressible")
    expect(taken > 0, "no policy was for this target's API")


main()
