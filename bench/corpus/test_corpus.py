#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the whole corpus for one architecture and looks whether the archive has what corpus.json lists.

    test_corpus.py CUBINET TOOLKIT
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import corpus


def build(command, toolkit, folder):
    archive = folder / "corpus.cubinet"
    (folder / "arguments").write_text(corpus.arguments())
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}  # NVIDIA's compilers leak
    subprocess.run(
        [command, "build", f"@{folder}/arguments", "-o", archive, "--arch", "90-real", "--toolkit", toolkit],
        check=True, env=environment)
    return archive


def recorded(command, archive):
    """For each module the expressions of its kernels, and of those with machine code."""
    text = subprocess.run([command, "inspect", archive, "--json"], check=True, capture_output=True, text=True).stdout
    found = {}
    for module in json.loads(text)["modules"]:
        expressions = {kernel["name"]: kernel["expression"] for kernel in module["kernels"]}
        (image,) = module["images"]
        compiled = {expressions[kernel["kernel"]] for kernel in image["kernels"] if kernel["registers"] > 0}
        found[module["module"]] = (image["target"], set(expressions.values()), compiled)
    return found


def main():
    if not any(shutil.which(name) for name in ("ninja", "ninja-build", "samu")):
        print("no Ninja")
        return 77
    command, toolkit = sys.argv[1:]
    modules = list(corpus.modules())
    halves = [module["headers"] for module in modules]
    assert halves.count("cccl") == halves.count("none") == 12, halves
    for module in modules:
        text = pathlib.Path(module["source"]).read_text()
        assert ("#include" in text) == (module["headers"] == "cccl"), module["module"]
        assert module["launches"], module["module"]
    with tempfile.TemporaryDirectory() as folder:
        found = recorded(command, build(command, toolkit, pathlib.Path(folder)))
    expected = {
        module["module"]: ("sm_90", set(module["expressions"]), set(module["expressions"])) for module in modules
    }
    for module in sorted(expected.keys() | found.keys()):
        if expected.get(module) != found.get(module):
            sys.exit(f"{module}: expected {expected.get(module)}, found {found.get(module)}")
    print(f"{len(found)} modules, {sum(len(kernels) for _, kernels, _ in found.values())} kernels")
    return 0


if __name__ == "__main__":
    sys.exit(main())
