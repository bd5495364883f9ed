# SPDX-License-Identifier: Apache-2.0
"""Precompiled headers with Ninja alone: `cubinet build --pch`, and the rule for projects' own Ninja files."""

import os
import pathlib
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

COMMAND = os.environ["CUBINET_COMMAND"]
SOURCE = pathlib.Path(__file__).resolve().parents[2]

HEADER = "#pragma once\ntemplate <typename T> __device__ T outer(T x) {{ return x + {value}; }}\n"
KERNEL = 'extern "C" __global__ void {name}(int *x) {{ *x = outer(*x); }}\n'

# A project's own file, with the rules of this source tree.
RULES = """
cubinet = {command}
include {source}/ninja_rules/cubinet.ninja
cubinet = {command}
cubinet_flags = -Iinc -include outer.h
build 80.pch | 80.pch.data: cubinet_pch
  archs = --arch 80
build a.cubinet: cubinet_compile a.cu || 80.pch
  module = a
  archs = --arch 80
  flags = --pch 80.pch -v
"""


class Pch(unittest.TestCase):
    def setUp(self):
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="cubinet-test-"))
        self.addCleanup(shutil.rmtree, self.scratch)
        self.folder = self.scratch / "a $folder"
        self.write("inc/outer.h", HEADER.format(value=1))
        for name in "ab":
            self.write(f"{name}.cu", KERNEL.format(name=name))

    def write(self, name, text):
        """Writes a file; a build started after this sees that it is new."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        time.sleep(0.02)

    def run_in_folder(self, *arguments, **keywords):
        return subprocess.run([*map(str, arguments)], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False, **keywords)  # fmt: skip

    def build(self, *arguments, output="all.cubinet", archs="80-real,90-real", **keywords):
        """Builds with the header precompiled, and returns what ran."""
        result = self.run_in_folder(COMMAND, "build", "a.cu", "b.cu", "-o", output, "--arch", archs, "--pch", "<outer.h>",
                                    *arguments, "-Iinc", **keywords)  # fmt: skip
        self.assertEqual(result.returncode, 0, result.stdout)
        return sorted(line.split("] ", 1)[1] for line in result.stdout.splitlines() if line.startswith("["))

    def data(self, output="all.cubinet"):
        """What was precompiled, with sizes."""
        folder = self.folder / ".cubinet-build" / output
        return {path.name.split(".")[1]: path.stat().st_size for path in folder.glob("pch.*.data")}

    def without(self, archs="80-real,90-real"):
        """The archive that a build without precompiled headers makes."""
        result = self.run_in_folder(COMMAND, "build", "a.cu", "b.cu", "-o", "without.cubinet", "--arch", archs,
                                    "-include", "outer.h", "-Iinc")  # fmt: skip
        self.assertEqual(result.returncode, 0, result.stdout)
        return (self.folder / "without.cubinet").read_bytes()

    def test_build(self):
        compiles = [f"Compiling {name} for sm_{number}" for name in "ab" for number in (80, 90)]
        making = [f"Precompiling headers for compute_{number}" for number in (80, 90)]
        pack = ["Packing all.cubinet"]
        self.assertEqual(self.build(), compiles + pack + making)
        self.assertEqual(self.build(), [])
        self.assertEqual(set(self.data()), {"compute_80", "compute_90"})
        self.assertEqual((self.folder / "all.cubinet").read_bytes(), self.without())
        with self.subTest("a header that changes"):
            self.write("inc/outer.h", HEADER.format(value=2))
            self.assertEqual(self.build(), compiles + pack + making)
            self.assertEqual((self.folder / "all.cubinet").read_bytes(), self.without())
            self.assertEqual(self.build(), [])
        with self.subTest("one that appears where it is found first"):
            self.write("first/outer.h", HEADER.format(value=3))
            self.assertEqual(self.build("-Ifirst"), compiles + pack + making)
            self.assertEqual(self.build("-Ifirst"), [])
        with self.subTest("a removed one is made again"):
            for path in (self.folder / ".cubinet-build/all.cubinet").glob("pch.compute_80*"):
                path.unlink()
            self.assertEqual(self.build("-Ifirst"), making[:1])
        with self.subTest("an architecture that goes takes its own along"):
            self.build("-Ifirst", archs="80-real")
            self.assertEqual(set(self.data()), {"compute_80"})

    def test_side_by_side(self):
        builds = [
            subprocess.Popen([COMMAND, "build", "a.cu", "b.cu", "-o", f"{number}.cubinet", "--arch", "80,90", "--pch",
                              "outer.h", "-Iinc"], cwd=self.folder, stdout=subprocess.DEVNULL)
            for number in range(2)
        ]  # fmt: skip
        self.assertEqual([build.wait() for build in builds], [0, 0])
        for number in range(2):
            self.assertTrue(all(size > 100000 for size in self.data(f"{number}.cubinet").values()))
        self.assertEqual(*[(self.folder / f"{number}.cubinet").read_bytes() for number in range(2)])

    def make(self, *arguments, **keywords):
        return subprocess.Popen([COMMAND, "pch", "<outer.h>", "-Iinc", "-o", "80.pch", "--arch", "80", *arguments],
                                cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **keywords)  # fmt: skip

    def compile(self):
        """What a compile says of the precompiled header."""
        result = self.run_in_folder(COMMAND, "compile", "a.cu", "-include", "outer.h", "-Iinc", "--pch", "80.pch", "--arch",
                                    "80", "-o", "a.cubinet", "-v")  # fmt: skip
        self.assertEqual(result.returncode, 0, result.stdout)
        return [line for line in result.stdout.splitlines() if line.startswith("precompiled")]

    def plain(self):
        """The archive of a compile without a precompiled header."""
        result = self.run_in_folder(COMMAND, "compile", "a.cu", "-include", "outer.h", "-Iinc", "--arch", "80", "-o",
                                    "plain.cubinet")  # fmt: skip
        self.assertEqual(result.returncode, 0, result.stdout)
        return (self.folder / "plain.cubinet").read_bytes()

    def test_many_make_the_same(self):
        self.assertEqual([made.wait() for made in [self.make() for _ in range(4)]], [0] * 4)
        self.assertEqual(self.compile(), ["precompiled header 80.pch is used"])
        self.assertEqual(sorted(path.name for path in self.folder.glob("80.pch*")), ["80.pch", "80.pch.data"])

    def test_killed(self):
        """Whenever the command that makes it is killed, what it leaves is used by no compile, or whole."""
        not_used = "its (record|data) is damaged|there is none|'inc/outer.h' is not what it was"
        for milliseconds in range(0, 120, 15):
            making = self.make(start_new_session=True)
            time.sleep(milliseconds / 1000)
            os.killpg(making.pid, signal.SIGKILL)
            making.wait()
            if (self.folder / "80.pch").exists():
                said = self.compile()[0]
                self.assertRegex(said, f"is used$|not used: ({not_used})")
                self.assertEqual((self.folder / "a.cubinet").read_bytes(), self.plain())
            self.write("inc/outer.h", HEADER.format(value=milliseconds))
        self.assertEqual(self.make().wait(), 0)
        self.assertEqual(self.compile(), ["precompiled header 80.pch is used"])
        self.assertEqual(sorted(path.name for path in self.folder.glob("80.pch*")), ["80.pch", "80.pch.data"])

    def test_interrupted(self):
        """A command that is told to end leaves nothing half made."""
        making = self.make()
        while making.poll() is None and not (self.folder / "80.pch.data.tmp").exists():
            time.sleep(0.001)
        making.send_signal(signal.SIGTERM)
        self.assertIn(making.wait(), (0, -signal.SIGTERM))
        self.assertEqual(list(self.folder.glob("80.pch.data.tmp")), [])

    @unittest.skipIf(os.environ.get("CFLAGS", "").startswith("-fsanitize"), "sanitizers take the address space")
    def test_no_address(self):
        """Where NVRTC can't be given its address, headers are read."""
        limit = 20 << 30

        def limited():
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

        self.assertEqual(len(self.build(preexec_fn=limited)), 7)
        self.assertEqual(set(self.data().values()), {0})
        self.assertEqual((self.folder / "all.cubinet").read_bytes(), self.without())

    def test_cub(self):
        """Large headers, which the source includes as well: the bytes of a compile that includes nothing else."""
        header = "cub/block/block_reduce.cuh"
        kernel = ("--kernel", "reduce<float,256,8>", "--arch", "80", "-lineinfo")
        source = SOURCE / "bench/corpus/kernels/reduce.cu"
        plain = self.run_in_folder(COMMAND, "compile", source, *kernel, "-o", "plain.cubinet", "-MD")
        if "cannot open source file" in plain.stdout:
            self.skipTest("the toolkit has no CUB")
        self.assertEqual(plain.returncode, 0, plain.stdout)
        made = self.run_in_folder(COMMAND, "pch", f"<{header}>", "-o", "80.pch", "--arch", "80", "-lineinfo")
        self.assertEqual((made.returncode, made.stdout), (0, ""))
        with_pch = self.run_in_folder(COMMAND, "compile", source, *kernel, "-include", header, "--pch", "80.pch", "-o",
                                      "pch.cubinet", "-MD", "-v")  # fmt: skip
        self.assertIn("precompiled header 80.pch is used", with_pch.stdout)
        self.assertEqual((self.folder / "pch.cubinet").read_bytes(), (self.folder / "plain.cubinet").read_bytes())
        depfiles = [(self.folder / f"{name}.d").read_text().split(":", 1)[1] for name in ("pch", "plain")]
        self.assertEqual(*depfiles)

    def test_rule(self):
        self.write("build.ninja", RULES.format(command=COMMAND.replace(" ", "$ "), source=str(SOURCE).replace(" ", "$ ")))
        first = self.run_in_folder("ninja")
        self.assertEqual(first.returncode, 0, first.stdout)
        self.assertIn("precompiled header 80.pch is used", first.stdout)
        self.assertIn("no work to do", self.run_in_folder("ninja").stdout)
        self.write("inc/outer.h", HEADER.format(value=7))
        again = self.run_in_folder("ninja", "-v").stdout
        self.assertIn(" pch -o 80.pch ", again)
        self.assertIn("precompiled header 80.pch is used", again)
        self.assertIn("no work to do", self.run_in_folder("ninja").stdout)
        self.assertEqual(self.run_in_folder("ninja", "-t", "clean").returncode, 0)
        self.assertEqual(list(self.folder.glob("80.pch*")), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
