#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The headers that host_headers.c knows as the host's are those in device_headers/host_only, and none of them is among
those for device code."""

import pathlib
import re
import sys
import unittest

PACKAGER = pathlib.Path(sys.argv.pop())


def names_in(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


class Lists(unittest.TestCase):
    def setUp(self):
        source = (PACKAGER / "toolkit" / "host_headers.c").read_text(encoding="utf-8")
        table = re.search(r"\} hosts\[\] = \{(.*?)\n\};", source, re.DOTALL).group(1)
        lists = re.findall(r'\.headers =\s*((?:"[^"]*"\s*)+)', table)
        self.known = {name for text in lists for name in "".join(re.findall(r'"([^"]*)"', text)).split()}
        every = names_in(PACKAGER / "device_headers" / "host_only")
        self.shared = {name for name in every if name.startswith("cubinet_host/")}
        # The toolkit's own are in the place of these where host code's types are not there.
        self.of_cub = {name for name in every if name.startswith("cub/")}
        self.hosts = every - self.shared - self.of_cub
        self.standard = names_in(PACKAGER / "device_headers" / "standard")

    def test_known_are_there(self):
        self.assertGreater(len(self.known), 100)
        self.assertEqual(self.known, self.hosts)

    def test_none_is_both(self):
        self.assertEqual(self.hosts & self.standard, set())

    def test_all_include_what_they_share(self):
        included = set()
        for name in self.hosts | self.of_cub:
            text = (PACKAGER / "device_headers" / "host_only" / name).read_text(encoding="utf-8")
            lines = [line for line in text.splitlines() if line and not line.startswith(("//", "#include "))]
            self.assertEqual(lines, [], name)
            names = re.findall(r'^#include "(.*)"$', text, re.MULTILINE)
            self.assertLessEqual(set(names), self.shared, name)
            included |= set(names)
        for name in self.shared | {f"../standard/{name}" for name in self.standard} | {"../cuda/cub/cub.cuh"}:
            text = (PACKAGER / "device_headers" / "host_only" / name).read_text(encoding="utf-8")
            included |= {f"cubinet_host/{found.split('/')[-1]}" for found in re.findall(r'^#include "([^"]*)"$', text, re.MULTILINE)}
        self.assertEqual(self.shared - included, set())


if __name__ == "__main__":
    unittest.main()
