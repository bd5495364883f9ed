# SPDX-License-Identifier: Apache-2.0
"""The .debs by Debian's own checker."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import project


class Lintian(unittest.TestCase):
    def setUp(self):
        self.debs = sorted(pathlib.Path(os.environ["CUBINET_TEST_DEBS"]).glob("*.deb"))
        self.assertEqual([deb.name.partition("_")[0] for deb in self.debs], ["cubinet", "libcubinet-dev", "libcubinet0"])

    def test_no_errors_and_no_warnings(self):
        result = subprocess.run(["lintian", "--allow-root", "--fail-on", "error", *self.debs], stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, check=False)  # fmt: skip
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertEqual(re.findall(r"^[EW]: [^:]+: (\S+)", result.stdout, re.MULTILINE), [], result.stdout)

    def test_it_finds_what_is_wrong(self):
        """A package without its copyright."""
        with tempfile.TemporaryDirectory(prefix="cubinet-test-") as scratch:
            broken = pathlib.Path(scratch) / "libcubinet0_0_amd64.deb"
            subprocess.run(["dpkg-deb", "-R", self.debs[-1], f"{scratch}/files"], check=True)
            pathlib.Path(scratch, "files/usr/share/doc/libcubinet0/copyright").unlink()
            subprocess.run(["dpkg-deb", "-b", f"{scratch}/files", broken], stdout=subprocess.DEVNULL, check=True)
            result = subprocess.run(["lintian", "--allow-root", "--fail-on", "error", broken], stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, text=True, check=False)  # fmt: skip
        self.assertNotEqual(result.returncode, 0, result.stdout)
        self.assertIn("no-copyright-file", result.stdout)

    def test_what_they_depend_on(self):
        fields = {deb.name.partition("_")[0]: subprocess.check_output(["dpkg-deb", "-I", deb, "control"], text=True)
                  for deb in self.debs}  # fmt: skip
        self.assertRegex(fields["libcubinet0"], r"Depends: .*libc6 .*libzstd1 ")
        self.assertRegex(fields["libcubinet-dev"], r"Depends: .*cubinet \(= (\S+)\), libcubinet0 \(= \1\)")
        self.assertRegex(fields["cubinet"], r"Depends: .*libjansson4 ")
        for name, kind in (("libcubinet0", "same"), ("libcubinet-dev", "same"), ("cubinet", "foreign")):
            self.assertIn(f"\nMulti-Arch: {kind}\n", fields[name])


if __name__ == "__main__":
    if not shutil.which("lintian"):
        sys.exit(project.skip("there is no lintian; scripts/test_extras.sh fetches it"))
    if not os.path.isdir(os.environ["CUBINET_TEST_DEBS"]):
        sys.exit(project.skip("no packages were made"))
    unittest.main(verbosity=2)
