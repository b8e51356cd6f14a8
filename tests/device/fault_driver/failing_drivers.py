"""Drivers that fail in ten ways: which, how a folder gets a manifest for each, and what must be told of each; and the
runtime that a failing one of Direct3D 12 stands before."""
import json
from pathlib import Path

# Name, fault, whether a device of it was there to be named, and a part of what is told: the last call or the reason.
RUNTIME = "libvkd3d-utils.so.1"
WAYS = [
    ("device-lost", "vkQueueSubmit@1+=-4;vkQueueSubmit2@1+=-4;vkQueueSubmit2KHR@1+=-4", True, "VK_ERROR_DEVICE_LOST"),
    ("device-refused", "vkCreateDevice@1+=-3", True, "VK_ERROR_INITIALIZATION_FAILED"),
    ("hang", "vkCreateDevice@1+=hang", True, "gave no answer within"),
    ("crash-midway", "vkAllocateMemory@3+=crash", True, "SIGSEGV"),
    ("exit-midway", "vkAllocateMemory@3+=exit", True, "exit code 3"),
    ("instance-refused", "vkCreateInstance@1+=-9", False, "VK_ERROR_INCOMPATIBLE_DRIVER"),
    ("instance-abort", "vkCreateInstance@1+=abort", False, "SIGABRT"),
    ("enumerate-crash", "vkEnumeratePhysicalDevices@1+=crash", False, "SIGSEGV"),
    ("enumerate-error", "vkEnumeratePhysicalDevices@1+=-3", False, "VK_ERROR_INITIALIZATION_FAILED"),
    ("enumerate-incomplete", "vkEnumeratePhysicalDevices@1+=5", False, "VK_INCOMPLETE"),
]


def real_runtime():
    """The library of Direct3D 12 that the fault runtime forwards to."""
    for folder in ("/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib"):
        if (Path(folder) / RUNTIME).exists():
            return str(Path(folder) / RUNTIME)
    raise SystemExit(f"no {RUNTIME}")


def write_drivers(icd, folder):
    """A manifest for each way, with a link to the fault driver's library and its fault beside it."""
    manifest = json.loads(Path(icd).read_text(encoding="utf-8"))
    library = (Path(icd).parent / manifest["ICD"]["library_path"]).resolve()
    manifests = []
    for name, fault, _, _ in WAYS:
        (folder / f"{name}.so").symlink_to(library)
        (folder / f"{name}.so.fault").write_text(fault + "\n", encoding="utf-8")
        manifest["ICD"]["library_path"] = f"./{name}.so"
        path = folder / f"{name}.json"
        path.write_text(json.dumps(manifest), encoding="utf-8")
        manifests.append(path)
    return manifests


def complaints(failures, device, words):
    """What is wrong with the failures of a validation, where `device` is every good device's name and `words` are all
    texts in which each failure must stand."""
    wrong = []
    left = list(failures)
    for name, _, has_device, told in WAYS:
        driver = device if has_device else f"{name}.json"
        one = next((each for each in left if each["driver"].endswith(driver) and told in each["reason"]), None)
        if one is None:
            wrong.append(f"{name} is not among the failures with {driver!r} and {told!r}")
            continue
        left.remove(one)
        for where, text in words.items():
            if not any(one["driver"] in line and one["reason"] in line for line in text.splitlines()):
                wrong.append(f"{name}: {where} names it nowhere: {text[-600:]}")
    return wrong + [f"told beyond what failed: {each}" for each in left]
