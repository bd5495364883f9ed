# SPDX-License-Identifier: Apache-2.0
"""Large modules: how many architectures are assembled side by side, by an assembler that only counts, and that the
bytes are the same for any number."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

COMMAND = os.environ["CUBINET_COMMAND"]
TOOLKIT = os.environ["CUBINET_TOOLKIT_ROOT"]
NUMBERS = (75, 80, 86, 90)
GENCODE = f"arch=compute_75,code=[{','.join(f'sm_{number}' for number in NUMBERS)}]"
TOKENS = 8

# Large PTX that is assembled at once.
LARGE = "__device__ int table[40000] = {" + ",".join(map(str, range(40000))) + "};\n"
KERNEL = 'extern "C" __global__ void k(int *x) { *x = table[*x]; }\n'

# Takes the cubin that nvJitLink made, but first waits until $PARTNERS have started, though not for ever.
ASSEMBLER = """#!/bin/sh
case $* in *--version*) exit 0 ;; esac
arch=${1#-arch=}
echo "start $arch" >>"$LOG"
[ "$FAILS" ] && case " $FAILS " in *" $arch "*) echo "out of luck" >&2; exit 3 ;; esac
i=0
while [ "$(grep -c start "$LOG")" -lt "$PARTNERS" ] && [ $((i += 1)) -le "$TRIES" ]; do sleep 0.01; done
[ "$HANGS" ] && exec sleep 60
cat "$MADE/$arch.cubin" >&4
echo "end $arch" >>"$LOG"
"""


class Threads(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = pathlib.Path(tempfile.mkdtemp(prefix="cubinet-test-")).resolve()
        cls.addClassCleanup(shutil.rmtree, cls.scratch)
        (cls.scratch / "large.cu").write_text(LARGE + KERNEL)
        assembler = cls.scratch / "assembler"
        assembler.write_text(ASSEMBLER)
        assembler.chmod(0o755)
        cls.environment = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "CUBINET_SLOTS")}
        cls.environment |= {"LOG": str(cls.scratch / "log"), "MADE": str(cls.scratch), "PARTNERS": "1", "TRIES": "100000",
                            "CUBINET_TOOLKIT": TOOLKIT}  # fmt: skip
        cls.run_command("compile", "large.cu", "-o", "made.cubinet", "--gencode", GENCODE, "--assembler", "nvjitlink")
        for number in NUMBERS:
            cls.run_command("extract", "made.cubinet", "large", f"sm_{number}", "-o", f"sm_{number}.cubin")

    def setUp(self):
        (self.scratch / "log").unlink(missing_ok=True)

    @classmethod
    def run_command(cls, *arguments, fails=False, **environment):
        result = subprocess.run([COMMAND, *arguments], cwd=cls.scratch, env=cls.environment | environment,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)  # fmt: skip
        assert (result.returncode != 0) == fails, result.stdout
        return result.stdout

    def compile(self, *arguments, **environment):
        return self.run_command("compile", "large.cu", "-o", "counted.cubinet", "--gencode", GENCODE, "--assembler",
                                "./assembler", *arguments, **environment)  # fmt: skip

    def most(self):
        """How many assemblers ran at a time, at most."""
        running = most = 0
        for line in (self.scratch / "log").read_text().splitlines():
            running += 1 if line.startswith("start") else -1
            most = max(most, running)
        return most

    def make_jobserver(self, tokens):
        """A jobserver as of make 4.4; returns its reading end."""
        path = self.scratch / "jobserver"
        path.unlink(missing_ok=True)
        os.mkfifo(path)
        descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK)
        self.addCleanup(os.close, descriptor)
        os.write(descriptor, bytes(range(tokens)))
        return descriptor, {"MAKEFLAGS": f" -j{tokens + 1} --jobserver-auth=fifo:{path} -- A=--jobserver-auth=no"}

    def assert_given_back(self, descriptor, tokens=TOKENS):
        self.assertEqual(sorted(os.read(descriptor, 100)), list(range(tokens)))

    def test_alone(self):
        self.compile()
        self.assertEqual(self.most(), 1)

    def test_option(self):
        for threads in (1, 3):
            self.setUp()
            self.compile("--threads", str(threads), PARTNERS=str(threads))
            self.assertEqual(self.most(), threads)

    def test_small(self):
        (self.scratch / "small.cu").write_text('__device__ int table[] = {1};\n' + KERNEL)
        self.run_command("compile", "small.cu", "--gencode", GENCODE, "--assembler", "./assembler", "--threads", "4",
                         PARTNERS="2", TRIES="20")  # fmt: skip
        self.assertEqual(self.most(), 1)

    def test_jobserver(self):
        for tokens in (0, 1, 3):
            self.setUp()
            descriptor, environment = self.make_jobserver(tokens)
            self.compile(PARTNERS=str(tokens + 1), **environment)
            self.assertEqual(self.most(), tokens + 1)
            if tokens:
                self.assert_given_back(descriptor, tokens)

    def test_limit_in_jobserver(self):
        descriptor, environment = self.make_jobserver(TOKENS)
        self.compile("--threads", "2", PARTNERS="2", **environment)
        self.assertEqual(self.most(), 2)
        self.assert_given_back(descriptor)

    def test_no_jobserver(self):
        """What MAKEFLAGS names and is none: closed descriptors, other files, nothing at all."""
        for value in ("--jobserver-auth=55,56", "--jobserver-auth=0,1", "--jobserver-auth=fifo:/nowhere",
                      "--jobserver-auth=-2,-2", "--jobserver-auth=", "--jobserver-auth=x", "-j"):  # fmt: skip
            self.setUp()
            self.compile(MAKEFLAGS=value)
            self.assertEqual(self.most(), 1, value)

    def test_make(self):
        rule = "{name}.cubinet: large.cu\n\t+$(CUBINET) compile large.cu -o $@ --gencode '{gencode}' " \
               "--assembler ./assembler\n"  # fmt: skip
        makefile = "all: a.cubinet b.cubinet\n" + "".join(rule.format(name=name, gencode=GENCODE) for name in "ab")
        (self.scratch / "Makefile").write_text(makefile)
        for jobs in (1, 2, 4):
            self.setUp()
            subprocess.run(["make", "-B", f"-j{jobs}", f"CUBINET={COMMAND}"], cwd=self.scratch, check=True,
                           env=self.environment | {"PARTNERS": str(jobs)}, stdout=subprocess.DEVNULL)  # fmt: skip
            self.assertEqual(self.most(), jobs)

    def test_build(self):
        for name in "abc":
            shutil.copy(self.scratch / "large.cu", self.scratch / f"{name}.cu")
        for jobs in (1, 2, 4):
            self.setUp()
            shutil.rmtree(self.scratch / ".cubinet-build", ignore_errors=True)
            self.run_command("build", "a.cu", "b.cu", "c.cu", "-o", "all.cubinet", "--gencode", GENCODE, "--assembler",
                             str(self.scratch / "assembler"), "-j", str(jobs), PARTNERS=str(jobs))  # fmt: skip
            self.assertEqual(self.most(), jobs)

    def test_failure(self):
        """The first that fails is told, whichever ran first, and every token goes back."""
        expected = "large.cu: sm_80: out of luck\n" \
                   "cubinet: error: large.cu: sm_80 cannot be assembled: ptxas: exit status 3 and 0 bytes of code\n"  # fmt: skip
        for threads in ("1", "4"):
            descriptor, environment = self.make_jobserver(TOKENS)
            output = self.compile("--threads", threads, fails=True, FAILS="sm_80 sm_90", **environment)
            self.assertEqual(output, expected)
            self.assert_given_back(descriptor)

    @staticmethod
    def is_running(session):
        for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                state, _, _, its_session = path.read_text().rsplit(")", 1)[1].split()[:4]
            except OSError:
                continue  # it has ended
            if int(its_session) == session and state not in "ZX":
                return True
        return False

    def test_signal(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            self.setUp()
            log = self.scratch / "log"
            descriptor, environment = self.make_jobserver(TOKENS)
            environment |= self.environment | {"PARTNERS": "4", "HANGS": "1", **environment}
            process = subprocess.Popen(
                [COMMAND, "compile", "large.cu", "-o", "stopped.cubinet", "--gencode", GENCODE, "--assembler",
                 "./assembler"], cwd=self.scratch, env=environment, start_new_session=True)  # fmt: skip
            while not log.exists() or log.read_text().count("start") < 4:
                self.assertIsNone(process.poll())
                time.sleep(0.01)
            process.send_signal(number)
            self.assertEqual(process.wait(), -number)
            self.assert_given_back(descriptor)
            self.assertFalse((self.scratch / "stopped.cubinet").exists())
            while self.is_running(process.pid):  # the assemblers were killed, and are soon gone
                time.sleep(0.01)

    def test_same_bytes(self):
        """With the toolkit's own assemblers, with line information too."""
        source = LARGE + "".join(re.sub(r"\bk\b", f"k{i}", KERNEL) for i in range(6))
        (self.scratch / "real.cu").write_text(source)
        for options in ([], ["--assembler", "nvjitlink"], ["-lineinfo"], ["-G"]):
            made = set()
            for threads in ("1", "3"):
                self.run_command("compile", "real.cu", "-o", "real.cubinet", "--gencode",
                                 "arch=compute_75,code=[sm_75,sm_90]", "--threads", threads, *options)  # fmt: skip
                made.add((self.scratch / "real.cubinet").read_bytes())
            self.assertEqual(len(made), 1, options)

    def test_split(self):
        """NVRTC's split optimizer: the same with any threads, and with none to be had."""
        made = set()
        for tokens in (0, 1, 5):
            descriptor, environment = self.make_jobserver(tokens)
            self.run_command("compile", "large.cu", "-o", "split.cubinet", "--arch", "75-virtual", "-split-compile=0",
                             **environment)  # fmt: skip
            made.add((self.scratch / "split.cubinet").read_bytes())
            if tokens:
                self.assert_given_back(descriptor, tokens)
        self.assertEqual(len(made), 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
