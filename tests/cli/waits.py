#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What could make the command wait for ever, end without a word, or leave files: `waits.py COMMAND MAKE_ARCHIVE CUBIN NVJITLINK NVRTC`."""

import fcntl
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

F_OFD_SETLK = 37  # not in all versions of fcntl

# Takes the compiler more time and memory than there is.
ENDLESS = """
template <int Depth, long Path> struct tree {
    static constexpr int leaves = tree<Depth - 1, 2 * Path>::leaves + tree<Depth - 1, 2 * Path + 1>::leaves;
};
template <long Path> struct tree<0, Path> {
    static constexpr int leaves = 1;
};
__device__ inline int count() { return tree<40, 1>::leaves; }
"""
SCALE = 'extern "C" __global__ void scale(float *x) { *x *= 2; }\n'
PTX = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n"
NO_WRITER = "'fifo' is a pipe that nobody writes to"
NO_READER = "cannot write 'fifo': it is a pipe that nobody reads from"
TOO_LONG = "'/dev/zero' is not a regular file, and has more than 64 MB"
NOT_REGULAR = "cannot be opened: it is not a regular file"


# A toolkit that is installed is found before the dynamic loader is asked; a mount of the process's own hides it.
UNSHARE = shutil.which("unshare") or ""
CAN_HIDE_TOOLKIT = not os.path.exists("/usr/local/cuda") or (UNSHARE and subprocess.run(
    [UNSHARE, "--map-root-user", "--mount", "mount", "-t", "tmpfs", "none", os.path.realpath("/usr/local/cuda")],
    check=False, capture_output=True).returncode == 0)  # fmt: skip


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="cubinet-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "scale.cu").write_text(SCALE)

    def cubinet(self, *arguments, **environment):
        return subprocess.run([COMMAND, *arguments], cwd=self.folder, env={**os.environ, **environment}, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True)  # fmt: skip

    def expect_error(self, text, *arguments):
        result = self.cubinet(*arguments)
        self.assertIn(text, result.stdout, arguments)
        self.assertIn(result.returncode, (1, 2), arguments)

    def expect_ok(self, *arguments, **environment):
        result = self.cubinet(*arguments, **environment)
        self.assertEqual(result.returncode, 0, result.stdout)
        return result.stdout


class Pipes(Case):
    """Files that are none."""

    def setUp(self):
        super().setUp()
        os.mkfifo(self.folder / "fifo")
        subprocess.run([MAKE_ARCHIVE, self.folder / "a.cubinet", "shapes", CUBIN], check=True)

    def test_no_writer(self):
        self.expect_error(NO_WRITER, "list", "@fifo")
        self.expect_error(NO_WRITER, "sign", "a.cubinet", "--key", "fifo")
        self.expect_error(NO_WRITER, "verify", "a.cubinet", "--public-key", "fifo")
        self.expect_error(NO_WRITER, "link", "fifo", "--arch", "80", "-o", "o.cubinet")
        self.expect_error("'fifo' is not a regular file", "profile", "fifo")
        for command in (["list"], ["pack", "-o", "o.cubinet"], ["diff", "a.cubinet"], ["header", "-o", "o.h"]):
            self.expect_error(NOT_REGULAR, *command, "fifo")

    def test_no_end(self):
        self.expect_error(TOO_LONG, "list", "@/dev/zero")
        self.expect_error(TOO_LONG, "sign", "a.cubinet", "--key", "/dev/zero")
        self.expect_error(TOO_LONG, "link", "/dev/zero", "--arch", "80", "-o", "o.cubinet")
        for command in (["list"], ["pack", "-o", "o.cubinet"], ["diff", "a.cubinet"]):
            self.expect_error(NOT_REGULAR, *command, "/dev/zero")

    def test_no_reader(self):
        self.expect_error(NO_READER, "pack", "a.cubinet", "-o", "fifo")
        self.expect_error(NO_READER, "extract", "a.cubinet", "shapes", "sm_80", "-o", "fifo")

    def test_substitution(self):
        """A shell's <(command), also if it takes its time."""
        done = subprocess.run(["bash", "-c", f"'{COMMAND}' list @<(sleep 0.2; echo a.cubinet)"], cwd=self.folder,
                              capture_output=True, check=False)  # fmt: skip
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertIn(b"shapes", done.stdout)

    def test_written(self):
        """A FIFO that is written to and read from."""
        expected = (self.folder / "a.cubinet").read_bytes()
        self.expect_ok("pack", "a.cubinet", "-o", "packed.cubinet")
        reader = subprocess.Popen(["cat", "fifo"], cwd=self.folder, stdout=subprocess.PIPE)
        writer = os.open(self.folder / "fifo", os.O_WRONLY)  # waits for the reader
        self.expect_ok("pack", "a.cubinet", "-o", "fifo")
        os.close(writer)
        self.assertEqual(reader.communicate()[0], (self.folder / "packed.cubinet").read_bytes())
        self.assertEqual((self.folder / "a.cubinet").read_bytes(), expected)


class Links(Case):
    """An nvJitLink that takes its process down, or never ends."""

    def link(self, how, *options):
        (self.folder / "k.ptx").write_text(PTX)
        unhandled = os.environ.get("ASAN_OPTIONS", "") + ":handle_segv=0"  # the sanitizer would exit instead
        done = self.cubinet("link", "k.ptx", "-o", "o.cubinet", "--arch", "80-real", "--nvjitlink-path", NVJITLINK,
                            *options, FAKE_NVJITLINK=how, ASAN_OPTIONS=unhandled)  # fmt: skip
        self.assertEqual(sorted(os.listdir(self.folder)), ["k.ptx", "scale.cu"])
        return done.returncode, done.stdout

    def test_crash(self):
        for how, said in (("abort", "ended by signal 6 (Aborted)"), ("overflow", "ended by signal 11 (Segmentation fault)")):
            exit_status, output = self.link(how)
            self.assertEqual(exit_status, 1, output)
            self.assertIn(f"cubinet: error: o.cubinet: {said}", output)
            self.assertIn("nvJitLink crashed", output)

    def test_no_end(self):
        exit_status, output = self.link("hang", "--timeout", "1")
        self.assertEqual(exit_status, 124, output)
        self.assertIn("o.cubinet: stopped after 1 s, its time limit", output)


class Loading(Case):
    """An NVRTC that takes its process down, or never ends, when it is loaded."""

    commands = (["build", "scale.cu", "-o", "o.cubinet"], ["ninja", "scale.cu", "-o", "o.cubinet"],
                ["compile", "--list-gpu-arch"])  # fmt: skip

    def setUp(self):
        super().setUp()
        for folder in ("lib64", "include"):
            (self.folder / "toolkit" / folder).mkdir(parents=True)
        shutil.copy(NVRTC, self.folder / "toolkit/lib64/libnvrtc.so.13")
        (self.folder / "toolkit/include/cuda_runtime.h").touch()

    def load(self, how, *arguments):
        done = self.cubinet(*arguments, "--toolkit", "toolkit", BROKEN_NVRTC=how)
        self.assertEqual(sorted(os.listdir(self.folder)), ["scale.cu", "toolkit"])
        return done.returncode, done.stdout

    def test_crash(self):
        for command in self.commands:
            exit_status, output = self.load("abort", *command)
            self.assertEqual(exit_status, 1, output)
            self.assertIn("ended by signal 6 (Aborted) in the phase 'load NVRTC'", output)

    def test_no_end(self):
        for command in self.commands:
            exit_status, output = self.load("hang", *command, "--timeout", "1")
            self.assertEqual(exit_status, 124, output)
            self.assertIn("stopped after 1 s, its time limit (--timeout, CUBINET_TIMEOUT), in the phase 'load NVRTC'",
                          output)  # fmt: skip

    def by_name(self, how, *arguments):
        """The same where the dynamic loader alone finds it: no toolkit is installed, and no Python's packages."""
        environment = {"PATH": "/nowhere", "HOME": "/nowhere", "LD_LIBRARY_PATH": str(self.folder / "toolkit/lib64"),
                       "BROKEN_NVRTC": how}  # fmt: skip
        without_toolkit = [] if not os.path.exists("/usr/local/cuda") else [
            UNSHARE, "--map-root-user", "--mount", "/bin/sh", "-c",
            '/bin/mount -t tmpfs none "$(/bin/readlink -f /usr/local/cuda)" && exec "$@"', "sh"]  # fmt: skip
        done = subprocess.run([*without_toolkit, COMMAND, *arguments], cwd=self.folder, env=environment, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True)  # fmt: skip
        self.assertEqual(sorted(os.listdir(self.folder)), ["scale.cu", "toolkit"])
        return done.returncode, done.stdout

    @unittest.skipUnless(CAN_HIDE_TOOLKIT, "the toolkit in /usr/local/cuda can't be hidden here")
    def test_by_name(self):
        cache = tempfile.mkdtemp(prefix="cubinet-test-")
        self.addCleanup(shutil.rmtree, cache)
        compile_it = ["compile", "scale.cu", "-o", "o.cubinet", "--arch", "80"]
        for command in (*self.commands, compile_it, [*compile_it, "--cache", cache]):
            exit_status, output = self.by_name("abort", *command)
            self.assertEqual(exit_status, 1, output)
            self.assertIn("ended by signal 6 (Aborted) in the phase 'load NVRTC'", output)
            self.assertEqual(output.count("cubinet: error: "), 1, output)
            exit_status, output = self.by_name("hang", *command, "--timeout", "1")
            self.assertEqual(exit_status, 124, output)
            self.assertIn("stopped after 1 s, its time limit", output)
            self.assertEqual(output.count("cubinet: error: "), 1, output)
            exit_status, output = self.by_name("", *command)
            self.assertEqual(exit_status, 1, output)
            self.assertIn("nvrtcGetErrorString", output)
            self.assertEqual(output.count("cubinet: error: "), 1, output)

    def test_refused(self):
        """One that is none: it is said once."""
        for command in self.commands:
            exit_status, output = self.load("", *command)
            self.assertEqual(exit_status, 1, output)
            self.assertEqual(output.count("cubinet: error: "), 1, output)
            self.assertIn("nvrtcGetErrorString", output)


class Compiles(Case):
    def setUp(self):
        super().setUp()
        if not HAS_TOOLKIT:
            self.skipTest("there is no CUDA toolkit")
        self.arguments = ["compile", "scale.cu", "-o", "scale.cubinet", "--arch", "80-virtual"]

    def test_sources(self):
        os.mkfifo(self.folder / "fifo")
        rest = ["-o", "o.cubinet", "--arch", "80-virtual"]
        self.expect_error(NO_WRITER, "compile", "fifo", *rest)
        self.expect_error(TOO_LONG, "compile", "/dev/zero", *rest)
        self.expect_error(NO_READER, "compile", "scale.cu", *rest, "-MD", "-MF", "fifo")

    def compile_text(self, text, *options):
        """By a limit, a compile that waits is an error of another kind."""
        (self.folder / "a.cu").write_text(text + SCALE)
        rest = ["-o", "o.cubinet", "--arch", "80", "--timeout", "60"]
        return self.cubinet("compile", "a.cu", *rest, *options)

    def test_headers(self):
        """Headers that are not files, of which some would never end."""
        os.mkfifo(self.folder / "fifo.h")
        (self.folder / "zero.h").symlink_to("/dev/zero")
        (self.folder / "outer.h").write_text('#include "fifo.h"\n')
        for name, kind, by in (("fifo.h", "pipe", "a.cu"), ("zero.h", "device", "a.cu"),
                               ("/dev/zero", "device", "a.cu"), ("outer.h", "pipe", "outer.h")):  # fmt: skip
            done = self.compile_text(f'#include "{name}"\n')
            inner = "fifo.h" if name == "outer.h" else name
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertRegex(done.stdout, f'{by}:1:[0-9]+: fatal error: cannot open source file "{inner}"')
            self.assertIn(f"{inner}: note: is a {kind}; only regular files can be included", done.stdout)
        done = self.compile_text("", "-include", "fifo.h")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("fifo.h: note: is a pipe", done.stdout)
        done = self.compile_text('#if __has_include("fifo.h")\n#endif\n')
        self.assertNotEqual(done.returncode, 124, done.stdout)
        self.expect_error("fifo.h: note: is a pipe", "pch", '"fifo.h"', "-o", "h.pch", "--arch", "80",
                          "--timeout", "60")  # fmt: skip

    def test_tools_files(self):
        """What options have NVRTC and ptxas open."""
        os.mkfifo(self.folder / "fifo")
        self.assertNotEqual(self.compile_text("", "--time=fifo").returncode, 124)
        (self.folder / "k.ptx").write_text(PTX)
        for option in ("-Xptxas=-optf=fifo", "-Xptxas=--options-file=/dev/zero"):
            self.expect_error("Could not open options file", "link", "k.ptx", "-o", "o.cubinet", "--arch", "80-real",
                              "--nvjitlink", option)  # fmt: skip
        for option in ("--options-file=fifo", "-optf=/dev/zero", "--apply-controls=fifo"):
            for assembler in ("nvjitlink", "ptxas"):
                done = self.compile_text("", "--assembler", assembler, f"-Xptxas={option}")
                self.assertEqual(done.returncode, 1, done.stdout)
                name = option.partition("=")[2]
                self.assertIn(f"'{name}', which an option for ptxas names, is not a regular file", done.stdout)

    def test_source_from_pipe(self):
        """It is compiled, and no record says that it may be skipped the next time."""
        line = f"'{COMMAND}' compile <(sleep 0.2; cat scale.cu) -o o.cubinet --module m --arch 80-virtual -MD -MF o.d"
        done = subprocess.run(["bash", "-c", line], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("scale", self.expect_ok("inspect", "o.cubinet"))
        self.assertFalse((self.folder / "o.cubinet.inputs").exists())

    def hold(self, path):
        """Locks a whole file in both ways until the test ends."""
        fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        self.addCleanup(os.close, fd)
        fcntl.flock(fd, fcntl.LOCK_EX)
        fcntl.fcntl(fd, F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0))

    def test_held_cache(self):
        """A lock that is never let go costs no more than waiting."""
        self.expect_ok(*self.arguments, "--cache", "cache")
        for path in (self.folder / "cache").glob("*.*"):
            path.unlink()
        expected = (self.folder / "scale.cubinet").read_bytes()
        (self.folder / "scale.cubinet").unlink()
        for name in ("lock", "counters", "files"):
            self.hold(self.folder / "cache" / name)
        self.expect_ok(*self.arguments, "--cache", "cache", CUBINET_CACHE_WAIT="1")
        self.assertEqual((self.folder / "scale.cubinet").read_bytes(), expected)

    def test_bad_wait(self):
        said = self.expect_ok(*self.arguments, "--cache", "cache", CUBINET_CACHE_WAIT="soon")
        self.assertIn("CUBINET_CACHE_WAIT is 'soon', which is not a number of seconds such as 30; using 600 s", said)

    def test_held_trace(self):
        self.expect_ok(*self.arguments, CUBINET_TRACE="trace")
        (path,) = (self.folder / "trace").iterdir()
        self.hold(path)
        said = self.expect_ok(*self.arguments, CUBINET_TRACE="trace", CUBINET_CACHE_WAIT="1")
        self.assertIn("the trace lacks this process: cannot lock the trace", said)

    def test_held_remote_stamps(self):
        server = {"CUBINET_REMOTE_CACHE": "http://127.0.0.1:1/x", "CUBINET_CACHE_DIR": "cache"}
        self.expect_ok(*self.arguments, **server)
        stamps = list((self.folder / "cache").glob("remote-*"))
        self.assertTrue(stamps)
        for path in stamps:
            self.hold(path)
        self.expect_ok(*self.arguments, "-DAGAIN", **server)

    def test_held_pch(self):
        (self.folder / "h.h").write_text("#pragma once\n")
        make = ["pch", '"h.h"', "-o", "h.pch", "--arch", "80"]
        self.hold(self.folder / "h.pch.lock")
        self.expect_ok(*make, CUBINET_CACHE_WAIT="1")

    def hold_stopped(self, path):
        """Has a process that is stopped lock a file or folder in both ways; returns its number."""
        code = ("import fcntl, os, signal, struct, sys\n"
                "fd = os.open(sys.argv[1], os.O_RDONLY if os.path.isdir(sys.argv[1]) else os.O_RDWR | os.O_CREAT)\n"
                "fcntl.flock(fd, fcntl.LOCK_EX)\n"
                f"lock = struct.pack('hhqqi4x', fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)\n"
                f"os.path.isdir(sys.argv[1]) or fcntl.fcntl(fd, {F_OFD_SETLK}, lock)\n"
                "os.kill(os.getpid(), signal.SIGSTOP)\n")  # fmt: skip
        process = subprocess.Popen([sys.executable, "-c", code, path])
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        os.waitpid(process.pid, os.WUNTRACED)
        return process.pid

    def test_held_build(self):
        """Two builds in one folder would spoil each other's: the second one gives up."""
        (self.folder / "build").mkdir()
        holder = self.hold_stopped(self.folder / "build")
        build = ["build", "scale.cu", "-o", "o.cubinet", "--arch", "80-virtual", "--build-dir", "build"]
        done = self.cubinet(*build, CUBINET_CACHE_WAIT="1")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("waiting for another build in 'build'", done.stdout)
        self.assertIn(f"another build still has the folder 'build' after 1 s (CUBINET_CACHE_WAIT): process {holder} (",
                      done.stdout)  # fmt: skip
        self.assertEqual(os.listdir(self.folder / "build"), [])

    def test_held_slots(self):
        """A compile goes on without the slot that a stopped process keeps."""
        slots = self.folder / "slots"
        holder = self.hold_stopped(slots)
        said = self.expect_ok(*self.arguments, CUBINET_SLOTS=f"1:{slots}", CUBINET_CACHE_WAIT="1")
        self.assertIn("no thread of the build became free in 1 s (CUBINET_CACHE_WAIT)", said)
        self.assertIn(f"process {holder} (", said)

    def start(self, *arguments):
        """A command that never ends by itself, when it has started its work."""
        process = subprocess.Popen([COMMAND, *arguments], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True)  # fmt: skip
        self.addCleanup(process.stdout.close)
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
        while not children.read_text():
            time.sleep(0.01)
        return process, int(children.read_text().split()[0])

    def test_interrupted_pch(self):
        """It leaves no empty file that a build would take for made."""
        (self.folder / "endless.h").write_text(ENDLESS)
        for number in (signal.SIGTERM, signal.SIGINT):
            process, _ = self.start("pch", '"endless.h"', "-o", "q.pch", "--arch", "80")
            while not (self.folder / "q.pch.lock").exists():
                time.sleep(0.01)
            process.send_signal(number)
            self.assertEqual(process.wait(), -number)
            self.assertEqual(sorted(os.listdir(self.folder)), ["endless.h", "scale.cu"])

    def test_killed_pch(self):
        """What a killed process left goes with the next run, unless somebody may be writing it."""
        (self.folder / "h.h").write_text("#pragma once\n")
        make = ["pch", '"h.h"', "-o", "h.pch", "--arch", "80"]
        left = self.folder / "h.pch.data.tmp"
        self.expect_ok(*make)
        left.write_text("half")
        self.expect_ok(*make)
        self.assertFalse(left.exists())
        left.write_text("half")
        self.hold_stopped(self.folder / "h.pch.lock")
        self.expect_ok(*make, CUBINET_CACHE_WAIT="1")
        self.assertTrue(left.exists())

    def test_killed_pch_is_not_made(self):
        """A process that is killed leaves no file that a build would take for made."""
        (self.folder / "endless.h").write_text(ENDLESS)
        process, child = self.start("pch", '"endless.h"', "-o", "q.pch", "--arch", "80")
        while not list(self.folder.glob("q.pch*")):
            time.sleep(0.01)
        for number in (process.pid, child):
            os.kill(number, signal.SIGKILL)
        process.wait()
        self.assertFalse((self.folder / "q.pch").exists())
        (self.folder / "endless.h").write_text("#pragma once\n")
        self.expect_ok("pch", '"endless.h"', "-o", "q.pch", "--arch", "80")
        self.assertEqual(sorted(os.listdir(self.folder)), ["endless.h", "q.pch", "q.pch.data", "scale.cu"])

    def test_failed_pch(self):
        (self.folder / "bad.h").write_text("#error no\n")
        self.assertEqual(self.cubinet("pch", '"bad.h"', "-o", "q.pch", "--arch", "80").returncode, 1)
        self.assertEqual(sorted(os.listdir(self.folder)), ["bad.h", "scale.cu"])

    def test_pch_comes_last(self):
        """After its depfile, without which a build would not know when to make it again."""
        (self.folder / "h.h").write_text("#pragma once\n")
        make = ["pch", '"h.h"', "-o", "q.pch", "--arch", "80", "-MD", "-MF"]
        self.expect_error("cannot write '/dev/full'", *make, "/dev/full")
        self.assertFalse((self.folder / "q.pch").exists())
        self.expect_ok(*make, "q.d")
        self.assertEqual(sorted(os.listdir(self.folder)), ["h.h", "q.d", "q.pch", "q.pch.data", "scale.cu"])

    def test_crash(self):
        """What happens when the compiler crashes is told, and the command ends by itself."""
        (self.folder / "endless.cu").write_text(ENDLESS + '__global__ void k(int *p) { *p = count(); }')
        process, child = self.start("compile", "endless.cu", "--arch", "80")
        os.kill(child, signal.SIGKILL)
        self.assertEqual(process.wait(), 1)
        self.assertIn("cubinet: error: endless.cu: ended by signal 9 (Killed)", process.stdout.read())
        self.assertEqual(sorted(os.listdir(self.folder)), ["endless.cu", "scale.cu"])





def has_toolkit():
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "probe.cu"
        source.write_text(SCALE)
        arguments = [COMMAND, "compile", str(source), "-o", str(source) + ".cubinet", "--arch", "80"]
        return subprocess.run(arguments, capture_output=True, check=False).returncode == 0


if __name__ == "__main__":
    COMMAND, MAKE_ARCHIVE, CUBIN, NVJITLINK, NVRTC = sys.argv[1:6]
    for name in [name for name in os.environ if name.startswith("CUBINET_") or name == "XDG_CACHE_HOME"]:
        del os.environ[name]
    HAS_TOOLKIT = has_toolkit()
    unittest.main(argv=sys.argv[:1], verbosity=2)
