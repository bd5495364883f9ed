# SPDX-License-Identifier: Apache-2.0
"""The site of the pages and headers: Doxygen warns of nothing, and no link is dead.

Usage: test_site.py [DOXYGEN]
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
DOXYGEN = sys.argv.pop() if len(sys.argv) > 1 else "doxygen"


class Site(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="cubinet-test-")
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)

    def make(self, source):
        return subprocess.run([sys.executable, SOURCE / "docs/site/make_site.py", source, self.scratch / "site", "1.2.3", DOXYGEN],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)  # fmt: skip

    def test_it_is_made(self):
        result = self.make(SOURCE)
        self.assertEqual(result.returncode, 0, result.stdout)
        pages = {page.name: page.read_text() for page in (self.scratch / "site/html").glob("*.html")}
        self.assertIn("cubinet_module_load", pages["module_8h.html"])
        self.assertIn("1.2.3", pages["index.html"])
        self.assertIn('href="docs_guide_cmake.html', pages["index.html"])
        self.assertIn("source-to-launch.svg", pages["index.html"])

    def test_what_is_wrong_is_found(self):
        source = self.scratch / "source"
        for folder in ("docs", "loader/include"):
            shutil.copytree(SOURCE / folder, source / folder)
        for page in SOURCE.glob("*.md"):
            shutil.copy(page, source)
        with open(source / "docs/guide/faq.md", "a") as page:
            page.write("\n[a link](cmake.md#nowhere)\n")
        with open(source / "loader/include/cubinet/module.h", "a") as header:
            header.write("/** Does nothing.\n * @param nothing that it has */\nvoid cubinet_nothing(int something);\n")
        result = self.make(source)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("docs_guide_cmake.html has no docs_guide_cmake_nowhere", result.stdout)
        self.assertIn("argument 'nothing' of command @param is not found", result.stdout)


if __name__ == "__main__":
    if not shutil.which(DOXYGEN):
        print("skipped: there is no doxygen; scripts/test_extras.sh fetches it")
        sys.exit(77)
    unittest.main()
