#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Completions and man pages: the shells complete every command and every option that `--help` lists, and values that are
files or folders; man pages have the same options and no errors. Shells that are not there are skipped, and it says so.

Usage: completions.py CUBINET
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

CUBINET = pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None


def output(*arguments, **options):
    return subprocess.run(list(map(str, arguments)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True,
                          **options).stdout  # fmt: skip


def commands():
    return re.findall(r"^  ([a-z]+) ", output(CUBINET, "--help"), re.MULTILINE)


def long_options(command):
    """Those that --help lists."""
    text = output(CUBINET, command, "--help").partition("\nOptions:\n")[2].partition("\n\n")[0]
    return re.findall(r"^  (?:-\w, )?(--[\w+-]+)", text, re.MULTILINE)


class Bash:
    """Runs the function that bash would call for TAB."""

    script = """
        . "$1"; shift
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
        _cubinet 2>/dev/null
        printf '%s\\n' "${COMPREPLY[@]}"
    """

    def __init__(self, file):
        self.file = file

    def complete(self, folder, *words):
        return output("bash", "--norc", "-c", self.script, "bash", self.file, "cubinet", *words, cwd=folder).split("\n")


class Fish:
    def __init__(self, file):
        self.file = file

    def complete(self, folder, *words):
        line = " ".join(("cubinet", *words))
        text = output("fish", "--no-config", "-c", f"source {self.file}; complete -C '{line}'", cwd=folder,
                      env={**os.environ, "HOME": str(folder)})  # fmt: skip
        return [row.partition("\t")[0].rstrip("/") for row in text.split("\n")]


class Completions(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="cubinet-test-")
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)
        self.files = self.scratch / "files"
        (self.files / "folder").mkdir(parents=True)
        (self.files / "file.cubinet").touch()

    def shell(self, kind, name, file):
        if not shutil.which(name):
            self.skipTest(f"there is no {name}")
        path = self.scratch / file
        path.write_text(output(CUBINET, "help", "--completions", name))
        output(name, "-n", path)
        return kind(path)

    def check_values(self, shell):
        self.assertIn("compile", shell.complete(self.files, "com"))
        self.assertIn("file.cubinet", shell.complete(self.files, "list", "fi"))
        self.assertIn("file.cubinet", shell.complete(self.files, "pack", "-o", "fi"))
        self.assertIn("folder", shell.complete(self.files, "cache", "trim", "--dir", "fo"))
        self.assertNotIn("file.cubinet", shell.complete(self.files, "cache", "trim", "--dir", "fi"))
        self.assertNotIn("file.cubinet", shell.complete(self.files, "pack", "--abi", "fi"))

    def check_options(self, shell):
        for command in commands():
            with self.subTest(command):
                completed = shell.complete(self.files, command, "--")
                options = [*long_options(command), *(["--use_fast_math"] if command in ("build", "ninja") else [])]
                self.assertEqual([option for option in options if option not in completed], [])

    def test_bash(self):
        shell = self.shell(Bash, "bash", "cubinet")
        self.check_options(shell)
        self.check_values(shell)
        self.assertIn("file.cubinet", shell.complete(self.files, "pack", "--output", "=", "fi"))
        self.assertIn("inspect", shell.complete(self.files, "help", "ins"))
        self.assertIn("-o", shell.complete(self.files, "pack", "-"))

    def test_fish(self):
        shell = self.shell(Fish, "fish", "cubinet.fish")
        self.check_options(shell)
        self.check_values(shell)

    def test_zsh(self):
        """What is completed shows in a terminal alone, so the specifications are read instead."""
        text = output(CUBINET, "help", "--completions", "zsh")
        if shutil.which("zsh"):
            (self.scratch / "_cubinet").write_text(text)
            output("zsh", "-n", self.scratch / "_cubinet")
        for command in commands():
            specifications = text.partition(f"\n    {command})\n")[2].partition(";;")[0]
            names = re.findall(r"^ +'\*(--[\w+-]*[\w+])=?-?\[.*' \\$", specifications, re.MULTILINE)
            self.assertEqual([option for option in long_options(command) if option not in names], [], command)
            self.assertIn("'*:file:_files'", specifications)
        self.assertRegex(text, r"'\*--toolkit=\[.*\]:FOLDER:_files -/' ")

    def test_other_shells(self):
        result = subprocess.run([CUBINET, "help", "--completions", "tcsh"], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn("name bash, zsh or fish", result.stderr)


class ManPages(unittest.TestCase):
    def test_the_options_are_those_of_help(self):
        for command in commands():
            with self.subTest(command):
                page = output(CUBINET, "help", "--man", command).replace("\\-", "-")
                self.assertIn(f".SH NAME\ncubinet-{command} - ", page)
                self.assertEqual(re.findall(r"^\\fB(?:-\w, )?(--[\w+-]+)", page, re.MULTILINE), long_options(command))

    def test_the_first_page_names_the_commands(self):
        page = output(CUBINET, "help", "--man").replace("\\-", "-")
        self.assertEqual(re.findall(r"^\.BR cubinet-(\w+) \(1\)$", page, re.MULTILINE), commands())

    def test_no_warnings(self):
        if not shutil.which("groff"):
            self.skipTest("there is no groff")
        for command in (None, *commands()):
            with self.subTest(command):
                page = output(CUBINET, "help", "--man", *([command] if command else []))
                result = subprocess.run(["groff", "-man", "-Tutf8", "-k", "-ww", "-Z", "-rLL=100n"], input=page, capture_output=True, text=True,
                                        check=False)  # fmt: skip
                self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_an_unknown_command(self):
        result = subprocess.run([CUBINET, "help", "--man", "lst"], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn("the nearest is 'list'", result.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
