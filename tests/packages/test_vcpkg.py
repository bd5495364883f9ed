# SPDX-License-Identifier: Apache-2.0
"""The port for vcpkg: its manifest, its steps with functions that stand for vcpkg's, and programs built with what they pack."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest.mock

import app
import objects
import project
from project import SOURCE

PORT = SOURCE / "packaging/vcpkg/cubinet"
MANIFEST = json.loads((PORT / "vcpkg.json").read_text())
ALL = ("lz4", "remote-cache", "signing", "tool")


class Vcpkg(project.Project):
    def pack(self, linkage, *features, variables=()):
        """Where the files are that vcpkg would install."""
        work = self.scratch / "work"
        shutil.rmtree(work, ignore_errors=True)
        environment = {**os.environ, **objects.environment(self.scratch)}
        self.said = app.checked([project.CMAKE, f"-DPORT_DIR={PORT}", f"-DWORK={work}", f"-DLINKAGE={linkage}",
                                 f"-DFEATURES={';'.join(['core', *features])}", *variables, "-P", pathlib.Path(__file__).parent / "vcpkg.cmake"],
                                env=environment)  # fmt: skip
        installed = self.scratch / f"vcpkg_installed/x64-linux-{linkage}"
        installed.parent.mkdir(exist_ok=True)
        shutil.copytree(work / "packages", installed, symlinks=True)
        shutil.rmtree(work)
        self.assert_as_vcpkg_wants(installed, linkage)
        return installed

    def assert_as_vcpkg_wants(self, installed, linkage):
        """What vcpkg checks of packages; and no path of what is gone."""
        files = sorted(str(path.relative_to(installed)) for path in installed.rglob("*") if not path.is_dir())
        self.assertEqual([name for name in files if name.startswith(("debug/include", "debug/share", "bin/", "debug/bin"))], [])
        self.assertEqual([name for name in files if name.endswith(".cmake") and not name.startswith("share/cubinet/")], [])
        self.assertEqual([folder for folder in installed.rglob("*") if folder.is_dir() and not any(folder.iterdir())], [])
        for name in ("share/cubinet/copyright", "share/cubinet/usage", "include/cubinet/cubinet.hpp"):
            self.assertIn(name, files)
        for folder in filter(os.path.isdir, (installed / "lib", installed / "debug/lib")):
            self.assertTrue((folder / "libcubinet.a").exists())
            self.assertEqual((folder / "libcubinet.so.0").exists(), linkage == "dynamic")
        named = [name for name in files if str(self.scratch).encode() in (installed / name).read_bytes()]
        self.assertEqual([name for name in named if not name.startswith("debug/lib/libcubinet.")], [])  # for debuggers

    def test_manifest(self):
        version = re.search(r'VERSION_STRING "(.*)"', (SOURCE / "loader/include/cubinet/version.h").read_text())[1]
        self.assertEqual((MANIFEST["name"], MANIFEST["version"], MANIFEST["license"]), ("cubinet", version, "Apache-2.0"))
        self.assertEqual(sorted(MANIFEST["features"]), sorted(ALL))
        self.assertEqual(set(MANIFEST) - {"name", "version", "description", "license", "supports", "dependencies", "features"}, set())
        for name, feature in MANIFEST["features"].items():
            self.assertEqual(set(feature), {"description", "dependencies"}, name)
            self_dependency = [part for part in feature["dependencies"] if isinstance(part, dict) and part["name"] == "cubinet"]
            self.assertEqual([part["features"] for part in self_dependency], [] if name == "tool" else [["tool"]])
        self.assertIn("find_package(Cubinet CONFIG REQUIRED)", (PORT / "usage").read_text())

    def test_install_page(self):
        page = (SOURCE / "docs/guide/install.md").read_text()
        features, ports = re.search(r"vcpkg install 'cubinet\[([a-z0-9,-]+)\]' --overlay-ports=cubinet/(\S+)", page).groups()
        self.assertLessEqual(set(features.split(",")), set(ALL))
        self.assertTrue((SOURCE / ports / "cubinet/portfile.cmake").exists())

    def test_dynamic_with_all_features(self):
        installed = self.pack("dynamic", *ALL)
        named = re.search(r"features of the portfile: (.*)", self.said)[1].split(";")
        self.assertEqual(sorted(named), sorted(ALL))
        tool = installed / "tools/cubinet/cubinet"
        app.checked([tool, "keygen", "-o", self.scratch / "key"], env={**os.environ, "CUBINET_KEY_PASSWORD": "x"})
        for config in ("Release", "Debug"):
            with self.subTest(config):
                built = app.build(self.scratch / f"app {config}", installed / "share", f"-DCMAKE_PREFIX_PATH={installed}",
                                  f"-DCMAKE_BUILD_TYPE={config}")  # fmt: skip
                app.run(built)
                linked = app.checked(["ldd", built / "app_c"])
                folder = "debug/lib" if config == "Debug" else "lib"
                self.assertIn(f"{installed}/{folder}/libcubinet.so.0", linked)
                used = (built / "build.ninja").read_text()
                self.assertIn(str(tool), used)
        with self.subTest("the headers beside the command"):
            (self.scratch / "std.cu").write_text("#include <cstdint>\n" + app.KERNEL)
            with unittest.mock.patch.dict(os.environ, CUDA_HOME=os.environ["CUBINET_TOOLKIT_ROOT"]):
                app.checked([tool, "compile", self.scratch / "std.cu", "-o", self.scratch / "std.cubinet", "--arch", "80"])

    def test_static_without_features(self):
        installed = self.pack("static", variables=["-DVCPKG_BUILD_TYPE=release"])
        self.assertFalse((installed / "debug").exists())
        self.assertFalse((installed / "tools").exists())
        built = app.build(self.scratch / "app", installed / "share", f"-DCMAKE_PREFIX_PATH={installed}",
                          f"-DCUBINET_COMMAND={os.environ['CUBINET_COMMAND']}", c="cubinet_static")  # fmt: skip
        app.run(built)
        self.assertNotIn("libcubinet", app.checked(["ldd", built / "app_c"]))

    def test_the_command_alone(self):
        """Without the optional libraries, though this machine has them."""
        installed = self.pack("static", "tool", variables=["-DVCPKG_BUILD_TYPE=release"])
        result = subprocess.run([installed / "tools/cubinet/cubinet", "keygen", "-o", self.scratch / "key"], stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, check=False,
                                env={**os.environ, "CUBINET_KEY_PASSWORD": "x"})  # fmt: skip
        self.assertIn("built without libsodium", result.stdout)


if __name__ == "__main__":
    if not os.environ["CUBINET_TOOLKIT_ROOT"]:
        sys.exit(project.skip("there is no CUDA toolkit"))
    project.main()
