# SPDX-License-Identifier: Apache-2.0
"""What a change to a project compiles and packs again, and what it does not."""

import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time
import unittest
import unittest.mock

import project
from project import IS_NINJA, KERNEL

LISTS = """
cubinet_add_archive(kernels
  MODULE scale SOURCES scale.cu KERNELS {kernels}
  ARCHITECTURES {architectures})
target_include_directories(kernels PRIVATE first second)
target_compile_definitions(kernels PRIVATE FACTOR={factor})
{more}
"""

SOURCE = """
#include "amount.h"
template <typename T> __global__ void add(T *x) { x[threadIdx.x] += AMOUNT + FACTOR; }
"""

# What takes the place of a ptxas that knows controls: it takes them for more options.
NEW_PTXAS = """#!/bin/sh
[ "$*" != --version ] || {{ echo "Cuda compilation tools, release 13.3, V13.3.0"; exit; }}
for word; do
    shift
    case $word in
    --apply-controls=*) set -- "$@" $(cat "${{word#*=}}") ;;
    *) set -- "$@" "$word" ;;
    esac
done
exec "{ptxas}" "$@"
"""

# What takes the place of a command whose nvJitLink knows controls: it takes the file's words for more options.
NEW_LINK = """#!/bin/sh
for word; do
    shift
    case $word in
    -Xptxas=--apply-controls=*) set -- "$@" "-Xptxas=$(cat "${{word#*=*=}}")" ;;
    *) set -- "$@" "$word" ;;
    esac
done
exec "{command}" "$@"
"""

CALLER = """
extern __device__ float change(float x);
__global__ void sum(float *x) { float s = 0; for (int i = 0; i < 1000; i++) { s += change(x[i]); } *x = s; }
"""
CALLED = "__device__ float change(float x) { return x + 1; }\n"

TILE = """
#include <cuda_tile.h>
__tile_global__ void one(int *a) { a[cuda::tiles::bid().x] = 1; }
__global__ void two(int *a) { a[threadIdx.x] = 2; }
"""

NEWEST_CUDA = pathlib.Path(__file__).resolve().parents[2] / "build" / "newest_cuda" / "nvidia" / "cu13"
PTXAS = shutil.which("ptxas", path=os.pathsep.join(
    [os.environ.get("CUDAToolkit_ROOT", "/usr/local/cuda") + "/bin", os.environ.get("PATH", "")]))

# A build that compiles the same bytes again packs nothing under Ninja; Make knows only that files are newer.
SAME_BYTES_PACKS = 0 if IS_NINJA else 1


def end_session(session):
    """Kills what a killed build has left running: Ninja gives each command a process group of its own."""
    left = True
    while left:
        left = []
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):  # ended meanwhile
                state, _, _, its_session = stat.read_text().rpartition(")")[2].split()[:4]
                if int(its_session) == session and state != "Z":
                    left.append(int(stat.parent.name))
        for process in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)


class Rebuild(project.Project):
    def setUp(self):
        super().setUp()
        self.lists()
        self.write("scale.cu", SOURCE)
        self.write("other.cu", KERNEL)
        self.write("second/amount.h", "#define AMOUNT 1\n")
        (self.source / "first").mkdir()
        self.expect_build(2, 1)
        self.expect_build(0, 0)

    def lists(self, kernels='"add<float>"', architectures="80 90-real", factor=1, more=""):
        self.cmake_lists(LISTS.format(kernels=kernels, architectures=architectures, factor=factor, more=more))

    def expect(self, compiled, packed):
        """The build after a change, and that it was enough: the next build does nothing."""
        before = self.built("kernels.cubinet").read_bytes()
        runs = self.expect_build(compiled, packed)
        self.expect_build(0, 0)
        return runs, self.built("kernels.cubinet").read_bytes() != before

    def test_touched_source(self):
        self.write("scale.cu", SOURCE)
        _, changed = self.expect(2, SAME_BYTES_PACKS)
        self.assertFalse(changed)

    def test_edited_source(self):
        self.write("scale.cu", SOURCE.replace("+=", "-="))
        _, changed = self.expect(2, 1)
        self.assertTrue(changed)

    def test_edited_header(self):
        self.write("second/amount.h", "#define AMOUNT 2\n")
        _, changed = self.expect(2, 1)
        self.assertTrue(changed)

    def test_comment_in_header(self):
        self.write("second/amount.h", "// the amount\n#define AMOUNT 1\n")
        self.expect(2, SAME_BYTES_PACKS)

    def test_new_header_before_the_old_one(self):
        self.write("first/amount.h", "#define AMOUNT 3\n")
        _, changed = self.expect(2, 1)
        self.assertTrue(changed)
        with self.subTest("and gone again"):
            (self.source / "first/amount.h").unlink()
            _, changed = self.expect(2, 1)
            self.assertTrue(changed)

    def test_unrelated_file_where_a_header_was_looked_for(self):
        before = self.built("kernels.cubinet").read_bytes()
        self.write("first/unrelated.h", "")
        self.build()  # which may look again, and finds that nothing changed
        self.expect_build(0, 0)
        self.assertEqual(self.built("kernels.cubinet").read_bytes(), before)

    def test_missing_header_is_an_error_until_it_is_back(self):
        (self.source / "second/amount.h").unlink()
        self.assertNotEqual(self.run_cmake("--build", self.build_folder).returncode, 0)
        self.write("second/amount.h", "#define AMOUNT 4\n")
        _, changed = self.expect(2, 1)
        self.assertTrue(changed)

    def test_changed_kernels(self):
        self.lists(kernels='"add<float>" "add<int>"')
        runs, changed = self.expect(2, 1)
        self.assertTrue(changed)
        self.assertIn("add<int>", runs[0].arguments)

    def test_changed_definition(self):
        self.lists(factor=2)
        _, changed = self.expect(2, 1)
        self.assertTrue(changed)

    def test_parts(self):
        """PARTS goes to the compiles of its module alone."""
        self.lists(more="cubinet_add_module(kernels parts SOURCES other.cu PARTS each)")
        runs = self.build()
        with_parts = [run.arguments for run in runs if "--parts" in run.arguments]
        self.assertTrue(with_parts)
        for arguments in with_parts:
            self.assertEqual(arguments[arguments.index("--parts") + 1], "each")
            self.assertIn("other.cu", " ".join(arguments))

    @unittest.skipUnless(PTXAS, "no ptxas on PATH or in the toolkit")
    def test_controls_of_the_compiler(self):
        self.write("tuned.acf", "-O3\n")
        self.write("new_ptxas", NEW_PTXAS.format(ptxas=PTXAS))
        assembler = self.source / "new_ptxas"
        assembler.chmod(0o755)
        self.lists(more=f"cubinet_add_module(kernels tuned SOURCES other.cu CONTROLS tuned.acf "
                        f"COMPILE_OPTIONS --assembler [[{assembler}]])")
        self.build()  # new files lie where a header was looked for, which Make may look at twice
        self.expect_build(0, 0)
        self.write("tuned.acf", "-O0\n")
        _, changed = self.expect(2, 1)
        self.assertTrue(changed)
        self.lists(more="cubinet_add_module(kernels tuned SOURCES other.cu CONTROLS none.acf)")
        self.assertIn("none.acf', which CONTROLS names", self.run_cmake("-S", self.source, "-B", self.build_folder).stdout.replace("\n", " "))

    def links_with_controls(self, more=""):
        self.write("caller.cu", CALLER)
        self.write("called.cu", CALLED)
        self.lists(more=f"cubinet_add_module(kernels linked SOURCES caller.cu called.cu KERNELS sum CONTROLS tuned.acf {more})")

    def expect_links(self, count):
        runs = self.expect_build(0, 1 if count else 0)
        self.assertEqual(len([run for run in runs if run.subcommand == "link"]), count)
        return runs

    def test_controls_of_a_link(self):
        new_link = self.scratch / "new_link"
        new_link.write_text(NEW_LINK.format(command=os.environ["CUBINET_COMMAND"]))
        new_link.chmod(0o755)
        self.command.write_text(project.RECORDER.format(log=self.log, stop=self.stop, command=new_link))
        self.write("tuned.acf", "-O3\n")
        for more in ("", "LINK_OPTIONS --keep-globals COMPILE_OPTIONS -lineinfo THREADS 1"):
            with self.subTest(more):
                self.write("tuned.acf", "-O3\n")
                self.links_with_controls(more)
                links = [run for run in self.build() if run.subcommand == "link"]
                self.assertEqual(len(links), 2)
                for run in links:
                    self.assertEqual(run.values("--nvjitlink"), [f"-Xptxas=--apply-controls={self.source}/tuned.acf"])
                    self.assertNotIn("", run.arguments)
                self.expect_links(0)
                before = self.built("kernels.cubinet").read_bytes()
                self.write("tuned.acf", "-O0\n")
                self.expect_links(2)
                self.expect_links(0)
                self.assertNotEqual(self.built("kernels.cubinet").read_bytes(), before)

    @unittest.skipUnless((NEWEST_CUDA / "lib").exists(), "no newest CUDA in build/newest_cuda")
    def test_controls_that_nvjitlink_reads(self):
        """Nothing here makes a file that it takes, but what it says of one shows that it has read it."""
        self.write("tuned.acf", "")
        self.links_with_controls(f"TOOLKIT {NEWEST_CUDA}")
        result = self.run_cmake("--build", self.build_folder)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("tuned.acf' not in expected format", result.stdout)
        self.write("tuned.acf", "-O3\n")
        self.assertIn("Invalid compiler controls file", self.run_cmake("--build", self.build_folder).stdout)

    @unittest.skipUnless((NEWEST_CUDA / "bin/tileiras").exists(), "no newest CUDA in build/newest_cuda")
    def test_tile_kernels(self):
        self.write("tile.cu", TILE)
        self.lists(more=f"cubinet_add_module(kernels tiles SOURCES tile.cu TOOLKIT {NEWEST_CUDA} "
                        "COMPILE_OPTIONS --enable-tile)")
        self.build()  # new files lie where a header was looked for, which Make may look at twice
        self.expect_build(0, 0)
        listed = subprocess.check_output([os.environ["CUBINET_COMMAND"], "list", self.built("kernels.cubinet")], text=True)
        self.assertRegex(listed, r"tiles +1 .* sm_80 sm_90 compute_80")
        self.assertRegex(listed, r"tiles.tile +1 .* sm_80 sm_90a tile_135")

    def test_header_taken_away_and_no_longer_included(self):
        self.write("scale.cu", SOURCE.replace('#include "amount.h"', "#define AMOUNT 5"))
        (self.source / "second/amount.h").unlink()
        _, changed = self.expect(2, 1)
        self.assertTrue(changed)

    def test_changed_option(self):
        self.lists(more="target_compile_options(kernels PRIVATE -lineinfo)")
        runs, changed = self.expect(2, 1)
        self.assertTrue(changed)
        self.assertIn("-lineinfo", runs[0].arguments)

    def toolkit(self):
        """A toolkit in another place: links to the parts of the one in use, and a compiler of its own."""
        found = re.search(r"Cubinet: CUDA \S+ toolkit in (.*)", self.configure().stdout)[1]
        toolkit = self.scratch / "a toolkit"
        compilers = []

        def copy_or_link(source, destination):
            if os.path.basename(source).startswith("libnvrtc.so"):
                shutil.copy2(source, destination)
                compilers.append(destination)
            else:
                os.symlink(source, destination)

        shutil.copytree(found, toolkit, copy_function=copy_or_link, symlinks=True)
        return toolkit, compilers

    def test_changed_toolkit(self):
        toolkit, compilers = self.toolkit()
        self.lists(more=f'cubinet_add_module(kernels other SOURCES other.cu ARCHITECTURES 80 TOOLKIT "{toolkit}")')
        self.expect(1, 1)
        with self.subTest("another root"):
            self.run_cmake("-S", self.source, "-B", self.build_folder, f"-DCUBINET_TOOLKIT={toolkit}")
            runs, _ = self.expect(2, SAME_BYTES_PACKS)
            self.assertEqual(runs[0].value("--toolkit"), str(toolkit))
        with self.subTest("an update in place"):
            for path in compilers:
                os.utime(path)
            self.expect(3, SAME_BYTES_PACKS)

    def test_environment_of_the_first_configuration(self):
        """Counts later, too, as with CMake's own compilers: a build may start in another shell."""
        found = re.search(r"Cubinet: CUDA \S+ toolkit in (.*)", self.configure().stdout)[1]
        toolkit = self.scratch / "linked"
        toolkit.symlink_to(found)
        others = {name: value for name, value in os.environ.items()
                  if name not in ("CUBINET_TOOLKIT", "CUDAToolkit_ROOT", "CUDA_HOME", "CUDA_PATH", "CUDAARCHS")}  # fmt: skip
        self.cmake_lists("cubinet_add_archive(kernels MODULE other SOURCES other.cu)\n")
        shutil.rmtree(self.build_folder)
        with unittest.mock.patch.dict(os.environ, others | {"CUDA_HOME": str(toolkit), "CUDAARCHS": "86-real"}, clear=True):
            self.expect_build(1, 1)
        (self.source / "CMakeLists.txt").touch()
        with unittest.mock.patch.dict(os.environ, others | {"CUDA_PATH": found, "CUDAARCHS": "90-real"}, clear=True):
            self.expect_build(0, 0)
            with self.subTest("a toolkit that is gone is looked for again"):
                toolkit.unlink()
                (self.source / "CMakeLists.txt").touch()
                runs = self.expect_build(1, SAME_BYTES_PACKS)
                self.assertEqual(runs[0].value("--toolkit"), found)

    def test_interrupted_build(self):
        # A shell without job control has what it runs in the background ignore SIGINT.
        before = self.built("kernels.cubinet").read_bytes()
        edited = SOURCE.replace("+=", "-=")
        for number in (signal.SIGINT, signal.SIGKILL):
            with self.subTest(number.name):
                self.write("scale.cu", edited)
                self.log.write_text("")
                self.stop.touch()
                with subprocess.Popen([project.CMAKE, "--build", self.build_folder, "--parallel", "2"],
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                      preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
                                      start_new_session=True) as build:  # fmt: skip
                    # Both compiles: Debian's shell loses a SIGINT that comes between its fork and exec.
                    while self.log.read_text().count("\n") < 2:
                        time.sleep(0.02)
                    os.killpg(build.pid, number)
                end_session(build.pid)
                self.stop.unlink()
                self.assertEqual(self.built("kernels.cubinet").read_bytes(), before)
                self.expect_build(2, 1)
                self.expect_build(0, 0)
                after = self.built("kernels.cubinet").read_bytes()
                self.assertNotEqual(after, before)
                before, edited = after, SOURCE

    def test_parallel_build(self):
        """Of programs that share an archive, which Make could be led to build for each at once."""
        modules = range(6)
        programs = "".join(
            f"add_executable(app{i} app.c)\ncubinet_embed(app{i} many)\ncubinet_embed(app{i} merged)\n" for i in range(4)
        )
        self.write("app.c", "int main(void) { return 0; }\n")
        self.lists(more="cubinet_add_archive(many ARCHITECTURES 80 90)\n"
                   + "".join(f"cubinet_add_module(many m{i} SOURCES other.cu COMPILE_DEFINITIONS M={i})\n" for i in modules)
                   + "cubinet_add_archive(merged ARCHIVES many)\n" + programs)  # fmt: skip
        runs = self.build("--parallel", "8")
        outputs = [run.output for run in runs if run.subcommand in ("compile", "pack")]
        for output in ("many.cubinet", "merged.cubinet", *(f"m{i}.compute_{j}.cubinet" for i in modules for j in (80, 90))):
            self.assertEqual(outputs.count(output), 1, outputs)
        self.expect_build(0, 0)

    def test_source_folder_stays_as_it_is(self):
        """It may be read-only, and is, unless root builds."""
        files = {path: path.stat().st_mtime_ns for path in self.source.rglob("*")
                 if self.build_folder not in (path, *path.parents)}  # fmt: skip
        self.build_folder = self.scratch / "build elsewhere"
        for path in [self.source, *files]:
            path.chmod(0o555 if path.is_dir() else 0o444)
        try:
            self.expect_build(2, 1)
            self.expect_build(0, 0)
        finally:
            for path in [self.source, *files]:
                path.chmod(0o755)
        self.assertEqual({path: path.stat().st_mtime_ns for path in files}, files)
        self.assertEqual(len(list(self.source.iterdir())), 1 + len([path for path in files if path.parent == self.source]))

    def test_another_architecture_compiles_only_that_one(self):
        self.lists(architectures="80 90-real 120-real")
        runs, _ = self.expect(1, 1)
        self.assertIn("arch=compute_120,code=[sm_120]", runs[0].arguments)

    def test_architecture_taken_away_only_packs(self):
        self.lists(architectures="80")
        _, changed = self.expect(0, 1)
        self.assertTrue(changed)

    def test_another_module_compiles_only_that_one(self):
        self.lists(more="cubinet_add_module(kernels other SOURCES other.cu)")
        runs, _ = self.expect(2, 1)
        self.assertEqual({run.value("--module") for run in runs if run.subcommand == "compile"}, {"other"})

    def test_error_keeps_the_archive(self):
        before = self.built("kernels.cubinet").read_bytes()
        self.write("scale.cu", "this is not a kernel\n")
        result = self.run_cmake("--build", self.build_folder)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("scale.cu:1", result.stdout)
        self.assertEqual(self.built("kernels.cubinet").read_bytes(), before)


if __name__ == "__main__":
    project.main()
