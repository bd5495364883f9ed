# SPDX-License-Identifier: Apache-2.0
"""Small real projects that the tests configure, build, touch and build again, counting what the builds ran.

The test run says where things are by environment variables: CMAKE, GENERATOR, CUBINET_BUILD (the build tree whose
package is used) and CUBINET_COMMAND (the real command)."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

CMAKE = os.environ.get("CMAKE", "cmake")
GENERATOR = os.environ.get("GENERATOR", "Ninja")
SOURCE = pathlib.Path(__file__).resolve().parents[2]

IS_NINJA = GENERATOR.startswith("Ninja")
IS_MULTI_CONFIG = GENERATOR == "Ninja Multi-Config"

# Stands before the command and writes the arguments of every run, one run a line, to a file: each line at once, since
# runs are parallel. While there is a file "stop", it goes no further.
RECORDER = """#!/bin/sh
line=$(printf '%s\\037' "$@")
printf '%s\\n' "$line" >>'{log}'
while [ -e '{stop}' ]; do sleep 0.1; done
exec '{command}' "$@"
"""

# No headers: one compile takes some 50 ms.
KERNEL = 'extern "C" __global__ void scale(float *x, float a) { x[threadIdx.x] *= a; }\n'


class Run:
    """One run of the command."""

    def __init__(self, line):
        self.arguments = line.split("\037")[:-1]
        self.subcommand = self.arguments[0]

    def value(self, option):
        return self.arguments[self.arguments.index(option) + 1]

    def values(self, option):
        return [value for name, value in zip(self.arguments, self.arguments[1:]) if name == option]

    @property
    def output(self):
        return pathlib.Path(self.value("-o")).name


class Project(unittest.TestCase):
    """A test that starts with an empty source folder, whose path is hard to quote."""

    def setUp(self):
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="cubinet-test-"))
        self.addCleanup(shutil.rmtree, self.scratch)
        # CMake's Makefiles do not survive a `$` in the path of a project, with Cubinet or without.
        self.source = self.scratch / ("a $folder" if IS_NINJA else "a folder")
        self.build_folder = self.source / "build"
        self.log = self.scratch / "runs"
        self.command = self.scratch / "cubinet"
        self.stop = self.scratch / "stop"
        self.command.write_text(RECORDER.format(log=self.log, stop=self.stop, command=os.environ["CUBINET_COMMAND"]))
        self.command.chmod(0o755)

    def write(self, name, text):
        """Writes a source file; a build started after this sees that it is new."""
        path = self.source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        time.sleep(0.02)

    def cmake_lists(self, text, languages="C"):
        self.write(
            "CMakeLists.txt",
            "cmake_minimum_required(VERSION 3.25)\n"
            f"project(test LANGUAGES {languages})\n"
            "find_package(Cubinet REQUIRED)\n" + text,
        )

    def run_cmake(self, *arguments):
        return subprocess.run(
            [CMAKE, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )

    def configure(self, *arguments):
        return self.run_cmake(
            "-S", self.source, "-B", self.build_folder, "-G", GENERATOR,
            f"-DCubinet_DIR={os.environ['CUBINET_BUILD']}", f"-DCUBINET_COMMAND={self.command}", *arguments,
        )  # fmt: skip

    def build(self, *arguments):
        """Configures if need be, builds, and returns the runs of the command that it took."""
        if not (self.build_folder / "CMakeCache.txt").exists():
            result = self.configure()
            self.assertEqual(result.returncode, 0, result.stdout)
        self.log.write_text("")
        result = self.run_cmake("--build", self.build_folder, *arguments)
        self.assertEqual(result.returncode, 0, result.stdout)
        return [Run(line) for line in self.log.read_text().splitlines()]

    def expect_build(self, compiled, packed):
        """Builds, and compares the number of compiles and packs that it took."""
        runs = self.build()
        counts = [len([run for run in runs if run.subcommand == name]) for name in ("compile", "pack")]
        self.assertEqual(counts, [compiled, packed], [run.output for run in runs])
        return runs

    def built(self, name, config="Debug"):
        """A file of the build tree's top, where the archives and programs of these projects are."""
        return self.build_folder / (config if IS_MULTI_CONFIG else "") / name


def skip(reason):
    """Says why a script's tests can't run here; the exit status that CTest takes for skipped."""
    print(f"skipped: {reason}")
    return 77


def main():
    if not shutil.which(CMAKE):
        sys.exit(skip(f"there is no {CMAKE}; scripts/test.sh --all fetches it"))
    unittest.main(verbosity=2)
