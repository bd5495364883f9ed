# SPDX-License-Identifier: Apache-2.0
"""The code on README.md, docs/guide and docs/reference, built and run as the pages have it. snippets.py says how, for each block; a block
that it does not list fails here.

The test run says where things are by environment variables: CMAKE, NINJA, CC, CUBINET_BUILD (the build tree),
CUBINET_COMMAND and SIMCUDA (the driver that stands for NVIDIA's)."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import snippets
from blocks import PAGES, SOURCE, all_blocks, command_lines

BUILD = pathlib.Path(os.environ["CUBINET_BUILD"])
COMMAND = pathlib.Path(os.environ["CUBINET_COMMAND"])
CC = os.environ.get("CC", "cc")
INCLUDE = SOURCE / "loader" / "include"
BLOCKS = all_blocks()

FILE = """#include <cubinet/cubinet.h>
#include <stdio.h>
#include <stdlib.h>
{before}
int main(void)
{{
{declarations}
{statements}
    return 0;
}}
"""


def output(*command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)


class Case(unittest.TestCase):
    """A test that runs in an empty folder, with the command in the PATH."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="cubinet-docs-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("CUBINET_")}
        self.environment.update(PATH=f"{COMMAND.parent}:{os.environ['PATH']}", CUBINET_LIBCUDA=os.environ.get("SIMCUDA", ""),
                                CUBINET_KEY_PASSWORD="a password", CC=CC, LC_ALL="C.UTF-8")  # fmt: skip

    def write(self, files):
        for name, text in files.items():
            (self.folder / name).write_text(text)

    def shell(self, line, **options):
        """What a line prints; it has to succeed."""
        result = output("sh", "-c", line, cwd=self.folder, env=self.environment, **options)
        self.assertEqual(result.returncode, 0, f"{line}\n{result.stdout}")
        return result.stdout

    def cmake(self, text, build=False):
        self.write({"CMakeLists.txt": text})
        build_folder = self.folder / "build"
        shutil.rmtree(build_folder, ignore_errors=True)
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        made = output(os.environ.get("CMAKE", "cmake"), "-S", self.folder, "-B", build_folder, *generator,
                      f"-DCubinet_DIR={BUILD}", f"-DCUBINET_COMMAND={COMMAND}", env=self.environment)  # fmt: skip
        self.assertEqual(made.returncode, 0, f"{text}\n{made.stdout}")
        if build:
            made = output(os.environ.get("CMAKE", "cmake"), "--build", build_folder, env=self.environment)
            self.assertEqual(made.returncode, 0, f"{text}\n{made.stdout}")
        return build_folder


class Coverage(Case):
    def test_every_block_is_listed(self):
        listed = [key for _, keys in snippets.ELSEWHERE.values() for key in keys]
        for keys in (snippets.NOT_RUN, snippets.PART_OF, snippets.KEYWORDS, snippets.STATEMENTS, snippets.NINJA,
                     snippets.FUNCTION_AND_STATEMENTS, snippets.CMAKE, snippets.SHELL, snippets.OWN_TEST):  # fmt: skip
            listed += keys
        self.assertEqual(sorted(listed), sorted(set(listed)), "a block is listed twice")
        self.assertEqual(sorted(BLOCKS), sorted(listed), "say in tests/docs/snippets.py how a new block is built")

    def test_other_tests_read_the_pages(self):
        for name, (script, keys) in snippets.ELSEWHERE.items():
            text = (SOURCE / script).read_text()
            for page in {key.partition("#")[0] for key in keys}:
                self.assertTrue(page in text or page.removesuffix(".md") in text, f"{name}: {script} does not read {page}")


class Text(Case):
    """What needs no compiler."""

    def test_options_exist(self):
        texts = {}
        for page in PAGES:
            for words in command_lines(page):
                with self.subTest(page=page.name, line=" ".join(words)):
                    self.check_options(words, texts)

    def check_options(self, words, texts):
        subcommand = words[1] if len(words) > 1 else ""
        if subcommand.startswith("-") or subcommand == "help":
            return
        if subcommand not in texts:
            wanted = [subcommand] + ["compile"] * (subcommand in ("build", "ninja", "pch", "cache"))
            texts[subcommand] = "".join(self.shell(f"cubinet {name} --help") for name in wanted)
        known = set(re.findall(r"(?<![\w-])--?([A-Za-z][\w+-]*)", texts[subcommand]))
        for word in words[2:]:
            if word == "--":
                break
            name = re.match(r"--?([A-Za-z][\w+-]*)", word)
            if name and name[1] not in known and not (name[1][0] in known and not word.startswith("--")):
                self.fail(f"`cubinet {subcommand}` has no option {word}")

    def test_names_exist(self):
        headers = "".join(path.read_text() for path in INCLUDE.rglob("*.h*"))
        modules = "".join(path.read_text() for path in [*SOURCE.glob("cmake_modules/*"), *SOURCE.glob("ninja_rules/*"),
                                                        *SOURCE.glob("samples/bazel/*")] if path.is_file())  # fmt: skip
        for page in PAGES:
            for name in set(re.findall(r"\bcubinet_[a-z0-9_]+(?=\()", page.read_text())):
                self.assertRegex(headers + modules, rf"\b{name}\b", f"{page.name}: {name}() does not exist")

    def test_keywords_exist(self):
        modules = "".join(path.read_text() for path in SOURCE.glob("cmake_modules/*.cmake"))
        for key in snippets.KEYWORDS:
            for keyword in re.findall(r"\b[A-Z][A-Z_]+\b", BLOCKS[key].text):
                self.assertRegex(modules, rf"\b{keyword}\b", key)

    def test_troubles_are_messages(self):
        """Each message that heads a section of docs/guide/troubleshooting.md is in the code, but for what differs."""
        code = "".join(path.read_text() for path in SOURCE.glob("cmake_modules/*.cmake"))
        for folder in ("loader", "packager"):
            for path in [*SOURCE.glob(f"{folder}/**/*.c"), *SOURCE.glob(f"{folder}/**/*.h")]:
                code += re.sub(r'"\s*\n\s*"', "", path.read_text()).replace('\\"', '"')
        text = (SOURCE / "docs/guide/troubleshooting.md").read_text()
        headings = re.findall(r"^### (.*)$", text, re.MULTILINE)
        messages = [message for heading in headings for message in re.findall(r'"(.+?)"(?:, |$)', heading)]
        self.assertGreater(len(messages), 20)
        for message in messages:
            for piece in re.split(r"[\d.]*…[\d.]*|\d+(?:\.\d+)?|arguments", message.removeprefix("cubinet: warning: ")):
                if len(piece.strip()) > 5:
                    self.assertIn(piece.strip(), code, message)

    def test_parts_of_samples(self):
        for key, path in snippets.PART_OF.items():
            lines = iter(line.strip() for line in (SOURCE / path).read_text().splitlines())
            for line in BLOCKS[key].text.splitlines():
                if line.strip():
                    self.assertIn(line.strip(), lines, f"{key}: not in {path}, or not in this order")

    def test_bazel_rule_is_that_of_the_sample(self):
        squeeze = lambda text: re.sub(r",(?=[\])])", "", re.sub(r"\s+", "", text))  # noqa: E731
        self.assertIn(squeeze(BLOCKS["scale.md#Bazel 1"].text), squeeze((SOURCE / "samples/bazel/BUILD.bazel").read_text()))

    def test_blocks_are_well_formed(self):
        for key, block in BLOCKS.items():
            with self.subTest(key):
                if block.language == "python":
                    compile(block.text, key, "exec")
                elif block.language == "json":
                    json.loads(block.text)
                elif block.language == "sh":
                    result = output("sh", "-n", input=block.text)
                    self.assertEqual(result.returncode, 0, result.stdout)


class C(Case):
    def compile(self, text):
        self.write({"page.c": text})
        result = output(CC, "-std=gnu11", "-Wall", "-Wextra", "-Wno-unused", "-Werror", f"-I{INCLUDE}", "-fsyntax-only",
                        self.folder / "page.c")  # fmt: skip
        self.assertEqual(result.returncode, 0, f"{text}\n{result.stdout}")

    def test_statements(self):
        for key, (before, declarations) in snippets.STATEMENTS.items():
            with self.subTest(key):
                text = BLOCKS[key].text
                if before is None:
                    self.compile("#include <stddef.h>\n" + text)
                else:
                    self.compile(FILE.format(before=before, declarations=declarations, statements=text))

    def test_function_and_statements(self):
        for key, (before, declarations) in snippets.FUNCTION_AND_STATEMENTS.items():
            with self.subTest(key):
                function, _, statements = BLOCKS[key].text.partition("\n}\n")
                statements = re.sub(r"^\.\.\.$", "", statements, flags=re.MULTILINE)
                self.compile(FILE.format(before=before + function + "\n}\n", declarations=declarations, statements=statements))


class Headers(Case):
    """The lines for a header that `cubinet header` writes."""

    def setUp(self):
        super().setUp()
        shutil.copy(SOURCE / snippets.SEGSUM, self.folder)
        self.shell("cubinet compile segsum.cu -o kernels.cubinet --arch 80 --module segmented_sum --kernel 'segsum<float,int,256,4>'")
        self.shell("cubinet header kernels.cubinet -o kernels.h --c++")

    def check(self, name, text):
        compiler = os.environ.get("CXX", "c++") if name.endswith(".cpp") else CC
        self.write({name: text})
        result = output(compiler, "-Wall", "-Wextra", "-Wno-unused", "-Werror", f"-I{INCLUDE}", "-fsyntax-only", name,
                        cwd=self.folder)  # fmt: skip
        self.assertEqual(result.returncode, 0, f"{text}\n{result.stdout}")

    ARGUMENTS = ("cubinet_launch_config config = {};\nconst float *values = NULL; const int *offsets = NULL; float *sums = NULL;\n"
                 "int segments = 0;\n")

    def test_c(self):
        include, _, lines = BLOCKS["commands.md#header 1"].text.partition("\n")
        self.check("page.c", FILE.format(before=include, declarations=snippets.PROGRAM + self.ARGUMENTS, statements=lines))

    def test_cxx(self):
        self.check("page.cpp", "#include <cubinet/cubinet.h>\n#include \"kernels.h\"\n"
                   f"cubinet_status run(cubinet_module *module)\n{{\n{self.ARGUMENTS}{BLOCKS['commands.md#Kernels in C++ 1'].text}}}\n")  # fmt: skip


class Projects(Case):
    HEAD = "cmake_minimum_required(VERSION 3.25)\nproject(page LANGUAGES C CXX)\nfind_package(Cubinet REQUIRED)\n"

    def test_lines_of_cmake(self):
        for key, (before, after, files) in snippets.CMAKE.items():
            if before is not None:
                with self.subTest(key):
                    self.write(files)
                    self.cmake(self.HEAD + before + BLOCKS[key].text + after)

    def test_matrices_of_kernels(self):
        """KERNELS_FOR makes the six kernels that the page says, and the file of INSTANTIATE as many as its rows."""
        line = BLOCKS["cmake.md#cubinet_add_module 2"].text
        self.write({"scale.cu": snippets.SCALE, "kernels.json": BLOCKS["cmake.md#cubinet_add_module 3"].text})
        for keywords, count in ((line, 6), ("INSTANTIATE kernels.json\n", 4 + 2 + 1 + 2 + 1)):
            build = self.cmake(f"{self.HEAD}cubinet_add_archive(kernels ARCHITECTURES 80-real\n  MODULE all SOURCES scale.cu\n"
                               f"  {keywords})\n")  # fmt: skip
            text = "".join(path.read_text() for path in build.rglob("*") if path.suffix in (".args", ".ninja", ".make"))
            self.assertEqual(len(set(re.findall(r"(?:segsum|scale)<[\w,]+>|\bcount\b(?=['\"; ])", text))), count, keywords)

    def test_embedded_archive(self):
        """cubinet_embed(): the declarations that the page shows in a comment are those of the header."""
        include = BLOCKS["cmake.md#cubinet_embed 2"].text
        declared = re.search(r"/\* (.*) \*/", include)[1]
        self.write({"scale.cu": snippets.SCALE,
                    "main.c": f"#include <stddef.h>\n{include}{declared}\nint main(void) {{ return kernels[0] != 'P'; }}\n"})  # fmt: skip
        build = self.cmake(self.HEAD + "cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES 80)\n"
                           "add_executable(app main.c)\ncubinet_embed(app kernels)\n"
                           "target_link_libraries(app PRIVATE Cubinet::cubinet_static)\n", build=True)  # fmt: skip
        self.assertEqual(output(build / "app").returncode, 0)


class Commands(Case):
    def setUp(self):
        super().setUp()
        self.toolkit = json.loads(os.environ.get("DOCS_TOOLKIT", '""'))

    def test_commands_run(self):
        signs = output(COMMAND, "keygen", "-W", "-o", "probe", cwd=self.folder).returncode == 0
        for key, (files, first) in snippets.SHELL.items():
            if key in snippets.NEEDS_SODIUM and not signs:
                continue
            with self.subTest(key):
                self.setUp()
                self.write(files)
                for line in [*first, *BLOCKS[key].commands()]:
                    self.shell(line)

    def test_ninja_files(self):
        ninja = shutil.which(os.environ.get("NINJA", "ninja"))
        if not ninja:
            self.skipTest("there is no Ninja")
        rules = SOURCE / "ninja_rules" / "cubinet.ninja"
        for key, (before, files, made, target) in snippets.NINJA.items():
            with self.subTest(key):
                self.setUp()
                self.write(files)
                shutil.copy(SOURCE / snippets.SEGSUM, self.folder)
                for archive, arguments in made.items():
                    self.shell(f"cubinet compile {arguments} -o {archive}")
                text = BLOCKS[key].text.replace("--toolkit /opt/cuda ", "")
                if "include /usr/local/share/cubinet/cubinet.ninja" in text:
                    text = text.replace("/usr/local/share/cubinet/cubinet.ninja", str(rules))
                else:
                    text = f"include {rules}\n{text}"
                self.write({"build.ninja": before + text})
                self.shell(f"{ninja} {target}")


class Readme(Case):
    """README.md's tour: the two ways to build the archive, its program, and what the commands print."""

    def test_tour(self):
        text = (SOURCE / "README.md").read_text()
        shutil.copy(SOURCE / snippets.SEGSUM, self.folder)
        (build_line,) = re.findall(r"^    (cubinet build .*)$", text, re.MULTILINE)
        self.shell(build_line)
        self.assertTrue((self.folder / "kernels.h").exists())

        self.write({"main.c": self.program()})
        cmake, _, console, _ = (BLOCKS[f"README.md#A tour {number}"] for number in range(1, 5))
        head, _, lines = cmake.text.partition("\n")
        build = self.cmake(f"cmake_minimum_required(VERSION 3.25)\nproject(app LANGUAGES C)\n{head}\n"
                           f"add_executable(app main.c)\n{lines}", build=True)  # fmt: skip
        shutil.copy(build / "kernels.cubinet", self.folder)
        self.assert_prints(console)
        if os.environ.get("SIMCUDA"):
            self.shell("build/app")
            shutil.copy(build / "app", self.folder)
            for line in BLOCKS["shipping.md#Ship what is used 1"].commands():
                self.shell(line)
            self.assertTrue((self.folder / "app-rest.cubinet").exists())

    def program(self):
        """The README's lines as a program that fails if one of them does."""
        lines = BLOCKS["README.md#A tour 2"].text
        lines = re.sub(r"^(cubinet_\w+\(.*\);)", r"CHECK(\1)", lines, flags=re.MULTILINE).replace(";)", ");")
        _, declarations = snippets.STATEMENTS["README.md#A tour 2"]
        before = ("#define CHECK(call) do { if (call) { fprintf(stderr, \"%s\\n\", cubinet_error_message()); exit(1); } } while (0)\n"
                  "#define segments 1\n")  # fmt: skip
        declarations = declarations.replace("uint32_t segments = 1; ", "")
        return FILE.format(before=before, declarations=declarations, statements=lines)

    def assert_prints(self, console):
        """Exactly what the page has below its commands. Only NVRTC 13.0.88 and its ptxas make these sizes."""
        printed = "".join(f"$ {line}\n{self.shell(line)}" for line in console.commands())
        blanks = re.compile(r"^\s*\n", re.MULTILINE)
        expected = blanks.sub("", console.text)
        printed = blanks.sub("", printed)
        self.write({"scale.cu": snippets.SCALE})
        verbose = self.shell("cubinet compile scale.cu --arch 80-real -v")
        if "ptxas -arch" not in verbose or "13.0.88" not in self.shell("cubinet inspect kernels.cubinet"):
            size = re.compile(r" +[\d.]+ [KM]?B")
            expected, printed = size.sub(" SIZE", expected), size.sub(" SIZE", printed)
        self.assertEqual(printed, expected)


if __name__ == "__main__":
    probe = output(COMMAND, "compile", "--list-gpu-arch")
    if probe.returncode:
        print("skipped: there is no CUDA toolkit")
        raise SystemExit(77)
    unittest.main()
