# SPDX-License-Identifier: Apache-2.0
"""docs/reference/environment.md lists the environment variables that the code reads, and no others."""

import pathlib
import re
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PAGE = (SOURCE / "docs/reference/environment.md").read_text()
# Words in capitals of files that read the environment: suffixes of sizes, requests, prefixes.
OTHER_WORDS = {"G", "M", "KMGT", "PUT", "X", "NVRTC"}


def read_by_c():
    names = {}
    for folder in ("loader", "packager"):
        for path in (SOURCE / folder).rglob("*.c"):
            text = path.read_text()
            if re.search(r"getenv|\.environment =|\benviron\b", text):
                for name in re.findall(r'"(CUDAToolkit_ROOT|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)"', text):
                    names.setdefault(name, path)
    return {name: path for name, path in names.items() if name not in OTHER_WORDS}


def read_by_cmake():
    names = {}
    for path in (SOURCE / "cmake_modules").glob("*.cmake"):
        for name in re.findall(r"ENV\{(\w+)\}", path.read_text()):
            names[name] = path
    return names


def read_by_python():
    names = {}
    for path in (SOURCE / "python").rglob("*.py"):
        for name in re.findall(r'os\.environ(?:\.get\(|\[)"(\w+)"', path.read_text()):
            names[name] = path
    return names


class Environment(unittest.TestCase):
    def test_every_variable_is_on_the_page(self):
        rows = [row.split("|")[1] for row in PAGE.split("\n") if row.startswith("| `")]
        listed = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
        self.assertEqual(len(listed), len(set(listed)))
        code = {**read_by_c(), **read_by_cmake(), **read_by_python()}
        self.assertGreater(len(code), 40)
        self.assertEqual({name: str(path) for name, path in code.items() if name not in listed}, {})
        self.assertEqual([name for name in listed if name not in code], [])

    def test_those_that_are_ignored_with_raised_privileges(self):
        """Files that use secure_getenv() alone, and variables marked on the page."""
        marked = {name for row in PAGE.split("\n") if re.match(r"\|[^|]*†", row) for name in re.findall(r"`(\w+)`", row.split("|")[1])}
        for name, path in read_by_c().items():
            if not path.is_relative_to(SOURCE / "loader") or name.startswith("CUDA"):
                continue
            with self.subTest(name):
                self.assertNotRegex(path.read_text(), rf'[^_]getenv\("{name}"')
                if name not in ("VIRTUAL_ENV", "CONDA_PREFIX"):
                    self.assertIn(name, marked)


if __name__ == "__main__":
    unittest.main()
