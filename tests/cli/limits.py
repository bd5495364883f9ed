#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles that are ended from outside, or need more memory than they may: `limits.py COMMAND SANITIZERS`."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SKIPPED = 77  # the exit status that CTest takes for "skipped"

# Takes the compiler more time and memory than there is.
ENDLESS = """
template <int Depth, long Path> struct tree {
    static constexpr int leaves = tree<Depth - 1, 2 * Path>::leaves + tree<Depth - 1, 2 * Path + 1>::leaves;
};
template <long Path> struct tree<0, Path> {
    static constexpr int leaves = 1;
};
extern "C" __global__ void count(int *out) { *out = tree<40, 1>::leaves; }
"""
SCALE = 'extern "C" __global__ void scale(float *x) { *x *= 2; }\n'


def children(process):
    return [int(child) for child in pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def is_running(process):
    try:
        state = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state not in "ZX"


class Limits(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="cubinet-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "endless.cu").write_text(ENDLESS)
        (self.folder / "scale.cu").write_text(SCALE)

    def compile(self, source, *options, environment=None):
        return subprocess.run([COMMAND, "compile", source, "-o", "made.cubinet", "--arch", "80", *options],
                              cwd=self.folder, env={**os.environ, **(environment or {})}, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)  # fmt: skip

    def expect_files(self, *names):
        self.assertEqual(sorted(os.listdir(self.folder)), sorted(names))

    def test_memory(self):
        if SANITIZERS:
            self.skipTest("sanitizers reserve more memory than any limit")
        for options, environment in ((["--memory-limit", "300M"], {}), ([], {"CUBINET_MEMORY_LIMIT": "300M"})):
            result = self.compile("endless.cu", *options, environment=environment)
            self.assertEqual(result.returncode, 1)
            self.assertRegex(result.stdout, "needs more than 300 MB, its memory limit .*, in NVRTC for compute_80; give it")
            self.expect_files("endless.cu", "scale.cu")

    def test_enough_memory(self):
        if SANITIZERS:
            self.skipTest("sanitizers reserve more memory than any limit")
        result = self.compile("scale.cu", "--memory-limit", "4G")
        self.assertEqual((result.returncode, result.stdout), (0, ""))

    def test_ended(self):
        """A signal ends what does the work, too, and the process by that signal."""
        for number in (signal.SIGINT, signal.SIGTERM):
            process = subprocess.Popen([COMMAND, "compile", "endless.cu", "--arch", "80", "--timeout", "1000"],
                                       cwd=self.folder)  # fmt: skip
            while not children(process.pid):
                time.sleep(0.01)
            (child,) = children(process.pid)
            process.send_signal(number)
            self.assertEqual(process.wait(), -number)
            self.assertFalse(is_running(child))
            self.expect_files("endless.cu", "scale.cu")

    def test_killed(self):
        """Not even SIGKILL leaves the work behind."""
        process = subprocess.Popen([COMMAND, "compile", "endless.cu", "--arch", "80", "--timeout", "1000"], cwd=self.folder)
        while not children(process.pid):
            time.sleep(0.01)
        (child,) = children(process.pid)
        process.kill()
        process.wait()
        while is_running(child):
            time.sleep(0.01)


def has_toolkit():
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "probe.cu"
        source.write_text(SCALE)
        arguments = [COMMAND, "compile", str(source), "-o", str(source) + ".cubinet", "--arch", "80"]
        return subprocess.run(arguments, capture_output=True, check=False).returncode == 0


if __name__ == "__main__":
    COMMAND, SANITIZERS = sys.argv[1:3]
    if not has_toolkit():
        print("skipped: there is no CUDA toolkit")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1], verbosity=2)
