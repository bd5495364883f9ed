/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/compile_options.h"

#include "base/help.h"

#include <stdio.h>

const struct option compile_options[] = {
    {ID_OUTPUT, "output-file", 'o', "FILE", "archive to write (default: the source's name with .cubinet)",
     false},
    {ID_OUTPUT_FOLDER, "output-directory", 0, "DIR", "folder for the archive, if -o does not name it", false},
    {ID_OUTPUT_FOLDER, "odir", 0, "DIR", NULL, false},
    {ID_MODULE, "module", 0, "NAME", "name of the module (default: the source's name without suffix)", false},
    {ID_ARCH, "arch", 0, "WORDS",
     "what to make: 80 (cubin and PTX), 80-real, 80-virtual, 80-lto,\n"
     "80-optix, 90a, 100f, all, all-major, portable, native, several\n"
     "separated by commas; or nvcc's sm_80 and compute_80. May be\nrepeated",
     false},
    {ID_ARCH, "gpu-architecture", 0, "WORDS", NULL, false},
    {ID_CODE, "code", 0, "LIST", "with -arch=compute_…: what to make of it, such as sm_80,sm_86", false},
    {ID_CODE, "gpu-code", 0, "LIST", NULL, false},
    {ID_GENCODE, "gencode", 0, "SPEC", "arch=compute_80,code=[sm_80,sm_86,compute_80]; may be repeated",
     false},
    {ID_GENCODE, "generate-code", 0, "SPEC", NULL, false},
    {ID_CUBIN, "cubin", 0, NULL, "make only machine code", false},
    {ID_PTX, "ptx", 0, NULL, "make only the PTX of each virtual architecture", false},
    {ID_LTOIR, "ltoir", 0, NULL, "make only the LTO-IR of each virtual architecture", false},
    {ID_LTOIR, "dlto", 0, NULL, NULL, false},
    {ID_LTOIR, "dlink-time-opt", 0, NULL, NULL, false},
    {ID_LTOIR, "lto", 0, NULL, NULL, false},
    {ID_OPTIXIR, "optix-ir", 0, NULL, "make only the OptiX-IR of each virtual architecture", false},
    {ID_KERNEL, "kernel", 0, "EXPR", "kernel to instantiate, such as 'scale<float>'; may be repeated", false},
    {ID_GLOBAL, "global", 0, "EXPR", "variable that the host names, such as '&table'; may be repeated",
     false},
    {ID_OPTIONAL_NAMES, "optional-names", 0, NULL,
     "ignore --kernel and --global if the source does not declare\nthem, because another source of the "
     "module does",
     false},
    {ID_FRAGMENT, "fragment", 0, NULL,
     "for linking with other sources: make only LTO-IR, and record\nwhat it defines and needs", false},
    {ID_EXPORT, "export", 0, "EXPR",
     "function or variable that the fragment defines, such as\n'op<float>'; may be repeated, makes it a "
     "fragment",
     false},
    {ID_IMPORT, "import", 0, "EXPR",
     "function or variable that others define; needing any other\nis an error; may be repeated, makes it a "
     "fragment",
     false},
    {ID_INCLUDE, "include-path", 'I', "DIR", "look for headers there", false},
    {ID_SYSTEM_INCLUDE, "isystem", 0, "DIR", "look for headers there after -I; no warnings about them",
     false},
    {ID_SYSTEM_INCLUDE, "system-include", 0, "DIR", NULL, false},
    {ID_DEFINE, "define-macro", 'D', "NAME[=VALUE]", "define a macro", false},
    {ID_UNDEFINE, "undefine-macro", 'U', "NAME", "undefine a macro", false},
    {ID_PRE_INCLUDE, "include", 0, "FILE", "include a header before the source", false},
    {ID_PRE_INCLUDE, "pre-include", 0, "FILE", NULL, false},
    {ID_PCH, "pch", 0, "FILE", "precompiled headers from `cubinet pch`, used if they fit;\nmay be repeated",
     false},
    {ID_STD, "std", 0, "c++17", "dialect: c++03, c++11, c++14, c++17, c++20", false},
    {ID_STD_HEADERS, "std-headers", 0, "KIND",
     "standard headers: lenient (the default: those for host code\nhave types that do nothing), strict (an "
     "error), none",
     false},
    {ID_OPTIMIZE, "optimize", 'O', "LEVEL", "ptxas's optimization: 0 to 3 (default: 3)", true},
    {ID_FAST_COMPILE, "Ofast-compile", 0, "LEVEL", "compile faster, but to slower code: 0, min, mid, max",
     false},
    {ID_FAST_COMPILE, "Ofc", 0, "LEVEL", NULL, false},
    {ID_DEBUG, "device-debug", 'G', NULL, "debug information, and no optimization", false},
    {ID_OPTIMIZE_DEBUG, "dopt", 0, "on", "with -G: optimize, and keep only line numbers", false},
    {ID_LINE_INFO, "lineinfo", 0, NULL, "line numbers for profilers", false},
    {ID_LINE_INFO, "generate-line-info", 0, NULL, NULL, false},
    {ID_FAST_MATH, "use_fast_math", 0, NULL, "-ftz=true -prec-div=false -prec-sqrt=false -fmad=true", false},
    {ID_FTZ, "ftz", 0, "BOOL", "flush single-precision denormals to zero", false},
    {ID_PREC_DIV, "prec-div", 0, "BOOL", "IEEE division", false},
    {ID_PREC_SQRT, "prec-sqrt", 0, "BOOL", "IEEE square root", false},
    {ID_FMAD, "fmad", 0, "BOOL", "contract multiplications and additions", false},
    {ID_MAX_REGISTERS, "maxrregcount", 0, "N", "registers that a thread may have", false},
    {ID_JUMP_TABLES, "jump-table-density", 0, "N",
     "percentage of cases from which a switch becomes a table: 0 to 101", false},
    {ID_JUMP_TABLES, "jtd", 0, "N", NULL, false},
    {ID_STACK_PROTECTOR, "device-stack-protector", 0, "BOOL", "stop kernels that overwrite their stack",
     false},
    {ID_RELOCATABLE, "rdc", 0, "BOOL", "relocatable device code", false},
    {ID_RELOCATABLE, "relocatable-device-code", 0, "BOOL", NULL, false},
    {ID_DEVICE_C, "device-c", 0, NULL, NULL, false},
    {ID_DEVICE_C, "dc", 0, NULL, NULL, false},
    {ID_WHOLE_PROGRAM, "extensible-whole-program", 0, NULL,
     "whole programs that can be linked with device functions", false},
    {ID_WHOLE_PROGRAM, "ewp", 0, NULL, NULL, false},
    {ID_OPTIMIZE_LTOIR, "gen-opt-lto", 0, NULL, "optimize LTO-IR before it is stored", false},
    {ID_DEVICE_RUNTIME, "cudadevrt", 0, "KIND", "static, or none: never link libcudadevrt", false},
    {ID_DEFAULT_DEVICE, "default-device", 0, NULL, "treat functions without annotation as device code",
     false},
    {ID_DEFAULT_DEVICE, "device-as-default-execution-space", 0, NULL, NULL, false},
    {ID_RELAXED_CONSTEXPR, "expt-relaxed-constexpr", 0, NULL,
     "same as --default-device, which includes constexpr functions", false},
    {ID_EXTENDED_LAMBDA, "extended-lambda", 0, NULL, "allow __device__ on the source's lambdas", false},
    {ID_EXTENDED_LAMBDA, "expt-extended-lambda", 0, NULL, NULL, false},
    {ID_NO_INITIALIZER_LIST, "no-host-device-initializer-list", 0, NULL,
     "std::initializer_list is as its header declares it", false},
    {ID_NO_INITIALIZER_LIST, "nohdinitlist", 0, NULL, NULL, false},
    {ID_NO_MOVE_FORWARD, "no-host-device-move-forward", 0, NULL,
     "std::move and std::forward are as their header declares them", false},
    {ID_NO_MOVE_FORWARD, "nohdmoveforward", 0, NULL, NULL, false},
    {ID_DEFAULT_STREAM, "default-stream", 0, "KIND",
     "legacy, or per-thread: -DCUDA_API_PER_THREAD_DEFAULT_STREAM=1", false},
    {ID_RESTRICT, "restrict", 0, NULL, "assume that pointer parameters of kernels do not alias", false},
    {ID_VECTORIZE, "extra-device-vectorization", 0, NULL, "vectorize more", false},
    {ID_ENABLE_TILE, "enable-tile", 0, NULL, "also compile tile kernels, into a module NAME.tile", false},
    {ID_TILE_ONLY, "tile-only", 0, NULL, "compile only the source's tile kernels", false},
    {ID_SIMT_ONLY, "simt-only", 0, NULL, "leave the source's tile kernels out", false},
    {ID_DEFAULT_TILE, "default-tile", 0, NULL, "functions without annotation are for tile kernels", false},
    {ID_TILEIRAS, "Xtileiras", 0, "LIST", "options for tileiras, separated by commas", false},
    {ID_TILEIRAS, "tileiras-options", 0, "LIST", NULL, false},
    {ID_CONTROLS, "apply-controls", 0, "FILE", "file with controls of the compiler, which ptxas reads",
     false},
    {ID_PTXAS, "Xptxas", 0, "LIST", "options for ptxas, separated by commas", false},
    {ID_PTXAS, "ptxas-options", 0, "LIST", NULL, false},
    {ID_RESOURCE_USAGE, "resource-usage", 0, NULL, "-Xptxas -v: print what kernels need", false},
    {ID_RESOURCE_USAGE, "res-usage", 0, NULL, NULL, false},
    {ID_SPLIT_COMPILE, "split-compile", 0, "N",
     "threads that NVRTC optimizes with; 0: one for each processor", false},
    {ID_THREADS, "threads", 't', "N",
     "threads that work on a large source; 0: one for each\nprocessor (default: what make or `cubinet build` "
     "has free)",
     false},
    {ID_NVRTC, "nvrtc", 0, "OPTION", "any other option of NVRTC; may be repeated", false},
    {ID_NVJITLINK, "nvjitlink", 0, "OPTION",
     "any other option of nvJitLink, which is then used to\nassemble; may be repeated", false},
    {ID_LIBRARY, "library", 'l', "NAME", "cudadevrt is linked if it is called; other libraries are ignored",
     false},
    {ID_DROP_HOST_OPTIONS, "drop-host-options", 0, NULL,
     "silently ignore nvcc's options for the host compiler:\n-Xcompiler, -O, -g, unknown options", false},
    {ID_ASSEMBLER, "assembler", 0, "NAME",
     "ptxas of the toolkit, nvjitlink, a path of a ptxas, or auto\n(default): ptxas if the toolkit has it, "
     "or "
     "else nvjitlink",
     false},
    {ID_PARTS, "parts", 0, "HOW",
     "parts for kernels that share nothing: each: as many as there can\nbe; none: one part; auto (default): "
     "parts in a large module",
     false},
    {ID_KEEP_GLOBALS, "keep-globals", 0, NULL, "keep variables that nothing refers to", false},
    {ID_KEEP_SHARED_ADDRESSES, "keep-shared-addresses", 0, NULL,
     "keep NVRTC's code for addresses of shared memory", false},
    {ID_PREFIX_MAP, "file-prefix-map", 0, "OLD=NEW", "write NEW for OLD where paths are recorded", false},
    {ID_SYNTAX_ONLY, "fdevice-syntax-only", 0, NULL, "check the source, and write nothing", false},
    {ID_TIME_TRACE, "fdevice-time-trace", 0, "FILE", "write a trace of NVRTC's time", false},
    {ID_TIME, "time", 0, "FILE", "append a table of NVRTC's time", false},
    {ID_OPTIMIZATION_INFO, "optimization-info", 0, "inline", "print what was inlined", false},
    {ID_OPTIMIZATION_INFO, "opt-info", 0, "inline", NULL, false},
    {ID_NO_WARNINGS, "disable-warnings", 'w', NULL, "no warnings", false},
    {ID_ERROR_LIMIT, "error-limit", 0, "N",
     "errors to show, five of them in CUDA's headers (default: 20); 0: all", false},
    {ID_WERROR, "Werror", 0, " [KINDS]", "fail if there are warnings, or those of nvcc's kinds", true},
    {ID_WARN_REORDER, "Wreorder", 0, NULL, "warn where members are initialized in another order", false},
    {ID_WARN_LAUNCH_BOUNDS, "Wmissing-launch-bounds", 0, NULL, "warn about kernels without __launch_bounds__",
     false},
    {ID_NO_DEPRECATED, "Wno-deprecated-declarations", 0, NULL, "do not warn about deprecated declarations",
     false},
    {ID_DIAG_SUPPRESS, "diag-suppress", 0, "NUMBERS", "leave warnings out, such as 177", false},
    {ID_DIAG_WARN, "diag-warn", 0, "NUMBERS", "make errors warnings", false},
    {ID_DIAG_ERROR, "diag-error", 0, "NUMBERS", "make warnings errors", false},
    {ID_DEPFILE, "MD", 0, NULL,
     "write a depfile, and OUTPUT.inputs, which lets a second run\nsee that nothing changed", false},
    {ID_DEPFILE, "generate-dependencies-with-compile", 0, NULL, NULL, false},
    {ID_USER_DEPFILE, "MMD", 0, NULL,
     "as -MD, but only your files: no folders, no toolkit, nothing\nfound through -isystem", false},
    {ID_USER_DEPFILE, "generate-nonsystem-dependencies-with-compile", 0, NULL, NULL, false},
    {ID_DEPENDENCIES_ALONE, "M", 0, NULL, "print the depfile, or write it to -MF, and no archive", false},
    {ID_DEPENDENCIES_ALONE, "generate-dependencies", 0, NULL, NULL, false},
    {ID_USER_DEPENDENCIES_ALONE, "MM", 0, NULL, "as -M, but only your files", false},
    {ID_USER_DEPENDENCIES_ALONE, "generate-nonsystem-dependencies", 0, NULL, NULL, false},
    {ID_DEPFILE_PATH, "MF", 0, "FILE", "depfile to write (default: the output's name with .d)", false},
    {ID_DEPFILE_PATH, "dependency-output", 0, "FILE", NULL, false},
    {ID_DEPFILE_TARGET, "MT", 0, "TARGET", "target in the depfile (default: the output)", false},
    {ID_DEPFILE_TARGET, "dependency-target-name", 0, "TARGET", NULL, false},
    {ID_DEPFILE_PHONY, "MP", 0, NULL, "add a rule for each header, so that make accepts deleted ones", false},
    {ID_DEPFILE_PHONY, "generate-dependency-targets", 0, NULL, NULL, false},
    {ID_WRITE_IF_DIFFERENT, "write-if-different", 0, NULL, "do not touch outputs that would stay the same",
     false},
    {ID_CACHE, "cache", 0, "DIR",
     "folder of the cache (default: $CUBINET_CACHE_DIR, else\n$XDG_CACHE_HOME/cubinet)", false},
    {ID_PROVENANCE, "provenance", 0, "WHAT",
     "what to record about the origin of images: none; options\n(default): options, compiler and source "
     "name; sources: also\nSHA-256 of source and headers",
     false},
    {ID_NO_CACHE, "no-cache", 0, NULL, "do not use the cache", false},
    {ID_BASE_DIR, "base-dir", 0, "DIR",
     "use relative paths for sources and headers in DIR, so that\ncopies of DIR share a cache", false},
    {ID_REMOTE_CACHE, "remote-cache", 0, "URL",
     "server that shares results between machines (default:\n$CUBINET_REMOTE_CACHE)", false},
    {ID_TOOLKIT, "toolkit", 0, "DIR", "CUDA toolkit, or folder of CUDA's Python packages", false},
    {ID_TIMEOUT, "timeout", 0, "SECONDS", "stop a compile that takes longer; 0: never", false},
    {ID_MEMORY_LIMIT, "memory-limit", 0, "SIZE", "stop a compile that needs more, such as 4G; 0: never",
     false},
    {ID_LIST_ARCHITECTURES, "list-gpu-arch", 0, NULL,
     "print the virtual architectures that the toolkit compiles for", false},
    {ID_LIST_ARCHITECTURES, "arch-ls", 0, NULL, NULL, false},
    {ID_LIST_CODES, "list-gpu-code", 0, NULL, "print the real architectures that the toolkit compiles for",
     false},
    {ID_LIST_CODES, "code-ls", 0, NULL, NULL, false},
    {ID_LIST_LAUNCHES, "list-launches", 0, NULL,
     "print where the source and its project's headers launch kernels,\nand which kernels of the archive "
     "these are",
     false},
    {ID_JSON, "json", 0, NULL, "print JSON: what was made, cache hit or miss, warnings", false},
    {ID_VERBOSE, "verbose", 'v', NULL, "print the steps and their options", false},
    {ID_HELP, "help", 'h', NULL, "print this text", false},
    {0},
};

/* What options become for NVRTC and nvJitLink: the text and, if the option has one, its value. */
static const struct {
    enum compile_option id;
    const char *nvrtc;     /* NULL: nothing */
    const char *nvjitlink; /* NULL: nothing */
} forwarded[] = {
    {ID_INCLUDE, "-I", NULL},
    {ID_DEFINE, "-D", NULL},
    {ID_UNDEFINE, "-U", NULL},
    {ID_PRE_INCLUDE, "-include=", NULL},
    {ID_STD, "-std=", NULL},
    {ID_FAST_COMPILE, "-Ofc=", "-Xptxas=-Ofc="},
    {ID_DEBUG, "-G", NULL},
    {ID_OPTIMIZE_DEBUG, "-dopt=", NULL},
    {ID_LINE_INFO, "-lineinfo", "-lineinfo"},
    {ID_FAST_MATH, "-use_fast_math", NULL},
    {ID_FTZ, "-ftz=", NULL},
    {ID_PREC_DIV, "-prec-div=", NULL},
    {ID_PREC_SQRT, "-prec-sqrt=", NULL},
    {ID_FMAD, "-fmad=", NULL},
    {ID_MAX_REGISTERS, "-maxrregcount=", "-maxrregcount="},
    {ID_JUMP_TABLES, "-jtd=", NULL},
    {ID_STACK_PROTECTOR, "-device-stack-protector=", "-Xptxas=-device-stack-protector="},
    {ID_RELOCATABLE, "-rdc=", NULL},
    {ID_DEVICE_C, "-dc", NULL},
    {ID_WHOLE_PROGRAM, "-ewp", NULL},
    {ID_OPTIMIZE_LTOIR, "-gen-opt-lto", NULL},
    {ID_DEFAULT_DEVICE, "-default-device", NULL},
    {ID_RELAXED_CONSTEXPR, "-default-device", NULL},
    {ID_RELAXED_CONSTEXPR, "-D__CUDACC_RELAXED_CONSTEXPR__", NULL},
    {ID_EXTENDED_LAMBDA, "-D__CUDACC_EXTENDED_LAMBDA__", NULL},
    {ID_NO_INITIALIZER_LIST, "-builtin-initializer-list=false", NULL},
    {ID_NO_MOVE_FORWARD, "-builtin-move-forward=false", NULL},
    {ID_RESTRICT, "-restrict", NULL},
    {ID_VECTORIZE, "-extra-device-vectorization", NULL},
    {ID_RESOURCE_USAGE, NULL, "-Xptxas=-v"},
    {ID_SIMT_ONLY, "-simt-only", NULL},
    {ID_DEFAULT_TILE, "-default-tile", NULL},
    {ID_CONTROLS, NULL, "-Xptxas=--apply-controls="},
    {ID_NVRTC, "", NULL},
    {ID_NVJITLINK, NULL, ""},
    {ID_TIME_TRACE, "-fdevice-time-trace=", NULL},
    {ID_TIME, "-time=", NULL},
    {ID_OPTIMIZATION_INFO, "-opt-info=", NULL},
    {ID_NO_WARNINGS, "-w", NULL},
    {ID_WARN_REORDER, "-diag-warn=1719", NULL},
    {ID_WARN_LAUNCH_BOUNDS, "-diag-warn=20238", NULL},
    {ID_NO_DEPRECATED, "-diag-suppress=1215,1444", NULL},
    {ID_DIAG_SUPPRESS, "-diag-suppress=", NULL},
    {ID_DIAG_WARN, "-diag-warn=", NULL},
    {ID_DIAG_ERROR, "-diag-error=", NULL},
};

cubinet_status compile_options_forward(int id, const char *value, struct cbn_text_list *nvrtc_options,
                                       struct cbn_text_list *nvjitlink_options)
{
    cubinet_status status = CUBINET_OK;
    const char *text = value ? value : "";
    for (size_t i = 0; !status && i < sizeof(forwarded) / sizeof(forwarded[0]); i++) {
        if ((int)forwarded[i].id != id) {
            continue;
        }
        if (forwarded[i].nvrtc) {
            status = cbn_text_list_addf(nvrtc_options, "%s%s", forwarded[i].nvrtc, text);
        }
        if (!status && forwarded[i].nvjitlink) {
            status = cbn_text_list_addf(nvjitlink_options, "%s%s", forwarded[i].nvjitlink, text);
        }
    }
    return status;
}

/* The names of an option that the table does not print, in nvcc's spelling. */
static void print_other_names(void (*print)(const char *text))
{
    print("Other names that nvcc uses for these options:\n");
    const struct option *shown = NULL;
    for (const struct option *option = compile_options; option->id; option++) {
        if (option->help) {
            shown = option;
        } else {
            print("  --");
            print(option->name);
            print(": --");
            print(option->id == ID_DEVICE_C ? "rdc=true" : shown->name);
            print("\n");
        }
    }
    print("\nnvcc's options for host code are accepted and have no effect.\n");
}

void compile_options_help(void)
{
    static const struct command_help help = {
        .usage = "compile SOURCE [-o ARCHIVE] --arch WORDS [OPTIONS]",
        .about = "Compiles one CUDA source with NVRTC, for any number of GPU architectures, into an "
                 "archive\nwith one module: cubins, PTX and LTO-IR. Options are spelled as nvcc's.",
        .example = "cubinet compile scale.cu -o scale.cubinet --kernel 'scale<float>' \\\n"
                   "  --gencode arch=compute_80,code=[sm_80,sm_86,compute_80] --arch 90a-real",
        .options = compile_options,
        .print_notes = print_other_names,
    };
    command_print_help(&help);
}
