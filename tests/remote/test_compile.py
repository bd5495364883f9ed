#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles and links that take from a remote cache what other machines made; each folder is a machine here."""
import hashlib
import os
import struct
import subprocess
import sys
import time

import client
import servers

CUBINET = os.environ["CUBINET_COMMAND"]
TOOLKIT = os.environ["CUBINET_TOOLKIT_ROOT"]

CLOCK_REALTIME_COARSE = 5  # the clock that files' times are taken from

SOURCE = """
#include "scale.h"
template <typename T> __global__ void scale(T *x) { x[threadIdx.x] *= FACTOR; }
"""


def frame(data, zeros=0):
    """A zstd frame that holds the bytes as they are, and so many zeros after them."""
    size = len(data) + zeros
    parts = [data[at:at + 65536] for at in range(0, len(data), 65536)]
    blocks = [(len(part) << 3).to_bytes(3, "little") + part for part in parts]
    blocks += [(min(65536, zeros - at) << 3 | 2).to_bytes(3, "little") + b"\0" for at in range(0, zeros, 65536)]
    last = blocks.pop()
    return b"\x28\xb5\x2f\xfd\xe0" + size.to_bytes(8, "little") + b"".join(blocks) + bytes([last[0] | 1]) + last[1:]


def flipped(data, at):
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1:]


class CompileTest(client.RemoteTest):
    def setUp(self):
        super().setUp()
        self.server = servers.Server()
        self.addCleanup(self.server.stop)
        self.settings = {"CUBINET_REMOTE_CACHE": self.server.url, **client.PATIENCE}

    def write(self, machine, name, text):
        folder = os.path.join(self.folder, machine)
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, name)
        with open(path, "w") as file:
            file.write(text)
        self.let_time_pass(path)

    def let_time_pass(self, path):
        """Until a file is older than a compile that starts now: one that may have changed meanwhile is not kept."""
        while time.clock_gettime_ns(CLOCK_REALTIME_COARSE) <= os.stat(path).st_ctime_ns:
            time.sleep(0.001)

    def make_machine(self, name, factor=2):
        self.write(name, "scale.cu", SOURCE)
        self.write(name, "scale.h", "#define FACTOR %d\n" % factor)

    def cubinet(self, machine, *arguments, **settings):
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith("CUBINET_") and "proxy" not in name.lower()}
        environment.update({"HOME": self.folder, "NETRC": "", "XDG_CACHE_HOME": ""}, **self.settings)
        environment.update(settings)
        process = subprocess.run([CUBINET, *arguments], env=environment, cwd=os.path.join(self.folder, machine),
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(process.returncode, 0, process.stdout + process.stderr)
        return process.stdout + process.stderr

    def compile(self, machine, *more, folder="cache", **settings):
        """Compiles on a machine; the archive's bytes, and what was said. The folder of its cache may be none."""
        path = os.path.join(self.folder, machine, folder) if folder else ""
        said = self.cubinet(machine, "compile", "scale.cu", "-o", "out.cubinet", "--kernel", "scale<float>", "--arch",
                            "80", "--toolkit", TOOLKIT, "-v", *more, CUBINET_CACHE_DIR=path, **settings)
        with open(os.path.join(self.folder, machine, "out.cubinet"), "rb") as file:
            return file.read(), said

    def assert_made(self, said):
        self.assertIn("nvrtc ", said)

    def assert_taken(self, said):
        self.assertIn("is taken from the cache", said)
        self.assertNotIn("nvrtc ", said)

    def test_a_second_machine_takes_what_the_first_made(self):
        self.make_machine("one")
        self.make_machine("two")
        first, said = self.compile("one")
        self.assert_made(said)
        second, said = self.compile("two")
        self.assert_taken(said)
        self.assertEqual(first, second)
        # What was fetched is kept: without the server it is there.
        os.remove(os.path.join(self.folder, "two", "out.cubinet"))
        third, said = self.compile("two", CUBINET_REMOTE_CACHE="")
        self.assert_taken(said)
        self.assertEqual(first, third)

    def test_no_folder_is_needed(self):
        self.make_machine("one")
        self.make_machine("two")
        first, said = self.compile("one", folder=None, TMPDIR=self.folder)
        self.assert_made(said)
        second, said = self.compile("two", folder=None, TMPDIR=self.folder)
        self.assert_taken(said)
        self.assertEqual(first, second)
        # The digests of the toolkit's files are remembered nevertheless.
        remembered = os.stat(os.path.join(self.folder, "cubinet-%d" % os.geteuid(), "files"))
        self.assertGreater(remembered.st_size, 0)

    def test_other_contents_are_not_taken(self):
        self.make_machine("one", factor=2)
        self.make_machine("two", factor=3)
        first, _ = self.compile("one")
        second, said = self.compile("two")
        self.assert_made(said)
        self.assertNotEqual(first, second)

    def test_a_hit_has_the_depfile_of_a_compile(self):
        self.make_machine("one")
        self.make_machine("two")
        dependencies = []
        for machine in ("one", "two"):
            self.compile(machine, "-MD")
            with open(os.path.join(self.folder, machine, "out.d")) as file:
                dependencies.append(file.read().replace(os.path.join(self.folder, machine), "."))
        self.assertIn("scale.h", dependencies[0])
        self.assertEqual(dependencies[0], dependencies[1])

    def test_a_read_only_machine_stores_nothing(self):
        self.make_machine("one")
        self.compile("one", CUBINET_REMOTE_CACHE_READ_ONLY="1")
        self.assertEqual(self.server.files, {})

    def test_the_option_names_the_server(self):
        self.make_machine("one")
        self.make_machine("two")
        self.compile("one", "--remote-cache", self.server.url, CUBINET_REMOTE_CACHE="http://nowhere.invalid")
        _, said = self.compile("two", "--remote-cache=" + self.server.url, CUBINET_REMOTE_CACHE="")
        self.assert_taken(said)
        seen = len(self.server.seen)
        self.make_machine("three")
        _, said = self.compile("three", "--remote-cache", "")
        self.assert_made(said)
        self.assertEqual(len(self.server.seen), seen)

    def test_the_same_bytes_whatever_the_server_does(self):
        """Flips a bit of each file in turn. That of a result may be in a part that says nothing of the file."""
        self.make_machine("one")
        expected, _ = self.compile("one")
        files = dict(self.server.files)
        self.make_machine("sound")
        self.server.seen.clear()
        self.assert_taken(self.compile("sound")[1])
        asked = {request[1] for request in self.server.seen}  # not machine code: the whole result was taken
        self.assertTrue([path for path in asked if "/cas/" in path])
        for number, (path, body) in enumerate(files.items()):
            for place in (0, len(body) // 2, len(body) - 1):
                with self.subTest(path.split("/")[-2], place=place):
                    machine = "flip-%d-%d" % (number, place)
                    self.make_machine(machine)
                    self.server.files = dict(files)
                    self.server.files[path] = body[:place] + bytes([body[place] ^ 0x10]) + body[place + 1:]
                    found, said = self.compile(machine)
                    self.assertEqual(found, expected)
                    if "/cas/" in path and path in asked:
                        self.assert_made(said)

    def build(self, machine, **settings):
        """Builds six modules by Ninja; what was said."""
        arguments = []
        for number in range(6):
            self.write(machine, "m%d.cu" % number, "__global__ void k%d(int *x) { *x = %d; }\n" % (number, number))
            arguments += ["m%d.cu" % number, "--kernel", "k%d" % number]
        return self.cubinet(machine, "build", *arguments, "-o", "all.cubinet", "--arch", "80", "--toolkit", TOOLKIT,
                            CUBINET_CACHE_DIR=os.path.join(self.folder, machine, "cache"), **settings)

    def test_a_build_warns_once(self):
        """Its processes print through Ninja, on standard output."""
        self.server.behaviours = {"GET ac": lambda handler, _: handler.answer(500)}
        said = self.build("one")
        self.assertEqual(said.count("is not used for now: it answers with status 500"), 1, said)
        said = self.build("two", CUBINET_REMOTE_CACHE="http://127.0.0.1:1")
        self.assertEqual(said.count("is not used for now"), 1, said)

    def test_a_build_takes_all_from_another_machine(self):
        self.build("one")
        self.server.seen.clear()
        self.assertNotIn("warning", self.build("two"))
        self.assertEqual({request[0] for request in self.server.seen}, {"GET"})
        self.assertEqual(len(self.server.seen), 4 * 6)
        with open(os.path.join(self.folder, "one", "all.cubinet"), "rb") as one:
            with open(os.path.join(self.folder, "two", "all.cubinet"), "rb") as two:
                self.assertEqual(one.read(), two.read())

    def test_wrong_settings_are_told_once(self):
        self.make_machine("one")
        said = self.compile("one", CUBINET_REMOTE_CACHE="ann:hunter2@host")[1]
        said += self.compile("one", CUBINET_REMOTE_CACHE="ann:hunter2@host")[1]
        self.assertEqual(said.count("cubinet: warning: there is no remote cache"), 1, said)
        self.assertNotIn("hunter2", said)

    def refill(self, kind, payload):
        """Has the server give something else under the right key and digests, as who may write there can."""
        for path, body in list(self.server.files.items()):
            if "/ac/" not in path:
                continue
            (name, hash), = [(dict(servers.fields_of(file))[1].decode(),
                              dict(servers.fields_of(dict(servers.fields_of(file))[2]))[1].decode())
                             for number, file in servers.fields_of(body) if number == 2]
            if not name.endswith("." + kind):
                continue
            entry, holds = (os.path.join(self.folder, name) for name in ("entry", "payload"))
            with open(entry, "wb") as file:
                file.write(self.server.files[path.replace("/ac/", "/cas/").rsplit("/", 1)[0] + "/" + hash])
            with open(holds, "wb") as file:
                file.write(payload)
            made = subprocess.run([client.CLIENT, "refill", entry, holds], stdout=subprocess.PIPE, check=True).stdout
            self.server.files[path] = servers.action_result(name, made)
            self.server.files[path.replace("/ac/", "/cas/").rsplit("/", 1)[0] + "/" +
                              hashlib.sha256(made).hexdigest()] = made
            return
        self.fail("the server has nothing of the kind " + kind)

    def test_what_is_fetched_is_what_it_should_be(self):
        self.make_machine("one")
        expected, _ = self.compile("one")
        files = dict(self.server.files)
        result = struct.pack("<QQ", 1, 1) + b"\0"
        path = b"scale.cu\nevil.h\0"
        wrong = {
            "no result": ("compile", b"x" * 1000),
            "no archive": ("compile", frame(result + b"#!/bin/sh")),
            "nothing": ("compile", frame(result)),
            "a damaged archive": ("compile", frame(result + expected[:-2000] + flipped(expected[-2000:], 0))),
            "half an archive": ("compile", frame(result + expected[:len(expected) // 2])),
            "messages that end in between": ("compile", frame(struct.pack("<QQ", 1, 3) + b"a\0\0" + expected)),
            "gigabytes": ("compile", frame(result, zeros=1 << 31)),
            "no list": ("manifest", b"x" * 1000),
            "a line's end in a path": ("manifest", frame(
                struct.pack("<IIIIII32sII", 2, 1, 1, len(path), 3, 0, b"", 1, 0) + path)),
            "one path twice": ("manifest", frame(
                struct.pack("<IIIIII32sII32sIII", 2, 2, 1, 2, 3, 0, b"", 3, 0, b"", 2, 0, 1) + b"a\0")),
            "one file twice in a set": ("manifest", frame(
                struct.pack("<IIIIII32sIII", 2, 1, 1, 2, 3, 0, b"", 2, 0, 0) + b"a\0")),
            "a gigabyte of paths": ("manifest", frame(struct.pack("<IIII", 2, 0, 0, 1 << 30), zeros=1 << 30)),
        }
        for name, (kind, payload) in wrong.items():
            with self.subTest(name):
                machine = name.replace(" ", "-").replace("'", "")
                self.make_machine(machine)
                self.server.files = dict(files)
                self.refill(kind, payload)
                found, said = self.compile(machine)
                self.assert_made(said)
                self.assertEqual(found, expected)
                self.assertRegex(said, "warning: .*cas/[0-9a-f]*: what it holds is not")

    def machine_code(self, architecture, kernel="scale<float>"):
        """What assembling the source gives."""
        self.make_machine("maker")
        self.cubinet("maker", "compile", "scale.cu", "-o", "code.cubinet", "--kernel", kernel, "--arch", architecture,
                     "--toolkit", TOOLKIT, "--no-cache")
        self.cubinet("maker", "extract", "code.cubinet", "scale", "sm_" + architecture, "-o", "code.cubin")
        with open(os.path.join(self.folder, "maker", "code.cubin"), "rb") as file:
            return file.read()

    def test_machine_code_that_is_fetched_is_what_it_should_be(self):
        """Another comment gives the same PTX, so only machine code is taken. What is refused is assembled."""
        commented = "// A comment.\n" + SOURCE
        self.make_machine("local")
        self.write("local", "scale.cu", commented)
        expected, _ = self.compile("local", CUBINET_REMOTE_CACHE="")
        self.make_machine("one")
        self.compile("one")
        files = dict(self.server.files)

        code = self.machine_code("80")
        other_machine = code[:18] + b"\x3e\0" + code[20:]  # x86-64
        with open(sys.executable, "rb") as file:
            program = file.read(1 << 20)
        result = struct.pack("<QQ", 1, 1) + b"\0"
        no_result, no_cubin = "what it holds is not what an assembler makes", "what it holds is not a cubin that is sound"
        wrong = {
            "sound": (frame(result + code), None),
            "no result": (b"x" * 1000, no_result),
            "messages that end in between": (frame(struct.pack("<QQ", 1, 3) + b"a\0\0" + code), no_result),
            "messages without an end": (frame(struct.pack("<QQ", 1, 1 << 40) + code), no_result),
            "gigabytes": (frame(result, zeros=1 << 31), no_result),
            "nothing": (frame(result), no_cubin),
            "a script": (frame(result + b"#!/bin/sh"), no_cubin),
            "a program": (frame(result + program), no_cubin),
            "another machine": (frame(result + other_machine), no_cubin),
            "only its header": (frame(result + code[:64]), no_cubin),
            "half of it": (frame(result + code[:len(code) // 2]), no_cubin),
            "all but a byte": (frame(result + code[:-1]), no_cubin),
            "another architecture": (frame(result + self.machine_code("90")), ""),
            "another kernel": (frame(result + self.machine_code("80", "scale<int>")), ""),
        }
        for name, (payload, problem) in wrong.items():
            with self.subTest(name):
                machine = "code " + name
                self.make_machine(machine)
                self.write(machine, "scale.cu", commented)
                self.server.files = dict(files)
                self.refill("code", payload)
                found, said = self.compile(machine)
                self.assertEqual(found, expected)
                self.assertEqual("sm_80: machine code from the cache" in said, problem is None, said)
                self.assertIn("warning: " if problem else "nvrtc ", said)
                self.assertIn(problem or "", said)

    def test_messages_that_are_fetched_do_not_control_a_terminal(self):
        """What the compilers said, and the assembler, whose machine code alone is taken after an edit of a comment."""
        hostile = b"ptxas said \x1b[2J\x07 \xff \xe2\x80\xae\n"
        self.make_machine("one")
        archive, _ = self.compile("one")
        code = self.machine_code("80")
        head = struct.pack("<QQ", 1, len(hostile) + 1) + hostile + b"\0"
        files = dict(self.server.files)
        for kind, holds, comment in (("compile", archive, ""), ("code", code, "// A comment.\n")):
            with self.subTest(kind):
                self.make_machine(kind)
                self.write(kind, "scale.cu", comment + SOURCE)
                self.server.files = dict(files)
                self.refill(kind, frame(head + holds))
                _, said = self.compile(kind)
                self.assertIn("from the cache", said)
                self.assertIn(r"ptxas said \u001b[2J\u0007 \xff \u202e", said)
                self.assertEqual([character for character in said if character != "\n" and not character.isprintable()], [])

    def test_a_link_that_is_no_archive_is_made(self):
        self.make_machine("one")
        self.cubinet("one", "compile", "scale.cu", "-o", "lto.cubinet", "--kernel", "scale<float>", "--arch",
                     "80-lto", "--toolkit", TOOLKIT, "--no-cache")
        for machine in ("a", "b"):
            os.mkdir(os.path.join(self.folder, machine))
            said = self.cubinet(machine, "link", "--all", "--device", "sm_90", "--cache",
                                os.path.join(self.folder, machine), "--toolkit", TOOLKIT, "../one/lto.cubinet")
            self.assertEqual("what it holds is not an archive" in said, machine == "b", said)
            self.refill("link", b"no archive")

    def test_a_filled_cache_serves_links_of_another_machine(self):
        self.make_machine("one")
        self.cubinet("one", "compile", "scale.cu", "-o", "lto.cubinet", "--kernel", "scale<float>", "--arch",
                     "80-lto", "--toolkit", TOOLKIT, "--no-cache")
        for machine in ("a", "b"):
            os.mkdir(os.path.join(self.folder, machine))
            self.cubinet(machine, "link", "--all", "--device", "sm_90", "--cache", os.path.join(self.folder, machine),
                         "--toolkit", TOOLKIT, "../one/lto.cubinet")
        entries = [[name for name in os.listdir(os.path.join(self.folder, machine)) if name.endswith(".link")]
                   for machine in ("a", "b")]
        self.assertEqual(len(entries[0]), 1)
        self.assertEqual(entries[0], entries[1])
        self.assertEqual([request[0] for request in self.server.seen], ["GET", "PUT", "PUT", "GET", "GET"])


if __name__ == "__main__":
    if not TOOLKIT:
        print("skipped: there is no CUDA toolkit")
        sys.exit(77)
    client.main()
