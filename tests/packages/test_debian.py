# SPDX-License-Identifier: Apache-2.0
"""The .debs installed in a Debian that has nothing but its essential packages and apt, by apt and dpkg, and used there: the
command, and programs that found Cubinet in that Debian."""

import os
import pathlib
import shutil
import subprocess
import sys
import unittest

import app
import project

MINIMAL = pathlib.Path(os.environ["CUBINET_MINIMAL_DEBIAN"])
DEBS = sorted(pathlib.Path(os.environ["CUBINET_TEST_DEBS"]).glob("*.deb"))
TOOLKIT = os.environ["CUBINET_TOOLKIT_ROOT"]
ENTER = ["unshare", "--mount", "sh", "-ec", """
root=$1; toolkit=$2
shift 2
mount --rbind /proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --bind "$toolkit" "$root/toolkit"
exec chroot "$root" "$@"
""", "enter"]  # fmt: skip


def can_enter():
    return os.geteuid() == 0 and subprocess.run(["unshare", "--mount", "mount", "--bind", "/tmp", "/mnt"],
                                                stderr=subprocess.DEVNULL, check=False).returncode == 0  # fmt: skip


class Debian(project.Project):
    def setUp(self):
        super().setUp()
        self.root = self.scratch / "root"
        subprocess.run(["cp", "-a", MINIMAL / "root", self.root], check=True)
        for folder in ("toolkit", "debs", "work"):
            (self.root / folder).mkdir()

    def in_root(self, *command, **environment):
        """What a command prints, started in that Debian with its environment alone."""
        return app.checked([*ENTER, self.root, os.path.realpath(TOOLKIT), *command],
                           env={"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root",
                                "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C", **environment})  # fmt: skip

    def fetch_dependencies(self):
        """This machine's apt, which reaches the archive, gets what that Debian lacks; asked again where its lists are old."""
        downloads = MINIMAL / "downloads"
        (downloads / "partial").mkdir(parents=True, exist_ok=True)
        options = ["-qq", "-o", f"Dir::State::status={self.root}/var/lib/dpkg/status",
                   "-o", f"Dir::State::Lists={MINIMAL}/lists", "-o", f"Dir::Cache::archives={downloads}", "-o", "Dir::Cache::pkgcache=",
                   "-o", "Dir::Cache::srcpkgcache=", "-o", "APT::Sandbox::User=root", "-o", "APT::Install-Recommends=false",
                   "-o", "APT::Keep-Downloaded-Packages=true"]  # fmt: skip
        install = ["apt-get", *options, "--yes", "--download-only", "install", *DEBS]
        if subprocess.run(install, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode != 0:
            app.checked(["apt-get", *options, "update"])
            app.checked(install)
        wanted = app.checked(["apt-get", *options, "--simulate", "install", *DEBS])
        names = [line.split()[1] for line in wanted.splitlines() if line.startswith("Inst ")]
        for name in names:
            for package in downloads.glob(f"{name}_*.deb"):
                shutil.copy(package, self.root / "debs")
        for deb in DEBS:
            shutil.copy(deb, self.root / "debs")
        return names

    def install(self):
        lacks = self.fetch_dependencies()
        self.assertIn("libzstd-dev", lacks)  # a minimal Debian has none of these
        self.assertIn("libjansson4", lacks)
        self.assertNotIn("libcurl4", lacks)  # which is recommended
        return self.in_root("sh", "-ec", "dpkg --install /debs/*.deb")

    def assert_command_works(self):
        version = subprocess.check_output([os.environ["CUBINET_COMMAND"], "--version"], text=True)
        self.assertEqual(self.in_root("cubinet", "--version"), version)
        (self.root / "work/scale.cu").write_text("#include <cstdint>\n" + app.KERNEL)
        self.in_root("cubinet", "compile", "/work/scale.cu", "-o", "/work/scale.cubinet", "--arch", "80,90", CUDA_HOME="/toolkit")
        self.assertRegex(self.in_root("cubinet", "list", "/work/scale.cubinet"), "(?s)scale.*sm_80.*sm_90")
        self.assertIn("is sound", self.in_root("cubinet", "verify", "/work/scale.cubinet"))
        shutil.copy(self.root / "work/scale.cubinet", self.scratch)
        for command in ("list", "verify"):  # and as on the machine that built it
            here = app.checked([os.environ["CUBINET_COMMAND"], command, "scale.cubinet"], cwd=self.scratch)
            there = self.in_root("sh", "-c", f"cd /work && cubinet {command} scale.cubinet")
            self.assertEqual(there, here)
        damaged = bytearray((self.root / "work/scale.cubinet").read_bytes())
        damaged[len(damaged) // 2] ^= 1
        (self.root / "work/damaged.cubinet").write_bytes(damaged)
        self.assertIn("status 1", self.in_root("sh", "-c", "cubinet verify /work/damaged.cubinet; echo status $?"))

    def assert_programs_work(self):
        built = app.build(self.scratch / "app", self.root / "usr/lib", f"-DCMAKE_PREFIX_PATH={self.root}/usr",
                          "-DCMAKE_SKIP_RPATH=ON")  # fmt: skip
        shutil.copy(os.environ["SIMCUDA"], self.root / "work/simcuda.so")
        for program in app.PROGRAMS:
            if program == "app_cxx":  # a minimal Debian has no libstdc++ of its own but apt's
                self.assertTrue([*self.root.glob("usr/lib/*/libstdc++.so.6")])
            shutil.copy(built / program, self.root / "work")
            self.assertEqual(self.in_root(f"/work/{program}", CUBINET_LIBCUDA="/work/simcuda.so"), "loaded\n")
            self.assertIn("libcuda.so.1", self.in_root("sh", "-c", f"/work/{program} 2>&1 || true"))  # and says what it lacks

    def test_installed_used_and_removed(self):
        said = self.install()
        self.assertEqual(said.count("Processing triggers for libc-bin"), 1, said)  # ldconfig
        with self.subTest("the command"):
            self.assert_command_works()
        with self.subTest("find_package"):
            self.assert_programs_work()
        with self.subTest("without the development package and the command"):
            self.in_root("dpkg", "--remove", "libcubinet-dev", "cubinet")
            self.assertEqual(self.in_root("/work/app_c", CUBINET_LIBCUDA="/work/simcuda.so"), "loaded\n")
        with self.subTest("nothing is left"):
            self.in_root("dpkg", "--purge", "libcubinet0", "libcubinet-dev", "cubinet")
            left = [path for path in self.root.joinpath("usr").rglob("*cubinet*")]
            self.assertEqual(left, [])


if __name__ == "__main__":
    if not DEBS:
        sys.exit(project.skip("no packages were made"))
    if not (MINIMAL / "root").is_dir():
        sys.exit(project.skip(f"there is no minimal Debian in {MINIMAL}; scripts/test_extras.sh fetches it"))
    if not can_enter():
        sys.exit(project.skip("only root may enter another root folder, with mounts of its own"))
    if not TOOLKIT:
        sys.exit(project.skip("there is no CUDA toolkit"))
    unittest.main(verbosity=2)
