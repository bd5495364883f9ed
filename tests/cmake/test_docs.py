# SPDX-License-Identifier: Apache-2.0
"""docs/guide/cmake.md: its first example, which takes an existing project to a loaded kernel, and each recipe of its cookbook."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest.mock

import packages
import project
from project import KERNEL, SOURCE

DOCS = (SOURCE / "docs/guide/cmake.md").read_text()

BLOCK = re.compile(r"^```([\w+]+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

# Where another test does what a recipe says.
TESTED_ELSEWHERE = {"A cache of compiles": "test_compile_cache.py", "Building for another processor": "test_cross.py"}

# An existing project, before it has kernels; LOAD is what the program gets.
EXISTING_PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(existing LANGUAGES C)
add_executable(app main.c)
"""

LOAD = """
#include <cubinet/cubinet.h>
#include <stdio.h>

int main(void)
{
    cubinet_archive *archive = NULL;
    cubinet_driver *driver = NULL;
    cubinet_module *module = NULL;
    cubinet_kernel *kernel = NULL;
    if (cubinet_archive_open_memory(kernels, kernels_size, NULL, &archive) || cubinet_driver_open(NULL, &driver) ||
        cubinet_module_load(driver, archive, KERNELS_SCALE, 0, NULL, &module) ||
        cubinet_module_find_kernel(module, KERNELS_SCALE_SCALE, &kernel)) {
        puts(cubinet_error_message());
        return 1;
    }
    puts("loaded");
    cubinet_module_unload(module);
    cubinet_driver_close(driver);
    cubinet_archive_close(archive);
    return 0;
}
"""

TYPED = """
#include <cubinet/cubinet.h>
#include <stdio.h>

int main()
{
    cubinet_archive *archive = NULL;
    cubinet_driver *driver = NULL;
    cubinet_module *module = NULL;
    if (cubinet_archive_open_memory(kernels, kernels_size, NULL, &archive) || cubinet_driver_open(NULL, &driver) ||
        cubinet_module_load(driver, archive, KERNELS_SCALE, 0, NULL, &module) || twice(module, NULL, 1000)) {
        puts(cubinet_error_message());
        return 1;
    }
    puts("launched");
    cubinet_module_unload(module);
    cubinet_driver_close(driver);
    cubinet_archive_close(archive);
    return 0;
}
"""

EMPTY_PROGRAM = "int main(void) { return 0; }\n"

SORT = "template <class T> __global__ void sort(T *x) { x[threadIdx.x] += 1; }\n"

# As a kernel over CUTLASS: it includes a library of headers alone, and its arguments are a type and a shape.
GEMM = """
#include <cutlass/tile.h>
template <class T, int M, int N> __global__ void gemm(T *x) { x[threadIdx.x] *= cutlass::Tile<M, N>::size; }
"""
ATTENTION = "template <class T, int D> __global__ void attention(T *x) { x[threadIdx.x] += D; }\n"
TILE = "namespace cutlass { template <int M, int N> struct Tile { static constexpr int size = M * N; }; }\n"


def blocks(text, language):
    return [block for name, block in BLOCK.findall(text) if name == language]


def recipes():
    """The text of each recipe by its heading."""
    cookbook = DOCS.partition("\n## Cookbook\n")[2].partition("\n## ")[0]
    parts = re.split(r"^### (.*)$", cookbook, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


class Docs(project.Project):
    def setUp(self):
        super().setUp()
        self.write("main.c", EMPTY_PROGRAM)
        self.write("main.cpp", '#include "kernels.h"\n' + LOAD)
        self.write("scale.cu", KERNEL)

    def test_every_recipe_is_tested(self):
        tested = {name.removeprefix("recipe_") for name in dir(self) if name.startswith("recipe_")}
        tested |= {slug(heading) for heading in TESTED_ELSEWHERE}
        self.assertEqual({slug(heading) for heading in recipes()}, tested)

    def test_recipes(self):
        for heading, text in recipes().items():
            if heading not in TESTED_ELSEWHERE:
                with self.subTest(heading):
                    shutil.rmtree(self.build_folder, ignore_errors=True)
                    getattr(self, f"recipe_{slug(heading)}")(text)

    def test_five_lines_load_a_kernel(self):
        """Added to a project that is there already."""
        section = DOCS.partition("\n## Five lines\n")[2].partition("\n## ")[0]
        (lines,) = blocks(section, "cmake")
        self.assertLessEqual(len(lines.splitlines()), 5)
        self.write("CMakeLists.txt", EXISTING_PROJECT + lines)
        self.write("main.c", '#include "kernels.h"\n' + LOAD)
        self.build()
        self.assertEqual(self.output("app", CUBINET_LIBCUDA=os.environ["SIMCUDA"]), "loaded\n")

    def test_typed_launches(self):
        """docs/guide/from-nvcc.md: in C++ and in C."""
        page = (SOURCE / "docs/guide/from-nvcc.md").read_text()
        section = page.partition("\n## Typed launches")[2].partition("\n## ")[0]
        (kernel,), (lines,), (cxx,), (c,) = (blocks(section, name) for name in ("cuda", "cmake", "c++", "c"))
        self.write("scale.cu", kernel)
        for source, text in (("main.cpp", cxx), ("main.c", c)):
            with self.subTest(source):
                self.write(source, text + TYPED)
                self.cmake_lists(f"add_executable(app {source})\ntarget_compile_features(app PRIVATE cxx_std_17)\n{lines}",
                                 languages="C CXX")  # fmt: skip
                self.build()
                self.assertEqual(self.output("app", CUBINET_LIBCUDA=os.environ["SIMCUDA"]), "launched\n")

    def output(self, program, **environment):
        return subprocess.run([self.built(program)], stdout=subprocess.PIPE, text=True, check=True,
                              env={**os.environ, **environment}).stdout  # fmt: skip

    def modules(self, archive="kernels"):
        """What is in an archive, by the modules' names."""
        listed = subprocess.check_output([self.command, "inspect", "--json", self.built(f"{archive}.cubinet")], text=True)
        return {module["module"]: module for module in json.loads(listed)["modules"]}

    def snippet(self, text):
        """Builds the recipe's one block of CMake, as it stands on the page."""
        return self.snippet_of(*blocks(text, "cmake"))

    def snippet_of(self, lines):
        self.write("CMakeLists.txt", lines)
        return self.build()

    def expressions(self, module):
        return {kernel["expression"] for kernel in module["kernels"]}

    def recipe_a_cub_kernel(self, text):
        self.write("segsum.cu", (SOURCE / "samples/segmented_sum/segsum.cu").read_text())
        self.snippet(text)
        self.assertEqual(self.expressions(self.modules()["segmented_sum"]),
                         {"segsum<float,int,256,4>", "segsum<double,int,128,4>"})  # fmt: skip

    def recipe_the_cu_files_of_a_program(self, text):
        self.write("main.cpp", EMPTY_PROGRAM)
        self.write("include/amount.h", "#define AMOUNT 2\n")
        for name in ("blur", "sharpen"):
            self.write(f"{name}.cu", f'#include "amount.h"\ntemplate <class T> __global__ void {name}(T *x) {{ *x = AMOUNT; }}\n'
                       f"void run_{name}(float *x) {{ {name}<<<1, 1>>>(x); }}\n")  # fmt: skip
        runs = self.snippet(text)
        self.write("main.cpp", '#include "kernels.h"\n' + LOAD)
        self.assertTrue(all("--use_fast_math" in run.arguments for run in runs if run.subcommand == "compile"))
        self.assertEqual({name: len(module["kernels"]) for name, module in self.modules().items()}, {"blur": 1, "sharpen": 1})

    def recipe_several_modules(self, text):
        self.write("sort.cu", SORT)
        self.write("gemm.cu", KERNEL)
        self.snippet(text)
        self.assertEqual(self.expressions(self.modules()["sort"]), {"sort<float>", "sort<int>"})
        self.assertIn("gemm", self.modules())

    def recipe_a_matrix_of_template_arguments(self, text):
        self.write("gemm.cu", GEMM)
        self.write("attention.cu", ATTENTION)
        self.write("attention.json", blocks(text, "json")[0])
        self.write("third_party/cutlass/include/cutlass/tile.h", TILE)
        self.snippet(text)
        self.assertEqual(len(self.modules()["gemm"]["kernels"]), 2 * 2 * 3)
        self.assertEqual(len(self.modules()["attention"]["kernels"]), 2 + 2)

    def recipe_a_kernel_with_a_function_of_the_user(self, text):
        self.write("transform.cu", blocks(text, "cpp")[0])
        self.write("gelu.cu", 'extern "C" __device__ float epilogue(float x) { return x * normcdff(x); }\n')
        library, user, whole = blocks(text, "cmake")
        self.snippet_of(library)
        (piece,) = self.modules()["transform"]["images"]
        self.assertEqual([symbol["name"] for symbol in piece["symbols"]["needed"]], ["epilogue"])
        self.snippet_of(user)
        (piece,) = self.modules("my_functions")["gelu"]["images"]
        self.assertEqual([symbol["name"] for symbol in piece["symbols"]["defined"]], ["epilogue"])
        self.snippet_of(whole)
        linked = self.modules()["transform_gelu"]
        self.assertEqual([image["target"] for image in linked["images"]], ["sm_75", "compute_75"])
        self.assertEqual(self.expressions(linked), {"transform"})

    def recipe_compiles_that_need_much_memory(self, text):
        self.write("gemm.cu", KERNEL)
        self.snippet(text)
        self.assertIn("gemm", self.modules())

    def recipe_the_archive_as_a_file_beside_the_program(self, text):
        self.write("main.c", blocks(text, "c")[0])
        self.snippet(text)
        self.assertEqual(self.output("app"), "1 modules, the first is scale\n")
        if packages.lacking():
            self.skipTest(f"no packages are made: lacking {packages.lacking()}")
        subprocess.run([pathlib.Path(project.CMAKE).parent / "cpack", "-G", "DEB;TGZ", "-C", "Debug"], cwd=self.build_folder,
                       stdout=subprocess.DEVNULL, check=True)  # fmt: skip
        root = self.scratch / "root"
        self.assertTrue(packages.make_root(root, [*self.build_folder.glob("*.deb")]) >= {"libc6", "libzstd1"})
        self.assertEqual(packages.run_in_root(root, "/usr/bin/app"), "1 modules, the first is scale\n")
        (tar,) = self.build_folder.glob("*.tar.gz")
        shutil.unpack_archive(tar, root / "opt")
        (unpacked,) = (root / "opt").iterdir()
        self.assertEqual(packages.run_in_root(root, f"/opt/{unpacked.name}/bin/app"), "1 modules, the first is scale\n")

    def recipe_the_shared_library_with_the_program(self, text):
        self.snippet(text)
        prefix = self.scratch / "shared"
        self.run_cmake("--install", self.build_folder, "--prefix", prefix)
        self.assertEqual(sorted(str(path.relative_to(prefix)) for path in prefix.rglob("*") if path.is_file()),
                         ["bin/app", "lib/libcubinet.so.0", "share/app/kernels.cubinet"])  # fmt: skip
        moved = self.scratch / "moved"
        prefix.rename(moved)
        self.assertIn("[$ORIGIN/../lib]", subprocess.check_output(["readelf", "-d", moved / "bin/app"], text=True))
        loaded = subprocess.check_output(["ldd", moved / "bin/app"], text=True)
        self.assertIn(f"{moved}/bin/../lib/libcubinet.so.0", loaded)
        self.assertEqual(subprocess.check_output([moved / "bin/app"], text=True), "1 modules, the first is scale\n")
        self.write("main.c", EMPTY_PROGRAM)

    def recipe_kernels_for_other_projects(self, text):
        make, take = blocks(text, "cmake")
        self.write("add.cu", KERNEL.replace("scale", "add"))
        self.snippet_of(make)
        prefix = self.scratch / "prefix"
        result = self.run_cmake("--install", self.build_folder, "--prefix", prefix)
        self.assertEqual(result.returncode, 0, result.stdout)
        shutil.rmtree(self.build_folder)
        self.write("CMakeLists.txt", take)
        result = self.configure(f"-DCMAKE_PREFIX_PATH={prefix}")
        self.assertEqual(result.returncode, 0, result.stdout)
        self.build()
        self.assertEqual(sorted(self.modules("all_kernels")), ["add", "scale"])

    def recipe_cuda_from_pip_alone(self, text):
        """The wheels are a link to the toolkit in use; what pip installs has the same places."""
        self.assertIn(". .venv/bin/activate", blocks(text, "sh")[0])
        packages = self.scratch / ".venv/lib/python3.12/site-packages/nvidia"
        packages.mkdir(parents=True)
        (packages / "cu13").symlink_to(self.toolkit())
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("CUBINET_TOOLKIT", "CUDAToolkit_ROOT", "CUDA_HOME", "CUDA_PATH")}  # fmt: skip
        environment["VIRTUAL_ENV"] = str(self.scratch / ".venv")
        with unittest.mock.patch.dict(os.environ, environment, clear=True):
            self.assertEqual(self.toolkit(), str(self.scratch / ".venv"))
            self.build()

    def toolkit(self):
        """The toolkit that a project finds."""
        shutil.rmtree(self.build_folder, ignore_errors=True)
        self.cmake_lists("cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES 80)\n")
        return re.search(r"Cubinet: CUDA \S+ toolkit in (.*)", self.configure().stdout)[1]

    def recipe_two_toolkits(self, text):
        """The other one is the same by another path, so the architectures have to be newer ones."""
        other = self.scratch / "another toolkit"
        other.symlink_to(self.toolkit())
        self.write("sort.cu", KERNEL)
        replaced = text.replace("60-real 70-real 90-real", "80-real 90-real").replace("/opt/cuda-12.9", f'"{other}"', 1)
        self.assertNotEqual(replaced, text)
        runs = [run for run in self.snippet(replaced) if run.subcommand == "compile"]
        by_other = {run.value("--gencode") for run in runs if run.value("--toolkit") == str(other)}
        self.assertEqual({re.search(r"compute_(\d+)", gencode)[1] for gencode in by_other}, {"80", "90"})
        self.assertLess(len(by_other), len(runs))
        self.assertEqual([image["target"] for image in self.modules()["sort"]["images"]],
                         ["sm_75", "sm_80", "sm_90", "sm_120", "sm_121", "compute_120"])  # fmt: skip


def slug(heading):
    return re.sub(r"\W+", "_", heading.lower())


if __name__ == "__main__":
    project.main()
