#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How a build by Bazel spreads over remote workers, all on this machine: small sources for twelve GPUs, an action for each
source and virtual architecture, and one that packs. With BuildGrid and the workers of tests/remote/execution, which
scripts/remote.sh fetches and starts this with."""
import argparse
import collections
import hashlib
import os
import shutil
import sys
import tempfile
import time

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tests/remote")
sys.path[:0] = [TESTS, os.path.join(TESTS, "execution")]
import bazel  # noqa: E402
import grid  # noqa: E402

# The twelve architectures of CUDA 13.0, in one process for each virtual one.
GENCODE = ["arch=compute_75,code=sm_75", "arch=compute_80,code=[sm_80,sm_86,sm_87,sm_88,sm_89]",
           "arch=compute_90,code=sm_90", "arch=compute_100,code=[sm_100,sm_103]", "arch=compute_110,code=sm_110",
           "arch=compute_120,code=[sm_120,sm_121,compute_120]"]
PHASES = ("report", "wait", "inputs", "run", "outputs", "clean")


def sources(count):
    """The files of the project: a BUILD.bazel and sources. The one more is built before, and not counted."""
    names = ["first"] + ["kernel%d" % number for number in range(count)]
    files = {"BUILD.bazel": """load(":cubinet.bzl", "cubinet_archive")
[cubinet_archive(name = name, src = name + ".cu", hdrs = ["saxpy.cuh"], gencode = %r, kernels = [name + "<float>"])
 for name in %r]
filegroup(name = "all_kernels", srcs = %r)
""" % (GENCODE, names, names[1:])}
    for number, name in enumerate(names):
        files[name + ".cu"] = """#include "saxpy.cuh"
template <typename T> __global__ void %s(T a, const T *x, T *y, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        y[i] = multiply_add(a, x[i], y[i]) + T(%d);
    }
}
""" % (name, number)
    return files


def build(project, *arguments):
    """The seconds of a build of all, and a digest of the archives. Loading is done before."""
    project.build("--nobuild", *arguments, ":all_kernels")
    start = time.monotonic()
    project.build(*arguments, ":all_kernels")
    seconds = time.monotonic() - start
    digest = hashlib.sha256()
    for name in sorted(os.listdir(os.path.join(project.folder, "bazel-bin"))):
        if name.startswith("kernel") and name.endswith(".cubinet"):
            digest.update(name.encode() + project.made(name))
    return seconds, digest.hexdigest()


def report(actions, seconds):
    workers = collections.defaultdict(lambda: dict.fromkeys(PHASES, 0.0))
    counts = collections.Counter(action["worker"] for action in actions)
    for action in actions:
        for phase in PHASES:
            workers[action["worker"]][phase] += action.get(phase, 0)
    print("%d workers: %.1f s, %.1f actions a second" % (len(workers), seconds, len(actions) / seconds))
    print("    %-10s %8s" % ("", "actions") + "".join("%9s" % phase for phase in PHASES) + "  (seconds)")
    for name in sorted(workers):
        print("    %-10s %8d" % (name, counts[name]) + "".join("%9.1f" % workers[name][phase] for phase in PHASES))
    runs = sorted(action["run"] for action in actions)
    waits = sorted(action.get("report", 0) + action["wait"] for action in actions)
    print("    an action runs for %.0f ms, its worker waited %.0f ms before (medians)"
          % (1000 * runs[len(runs) // 2], 1000 * waits[len(waits) // 2]), flush=True)


def remote(project, folder, workers):
    started = grid.Grid(os.path.join(folder, "grid"), grid.programs(project.installed), workers)
    try:
        arguments = ["--remote_executor=grpc://" + started.address, "--spawn_strategy=remote", "--jobs=%d" % (8 * workers)]
        start = time.monotonic()
        project.build(*arguments, ":first")
        print("the toolkit is sent, fetched, and used by the first %d actions in %.1f s"
              % (len(GENCODE) + 1, time.monotonic() - start))
        before = len(started.log())
        seconds, digest = build(project, *arguments)
        actions = sorted(started.log(), key=lambda action: action["end"])[before:]
        report(actions, seconds)
    finally:
        started.stop()
    project.clean()
    return digest


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sources", type=int, default=200)
    parser.add_argument("--workers", default="1,2,4")
    parser.add_argument("--no-local", action="store_true", help="do not build without them, to compare the archives")
    options = parser.parse_args()
    missing = bazel.why_not() or grid.what_is_missing()
    if missing:
        sys.exit(missing)
    folder = tempfile.mkdtemp(prefix="cubinet-remote-")
    os.chmod(folder, 0o755)
    project = bazel.Project(folder, sources(options.sources))
    digests = set()
    try:
        print("%d sources for 12 GPUs, on %d processors, of which others used %.1f on average in the last minute"
              % (options.sources, os.cpu_count(), os.getloadavg()[0]), flush=True)
        if not options.no_local:
            seconds, digest = build(project, "--spawn_strategy=sandboxed")
            digests.add(digest)
            print("in Bazel's sandbox: %.1f s" % seconds, flush=True)
            project.clean()
        digests.update(remote(project, folder, int(workers)) for workers in options.workers.split(","))
    finally:
        project.remove()
        shutil.rmtree(folder, ignore_errors=True)
    if len(digests) != 1:
        sys.exit("the archives differ")
    print("all archives are the same")


if __name__ == "__main__":
    main()
