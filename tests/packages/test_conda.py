# SPDX-License-Identifier: Apache-2.0
"""The recipe for conda, by rattler-build: read, its packages built with its script, tested as it says, and programs built with
them. The packages that it requires come from a channel of this test's: they are empty, and their libraries this machine's."""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

import app
import objects
import project
from project import SOURCE

RATTLER = os.environ["CUBINET_RATTLER_BUILD"]

VERSION = re.search(r'VERSION_STRING "(.*)"', (SOURCE / "loader/include/cubinet/version.h").read_text())[1]
VARIANTS = {"c_compiler": ["gcc"], "c_stdlib": ["sysroot"]}
OUTPUTS = ("libcubinet", "cubinet")


# What conda-forge's package of the compiler does, with this machine's.
ACTIVATE = """
export CC=/usr/bin/cc
export LDFLAGS="-Wl,-rpath,$PREFIX/lib -L$PREFIX/lib"
export CMAKE_ARGS="-DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_BUILD_TYPE=Release"
export CMAKE_C_COMPILER_LAUNCHER='{launcher}' PATH='{path}'"$PATH"
export CUBINET_TEST_SOURCE="$SRC_DIR" # which is a copy of what the objects were compiled from
"""


def spec_name(spec):
    """Of a requirement as rattler-build has it: text, or an object for those that it works out itself."""
    if isinstance(spec, dict):
        (spec,) = spec.values()
    return spec["name"] if isinstance(spec, dict) else re.match(r"[A-Za-z0-9_.-]+", spec)[0]


class Conda(project.Project):
    def setUp(self):
        super().setUp()
        self.source = self.scratch / "cubinet-source"  # without what rattler-build would copy in vain
        shutil.copytree(SOURCE, self.source, symlinks=True,
                        ignore=lambda folder, names: {"build", "tests", "bench", "samples", ".git"} if folder == str(SOURCE) else ())  # fmt: skip
        self.recipe = rattler_build.Stage0Recipe.from_file(self.source / "packaging/conda/recipe.yaml")
        self.variants = rattler_build.VariantConfig(VARIANTS)
        self.outputs = {output["package"]["name"]: output
                        for output in (variant.recipe.to_dict() for variant in self.recipe.render(self.variants))}  # fmt: skip

    def make_channel(self):
        """Packages of every name that the outputs require, and of no content but for the compiler's."""
        channel = self.scratch / "channel"
        names = {spec_name(spec) for output in self.outputs.values() for kind in ("build", "host", "run")
                 for spec in output["requirements"].get(kind, [])} - set(OUTPUTS)  # fmt: skip
        self.assertLess({"gcc_linux-64", "sysroot_linux-64", "zstd", "xxhash", "jansson", "libsodium"}, names)
        environment = objects.environment(self.scratch)
        tools = f"{pathlib.Path(shutil.which(project.CMAKE)).parent}:"
        for name in sorted(names):
            files = self.scratch / "content" / name
            script = files / "etc/conda/activate.d/compiler.sh" if name.startswith("gcc") else files / "share" / name
            script.parent.mkdir(parents=True)
            script.write_text(ACTIVATE.format(launcher=environment["CMAKE_C_COMPILER_LAUNCHER"], path=tools))
            (channel / "linux-64").mkdir(parents=True, exist_ok=True)
            rattler_build.assemble_package(name=name, version="100.0", target_platform="linux-64", build_string="0",
                                           output_dir=channel / "linux-64", files_dir=files)  # fmt: skip
        self.index(channel)
        return channel

    @staticmethod
    def index(channel):
        """What conda's index tool writes."""
        packages = {}
        for package in (channel / "linux-64").glob("*-100.0-0.conda"):
            content = package.read_bytes()
            packages[package.name] = {"name": package.name[: -len("-100.0-0.conda")], "version": "100.0", "build": "0",
                                      "build_number": 0, "depends": [], "subdir": "linux-64", "size": len(content),
                                      "md5": hashlib.md5(content).hexdigest(), "sha256": hashlib.sha256(content).hexdigest()}  # fmt: skip
        for subdir, listed in (("linux-64", packages), ("noarch", {})):
            (channel / subdir).mkdir(exist_ok=True)
            (channel / subdir / "repodata.json").write_text(json.dumps(
                {"info": {"subdir": subdir}, "packages": {}, "packages.conda": listed, "repodata_version": 1}))  # fmt: skip

    def install(self, packages):
        """As conda does: unpacked into a prefix, in which no file names the one that it was built in."""
        prefix = self.scratch / "conda prefix"
        prefix.mkdir()
        for package in packages:
            with tarfile.open(package) as archive:
                paths = json.load(archive.extractfile("info/paths.json"))["paths"]
                self.assertEqual([path["_path"] for path in paths if "prefix_placeholder" in path], [])
                members = [member for member in archive.getmembers() if not member.name.startswith("info/")]
                self.assertEqual(sorted(path["_path"] for path in paths), sorted(member.name for member in members))
                archive.extractall(prefix, members)
        return prefix

    def test_outputs(self):
        """Each has a test of its own, which rattler-build runs as it builds."""
        self.assertEqual({name: output["package"]["version"] for name, output in self.outputs.items()},
                         dict.fromkeys(OUTPUTS, VERSION))  # fmt: skip
        for output in self.outputs.values():
            self.assertEqual(output["about"]["license"], "Apache-2.0")
            self.assertEqual(len(output["tests"]), 1)

    def test_install_page(self):
        page = (SOURCE / "docs/guide/install.md").read_text()
        recipe = re.search(r"rattler-build build --recipe cubinet/(\S+)", page)[1]
        self.assertTrue((SOURCE / recipe / "recipe.yaml").exists())
        self.assertLessEqual(set(re.search(r"conda create .* -n app ([a-z -]+)$", page, re.MULTILINE)[1].split()),
                             {*OUTPUTS, "zstd", "cmake", "ninja", "cxx-compiler"})  # fmt: skip

    def test_built_and_used(self):
        results = self.recipe.run_build(variant_config=self.variants, channels=[self.make_channel().as_uri()],
                                        output_dir=self.scratch / "out", package_format="tar.bz2",
                                        tool_config=rattler_build.ToolConfiguration(test_strategy="native"))  # fmt: skip
        packages = [package for result in results for package in result.packages]
        self.assertEqual([re.match("(.*)-[^-]+-[^-]+$", package.name)[1] for package in packages], list(OUTPUTS))
        prefix = self.install(packages)
        with self.subTest("the command finds what is beside it in the prefix"):
            for name in ("bin/cubinet", "lib/libcubinet.so.0"):
                self.assertRegex(app.checked(["readelf", "-d", prefix / name]), r"R(UN)?PATH.*\[\$ORIGIN/(\.\./lib)?\]")
        with self.subTest("find_package"):
            built = app.build(self.scratch / "app", prefix / "lib", f"-DCMAKE_PREFIX_PATH={prefix}")
            app.run(built)
            self.assertIn(f"{prefix}/lib/libcubinet.so.0", app.checked(["ldd", built / "app_c"]))
            self.assertIn(f"{prefix}/bin/cubinet", (built / "CMakeCache.txt").read_text())


if __name__ == "__main__":
    if not pathlib.Path(RATTLER, "rattler_build").is_dir():
        sys.exit(project.skip(f"there is no rattler-build in {RATTLER}; scripts/test_extras.sh fetches it"))
    sys.path.insert(0, RATTLER)
    import rattler_build

    project.main()
