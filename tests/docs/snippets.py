# SPDX-License-Identifier: Apache-2.0
"""What each code block of README.md, docs/guide and docs/reference needs, so that a test can build it as the page has it.

A page says where its code goes ("in main", "in the program"); the declarations here stand for what is there. A block that
is not listed here fails the test."""

from blocks import SOURCE

# Blocks that another test takes from the page and builds: the test, and the script that reads the page.
ELSEWHERE = {
    "cmake.docs": (
        "tests/cmake/test_docs.py",
        [
            "cmake.md#Five lines 1",
            "cmake.md#A CUB kernel 1",
            "cmake.md#The .cu files of a program 1",
            "cmake.md#Several modules 1",
            "cmake.md#A matrix of template arguments 1",
            "cmake.md#A matrix of template arguments 2",
            "cmake.md#A kernel with a function of the user 1",
            "cmake.md#A kernel with a function of the user 2",
            "cmake.md#A kernel with a function of the user 3",
            "cmake.md#A kernel with a function of the user 5",
            "cmake.md#Compiles that need much memory 1",
            "cmake.md#The archive as a file beside the program 1",
            "cmake.md#The archive as a file beside the program 2",
            "cmake.md#The shared library with the program 1",
            "cmake.md#Kernels for other projects 1",
            "cmake.md#Kernels for other projects 2",
            "cmake.md#Two toolkits 1",
            "from-nvcc.md#Typed launches in place of `<<<>>>` 1",
            "from-nvcc.md#Typed launches in place of `<<<>>>` 2",
            "from-nvcc.md#Typed launches in place of `<<<>>>` 3",
            "from-nvcc.md#Typed launches in place of `<<<>>>` 4",
        ],
    ),
    "cmake.first_program": (
        "tests/cmake/test_first_program.py",
        [f"first-program.md#A first program {number}" for number in range(1, 6)],
    ),
    "packages.install_page": (
        "tests/packages/test_install_page.py",
        [
            "install.md#The program 1",
            "install.md#The program 2",
            "install.md#The program 3",
            "install.md#Debian packages 1",
            "install.md#Debian packages 2",
            "install.md#An installation 1",
            "install.md#FetchContent 1",
            "install.md#add_subdirectory 1",
            "install.md#pkg-config 1",
            "install.md#A plugin 1",
            "install.md#A plugin 2",
            "install.md#The loader alone 1",
            "install.md#The loader alone 2",
        ],
    ),
    "packages.vcpkg": ("tests/packages/test_vcpkg.py", ["install.md#vcpkg 1"]),
    "packages.conda": ("tests/packages/test_conda.py", ["install.md#conda 1"]),
    "unit.cxx": (
        "tests/unit/check_cxx.sh",
        [
            "first-program.md#Where to go next 1",
            "cpp.md#The C++ interface 1",
            "cpp.md#Ownership 1",
            "cpp.md#Errors 1",
            "cpp.md#Errors 2",
            "cpp.md#Launching 1",
            "cpp.md#Reading an archive 1",
            "cpp.md#Options 1",
            "cpp.md#Linking 1",
            "cpp.md#Linking 2",
            "cpp.md#Functions without a class 1",
        ],
    ),
    "python.page": (
        "tests/python/test_page.py",
        [
            "python.md#Quick start 3",
            "python.md#Look into an archive 1",
            "python.md#Load 1",
            "python.md#Load 2",
            "python.md#Launch 1",
            "python.md#Launch 2",
            "python.md#Launch 3",
            "python.md#Pack from memory 1",
            "python.md#Pack from memory 2",
        ],
    ),
}

# Blocks that do not run, and why. Options of `cubinet` in them are checked all the same.
NOT_RUN = {
    "from-nvcc.md#PyTorch extensions 1": "it needs PyTorch; cli.compile_host_code has such macros",
    "troubleshooting.md#Debuggers and profilers 1": "it needs a GPU and cuda-gdb",
    "tune.md#The description 1": "it takes a GPU, or a simulated kernel; cli.tune has such descriptions",
    "launching.md#Programmatic dependent launch 1": "a message; unit.dependency provokes it",
    "launching.md#C++ and Python 1": "part of a function; unit.cxx has such calls",
    "launching.md#C++ and Python 2": "it needs a program's arrays; python.launch has such calls, docs.code checks its syntax",
    "cmake.md#CUDA from pip alone 1": "it downloads NVIDIA's packages; cmake.docs builds with a copy of their layout",
    "cmake.md#Building for another processor 1": "it needs a cross compiler; cmake.cross has the same toolchain file",
    "cmake.md#Building for another processor 2": "it needs a cross compiler; cmake.cross runs these steps",
    "python.md#Quick start 2": "pip downloads packages; packages.wheel installs the wheel, docs.code compiles such sources",
    "profiling.md#Profiling a build 1": "its command is shortened, and its times differ from run to run",
    "profiling.md#Compiles that never end 1": "a message; cli.waits provokes it",
    "cache.md#Why a compile was not found 1": "what a cache prints that has two compiles; cli.compile_cache has such ones",
    "cache.md#On many machines 1": "a part of nginx's settings; remote.nginx has all of them",
    "commands.md#build 1": "its times differ from run to run; cli.build has such output",
    "commands.md#What was made, as JSON 1": "a shortened document; cli.made_json has whole ones",
    "commands.md#link 1": "one of its commands fails; fragments.md's are run, and cli.link provokes the message",
    "commands.md#list 1": "the output for an archive whose images have sizes of their own; the README's is run",
    "commands.md#explain 1": "the output for that archive; cli.explain has such output",
    "commands.md#requirements 1": "the output for that archive; cli.requirements has such output",
    "commands.md#occupancy 1": "the output for that archive; cli.occupancy has such output",
    "commands.md#diff 1": "the output for two of a project's archives; cli.diff has such output",
    "commands.md#cache 1": "a cache's sizes and times; cli.cache has such output",
    "compile.md#Tile kernels 1": "it needs a toolkit that compiles Tile IR; cli.compile_tile has such commands",
    "launch-records.md#A file of launches 1": "it needs a kernel with these parameters; cli.pack_launch has such files",
    "record.md#The file 1": "a line whose digests are shortened; unit.record has whole ones",
    "tuning-records.md#The file 1": "a GPU's times; cli.tuning has such documents",
    "requirements.md#What an archive requires 1": "the output for an archive of kinds that no single toolkit makes",
    "requirements.md#JSON 1": "a shortened document; cli.requirements has whole ones",
    "slim.md#Slim a built library 1": "it needs PyTorch's library of 456 MB",
    "slim.md#Slim a built library 2": "it needs a library that nvcc linked; cli.slim has one",
    "systems.md#Kernels that other systems made 1": "it needs Triton's cache; cli.pack_systems packs one",
    "systems.md#numba-cuda 1": "it needs numba's cache; cli.pack_systems packs one",
    "systems.md#LTO-IR of device functions 1": "it needs nvmath; tests/systems/make.sh runs it",
    "systems.md#Triton 1": "it needs Triton; tests/systems/make_large.sh runs it. docs.code checks its syntax",
    "scale.md#Bazel 2": "it needs Bazel and a repository of CUDA; remote.bazel builds samples/bazel",
    "scale.md#recc 1": "it needs recc and a worker; docs.code checks its syntax",
    "wheels.md#Install 1": "pip downloads packages; packages.wheel installs the wheel",
    "wheels.md#CMake from the wheel 1": "it needs an installed wheel; packages.wheel builds such a project",
    "wheels.md#Build Cubinet's own wheels 1": "it takes minutes; packages.wheel runs pip wheel",
    "wheels.md#Ship kernels in a wheel 3": "part of a function; docs.code checks its syntax, packages.wheel runs the sample",
}

# Blocks whose lines are, in this order, in a file of the repository that other tests build.
PART_OF = {
    "wheels.md#Ship kernels in a wheel 1": "samples/python_wheel/pyproject.toml",
    "wheels.md#Ship kernels in a wheel 2": "samples/python_wheel/CMakeLists.txt",
    "wheels.md#Check what the wheel ships 1": "samples/python_wheel/CMakeLists.txt",
    "python.md#Quick start 1": "samples/python/saxpy.cu",
}

# Blocks of keywords of a CMake function.
KEYWORDS = [
    "cmake.md#cubinet_add_archive 1",
    "cmake.md#cubinet_add_module 1",
    "cmake.md#cubinet_add_fragment 1",
    "cmake.md#cubinet_embed 1",
    "cmake.md#cubinet_install 1",
]

PROGRAM = """
cubinet_archive *archive = NULL;
cubinet_driver *driver = NULL;
cubinet_module *module = NULL;
cubinet_kernel *kernel = NULL;
int device = 0;
"""
LINK = PROGRAM + "cubinet_link *link = NULL; cubinet_archive *library = NULL, *application = NULL;\n"

# Statements in C, by what comes before main() and what is declared in it. `...` on a line stands for the program's own.
STATEMENTS = {
    "cache.md#Where 1": (
        "static void to_stderr(void *user, cubinet_log_level level, const char *line) { fputs(line, stderr); }\n", ""),
    "from-nvcc.md#The runtime's calls 1": (
        "enum { cudaMemcpyHostToDevice = 1 };\nint cudaMemcpy(void *to, const void *from, size_t bytes, int kind);\n"
        "int cudaMemcpy(void *to, const void *from, size_t bytes, int kind) { return !to || !from || !bytes || !kind; }\n",
        "cubinet_module *module = NULL; const float host[4] = {1};\n"),
    "launch-records.md#Launching 1": (
        "", "cubinet_kernel *matmul = NULL; CUdeviceptr a = 0, b = 0; int n = 1; uint32_t programs = 1; CUstream stream = NULL;\n"),
    "launch-records.md#Launching 2": ("", "uint32_t rows = 1, columns = 1;\n"),
    "selection.md#OptiX-IR (`optix_`) 1": (
        "", "cubinet_archive *archive = NULL; uint32_t module = 0; cubinet_device_profile profile = {.size = sizeof(profile)};\n"),
    "tuning-records.md#In a program 1": (
        "", "cubinet_module *module = NULL; uint64_t rows = 1, columns = 1; cubinet_arg args[1] = {0}; size_t arg_count = 1;\n"),
    "launching.md#Launch attributes, graphs and green contexts 1": (
        "", "cubinet_kernel *kernel = NULL; CUstream stream = NULL; uint32_t blocks = 1; cubinet_arg args[1] = {0};\n"
        "size_t count = 1;\n"),
    "launching.md#Graphs 1": (
        "", "cubinet_kernel *kernel = NULL, *other = NULL; CUgraph graph = NULL; CUgraphExec exec = NULL; size_t count = 1;\n"
        "cubinet_launch_config config = {.size = sizeof(config)}; cubinet_arg args[1] = {0};\n"),
    "launching.md#Several devices and streams 1": (
        "", "cubinet_kernel *on_device_0 = NULL, *on_device_1 = NULL; CUstream stream_0 = NULL, stream_1 = NULL;\n"
        "cubinet_arg args_0[3] = {0}, args_1[3] = {0}; cubinet_launch_config config = {.size = sizeof(config)};\n"),
    "README.md#A tour 2": ("", PROGRAM + "uint32_t segments = 1; CUdeviceptr values = 0, offsets = 0, sums = 0;\n"),
    "README.md#A tour 4": ("", LINK),
    "cmake.md#A kernel with a function of the user 4": (
        "", LINK + "cubinet_archive *kernels = NULL, *my_functions = NULL;\n"),
    "linking.md#When a program asks 1": (
        "static int complain(const char *message) { return fputs(message, stderr) < 0 ? 2 : 1; }\n",
        "cubinet_archive *archive = NULL; cubinet_driver *driver = NULL; const void *ir = NULL; size_t ir_size = 0;\n"),
    "ninja.md#cubinet_embed 1": (None, ""),
    "occupancy.md#Without a GPU 1": ("", "cubinet_archive *archive = NULL; uint32_t module = 0, image = 0, kernel = 0;\n"),
    "occupancy.md#A configuration to use 1": (
        "", "cubinet_kernel *kernel = NULL; uint64_t count = 1; cubinet_arg args[1] = {0}; size_t arg_count = 1;\n"),
    "signing.md#Signed archives 2": ("", "cubinet_archive *archive = NULL;\n"),
    "systems.md#Warp 1": (
        "#include <cubinet/arguments.h>\n",
        "cubinet_kernel *kernel = NULL; CUdeviceptr address = 0; unsigned n = 1; float a = 1;\n"
        "cubinet_warp_array y = cubinet_warp_dense(address, sizeof(float), n, 0);\n"),
    "search-path.md#Along a path 1": ("", "cubinet_driver *driver = NULL; cubinet_module *module = NULL; int device = 0;\n"),
}  # fmt: skip

# The preload example has a function, then statements.
FUNCTION_AND_STATEMENTS = {
    "linking.md#Before the first launch 1": (
        "#include <stdatomic.h>\nstatic int complain(const char *message) { return fputs(message, stderr) < 0 ? 2 : 1; }\n",
        "cubinet_archive *archive = NULL, *extras = NULL; cubinet_driver *driver = NULL; cubinet_link *link = NULL;\n"
        "cubinet_kernel *kernel = NULL; static atomic_bool quit;\n"),
}  # fmt: skip

SEGSUM = "samples/segmented_sum/segsum.cu"
SCALE = 'extern "C" __global__ void scale(float *x, float a) { x[threadIdx.x] *= a; }\n'
SCAN = ('extern "C" __device__ float op(float, float);\n'
        "template <class T> __global__ void scan(T *x) { x[threadIdx.x] = op(x[0], x[1]); }\n")  # fmt: skip
ADD = 'extern "C" __device__ float op(float a, float b) { return a + b; }\n'
SORT = "#include <cub/cub.cuh>\n__global__ void sort(int *x) { x[threadIdx.x] += 1; }\n"

# Lines of CMake in a project: what the CMakeLists.txt has before them, what after them, and the sources.
CMAKE = {
    "cmake.md#cubinet_add_archive 2": (
        "add_library(CCCL::CCCL INTERFACE IMPORTED)\ncubinet_add_archive(kernels MODULE scale SOURCES scale.cu)\n", "",
        {"scale.cu": SCALE}),
    "cmake.md#cubinet_add_module 2": (
        "cubinet_add_archive(kernels ARCHITECTURES 80)\ncubinet_add_module(kernels all SOURCES scale.cu\n", ")\n",
        {"scale.cu": SCALE}),
    "cmake.md#cubinet_add_module 3": (None, None, {"scale.cu": SCALE}),
    "cmake.md#cubinet_embed 2": (None, None, {"scale.cu": SCALE}),
    "cmake.md#The header 1": (
        "cubinet_add_archive(kernels MODULE scale SOURCES scale.cu)\nadd_executable(app main.c)\n", "",
        {"scale.cu": SCALE, "main.c": '#include "kernels.h"\nint main(void) { return 0; }\n'}),
    "pch.md#Precompiled headers 1": (
        "", "cubinet_add_module(kernels scale SOURCES scale.cu)\n", {"scale.cu": SCALE}),
}  # fmt: skip

# Ninja files, or parts of them: what comes before, the files that must be there, the archives to make of sources, and
# what to build.
NINJA = {
    "ninja.md#Ninja 1": ("rule cc\n  command = cc -c $in -o $out\nrule link\n  command = cc $in -o $out\n",
                         {"main.c": "int main(void) { return 0; }\n"}, {}, "program"),
    "ninja.md#cubinet_pch 1": ("", {"sort.cu": SORT}, {}, "sort.80.cubinet"),
    "ninja.md#cubinet_link 1": ("", {"scan.cu": SCAN, "add.cu": ADD},
                                {"ops.cubinet": "add.cu --module add --arch 75-lto --export op"}, "scan_add.cubinet"),
    "ninja.md#cubinet_pack 1": (
        "", {"saxpy.cu": SCALE.replace("scale", "saxpy"),
             "launch.json": '{"launches": [{"kernel": "saxpy", "block": [128]}]}\n'},
        {"saxpy.80.cubinet": "saxpy.cu --arch 80-real", "saxpy.90.cubinet": "saxpy.cu --arch 90-real"}, "kernels.cubinet"),
}  # fmt: skip

# Commands to run as they are: the files that must be there, and commands to run first.
SHELL = {
    "compile.md#cubinet compile 1": ({"segsum.cu": (SOURCE / SEGSUM).read_text()}, []),
    "fragments.md#Fragments 1": ({"scan.cu": SCAN, "add.cu": ADD}, []),
    "fragments.md#What a fragment's compile does 1": (
        {"scan.cu": SCAN}, ["cubinet compile scan.cu --arch 75-lto --kernel 'scan<float>' --import op"]),
    "provenance.md#Provenance 1": ({"scan.cu": SCALE}, []),
    "pch.md#Precompiled headers 2": ({"sort.cu": SORT}, []),
    "shipping.md#2. Which GPUs it supports 1": ({"scale.cu": SCALE}, ["cubinet compile scale.cu -o kernels.cubinet --arch 80"]),
    "shipping.md#3. What it requires 1": ({"scale.cu": SCALE}, ["cubinet compile scale.cu -o kernels.cubinet --arch 80"]),
    "shipping.md#4. Who may change it 1": (
        {"scale.cu": SCALE},
        ["cubinet compile scale.cu -o kernels.cubinet --arch 80", "cubinet keygen -o release -W",
         "cubinet sign kernels.cubinet --key release.key"]),
    "signing.md#Signed archives 1": ({"scale.cu": SCALE}, ["cubinet compile scale.cu --arch 80"]),
    "troubleshooting.md#Troubleshooting 1": (
        {"scale.cu": SCALE}, ["cubinet compile scale.cu -o kernels.cubinet --arch 80"]),
}  # fmt: skip
NEEDS_SODIUM = {"shipping.md#4. Who may change it 1", "signing.md#Signed archives 1"}

# What docs.code has a test of its own for.
OWN_TEST = ["commands.md#header 1", "commands.md#Kernels in C++ 1", "README.md#A tour 1", "README.md#A tour 3", "shipping.md#Ship what is used 1", "scale.md#Bazel 1"]
