# SPDX-License-Identifier: Apache-2.0
"""`cubinet build` on a terminal: one line of progress that changes, colours, and what is left at the end."""

import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import tempfile
import unittest

COMMAND = os.environ["CUBINET_COMMAND"]
KERNEL = 'extern "C" __global__ void {name}(int *x) {{ *x = {value}; }}\n'
RED = "\x1b[1;31m"
ESCAPE = "\x1b"

# A Ninja that takes a while: it says what it would run, and then runs it.
SLOW_NINJA = r"""#!/bin/sh
for argument; do [ "$argument" = -n ] && dry=1; done
[ "$dry" ] || sleep 1.5
printf '\0351/2\035Compiling a for sm_80\n'
[ "$dry" ] || sleep 1.5
printf '\0352/2\035Packing all.cubinet\n'
"""


class Progress(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="cubinet-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        for name in "abc":
            (self.folder / f"{name}.cu").write_text(KERNEL.format(name=name, value="A"))

    def environment(self, **variables):
        result = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "NINJA_STATUS")}
        return {**result, "TERM": "xterm", **variables}

    def on_terminal(self, *arguments, keys=b"", **variables):
        """What the command writes to a terminal, and its exit status."""
        process, terminal = pty.fork()
        if process == 0:
            os.chdir(self.folder)
            os.execve(COMMAND, [COMMAND, *arguments], self.environment(**variables))
        output = b""
        while True:
            try:
                part = os.read(terminal, 65536)
            except OSError:  # how Linux tells that the other side is closed
                break
            if not part:
                break
            output += part
            if keys:  # once it runs
                os.write(terminal, keys)
                keys = b""
        os.close(terminal)
        return output.decode().replace("\r\n", "\n"), os.waitpid(process, 0)[1]

    def build(self, *arguments, **variables):
        return self.on_terminal("build", "a.cu", "b.cu", "-o", "all.cubinet", "--arch", "80-real", *arguments, **variables)

    def test_line(self):
        output, status = self.build("-DA=1")
        self.assertEqual(status, 0, output)
        self.assertRegex(output, r"\r\[[12]/3\] 0:\d\d.*\x1b\[K")
        self.assertNotRegex(output, r"\[\d/3\][^\r]*\n")  # no line of it stays
        last = output.split("\r")[-1]
        self.assertRegex(last, r"^\x1b\[KSlowest of 3 steps:\n( +\d+\.\d\d s  .*\n){3}"
                               r"\x1b\[1;32mMade \x1b\[0mall.cubinet in \d+\.\d\d s: 2 modules, 2 images, \S+ KB\n$")  # fmt: skip

    def test_nothing_to_do(self):
        self.build("-DA=1")
        self.assertEqual(self.build("-DA=1"), ("ninja: no work to do.\n", 0))

    def test_errors(self):
        output, status = self.build("-DA=B")
        self.assertEqual(os.waitstatus_to_exitcode(status), 1)
        self.assertIn(f'{RED}error: \x1b[0midentifier "B" is undefined\n', output)
        self.assertIn(f"{RED}FAILED: ", output)
        self.assertIn(f"cubinet: {RED}error: \x1b[0ma.cu: 1 error", output)
        self.assertNotIn("Made", output)

    def test_no_colours(self):
        for arguments, variables in (((), {"NO_COLOR": "1"}), (("--color=never",), {})):
            output, _ = self.build("-DA=B", *arguments, **variables)
            self.assertIn('error: identifier "B"', output)
            self.assertNotIn("\x1b[1;", output)
        output, _ = self.build("-DA=B", NO_COLOR="")  # which is as if it were not set
        self.assertIn(RED, output)

    def test_plain_terminal(self):
        output, _ = self.build("-DA=1", TERM="dumb")
        self.assertNotIn(ESCAPE, output)
        self.assertIn("[3/3] Packing all.cubinet\n", output)

    def test_plain_output(self):
        arguments = [COMMAND, "build", "a.cu", "b.cu", "-o", "all.cubinet", "--arch", "80-real"]
        for more, is_coloured in (["-DA=1"], False), (["-DA=B", "--color=always"], True):
            done = subprocess.run(arguments + more, cwd=self.folder, env=self.environment(), stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, check=False)  # fmt: skip
            self.assertRegex(done.stdout, r"(?m)^\[1/3\] Compiling [ab] for sm_80$")
            self.assertEqual(ESCAPE in done.stdout, is_coloured)

    def test_quiet(self):
        self.assertEqual(self.build("-DA=1", "-q"), ("", 0))
        self.assertEqual(self.build("-DA=1", "-q"), ("", 0))
        self.assertEqual(self.build("-DA=2", "-q", NINJA_STATUS="mine "), ("", 0))

    def test_own_status(self):
        """Who has set Ninja's status line gets it."""
        output, _ = self.build("-DA=1", NINJA_STATUS="<%f> ")
        self.assertIn("<3> Packing all.cubinet\n", output)

    def test_interrupted(self):
        signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs in a shell's background ignore it
        sources = []
        for i in range(8):
            sources.append(f"k{i}.cu")
            (self.folder / f"k{i}.cu").write_text(KERNEL.format(name=f"k{i}", value=1))
        output, status = self.on_terminal("build", *sources, "-o", "many.cubinet", "-j1", keys=b"\x03")
        self.assertNotEqual(status, 0)
        self.assertFalse((self.folder / "many.cubinet").exists(), output)

    def slow_build(self):
        ninja = self.folder / "ninja"
        ninja.write_text(SLOW_NINJA)
        ninja.chmod(0o755)
        # The archive must be there, since this Ninja makes none.
        subprocess.run([COMMAND, "compile", "a.cu", "-DA=1", "-o", "all.cubinet", "--arch", "80-real"], cwd=self.folder,
                       check=True)  # fmt: skip
        return self.on_terminal("build", "a.cu", "-DA=1", "-o", "all.cubinet", "--arch", "80-real", NINJA=str(ninja))

    def test_time_left(self):
        with self.subTest("of what was never run, from what is done"):
            output, status = self.slow_build()
            self.assertEqual(status, 0, output)
            self.assertRegex(output, r"\[0/2\] 0:01: Compiling a for sm_80")
            self.assertRegex(output, r"\[1/2\] 0:0\d, 0:0\d left: Packing all.cubinet")
        with self.subTest("from Ninja's log"):
            log = "# ninja log v5\n0\t9000\t1\t.cubinet-build/all.cubinet/a.compute_80.cubinet\tabc\n"
            (self.folder / ".cubinet-build/all.cubinet/.ninja_log").write_text(log + "9000\t9100\t1\tall.cubinet\tdef\n")
            output, _ = self.slow_build()
            left = re.findall(r"\[0/2\] 0:0\d, 0:(\d\d) left: Compiling a for sm_80", output)
            self.assertTrue(left, output)
            self.assertEqual(left, sorted(left, reverse=True))

    def test_narrow(self):
        output, _ = self.on_terminal("build", "a.cu", "--module", "m" * 200, "-DA=1", "-o", "all.cubinet", "--arch",
                                     "80-real")  # fmt: skip
        lines = re.findall(r"\r(\[[^\x1b]*)\x1b\[K", output)
        self.assertTrue(lines)
        self.assertLess(max(map(len, lines)), 80)  # a terminal without a size


if __name__ == "__main__":
    unittest.main()
