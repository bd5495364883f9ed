#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What parts cost a build and save it: the giant module (bench/corpus/giant.py) for four real architectures.

    parts.py BUILD DIR [--before CUBINET] [--rounds 3] [--threads 2]

In DIR, with the command of the build tree BUILD, in alternation: with parts, in one part (--parts none), by another
cubinet (--before) and by nvcc where there is one. Cold builds, then builds after an edit of one kernel, of a comment and of
nothing, with a cache of their own. Of each it tells medians of wall-clock and of processor time (user and system, of all
processes), and ratios to one part. On a machine with other work, trust the processor time.
"""
import argparse
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
REAL = ("80", "90", "100", "120")
GENCODE = "arch=compute_75,code=[" + ",".join(f"sm_{number}" for number in REAL) + "]"


def parse_arguments():
    parser = argparse.ArgumentParser(description="Measures builds in parts.")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--before", help="another cubinet command")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--edits-only", action="store_true", help="no cold builds")
    parser.add_argument("--kernels", type=int, default=40)
    return parser.parse_args()


def timed(command):
    """Wall-clock and processor time of a command and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def contenders(options):
    cubinet = options.build.resolve() / "packager" / "cubinet"

    def by(command, name, *more):
        return lambda cold: [str(command), "compile", "giant.cu", "-o", f"{name}.cubinet", "--gencode", GENCODE, "--threads",
                             str(options.threads), *(["--no-cache"] if cold else ["--cache", f"cache-{name}"]), *more]
    found = {"one part": by(cubinet, "whole", "--parts", "none"), "parts": by(cubinet, "parts")}
    if options.before:
        found["before"] = by(options.before, "before")
    nvcc = shutil.which("nvcc")
    if nvcc:
        found["nvcc"] = lambda cold: [nvcc, "-fatbin", "giant.cu", "-o", "nvcc.fatbin", "-gencode", GENCODE, "--threads",
                                      str(options.threads)]
    return found


def edit_kernel(text, number):
    return text.replace("x = in[3 * i],", f"x = in[3 * i] + {number}.0f,", 1)


def edit_comment(text, number):
    return text.replace("// Made", f"// {number} made", 1)


def show(title, times):
    print(title)
    base = [statistics.median(values) for values in zip(*times["one part"])]
    for name, pairs in times.items():
        wall, processor = (statistics.median(values) for values in zip(*pairs))
        print(f"  {name:10} {wall:7.2f} s wall, {processor:7.2f} s processor; ratios {wall / base[0]:.3f}, {processor / base[1]:.3f}")
    sys.stdout.flush()


def measure(options, all_contenders, cold, prepare):
    times = {name: [] for name in all_contenders}
    for number in range(options.rounds):
        prepare(number)
        for name, command in all_contenders.items():
            times[name].append(timed(command(cold)))
    return times


def main():
    options = parse_arguments()
    all_contenders = contenders(options)
    options.folder.mkdir(parents=True, exist_ok=True)
    source = options.folder / "giant.cu"
    subprocess.run([sys.executable, HERE / "corpus" / "giant.py", source, str(options.kernels)], check=True)
    text = source.read_text()
    os.chdir(options.folder)
    for cache in pathlib.Path(".").glob("cache-*"):
        shutil.rmtree(cache)
    if not options.edits_only:
        show("cold", measure(options, all_contenders, True, lambda number: None))
    for command in all_contenders.values():
        subprocess.run(command(False), check=True, stdout=subprocess.DEVNULL)  # fills the caches
    sizes = {name: pathlib.Path(f"{name}.cubinet").stat().st_size for name in ("whole", "parts")}
    print(f"archive: one part {sizes['whole']} bytes, parts {sizes['parts']}: ratio {sizes['parts'] / sizes['whole']:.3f}")
    for title, change in (("one kernel edited", edit_kernel), ("a comment edited", edit_comment)):
        show(title, measure(options, all_contenders, False, lambda number, change=change: source.write_text(change(text, number + 1))))
    source.write_text(text)


if __name__ == "__main__":
    main()
