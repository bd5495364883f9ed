#!/usr/bin/env python3
"""Runs nvcc's programs of the sources here with Cubinet's kernels in place of their own, and has them check the results.

    launch.py build DIR --cubinet build/release/packager/cubinet    where nvcc is
    launch.py run DIR --instead build/release/tests/corpus/libcorpus_instead.so    where a GPU is

A program is right if it says so itself. Kernels by names that the archive lacks are the program's own; those are counted.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def build_one(folder, cubinet, name, entry):
    stem = name.removesuffix(".cu")
    common = [HERE / name, "-w", f"-I{HERE / 'include'}", *entry["options"]]
    with tempfile.TemporaryDirectory() as scratch:
        steps = (["nvcc", "-arch=sm_90", "-cudart", "shared", *common, "-o", folder / stem],
                 [cubinet, "compile", "--arch", "90-real", *common, "-o", folder / f"{stem}.cubinet"])
        for step in steps:
            done = subprocess.run(step, capture_output=True, text=True, cwd=scratch, check=False,
                                  env={**os.environ, "TMPDIR": scratch})
            if done.returncode:
                print(f"{name}: {pathlib.Path(step[0]).name}: {(done.stderr or done.stdout).strip()[-200:]}")


def build(arguments, files):
    arguments.folder.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, entry in files.items():
            pool.submit(build_one, arguments.folder.resolve(), arguments.cubinet.resolve(), name, entry)
    return True


def run(arguments, files):
    right = wrong = launched = own = 0
    for name in files:
        program = arguments.folder.resolve() / name.removesuffix(".cu")
        archive = program.with_suffix(".cubinet")
        if not archive.exists() or not program.exists():
            print(f"{name:28} not built")
            continue
        environment = {**os.environ, "LD_PRELOAD": str(arguments.instead.resolve()), "CUBINET_INSTEAD": str(archive)}
        done = subprocess.run([program], env=environment, capture_output=True, text=True, check=False, timeout=100)
        told = re.search(r"instead: (\d+) launched from the archive, (\d+) of", done.stderr)
        counts = [int(told.group(1)), int(told.group(2))] if told else [0, 0]
        launched, own = launched + counts[0], own + counts[1]
        right, wrong = right + (done.returncode == 0), wrong + (done.returncode != 0)
        said = (done.stdout + done.stderr).strip().splitlines()[:1] if done.returncode else ["right"]
        print(f"{name:28} {counts[0]:4} launched, {counts[1]:3} of the program's own: {''.join(said)[:120]}")
    print(f"{right} programs are right, {wrong} are not: {launched} launches of Cubinet's kernels, {own} of nvcc's")
    return wrong == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("build", "run"))
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--cubinet", type=pathlib.Path)
    parser.add_argument("--instead", type=pathlib.Path)
    arguments = parser.parse_args()
    expected = json.loads((HERE / "expected.json").read_text())["files"]
    files = {name: entry for name, entry in expected.items() if entry["runs"]}
    sys.exit(not (build if arguments.what == "build" else run)(arguments, files))


if __name__ == "__main__":
    main()
