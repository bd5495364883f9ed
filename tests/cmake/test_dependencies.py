# SPDX-License-Identifier: Apache-2.0
"""What Cubinet is built with: what is missing is told with the packages that bring it, and the rest is built."""

import os
import pathlib
import subprocess
import unittest.mock

import objects
import project
from project import KERNEL, SOURCE


class Dependencies(project.Project):
    def setUp(self):
        super().setUp()
        environment = unittest.mock.patch.dict(os.environ, objects.environment(self.scratch))
        environment.start()
        self.addCleanup(environment.stop)

    def configure_cubinet(self, *arguments):
        self.cubinet = self.scratch / "cubinet-build"
        return self.run_cmake("-S", SOURCE, "-B", self.cubinet, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                              "-DCUBINET_BUILD_SAMPLES=OFF", "-DCUBINET_BUILD_BENCHMARKS=OFF", *arguments)  # fmt: skip

    def only(self, *modules):
        """Has pkg-config know these alone."""
        folder = self.scratch / "pkgconfig"
        folder.mkdir()
        for module in modules:
            known = subprocess.check_output(["pkg-config", "--variable=pcfiledir", module], text=True).strip()
            (folder / f"{module}.pc").symlink_to(pathlib.Path(known) / f"{module}.pc")
        environment = unittest.mock.patch.dict(os.environ, PKG_CONFIG_LIBDIR=str(folder))
        environment.start()
        self.addCleanup(environment.stop)

    def checked(self, result):
        self.assertEqual(result.returncode, 0, result.stdout)
        return result.stdout

    def test_what_is_missing(self):
        self.only("libsodium")
        result = self.configure_cubinet()
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("apt-get install libjansson-dev zlib1g-dev libcurl4-openssl-dev liblz4-dev libcmocka-dev libarchive-dev\n",
                      result.stdout)  # fmt: skip
        self.assertIn("dnf install jansson-devel zlib-devel", result.stdout)
        self.assertIn("-DCUBINET_BUILD_TESTS=OFF", result.stdout)
        self.assertIn("-DCUBINET_BUILD_PACKAGER=OFF", result.stdout)

    def test_what_is_chosen(self):
        """For packages, which must not depend on what their machine happens to have."""
        self.only("jansson", "zlib", "libsodium")
        with self.subTest("required"):
            result = self.configure_cubinet("-DCUBINET_BUILD_TESTS=OFF", "-DCUBINET_WITH_LZ4=ON")
            self.assertNotEqual(result.returncode, 0)
            self.assertIn("apt-get install liblz4-dev\n", result.stdout)
        with self.subTest("left out, after a configuration that had it"):
            found = "without libsodium>=1.0.16"
            self.assertNotIn(found, self.checked(self.configure_cubinet("-DCUBINET_BUILD_TESTS=OFF", "-DCUBINET_WITH_LZ4=AUTO")))
            self.assertIn(found, self.checked(self.configure_cubinet("-DCUBINET_WITH_SODIUM=OFF")))
            rules = (self.cubinet / "build.ninja").read_text()
            self.assertNotIn("libsodium", rules)
        with self.subTest("without the shared library"):
            self.checked(self.configure_cubinet("-DCUBINET_BUILD_SHARED=OFF"))
            self.assertNotIn("libcubinet.so", (self.cubinet / "build.ninja").read_text())
            result = self.configure_cubinet("-DCUBINET_BUILD_TESTS=ON")
            self.assertNotEqual(result.returncode, 0)
            self.assertIn("CUBINET_BUILD_SHARED=OFF leaves out", result.stdout)

    def test_what_the_command_does_without(self):
        self.only("jansson", "zlib")
        text = self.checked(self.configure_cubinet("-DCUBINET_BUILD_TESTS=OFF"))
        for line in ("without libcurl>=7.58, the command uses no remote cache. To have it: apt-get install libcurl4-openssl-dev",
                     "without libsodium>=1.0.16, the command makes no keys and no signatures. To have it: ",
                     "without liblz4>=1.8, the command reads no fatbins that LZ4 has compressed. To have it: "):  # fmt: skip
            self.assertIn(line, text)
        self.checked(self.run_cmake("--build", self.cubinet, "--target", "cubinet_command"))
        self.write("scale.cu", KERNEL)
        archive = self.scratch / "scale.cubinet"
        with unittest.mock.patch.dict(os.environ, CUBINET_CACHE_DIR=str(self.scratch), CUBINET_KEY_PASSWORD="x",
                                      CUBINET_REMOTE_CACHE="http://localhost:1"):  # fmt: skip
            for status, says, arguments in (
                    (0, "built without libcurl, which a remote cache needs",
                     ("compile", self.source / "scale.cu", "-o", archive, "--arch", "80")),
                    (0, "is sound", ("verify", archive)),
                    (1, "built without libsodium, which keys and signatures need", ("keygen", "-o", self.scratch / "key")),
                    (1, "built without liblz4",
                     ("pack", SOURCE / "tests/golden/fatbin/speed.fatbin", "-o", self.scratch / "speed.cubinet"))):  # fmt: skip
                result = subprocess.run([self.cubinet / "packager/cubinet", *arguments], stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True, check=False)  # fmt: skip
                self.assertEqual(result.returncode, status, result.stdout)
                self.assertIn(says, result.stdout)
        self.assertFalse((self.scratch / "key.key").exists())


if __name__ == "__main__":
    project.main()
