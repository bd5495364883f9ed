#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the command prints of archives, files and messages that are made to deceive or to exhaust:
`hostile.py COMMAND MAKE_HOSTILE MAKE_ARCHIVE SANITIZERS`."""

import json
import os
import pathlib
import pty
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import unicodedata
import unittest

MIB = 1 << 20

BAD = {
    "clear": b"\x1b[2J\x1b[Hit is sound\x1b[8m", "title": b"\x1b]0;x\x07", "c1": "\u009b31m".encode(), "byte": b"\x9b31m",
    "return": b"ok\rit is sound", "line": b"a\nit is sound: 12 modules", "tab": b"a\tb", "delete": b"a\x7f",
    "override": "a\u202e/*}\u2066 if (x)".encode(), "separator": "\u2028x\u2029".encode(), "invalid": b"\xff\xfe\xc0\xaf",
    "surrogate": b"\xed\xa0\x80", "cut": b"a\xe2\x82",
}  # fmt: skip
GOOD = {
    "comment": b"x */ int f(void); /*", "quote": b'"; int f; "', "trigraph": b"*??/", "backslash": b"a\\",
    "script": b"</script><script>alert(1)</script>", "attribute": b'" onmouseover="alert(1)', "format": b"%n%s%x",
    "folder": b"../../above", "shell": b"$(touch a)`touch b`", "accent": "r\u00e9sum\u00e9 \u20ac".encode(), "json": b'","x":"',
}  # fmt: skip

SHOWN = [["list"], ["list", "--json"], ["inspect"], ["inspect", "--json"], ["inspect", "--sbom=spdx"],
         ["inspect", "--sbom=cyclonedx"], ["verify"], ["verify", "--json"], ["explain", "--device", "8.0"],
         ["explain", "--device", "8.0", "--json"], ["requirements"], ["requirements", "--json"],
         ["occupancy", "--device", "8.0"], ["occupancy", "--device", "8.0", "--json"],
         ["header", "--prefix", "made", "-o", "-"]]  # fmt: skip


class Command(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="cubinet-test-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def run_command(self, *arguments, memory=None, cwd=None):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

        return subprocess.run([COMMAND, *arguments], cwd=cwd or self.folder, preexec_fn=limit if memory else None,
                              capture_output=True, check=False)  # fmt: skip

    def make(self, *arguments):
        path = self.folder / "made.cubinet"
        subprocess.run([MAKE_HOSTILE, path, *arguments], check=True)
        return path

    def expect_text(self, output):
        """Text of which every line says what it seems to say, on any terminal."""
        for character in set(output.decode("utf-8")) - {"\n", "\t"}:
            self.assertNotIn(unicodedata.category(character), ("Cc", "Zl", "Zp"), ascii(output))
            self.assertNotIn(unicodedata.bidirectional(character), ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"))

    def show(self, archive, command):
        result = self.run_command(command[0], archive.name, *command[1:])
        self.assertIn(result.returncode, (0, 1), result.stderr)
        self.expect_text(result.stdout)
        self.expect_text(result.stderr)
        if result.returncode == 0 and ("--json" in command or "--sbom" in command[-1]):
            json.loads(result.stdout)
        return result


class Archives(Command):
    def test_names_that_control_terminals(self):
        for text in BAD.values():
            archive = self.make("name", text)
            for command in SHOWN:
                self.assertEqual(self.show(archive, command).returncode, 1)

    def test_names_that_mean_something_elsewhere(self):
        for text in GOOD.values():
            archive = self.make("name", text)
            for command in SHOWN:
                if command[0] != "verify":  # the image has no kernel
                    self.assertEqual(self.show(archive, command).returncode, 0, (text, command))

    def test_names_in_pages(self):
        """The script of a page gets the name; no name is part of the page itself."""
        (self.folder / "other.cubinet").write_bytes(self.make("name", b"other").read_bytes())
        pages = {}
        for text in (b"plain", b"@DATA@@STYLE@@SCRIPT@", b"<!--<script>", *GOOD.values()):
            archive = self.make("name", text)
            for command in (["report", archive.name, "-o", "page.html"],
                            ["diff", archive.name, "other.cubinet", "--html", "page.html"],
                            ["diff", "other.cubinet", archive.name, "--html", "page.html"]):  # fmt: skip
                self.assertIn(self.run_command(*command).returncode, (0, 1))
                page = (self.folder / "page.html").read_text(encoding="utf-8")
                start, data, end = re.fullmatch(r'(.*id="data">)([^<>&]*)(</script>.*)', page, re.DOTALL).groups()
                self.assertEqual(pages.setdefault(command[0] + command[1], (start, end)), (start, end))
                self.assertIn(json.dumps(text.decode())[1:-1], json.dumps(json.loads(data)))

    def test_header_is_ascii(self):
        compiler = shutil.which("cc")
        for text in GOOD.values():
            archive = self.make("name", text)
            result = self.run_command("header", archive.name, "--prefix", "made", "-o", "made.h")
            self.assertEqual(result.returncode, 0, result.stderr)
            (self.folder / "made.h").read_bytes().decode("ascii")
            if compiler:
                subprocess.run([compiler, "-std=c11", "-trigraphs", "-Wall", "-Werror", "-Wno-unused", "-fsyntax-only", "-x", "c", "made.h"],
                               cwd=self.folder, check=True)  # fmt: skip

    def test_file_names(self):
        for text in BAD.values():
            result = self.run_command("list", text + b".cubinet")
            self.assertEqual(result.returncode, 1)
            self.assertRegex(result.stderr, rb"\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|\n.*\n|\t")
            self.expect_text(result.stderr)

    def test_prompt(self):
        """The terminal itself, which passwords are asked on."""
        for text in BAD.values():
            process, terminal = pty.fork()
            if process == 0:
                os.chdir(self.folder)
                os.environ.pop("CUBINET_KEY_PASSWORD", None)
                os.execv(COMMAND, [COMMAND, "keygen", "-f", "-o", os.fsdecode(text)])
            shown = os.read(terminal, 4096)
            while not shown.endswith(b".key: "):
                shown += os.read(terminal, 4096)
            os.write(terminal, b"\x04")
            os.waitpid(process, 0)
            os.close(terminal)
            self.assertIn(b"Password of ", shown)
            self.expect_text(shown)

    def test_json_of_a_file_name(self):
        archive = self.make("name", b"m")
        for text in (b"\x9b", "\u009b\u202e\x7f".encode(), b"\x1b"):
            named = self.folder / os.fsdecode(text + b".cubinet")
            shutil.copy(archive, named)
            for form in ("spdx", "cyclonedx"):
                result = self.run_command("inspect", named.name, f"--sbom={form}")
                self.assertEqual(result.returncode, 0, result.stderr)
                self.expect_text(result.stdout)
                if form == "spdx":
                    name = json.loads(result.stdout)["packages"][0]["name"]
                    self.assertEqual(name, text.decode("utf-8", "replace") + ".cubinet")

    def test_characters_are_whole(self):
        """However the bytes come in parts."""
        for start in ("", "a", "ab"):
            name = start + "\u20ac" * 1300
            result = self.run_command("inspect", self.make("name", name.encode()).name)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn(f"module {name}\n", result.stdout.decode())

    def test_bytes_of_an_image(self):
        every = bytes(range(256)) * 40
        (self.folder / "image").write_bytes(every)
        subprocess.run([MAKE_ARCHIVE, "a.cubinet", "m", "image=lto_75"], cwd=self.folder, check=True)
        result = self.run_command("extract", "a.cubinet", "m", "lto_75", "-o", "-")
        self.assertEqual(result.stdout, every)

    def test_memory(self):
        if SANITIZERS:
            self.skipTest("sanitizers reserve more memory than any limit")
        for count, size in ((2, 64 * MIB), (10, MIB - 1000)):
            archive = self.make("blocks", str(count), str(size))
            self.assertLess(archive.stat().st_size, MIB)
            for command in SHOWN:
                result = self.run_command(command[0], archive.name, *command[1:], memory=120 * MIB)
                self.assertEqual(result.returncode, 1, command)
                self.assertIn(b"the index of module 'module", result.stderr)
                self.assertIn(b"limit", result.stderr)

    def test_records_that_repeat(self):
        """Kernels with the same many parameters in many images, of which an index may tell only so much."""
        if SANITIZERS:
            self.skipTest("sanitizers reserve more memory than any limit")
        archive = self.make("told", "40", "100", "1000")
        self.assertLess(archive.stat().st_size, MIB)
        for command in SHOWN:
            result = self.run_command(command[0], archive.name, *command[1:], memory=120 * MIB)
            self.assertEqual(result.returncode, 1, command)
            self.assertIn(b"the same kernels, parameters, sources and tuned sets too often", result.stderr)

    def test_much_to_tell(self):
        """As much as there may be, in an archive of 110 KB: it is printed as it is read."""
        if SANITIZERS:
            self.skipTest("sanitizers reserve more memory than any limit")
        archive = self.make("told", "8", "100", "600")
        for command in SHOWN:
            result = self.run_command(command[0], archive.name, *command[1:], memory=120 * MIB)
            self.assertEqual(result.returncode, 1 if command[0] == "verify" else 0, (command, result.stderr))
            if "--json" in command:
                json.loads(result.stdout)

    def test_images_that_inflate(self):
        """Commands that read all images, which have a common limit."""
        if SANITIZERS:
            self.skipTest("sanitizers reserve more memory than any limit")
        archive = self.make("images", "5", str(60 * MIB))
        self.assertLess(archive.stat().st_size, MIB)
        before = archive.read_bytes()
        for command in ("list", "inspect", "requirements"):
            result = self.run_command(command, archive.name, memory=120 * MIB)
            self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.run_command("keygen", "--no-password", "-o", "k").returncode, 0)
        for command in (["verify"], ["inspect", "--sbom"], ["extract", "--all", "out"], ["export", "m", "--fatbin", "-o", "out", "--plain"],
                        ["sign", "--key", "k.key"], ["pack", "-o", "out"], ["slice", "-o", "out", "--module", "m"],
                        ["remove", "m", "--target", "compute_10", "-o", "out"], ["replace", archive.name, "-o", "out"],
                        ["diff", archive.name], ["report", "-o", "out"]):  # fmt: skip
            result = self.run_command(command[0], archive.name, *command[1:], memory=120 * MIB)
            self.assertIn(result.returncode, (1, 2), (command, result.stdout, result.stderr))
            self.assertIn(b"take more than 268435456 bytes together", result.stderr)
        self.assertEqual(archive.read_bytes(), before)
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"k.key", "k.pub", archive.name})
        result = self.run_command("extract", archive.name, "m", "compute_10", "-o", "one.ptx", memory=240 * MIB)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_size_of_a_header(self):
        archive = self.make("params", "20000", "500000")
        self.assertLess(archive.stat().st_size, MIB)
        result = self.run_command("header", archive.name, "--prefix", "made", "-o", "-")
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stdout, b"")
        self.assertIn(b"the header would have more than 16777216 bytes", result.stderr)


class Messages(Command):
    """What compilers say of a source, at once and from the cache."""

    def compile(self, source, *options):
        (self.folder / "s.cu").write_bytes(source)
        return self.run_command("compile", "s.cu", "--arch", "80-virtual", "--cache", str(self.folder / "cache"), *options)

    def setUp(self):
        super().setUp()
        if self.compile(b"__global__ void k() {}\n").returncode:
            self.skipTest("there is no CUDA toolkit")

    def test_messages(self):
        for text in BAD.values():
            source = b"__global__ void k() { int unused; } // " + text + b"\n"
            results = [self.compile(source) for _ in range(2)]
            for result in results:
                self.assertIn(b"unused", result.stderr)
                self.expect_text(result.stderr)
            self.assertEqual(results[0].stderr, results[1].stderr)

    def test_lines_that_end_with_carriage_returns(self):
        result = self.compile(b"__global__ void k() {\r\n  int unused;\r\n}\r\n")
        self.assertIn(b"int unused;\n", result.stderr)
        self.assertNotIn(b"\\u000d", result.stderr)

    def test_provenance(self):
        """What is recorded of options and a source's name is text, whatever they are."""
        os.rename(self.folder / "s.cu", self.folder / os.fsdecode(b"caf\xe9.cu"))
        result = self.run_command("compile", b"caf\xe9.cu", "--arch", "80-virtual", "--module", "m", "-o", "c.cubinet", b"-DX=\x1b[2J\xe9\n")
        self.assertEqual(result.returncode, 0, result.stderr)
        result = self.run_command("inspect", "c.cubinet", "--json")
        (module,) = json.loads(result.stdout)["modules"]
        origin = module["images"][0]["origin"]
        self.assertEqual(origin["source"], "caf\\xe9.cu")
        self.assertIn("--define-macro=X=\\u001b[2J\\xe9\\u000a", origin["options"])

    def test_name_expression(self):
        result = self.run_command("compile", "s.cu", "--arch", "80-virtual", "--kernel", "k\n")
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"a name expression has a control character: \\u000a at offset 1", result.stderr)


if __name__ == "__main__":
    COMMAND, MAKE_HOSTILE, MAKE_ARCHIVE, SANITIZERS = sys.argv[1:5]
    unittest.main(argv=sys.argv[:1], verbosity=2)
