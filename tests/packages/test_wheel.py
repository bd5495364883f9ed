# SPDX-License-Identifier: Apache-2.0
"""The wheel: built by pip, installed into an environment that has nothing else, and used there: the command, the CMake package,
and the sample that ships its kernels in a wheel of its own, which is built and launched."""

import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import zipfile

import app
import objects
import project
from project import SOURCE

TOOLS = os.environ["CUBINET_WHEEL_TOOLS"]
TOOLKIT = os.environ["CUBINET_TOOLKIT_ROOT"]
SAMPLE = SOURCE / "samples/python_wheel"

# An array on the simulated GPU, and what the driver was asked to launch, as the header of the simulated driver has it.
LAUNCH = """
import ctypes, os, plates

class Launch(ctypes.Structure):
    _fields_ = [("kernel", ctypes.c_char * 256), ("context", ctypes.c_void_p), ("device", ctypes.c_int), ("stream", ctypes.c_void_p),
                ("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("cluster", ctypes.c_uint * 3), ("shared", ctypes.c_uint),
                ("cooperative", ctypes.c_bool), ("arg_count", ctypes.c_uint), ("arg_sizes", ctypes.c_uint * 256),
                ("args", (ctypes.c_ubyte * 64) * 256), ("attribute_count", ctypes.c_uint), ("attributes", (ctypes.c_uint * 17) * 32)]

class Array:
    def __init__(self, address, shape, kind):
        self.shape = shape
        self.__cuda_array_interface__ = {"shape": shape, "typestr": kind, "data": (address, False), "version": 3, "strides": None}

driver = ctypes.CDLL(os.environ["CUBINET_LIBCUDA"])
driver.simdriver_last_launch.restype = Launch
for kind in ("<f4", "<f8"):
    plates.heat_step(Array(0x1000, (100, 70), kind), Array(0x9000, (100, 70), kind), 0.25)
    launch = driver.simdriver_last_launch()
    values = [int.from_bytes(bytes(launch.args[i][:launch.arg_sizes[i]]), "little") for i in range(launch.arg_count)]
    print(launch.kernel.decode(), *launch.grid, *launch.block, *map(hex, values))
"""


LINK = """
import cubinet, sys
cubinet.open(sys.argv[1]).modules["std"].load(cache=False)
"""


class Wheel(project.Project):
    def pip(self, *arguments, environment, **more):
        """This machine's pip, without an index: an environment needs none of its own."""
        command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *map(str, arguments)]
        clean = {name: value for name, value in os.environ.items() if name not in ("CUDA_HOME", "CUDA_PATH", "CUDAToolkit_ROOT", "VIRTUAL_ENV")}
        return app.checked(command, env={**clean, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "", **environment}, **more)

    def build_wheel(self, source, out, *options, environment, python=()):
        self.pip(*python, "wheel", "--no-build-isolation", "--no-deps", "--no-cache-dir", "-w", out, *options, source,
                 environment={"PYTHONPATH": TOOLS, "CMAKE_GENERATOR": "Ninja", **environment})  # fmt: skip
        (wheel,) = out.glob("*.whl")
        return wheel

    def make_environment(self):
        self.prefix = self.scratch / "environment"
        app.checked([sys.executable, "-m", "venv", "--without-pip", self.prefix])
        self.python = self.prefix / "bin/python"
        (self.packages,) = self.prefix.glob("lib/python3.*/site-packages")

    def install(self, wheel):
        self.pip("--python", self.python, "install", "--no-deps", "--no-compile", wheel, environment={})

    def run_there(self, *command, **environment):
        return app.checked(list(map(str, command)), env={"PATH": "/usr/bin:/bin", **environment})

    def check_contents(self, wheel):
        self.assertRegex(wheel.name, r"^cubinet-[0-9.]+-cp311-abi3-linux_[a-z0-9_]+\.whl$")
        with zipfile.ZipFile(wheel) as archive:
            names = archive.namelist()
            links = [info.filename for info in archive.infolist() if stat.S_ISLNK(info.external_attr >> 16)]
            named = [name for name in names if str(self.scratch).encode() in archive.read(name)]
        self.assertEqual((links, named), ([], []))
        self.assertEqual([name for name in names if "libcubinet.so" in name], ["cubinet/lib/libcubinet.so.0"])
        licences = {pathlib.Path(name).name for name in names if "/licenses/" in name}
        self.assertEqual(licences, {"LICENSE", *(path.name for path in (SOURCE / "packaging/wheel/licenses").iterdir())})
        self.assertIn(f"{wheel.name.rsplit('-', 3)[0]}.data/data/share/man/man1/cubinet.1", names)
        self.assertLessEqual({f"cubinet/{name}" for name in ("py.typed", "_loader.abi3.so", "lib/cmake/Cubinet/CubinetConfig.cmake",
                              "include/cubinet/cubinet.hpp", "share/cubinet/cubinet.ninja")}, set(names))  # fmt: skip

    def check_command(self):
        command = self.prefix / "bin/cubinet"
        version = self.run_there(command, "--version")
        self.assertEqual(self.run_there(self.python, "-m", "cubinet", "--version"), version)
        self.assertEqual(self.run_there(command, "--cmake-dir").strip(), str(self.packages / "cubinet/lib/cmake/Cubinet"))
        with self.subTest("through a link"):
            (self.scratch / "linked").symlink_to(command)
            self.assertEqual(self.run_there(self.scratch / "linked", "--version"), version)
        with self.subTest("without its package"):
            (self.scratch / "alone/bin").mkdir(parents=True)
            shutil.copy(command, self.scratch / "alone/bin")
            result = subprocess.run([self.scratch / "alone/bin/cubinet"], stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual(result.returncode, 1)
            self.assertIn("there is no Python package cubinet", result.stderr)

    def check_compiler(self):
        """NVIDIA's packages beside Cubinet's are found without an activated environment."""
        beside = self.packages / "nvidia/cu13"
        beside.mkdir(parents=True)
        (beside / "lib").symlink_to(next(path for path in pathlib.Path(TOOLKIT).glob("lib*") if any(path.glob("libnvrtc.so.*"))))
        (beside / "include").symlink_to(pathlib.Path(TOOLKIT, "include"))
        source, archive = self.scratch / "std.cu", self.scratch / "std.cubinet"
        source.write_text("#include <cstdint>\n" + app.KERNEL)
        self.run_there(self.prefix / "bin/cubinet", "compile", source, "-o", archive, "--gencode", "arch=compute_80,code=lto_80", "--MD")
        self.assertIn(f"{beside}/lib/libnvrtc.so.", archive.with_suffix(".d").read_text())
        with self.subTest("so is nvJitLink, by the library"):
            (linker,) = beside.glob("lib/libnvJitLink.so.[0-9][0-9]")
            said = self.run_there(self.python, "-c", LINK, archive, CUBINET_LIBCUDA=os.environ["SIMCUDA"], SIMCUDA_DEVICES="8.0",
                                  LD_DEBUG="files")  # fmt: skip
            self.assertRegex(said, f"file={linker}.*generating link map")

    def check_cmake_package(self):
        directory = self.run_there(self.prefix / "bin/cubinet", "--cmake-dir").strip()
        built = app.build(self.scratch / "app", self.packages / "cubinet/lib", f"-DCubinet_DIR={directory}")
        app.run(built)
        self.assertIn(str(self.packages / "cubinet/bin/cubinet"), (built / "build.ninja").read_text())

    def check_sample(self):
        source = self.scratch / "plates"
        shutil.copytree(SAMPLE, source)
        wheel = self.build_wheel(source, self.scratch / "plates wheel", environment={}, python=("--python", self.python))
        self.assertEqual(wheel.name, "plates-1.2.0-py3-none-any.whl")
        self.install(wheel)
        self.check_what_the_build_checks(self.packages / "plates/kernels.cubinet")
        said = self.run_there(self.python, "-c", LAUNCH, CUBINET_LIBCUDA=os.environ["SIMCUDA"], SIMCUDA_DEVICES="8.0")
        of_float, of_double = said.splitlines()
        self.assertRegex(of_float, r"^_Z\w*heat_stepIf\w* 3 13 1 32 8 1 0x1000 0x9000 0x64 0x46 0x3e800000$")
        self.assertRegex(of_double, r"^_Z\w*heat_stepId\w* 3 13 1 32 8 1 0x1000 0x9000 0x64 0x46 0x3fd0000000000000$")

    def check_what_the_build_checks(self, archive):
        shipped = {"VERSION": "1.2.0", "NATIVE": "7.5;8.0;8.6;8.9;9.0;10.0;12.0", "DRIVER": "13.0"}
        self.assertEqual(self.check_archive(archive, shipped), "")
        for other, complaint in (({"VERSION": "1.3"}, "has version '1.2.0'"),
                                 ({"NATIVE": "8.7"}, "does not run as native code on 8.7"),
                                 ({"NATIVE": "9.9"}, "knows no compute capability 9.9"),
                                 ({"DRIVER": "12.4"}, "with a driver for CUDA 12.4")):  # fmt: skip
            with self.subTest(complaint):
                self.assertIn(complaint, " ".join(self.check_archive(archive, {**shipped, **other}).split()))

    def check_archive(self, archive, expected):
        command = self.packages / "cubinet/bin/cubinet"
        return self.run_cmake(f"-DCOMMAND={command}", f"-DARCHIVE={archive}", *(f"-D{name}={value}" for name, value in expected.items()),
                              "-P", SAMPLE / "check_archive.cmake").stdout  # fmt: skip

    def test_built_installed_and_used(self):
        wheel = self.build_wheel(SOURCE, self.scratch / "wheel", "--config-settings", f"build-dir={self.scratch}/build",
                                 environment=objects.environment(self.scratch))  # fmt: skip
        self.check_contents(wheel)
        self.make_environment()
        self.install(wheel)
        self.check_command()
        self.check_compiler()
        self.check_cmake_package()
        self.check_sample()

    def test_page(self):
        """What the page shows of the sample is the sample's."""
        page = (SOURCE / "docs/guide/wheels.md").read_text()
        for language, name in (("toml", "pyproject.toml"), ("cmake", "CMakeLists.txt")):
            lines = (SAMPLE / name).read_text().splitlines()
            for block in re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL):
                self.assertEqual([line for line in block.splitlines() if line not in lines], [])
        for module in re.findall(r"(?:^|\s)(packaging/\S+|samples/\w+)", page):
            self.assertTrue((SOURCE / module.strip("`.,:")).exists(), module)


if __name__ == "__main__":
    if not TOOLKIT:
        sys.exit(project.skip("there is no CUDA toolkit"))
    if sys.version_info < (3, 11):
        sys.exit(project.skip("the wheel is for Python 3.11 and later"))
    if not pathlib.Path(TOOLS, "scikit_build_core").is_dir():
        sys.exit(project.skip(f"there is no scikit-build-core in {TOOLS}; scripts/test_extras.sh fetches it"))
    project.main()
