# SPDX-License-Identifier: Apache-2.0
"""`cubinet build`: sources that are built, changed and built again, with what Ninja runs counted by its messages."""

import json
import os
import pathlib
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest

COMMAND = os.environ["CUBINET_COMMAND"]
TOOLKIT = os.environ["CUBINET_TOOLKIT_ROOT"]
ARCHS = ("--arch", "80-real,90-real")

KERNEL = 'extern "C" __global__ void {name}(int *x) {{ *x = {value}; }}\n'
TEMPLATE = "template <typename T> __global__ void scale(T *x) { *x *= 2; }\n"


def what_ran(output):
    """The descriptions of the edges: "Compiling a for sm_80"."""
    return sorted(line.split("] ", 1)[1] for line in output.splitlines() if line.startswith("["))


def compiles(*modules):
    return [f"Compiling {module} for sm_{number}" for module in sorted(modules) for number in (80, 90)]


class Build(unittest.TestCase):
    def setUp(self):
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="cubinet-test-"))
        self.addCleanup(shutil.rmtree, self.scratch)
        self.folder = self.scratch / "a $folder"
        self.folder.mkdir()

    def write(self, name, text):
        """Writes a source file; a build started after this sees that it is new."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        time.sleep(0.02)

    def run_command(self, *arguments):
        return subprocess.run([COMMAND, *map(str, arguments)], cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)  # fmt: skip

    def build(self, *arguments):
        """Builds all.cubinet, and returns what ran."""
        result = self.run_command("build", *arguments, "-o", "all.cubinet", *ARCHS)
        self.assertEqual(result.returncode, 0, result.stdout)
        return what_ran(result.stdout)

    def modules(self):
        """The modules of all.cubinet, each with its kernels."""
        listed = self.run_command("inspect", "all.cubinet", "--json")
        self.assertEqual(listed.returncode, 0, listed.stdout)
        return {
            module["module"]: sorted(kernel["expression"] for kernel in module["kernels"])
            for module in json.loads(listed.stdout)["modules"]
        }

    def test_headers(self):
        for name in "ab":
            self.write(f"{name}.cu", '#include "both.h"\n#include <one.h>\n' + KERNEL.format(name=name, value="BOTH"))
        self.write("c.cu", KERNEL.format(name="c", value=3))
        self.write("both.h", "#define BOTH 1\n")
        self.write("second/one.h", "#define ONE 1\n")
        self.write("first/unrelated.h", "")
        sources = ("a.cu", "b.cu", "c.cu", "-Ifirst", "-Isecond")
        pack = ["Packing all.cubinet"]
        self.assertEqual(self.build(*sources), compiles("a", "b", "c") + pack)
        self.assertEqual(self.build(*sources), [])
        with self.subTest("a header that two sources include"):
            self.write("both.h", "#define BOTH 2\n")
            self.assertEqual(self.build(*sources), compiles("a", "b") + pack)
            self.assertEqual(self.build(*sources), [])
        with self.subTest("a comment packs nothing"):
            self.write("both.h", "#define BOTH 2 // two\n")
            self.assertEqual(self.build(*sources), compiles("a", "b"))
            self.assertEqual(self.build(*sources), [])
        with self.subTest("a new header that hides another"):
            self.write("first/one.h", "#undef BOTH\n#define BOTH 3\n")
            self.assertEqual(self.build(*sources), compiles("a", "b") + pack)
            self.assertEqual(self.build(*sources), [])
        with self.subTest("and goes away"):
            (self.folder / "first/one.h").unlink()
            self.assertEqual(self.build(*sources), compiles("a", "b") + pack)
            self.assertEqual(self.build(*sources), [])
        with self.subTest("a header that is needed and gone"):
            (self.folder / "both.h").unlink()
            result = self.run_command("build", *sources, "-o", "all.cubinet", *ARCHS)
            self.assertEqual(result.returncode, 1)
            self.assertIn('cannot open source file "both.h"', result.stdout)
            self.write("both.h", "#define BOTH 2 // two\n")
            self.assertNotIn("Packing all.cubinet", self.build(*sources))
            self.assertEqual(self.build(*sources), [])

    def test_arguments(self):
        self.write("a.cu", TEMPLATE)
        self.write("b.cu", KERNEL.format(name="b", value="B"))
        common = ("a.cu", "--kernel", "scale<float>")
        everything = compiles("a", "b") + ["Packing all.cubinet"]
        self.assertEqual(self.build(*common, "b.cu", "-DB=1"), everything)
        with self.subTest("an option"):
            self.assertEqual(self.build(*common, "b.cu", "-DB=2"), everything)
        with self.subTest("a list of kernels"):
            ran = self.build(*common, "--kernel", "scale<unsigned char>", "b.cu", "-DB=2")
            self.assertEqual(ran, compiles("a") + ["Packing all.cubinet"])
            self.assertEqual(self.modules(), {"a": ["scale<float>", "scale<unsigned char>"], "b": ["b"]})
        with self.subTest("a source less"):
            self.assertEqual(self.build("b.cu", "-DB=2"), ["Packing all.cubinet"])
            self.assertEqual(self.modules(), {"b": ["b"]})
        with self.subTest("an architecture more"):
            self.assertEqual(self.build("b.cu", "-DB=2", "--arch", "75-real"),
                             ["Compiling b for sm_75", "Packing all.cubinet"])  # fmt: skip

    def copy_toolkit(self):
        """A toolkit of its own, whose files are links to those of the real one."""
        root = self.scratch / "toolkit"
        for name in ("lib64", "include", "nvvm"):
            source = pathlib.Path(TOOLKIT) / name
            if source.is_dir():
                (root / name).mkdir(parents=True)
                for path in source.iterdir():
                    (root / name / path.name).symlink_to(path.resolve())
        return root

    @unittest.skipUnless((pathlib.Path(TOOLKIT) / "lib64").is_dir(), "the toolkit is not a folder of an installation")
    def test_switched_toolkit(self):
        """/usr/local/cuda leads to another toolkit, all of whose files are older than what was built."""
        self.write("a.cu", KERNEL.format(name="first", value=1))
        cuda = self.scratch / "cuda"
        roots = [self.scratch / "cuda-1", self.scratch / "cuda-2"]
        for root in roots:
            self.copy_toolkit().rename(root)
        cuda.symlink_to(roots[0])
        source = ("a.cu", "--toolkit", cuda)
        ninja = ("ninja", *source, "-o", "plain.cubinet", *ARCHS, "--file", "plain.ninja")
        self.build(*source)
        self.assertEqual(self.build(*source), [])
        self.assertEqual(self.run_command(*ninja).returncode, 0)

        def plain():
            return what_ran(subprocess.run(["ninja", "-f", "plain.ninja"], cwd=self.folder, stdout=subprocess.PIPE,
                                           text=True, check=True).stdout)  # fmt: skip

        plain()
        self.assertEqual(plain(), [])
        cuda.unlink()
        cuda.symlink_to(roots[1])
        self.assertEqual(self.build(*source), compiles("a"))
        self.assertEqual(self.build(*source), [])
        with self.subTest("by Ninja alone, another release"):
            self.assertEqual(plain(), [])
            release = next(path for path in (cuda / "lib64").iterdir() if path.name.startswith("libnvrtc-builtins.so.1"))
            release.rename(release.with_name("libnvrtc-builtins.so.13.99"))
            self.assertEqual(plain(), compiles("a"))
            self.assertEqual(plain(), [])

    def test_date(self):
        self.write("a.cu", KERNEL.format(name="first", value=1))
        self.build("a.cu")
        self.addCleanup(os.environ.pop, "SOURCE_DATE_EPOCH", None)
        os.environ["SOURCE_DATE_EPOCH"] = "1700000000"
        self.assertIn("Packing all.cubinet", self.build("a.cu"))
        dated = (self.folder / "all.cubinet").read_bytes()
        self.assertEqual(self.build("a.cu"), [])
        del os.environ["SOURCE_DATE_EPOCH"]
        self.assertIn("Packing all.cubinet", self.build("a.cu"))
        self.assertNotEqual((self.folder / "all.cubinet").read_bytes(), dated)

    @unittest.skipUnless((pathlib.Path(TOOLKIT) / "lib64").is_dir(), "the toolkit is not a folder of an installation")
    def test_toolkit(self):
        source = ("a.cu", "--assembler", "nvjitlink")  # the copy has no ptxas
        self.write("a.cu", KERNEL.format(name="a", value=1))
        self.assertEqual(self.build(*source), compiles("a") + ["Packing all.cubinet"])
        root = self.copy_toolkit()
        with self.subTest("another toolkit that makes the same"):
            self.assertEqual(self.build(*source, "--toolkit", root), compiles("a"))
            # The outputs are older than the new toolkit, and Ninja before 1.12 looks once more at what depends on it.
            self.build(*source, "--toolkit", root)
            self.assertEqual(self.build(*source, "--toolkit", root), [])
        with self.subTest("a toolkit whose headers change"):
            time.sleep(0.02)
            (root / "include/new.h").write_text("")
            self.assertEqual(self.build(*source, "--toolkit", root), compiles("a"))
            self.assertEqual(self.build(*source, "--toolkit", root), [])

    def test_interrupted(self):
        names = [f"k{i}" for i in range(6)]
        for name in names:
            self.write(f"{name}.cu", KERNEL.format(name=name, value=1))
        sources = [f"{name}.cu" for name in names]
        process = subprocess.Popen([COMMAND, "build", *sources, "-o", "all.cubinet", *ARCHS, "-j1"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                   start_new_session=True)  # fmt: skip
        first = process.stdout.readline()
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        before = what_ran(first + process.communicate()[0])
        self.assertEqual(process.returncode, -signal.SIGINT)
        self.assertFalse((self.folder / "all.cubinet").exists())
        after = self.build(*sources)
        self.assertEqual(sorted(before + after), compiles(*names) + ["Packing all.cubinet"])
        self.assertEqual(self.run_command("verify", "all.cubinet").returncode, 0)
        self.assertEqual(self.build(*sources), [])

    def test_ends_by_the_signal(self):
        """Also where the process alone has it, or Ninja catches it and exits; 2 would be wrong usage."""
        names = [f"k{i}" for i in range(6)]
        for name in names:
            self.write(f"{name}.cu", KERNEL.format(name=name, value=1))
        for send, number in ((os.kill, signal.SIGINT), (os.kill, signal.SIGTERM), (os.killpg, signal.SIGTERM),
                             (os.killpg, signal.SIGHUP)):  # fmt: skip
            with self.subTest(send=send.__name__, number=number):
                shutil.rmtree(self.folder / ".cubinet-build", ignore_errors=True)
                process = subprocess.Popen([COMMAND, "build", *(f"{name}.cu" for name in names), "-o", "all.cubinet",
                                            *ARCHS, "-j1"], cwd=self.folder, stdout=subprocess.PIPE,
                                           stderr=subprocess.STDOUT, text=True, start_new_session=True)  # fmt: skip
                process.stdout.readline()
                send(process.pid, number)
                process.communicate()
                self.assertEqual(process.returncode, -number)

    def test_odd_paths(self):
        names = ["with space", "dollar $x", "it's", "a:b", "a|b", "a&b", 'quo"te', "semi;colon", "star*", "hash#", "(x)",
                 "ünï", "back\\slash", "per%cent"]  # fmt: skip
        arguments = ["-Isrc"]
        for i, name in enumerate(names):
            self.write(f"src/{name}.cu", f"#include <{name}.h>\n" + KERNEL.format(name=f"k{i}", value="VALUE"))
            self.write(f"src/{name}.h", "#define VALUE 1\n")
            arguments.append(f"src/{name}.cu")
        everything = compiles(*names) + ["Packing all.cubinet"]
        self.assertEqual(sorted(self.build(*arguments)), sorted(everything))
        self.assertEqual(self.build(*arguments), [])
        self.assertEqual(sorted(self.modules()), sorted(names))
        self.write("src/dollar $x.h", "#define VALUE 2\n")
        self.assertEqual(self.build(*arguments), compiles("dollar $x") + ["Packing all.cubinet"])
        self.write("src/a&b.h", "#define VALUE 2\n")
        self.assertEqual(self.build(*arguments), compiles("a&b") + ["Packing all.cubinet"])
        self.assertEqual(self.build(*arguments), [])

    def test_odd_build_folder(self):
        self.write("a.cu", KERNEL.format(name="a", value=1))
        folder = "build: 'it' & | $x/\"deep\""
        self.assertEqual(self.build("a.cu", "--build-dir", folder), compiles("a") + ["Packing all.cubinet"])
        self.assertEqual(self.build("a.cu", "--build-dir", folder), [])
        self.write("a.cu", KERNEL.format(name="a", value=2))
        self.assertEqual(self.build("a.cu", "--build-dir", folder), compiles("a") + ["Packing all.cubinet"])

    def test_read_only_sources(self):
        self.write("src/a.cu", '#include "h/a.h"\n' + KERNEL.format(name="a", value="A"))
        self.write("src/h/a.h", "#define A 1\n")
        source = self.folder / "src"
        folders = [source / "h", source]
        for folder in folders:
            folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
        there = sorted(source.rglob("*"))
        try:
            ran = self.build("src/a.cu", "--build-dir", self.scratch / "build", "--header", "../a.h")
            self.assertEqual(ran, compiles("a") + ["Packing all.cubinet", "Writing ../a.h"])
            self.assertEqual(self.build("src/a.cu", "--build-dir", self.scratch / "build", "--header", "../a.h"), [])
            self.assertEqual(sorted(source.rglob("*")), there)
        finally:
            for folder in folders:
                folder.chmod(stat.S_IRWXU)

    def test_two_at_once(self):
        names = [f"k{i}" for i in range(4)]
        for name in names:
            self.write(f"{name}.cu", KERNEL.format(name=name, value=1))
        arguments = [COMMAND, "build", *[f"{name}.cu" for name in names], "-o", "all.cubinet", *ARCHS]
        both = [subprocess.Popen(arguments, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                for _ in range(2)]  # fmt: skip
        outputs = [process.communicate()[0] for process in both]
        self.assertEqual([process.returncode for process in both], [0, 0], outputs)
        self.assertEqual(what_ran(outputs[0] + outputs[1]), compiles(*names) + ["Packing all.cubinet"])

    def test_program(self):
        self.write("a.cu", KERNEL.format(name="a", value=1))
        self.write(
            "main.c",
            '#include <stdio.h>\n#include "all.h"\n'
            'int main(void) { printf("%zu %d %s\\n", bytes_size, bytes[0], ALL_A_A); return 0; }\n',
        )
        ran = self.build("a.cu", "--header", "all.h", "--embed", "all.o", "--symbol", "bytes")
        self.assertEqual(ran, compiles("a") + ["Embedding all.cubinet", "Packing all.cubinet", "Writing all.h"])
        subprocess.run(["cc", "-Wall", "-Werror", "main.c", "all.o", "-Wl,--fatal-warnings", "-o", "main"],
                       cwd=self.folder, check=True)  # fmt: skip
        printed = subprocess.run(["./main"], cwd=self.folder, stdout=subprocess.PIPE, text=True, check=True).stdout
        size = (self.folder / "all.cubinet").stat().st_size
        self.assertEqual(printed, f"{size} {ord('P')} a\n")


if __name__ == "__main__":
    unittest.main(verbosity=2)
