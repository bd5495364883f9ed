#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The headers that device_headers.c knows as the host's are those in device_headers/host_only, and none of them is
among those for device code."""

import pathlib
import re
import sys
import unittest

PACKAGER = pathlib.Path(sys.argv.pop())


def names_in(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


class Lists(unittest.TestCase):
    def setUp(self):
        source = (PACKAGER / "toolkit" / "device_headers.c").read_text(encoding="utf-8")
        table = re.search(r"\} hosts\[\] = \{(.*?)\n\};", source, re.DOTALL).group(1)
        # The last of an entry's two strings, each of which may go on in the next line.
        lists = re.findall(r'((?:"[^"]*"\s*)+)\}', table)
        self.known = {name for text in lists for name in " ".join(re.findall(r'"([^"]*)"', text)).split()}
        self.empty = names_in(PACKAGER / "device_headers" / "host_only")
        self.standard = names_in(PACKAGER / "device_headers" / "standard")

    def test_known_are_there(self):
        self.assertGreater(len(self.known), 100)
        self.assertEqual(self.known, self.empty)

    def test_none_is_both(self):
        self.assertEqual(self.empty & self.standard, set())

    def test_empty_are_empty(self):
        for name in self.empty:
            text = (PACKAGER / "device_headers" / "host_only" / name).read_text(encoding="utf-8")
            lines = [line for line in text.splitlines() if not line.startswith(("//", "#include", "typedef", "#ifndef", "#define", "#endif"))]
            self.assertEqual([line for line in lines if line], [], name)


if __name__ == "__main__":
    unittest.main()
