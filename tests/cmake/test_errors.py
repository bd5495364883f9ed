# SPDX-License-Identifier: Apache-2.0
"""Mistakes in a CMakeLists.txt: stopped when it is configured, with the call and what to do."""

import project
from project import KERNEL

ARCHIVE = "cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES 80)\n"
OF_TARGET = ("set(CMAKE_CUDA_ARCHITECTURES 80)\nadd_executable(app main.c scale.cu)\n"
             "set_target_properties(app PROPERTIES CUDA_ARCHITECTURES 80)\n"
             "cubinet_add_archive(kernels TARGET app)\n")  # fmt: skip
INSTANCES = "cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES 80 "


def instances_file(json):
    """A project that takes its kernels from a file with that text."""
    path = '"${CMAKE_CURRENT_SOURCE_DIR}/kernels.json"'
    return f"file(WRITE {path} [=[{json}]=])\n{INSTANCES} INSTANTIATE kernels.json)"


# As cubinet_install(… EXPORT) puts an archive into a package.
IMPORTED = ("add_library(Other::kernels INTERFACE IMPORTED)\n"
            "target_sources(Other::kernels INTERFACE FILE_SET cubinet_archive TYPE HEADERS BASE_DIRS /other\n"
            "  FILES /other/kernels.cubinet)\n")  # fmt: skip

# The mistake, and pieces of the message in their order.
MISTAKES = [
    ("cubinet_add_archive(kernels MODULE scale SOURCE scale.cu)",
     "cubinet_add_archive(kernels)", "unknown keyword 'SOURCE'. Did you mean SOURCES?"),
    ("cubinet_add_archive(kernels FILES scale.cu MODULE scale)",
     "cubinet_add_archive(kernels)", "unknown argument 'FILES'", "The keywords are", "SOURCES"),
    ("cubinet_add_archive(kernels MODULE scale SOURCES scale.cu KERNLES scale ARCHITECTURES 80)",
     "cubinet_add_archive(kernels)", "unknown keyword 'KERNLES', after SOURCES. Did you mean KERNELS?"),
    ("cubinet_add_archive(kernels MODULE scale SOURCES scale.cu KERNELS scale ARCHITECTURS 80)",
     "unknown keyword 'ARCHITECTURS', after KERNELS. Did you mean ARCHITECTURES?"),
    (ARCHIVE + "cubinet_add_module(kernels two SOURCES scale.cu COMPILE_DEFINITIONS TILE COMPILE_OPTION -G)",
     "cubinet_add_module(kernels two)", "'COMPILE_OPTION', after COMPILE_DEFINITIONS", "COMPILE_OPTIONS?",
     "written -DCOMPILE_OPTION"),
    ("cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES 80 COMPRESS zstd:20)",
     "cubinet_add_archive(kernels)", "COMPRESS is 'zstd:20'. Give none, fast, zstd, or zstd:1 to zstd:19"),
    ("cubinet_add_archive(kernels ARCHITECTURES 80)\n"
     "cubinet_add_fragment(kernels op SOURCES scale.cu EXPORTS op GENCODE arch=compute_75,code=lto_75)",
     "cubinet_add_fragment(kernels op)", "'GENCODE', after EXPORTS, is not a keyword of this call", "ARCHITECTURES"),
    (ARCHIVE + "cubinet_add_module(kernels two SOURCES scale.cu COMPILE_DEFINITIONS A VERSION)",
     "'VERSION', after COMPILE_DEFINITIONS, is not a keyword of this call", "written -DVERSION"),
    ("cubinet_add_archive(kernels MODULE scale SOURCES scale.cu kernal scale ARCHITECTURES 80)",
     "CMakeLists.txt:", "(cubinet_add_archive): cubinet_add_archive(kernels): unknown keyword 'kernal', after SOURCES. "
     "Did you mean KERNELS?"),
    ("cubinet_add_archive(kernels MODULE scale SOURCES scale.cu KERNELS scale architecturs 80)",
     "unknown keyword 'architecturs', after KERNELS. Did you mean ARCHITECTURES?"),
    ("cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES 80 kernels)",
     "unknown keyword 'kernels', after ARCHITECTURES. Did you mean KERNELS?"),
    ("cubinet_add_archive(kernels kernal MODULE scale SOURCES scale.cu)",
     "unknown keyword 'kernal'. Did you mean KERNELS?"),
    ("cubinet_add_archive(kernels MODULE scale SOURCES scale.cu NAMES scale ARCHITECTURES 80)",
     "there is no source", "NAMES", "Correct the path"),
    ("cubinet_add_archive(kernels MODULE scale SOURCES)",
     "cubinet_add_archive(kernels)", "SOURCES has no value"),
    ("cubinet_add_archive(kernels MODULE one MODULE two SOURCES scale.cu)",
     "MODULE is given 2 times"),
    ("cubinet_add_archive(kernels SOURCES scale.cu)",
     "SOURCES without MODULE"),
    ("cubinet_add_archive(kernels DEFAULT_DEVICE)",
     "DEFAULT_DEVICE without MODULE"),
    ("cubinet_add_archive(kernels MODULE scale KERNELS scale ARCHITECTURES 80)",
     "cubinet_add_archive(kernels)", "no SOURCES"),
    ("cubinet_add_archive(kernels MODULE scale SOURCES scal.cu ARCHITECTURES 80)",
     "there is no source", "scal.cu", "Correct the path"),
    ("cubinet_add_archive(kernels MODULE scale SOURCES . ARCHITECTURES 80)",
     "is a folder"),
    ("cubinet_add_archive(kernels MODULE scale SOURCES scale.cu scale.cu ARCHITECTURES 80)",
     "cubinet_add_archive(kernels)", "'scale.cu' is given twice"),
    ("cubinet_add_archive(kernels MODULE scale SOURCES scale.cu other.cu ARCHITECTURES 80 75-lto)",
     "cubinet_add_archive(kernels)", "LTO-IR of 2 SOURCES", "cubinet_add_fragment()"),
    ("cubinet_add_archive(kernels MODULE scale SOURCES scale.cu other.cu ARCHITECTURES 80 75-optix)",
     "cubinet_add_archive(kernels)", "OptiX-IR of 2 SOURCES", "module of each"),
    ("cubinet_add_archive(kernels ARCHITECTURES 80)\n"
     "cubinet_add_module(kernels scale SOURCES scale.cu other.cu FORMAT lto)",
     "cubinet_add_module(kernels scale)", "LTO-IR of 2 SOURCES"),
    ("cubinet_add_archive(kernels ARCHITECTURES 80)\n"
     "cubinet_add_module(kernels scale SOURCES scale.cu FORMAT ptx)",
     "FORMAT 'ptx' is unknown", "lto"),
    ("cubinet_add_archive(kernels ARCHITECTURES 80)\n"
     "cubinet_add_module(kernels scale SOURCES scale.cu LINK_OPTIONS -O0)",
     "LINK_OPTIONS for one source. Only several SOURCES are linked; leave the keyword out"),
    ("cubinet_add_archive(kernels ARCHITECTURES 80)\ncubinet_add_fragment(kernels op)",
     "cubinet_add_fragment(kernels op)", "no SOURCES"),
    ("cubinet_add_archive(kernels ARCHITECTURES 80)\n"
     "cubinet_add_fragment(kernels op SOURCES scale.cu other.cu)",
     "cubinet_add_fragment(kernels op)", "2 SOURCES", "a fragment for each"),
    ("cubinet_add_archive(kernels ARCHITECTURES 80)\n"
     "cubinet_add_fragment(kernels op SOURCES scale.cu EXPORT op)",
     "unknown keyword 'EXPORT', after SOURCES. Did you mean EXPORTS?"),
    ("cubinet_add_archive(kernels ARCHITECTURES 80)\n"
     "cubinet_add_fragment(kernels op SOURCES scale.cu EXPORTS op IMPORTS op)",
     "'op' is among the EXPORTS and the IMPORTS"),
    ("cubinet_add_archive(kernels ARCHITECTURES 80)\n"
     "cubinet_add_fragment(kernels op SOURCES scale.cu ARCHITECTURES 80-real)",
     "'80-real' is not an architecture of a fragment", "such as 75"),
    ("cubinet_add_archive(kernels ARCHITECTURES 80)\n"
     "cubinet_add_module(kernels op SOURCES scale.cu)\ncubinet_add_fragment(kernels op SOURCES scale.cu)",
     "'kernels' has a module 'op' already"),
    (INSTANCES + "KERNELS_FOR T=float)",
     "cubinet_add_archive(kernels)", "KERNELS_FOR has no expression", '"scale<@T@>"'),
    (INSTANCES + 'KERNELS_FOR T=float,,double "scale<@T@>")',
     "KERNELS_FOR", "T has an empty value"),
    (INSTANCES + 'KERNELS_FOR T=float "scale<@U@>")',
     "KERNELS_FOR", "T is given values, but no expression has @T@"),
    (INSTANCES + 'KERNELS_FOR T=float "scale<@T@,@U@>")',
     "KERNELS_FOR", "@U@ has no values"),
    (INSTANCES + "INSTANTIATE nowhere.json)",
     "cubinet_add_archive(kernels)", "there is no file", "nowhere.json", "Correct the path"),
    (instances_file("[{]"),
     "cubinet_add_archive(kernels)", "kernels.json", "no JSON"),
    (instances_file('{ "kernels": "scale" }'),
     "kernels.json", "this is not a list"),
    (instances_file('[{ "kernels": "scale" }, 1]'),
     "kernels.json", "entry 1", "this is not {"),
    (instances_file('[{ "kernel": "scale" }]'),
     "entry 0", "unknown member 'kernel'", "for, kernels"),
    (instances_file('[{ "for": {} }]'),
     "entry 0", 'no "kernels"'),
    (instances_file('[{ "for": [], "kernels": "scale" }]'),
     "entry 0", "for", "the list is empty"),
    (instances_file('[{ "kernels": [] }]'),
     "kernels", "the list is empty"),
    (instances_file('[{ "for": { "T": [["int"]] }, "kernels": "scale<@T@>" }]'),
     "for: T", "of type array"),
    (instances_file('[{ "for": { "T": "int" }, "kernels": "scale<@T@,@U@>" }]'),
     "for", "@U@ has no values"),
    (ARCHIVE + ARCHIVE,
     "there is a target 'kernels' already"),
    ("cubinet_add_archive(kernels ARCHITECTURES 80)",
     "cubinet_add_archive(kernels)", "the archive has no module", "cubinet_add_module(kernels"),
    ("cubinet_add_archive(all MODULE scale SOURCES scale.cu ARCHITECTURES 80)",
     "cubinet_add_archive(all)", "'all' is not a name that a target may have"),
    ('cubinet_add_archive("my kernels" MODULE scale SOURCES scale.cu ARCHITECTURES 80)',
     "'my kernels' is not a name that a target may have"),
    (INSTANCES + "ARCHIVES nowhere.cubinet)",
     "cubinet_add_archive(kernels)", "ARCHIVES: 'nowhere.cubinet' is neither an archive's target, nor a file, nor a folder"),
    ("add_library(headers INTERFACE)\n" + INSTANCES + "ARCHIVES headers)",
     "cubinet_add_archive(kernels)", "'headers' is a target, but not an archive"),
    (INSTANCES + "ALIASES segsum)",
     "cubinet_add_archive(kernels)", "ALIASES: 'segsum' names no kernel", "<name>=<lowered name>"),
    (INSTANCES + "NO_HEADERS)",
     "cubinet_add_archive(kernels)", "unknown keyword 'NO_HEADERS', after ARCHITECTURES. Did you mean NO_HEADER?"),
    ("cubinet_add_archive(Cubinet MODULE scale SOURCES scale.cu ARCHITECTURES 80)",
     "cubinet_add_archive(Cubinet)", "Give the archive another name, or NO_HEADER"),
    (INSTANCES + "NO_HEADER CXX_HEADER)",
     "cubinet_add_archive(kernels)", "CXX_HEADER and NO_HEADER. Leave one of them out"),
    (IMPORTED + "cubinet_add_module(Other::kernels more SOURCES scale.cu)",
     "cubinet_add_module(Other::kernels more)", "an archive of another package", "Merge it with ARCHIVES"),
    (IMPORTED + "cubinet_install(Other::kernels EXPORT All)",
     "cubinet_install(Other::kernels)", "an archive of another package", "leave out EXPORT"),
    (ARCHIVE + "cubinet_install(kernels EXPORT All RENAME other.cubinet)",
     "cubinet_install(kernels)", "RENAME with EXPORT", "leave one of them out"),
    (ARCHIVE + "cubinet_install(kernels EXPORT All)\ncubinet_install(kernels EXPORT More)",
     "cubinet_install(kernels)", "'kernels' is exported already"),
    (ARCHIVE + "cubinet_install(kernels HEADER_DESTINATION include)",
     "cubinet_install(kernels)", "HEADER_DESTINATION without EXPORT"),
    (ARCHIVE + "cubinet_install(kernels RUNTIME)",
     "cubinet_install(kernels)", "RUNTIME without FOR"),
    (ARCHIVE + "cubinet_install(kernels RELATIVE_TO bin)",
     "cubinet_install(kernels)", "RELATIVE_TO without FOR"),
    (ARCHIVE + "cubinet_install(kernels FOR app)",
     "cubinet_install(kernels)", "there is no target 'app'"),
    (ARCHIVE + "add_executable(app main.c)\ncubinet_install(kernels DESTINATION a:b FOR app)",
     "cubinet_install(kernels)", "a path with ':'", "Choose another DESTINATION"),
    (ARCHIVE + "cubinet_add_module(kernels scale SOURCES scale.cu)",
     "cubinet_add_module(kernels scale)", "has a module 'scale' already"),
    ("cubinet_add_module(kernels scale SOURCES scale.cu)",
     "there is no target 'kernels'", "cubinet_add_archive(kernels)"),
    ("add_library(kernels INTERFACE)\ncubinet_add_module(kernels scale SOURCES scale.cu)",
     "a target, but not an archive"),
    ("cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES sm_80)",
     "'sm_80' is not an architecture. Did you mean 80, or 80-real for only machine code?"),
    ("cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES compute_90a)",
     "'compute_90a' is not an architecture. Did you mean 90a, or 90a-virtual"),
    ("cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES OFF)",
     "'OFF' is not an architecture", "portable"),
    ("cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES 33)",
     "architecture '33' is not one that the CUDA", "It makes 75 80 86"),
    ("cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES 80a)",
     "the suffix 'a' starts with 90", "Write 80"),
    ("cubinet_add_archive(kernels MODULE scale SOURCES scale.cu GENCODE compute_80)",
     "GENCODE 'compute_80' is not in nvcc's form"),
    ("cubinet_add_archive(kernels MODULE scale SOURCES scale.cu GENCODE arch=compute_90,code=sm_80)",
     "cubinet_add_archive(kernels)", "sm_80 can't be made from compute_90", '"arch=compute_80,code=sm_80"'),
    ("cubinet_add_archive(kernels MODULE scale SOURCES scale.cu GENCODE arch=compute_80,code=compute_90)",
     "compute_90 can't be made from compute_80"),
    ("cubinet_add_archive(kernels MODULE scale SOURCES scale.cu GENCODE arch=compute_90a,code=sm_90)",
     "sm_90 can't be made from compute_90a"),
    ("cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES 80 GENCODE arch=compute_75,code=sm_80)",
     "cubinet_add_archive(kernels)", "sm_80 is made from two virtual architectures"),
    ("cubinet_add_archive(kernels ARCHIVES kernels)",
     "cubinet_add_archive(kernels)", "among its own ARCHIVES"),
    ("set(CUBINET_TOOLKIT /nowhere)\n" + ARCHIVE,
     "no CUDA toolkit in '/nowhere', which is from CUBINET_TOOLKIT."),
    ("unset(_CUBINET_KEPT_TOOLKIT CACHE)\nset(ENV{CUDA_PATH} /nowhere)\nunset(ENV{CUDA_HOME})\nunset(ENV{CUDAToolkit_ROOT})\n"
     "unset(ENV{CUBINET_TOOLKIT})\n" + ARCHIVE,
     "no CUDA toolkit in '/nowhere', which is from the environment variable CUDA_PATH."),
    ("set(CUBINET_TOOLKIT /usr/local/cuda)\n"
     "cubinet_add_archive(kernels MODULE scale SOURCES scale.cu TOOLKIT /nowhere ARCHITECTURES 80)",
     "cubinet_add_archive(kernels)", "no CUDA toolkit in '/nowhere', which is from the argument TOOLKIT."),
    ("cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES 80 OCCUPANCY_AT_LEAST 50)",
     "cubinet_add_archive(kernels)", "OCCUPANCY_AT_LEAST '50' is not an occupancy", "such as 0.5"),
    (ARCHIVE + "cubinet_add_module(kernels two SOURCES scale.cu OCCUPANCY_AT_LEAST 0.0)",
     "cubinet_add_module(kernels two)", "OCCUPANCY_AT_LEAST '0.0' is not an occupancy"),
    ("set(CUBINET_NVIDIA_SMI /bin/false)\n"
     "cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES native)",
     "'native' needs a GPU", "Write the architectures"),
    (INSTANCES + "JOB_POOL heavy JOB_MEMORY 4000)",
     "cubinet_add_archive(kernels)", "JOB_POOL and JOB_MEMORY", "leave one of them out"),
    (ARCHIVE + "cubinet_add_module(kernels two SOURCES scale.cu JOB_MEMORY 4GB)",
     "cubinet_add_module(kernels two)", "JOB_MEMORY '4GB' is not a number of megabytes"),
    (ARCHIVE + "cubinet_add_module(kernels two SOURCES scale.cu TIMEOUT 10m)",
     "cubinet_add_module(kernels two)", "TIMEOUT '10m' is not a number of seconds"),
    (INSTANCES + "MEMORY_LIMIT 4GB)",
     "cubinet_add_archive(kernels)", "MEMORY_LIMIT '4GB' is not a size", "such as 4G"),
    (ARCHIVE + "cubinet_add_module(kernels two SOURCES scale.cu THREADS all)",
     "cubinet_add_module(kernels two)", "THREADS 'all' is not a number of threads", "such as 4"),
    (ARCHIVE + "cubinet_add_module(kernels two SOURCES scale.cu PARTS all)",
     "cubinet_add_module(kernels two)", "PARTS 'all' is not each, auto or none"),
    (INSTANCES + "JOB_POOL heavy)",
     "cubinet_add_archive(kernels)", "there is no JOB_POOL 'heavy'", "JOB_POOLS heavy=2"),
    (ARCHIVE + "cubinet_add_module(kernels two SOURCES scale.cu JOB_POOL heavy)",
     "cubinet_add_archive(kernels)", "there is no JOB_POOL 'heavy'"),
    ("cubinet_add_archive(kernels TARGET app ARCHITECTURES 80)",
     "cubinet_add_archive(kernels)", "TARGET: there is no target 'app'", "after add_executable()"),
    ("add_library(app INTERFACE)\ncubinet_add_archive(kernels TARGET app ARCHITECTURES 80)",
     "cubinet_add_archive(kernels)", "TARGET: 'app' compiles no sources"),
    ("add_executable(app main.c)\ncubinet_add_archive(kernels TARGET app ARCHITECTURES 80)",
     "cubinet_add_archive(kernels)", "TARGET: 'app' has no .cu file among its sources so far", "SOURCES"),
    (OF_TARGET + "target_sources(app PRIVATE other.cu)",
     "cubinet_add_archive(kernels)", "TARGET: SOURCES of 'app' changed after this call, from 'scale.cu' to 'scale.cu other.cu'",
     "Make this call after that change"),
    (OF_TARGET + "add_library(near INTERFACE)\ntarget_sources(near INTERFACE other.cu)\n"
     "target_link_libraries(app PRIVATE near)",
     "cubinet_add_archive(kernels)", "SOURCES of 'app' changed after this call"),
    (OF_TARGET + "set_target_properties(app PROPERTIES CUDA_ARCHITECTURES 90)",
     "cubinet_add_archive(kernels)", "TARGET: CUDA_ARCHITECTURES of 'app' changed after this call, from '80' to '90'"),
    (OF_TARGET + "set_target_properties(app PROPERTIES CUDA_SEPARABLE_COMPILATION ON)",
     "cubinet_add_archive(kernels)", "CUDA_SEPARABLE_COMPILATION of 'app' changed after this call, from '' to 'ON'"),
    (OF_TARGET + "set_source_files_properties(scale.cu PROPERTIES COMPILE_DEFINITIONS \"A;B\")",
     "cubinet_add_archive(kernels)", "COMPILE_DEFINITIONS of 'scale.cu' changed after this call, from '' to 'A B'"),
    ("add_executable(app main.c $<$<CONFIG:Debug>:scale.cu>)\ncubinet_add_archive(kernels TARGET app ARCHITECTURES 80)",
     "cubinet_add_archive(kernels)", "is a generator expression. List the .cu files as SOURCES"),
    ("add_executable(app main.c scale.cu other.cu)\n"
     "cubinet_add_archive(kernels TARGET app KERNELS scale ARCHITECTURES 80)",
     "cubinet_add_archive(kernels)", "each of the 2 sources of 'app' is a module", "cubinet_add_module(kernels"),
    ("add_executable(app main.c scale.cu)\nset_target_properties(app PROPERTIES CUDA_ARCHITECTURES OFF)\n"
     "cubinet_add_archive(kernels TARGET app)",
     "cubinet_add_archive(kernels)", "CUDA_ARCHITECTURES of 'app' is OFF", "Write ARCHITECTURES"),
    ("add_executable(app main.c scale.cu other.cu)\n"
     "set_target_properties(app PROPERTIES CUDA_SEPARABLE_COMPILATION ON)\n"
     "set_source_files_properties(scale.cu PROPERTIES COMPILE_DEFINITIONS A)\n"
     "cubinet_add_archive(kernels TARGET app ARCHITECTURES 80)",
     "cubinet_add_archive(kernels)", "has its own COMPILE_DEFINITIONS", "its own module"),
    (ARCHIVE + "cubinet_embed(app kernels)",
     "cubinet_embed(app kernels)", "there is no target 'app'"),
    (ARCHIVE + "add_library(app INTERFACE)\ncubinet_embed(app kernels)",
     "compiles nothing of its own"),
    (ARCHIVE + "add_executable(app main.c)\ncubinet_embed(app kernels)\ncubinet_embed(app kernels)",
     "has an archive under the symbol 'kernels' already", "SYMBOL"),
    (ARCHIVE + "add_executable(app main.c)\ncubinet_embed(app kernels SYMBOL a-b)",
     "SYMBOL 'a-b' is not the name of a C variable"),
    (ARCHIVE + "cubinet_install(kernels DESTINATION)",
     "cubinet_install(kernels)", "DESTINATION has no value"),
]  # fmt: skip


class Errors(project.Project):
    def setUp(self):
        super().setUp()
        self.write("scale.cu", KERNEL)
        self.write("other.cu", KERNEL)
        self.write("main.c", "int main(void) { return 0; }\n")

    def test_mistakes(self):
        for text, *pieces in MISTAKES:
            with self.subTest(text):
                self.cmake_lists(text)
                result = self.configure()
                message = " ".join(result.stdout.split())  # CMake breaks lines
                self.assertNotEqual(result.returncode, 0, message)
                at = 0
                for piece in pieces:
                    self.assertIn(piece, message[at:])
                    at = message.index(piece, at) + len(piece)

    def first_line(self, text):
        """The line of the call that the error starts with, and what it is compared with: that of the word HERE."""
        self.cmake_lists(text.replace("HERE", ""))
        expected = 4 + text[: text.index("HERE")].count("\n")  # three lines come before
        result = self.configure()
        self.assertNotEqual(result.returncode, 0)
        errors = [line for line in result.stdout.splitlines() if line.startswith("CMake Error")]
        return errors[0], expected

    def test_users_line_comes_first(self):
        wrong = "MODULE scale SOURCES scale.cu kernal scale)"
        for text, function in (
            (f"# cubinet_add_archive(kernels {wrong}\nHEREcubinet_add_archive(kernels {wrong}\n", "cubinet_add_archive"),
            (f"HERECubinet_Add_Archive(\n  kernels\n  {wrong}\n", "cubinet_add_archive"),
            (f"set(name kernels)\nif(TRUE)\n  HEREcubinet_add_archive(${{name}} {wrong}\nendif()\n", "cubinet_add_archive"),
            (ARCHIVE.replace("kernels", "kernels2") + f"HEREcubinet_add_archive(kernels {wrong}\n", "cubinet_add_archive"),
            (ARCHIVE + 'foreach(name two three)\n  HEREcubinet_add_module(kernels ${name} SOURCES nowhere.cu)\nendforeach()\n',
             "cubinet_add_module"),
            ("HEREcubinet_add_archive(kernels ARCHITECTURES 80)\nmessage(STATUS later)\n", "cubinet_add_archive"),
        ):  # fmt: skip
            with self.subTest(text):
                error, line = self.first_line(text)
                self.assertEqual(error, f"CMake Error at CMakeLists.txt:{line} ({function}):")

    def test_line_of_one_of_several_calls(self):
        error, line = self.first_line(ARCHIVE + "HERE" + ARCHIVE)
        self.assertEqual(error, f"CMake Error at CMakeLists.txt:{line - 1} or CMakeLists.txt:{line} (cubinet_add_archive):")

    def test_hidden_notices(self):
        self.cmake_lists("cubinet_add_archive(kernels SOURCE scale.cu)")
        result = self.configure("--log-level=ERROR")
        self.assertIn("cubinet_add_archive(kernels): unknown keyword 'SOURCE'. Did you mean SOURCES?",
                      " ".join(result.stdout.split()))  # fmt: skip

    def test_module_from_another_folder(self):
        self.write("sub/CMakeLists.txt", "cubinet_add_module(kernels more SOURCES ../scale.cu)\n")
        self.cmake_lists(ARCHIVE + "add_subdirectory(sub)\n")
        result = self.configure()
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("is a target of another folder", " ".join(result.stdout.split()))

    def test_nothing_for_future_gpus_is_a_warning(self):
        for words in "80-real 90a", "80-real 75-optix":
            self.cmake_lists(ARCHIVE.replace("80", words))
            result = self.configure()
            self.assertEqual(result.returncode, 0, result.stdout)
            self.assertIn("runs on GPUs newer than all of them", " ".join(result.stdout.split()), words)
        for words in "80-real 90", "75-optix":
            self.cmake_lists(ARCHIVE.replace("80", words))
            self.assertNotIn("newer than all of them", " ".join(self.configure().stdout.split()), words)


if __name__ == "__main__":
    project.main()
