/* SPDX-License-Identifier: Apache-2.0 */
/* What `cubinet ninja` and `cubinet build` are asked for: sources, how to compile them, and what to make of
 * the archive. */
#ifndef BUILD_REQUEST_H
#define BUILD_REQUEST_H

#include "base/options.h"
#include "base/response_file.h"
#include "compile/nvcc_options.h"
#include "loader/core/support/text_list.h"
#include "process/compile_limits.h"

#include <cubinet/status.h>

#include <stdbool.h>
#include <stdint.h>

struct build_source {
    const char *path;
    char *module;
    char *piece;                /* its part of a module of several sources; NULL: it is the whole module */
    bool is_named;              /* --module was given for it */
    bool is_fragment;           /* it imports or exports something */
    struct cbn_text_list names; /* --kernel, --global, --import and --export, as arguments */
};

struct build_request {
    struct build_source *sources;
    size_t source_count;
    const char *module;  /* --module before the first source; NULL: none */
    size_t module_count; /* how often --module was given */
    bool is_linked;      /* some module has several sources */
    bool has_fragments;  /* something is imported or exported */
    const char *archive; /* -o */
    char *folder;        /* for what is made on the way to it */
    const char *header;  /* NULL: none is made */
    bool cxx;            /* it has function objects */
    const char *object;  /* the archive for a program to link; NULL: none is made */
    const char *symbol;  /* its name in the program; NULL: made of the archive's name */
    const char *toolkit;

    struct cbn_text_list gencodes;      /* --gencode */
    struct cbn_text_list archs;         /* -arch */
    const char *code;                   /* -code */
    struct cbn_text_list flags;         /* further arguments of every compile */
    struct cbn_text_list link_flags;    /* those of them that links need too */
    struct cbn_text_list link_files;    /* files among them, on which links depend */
    struct limits limits;               /* of every compile, and of asking what the toolkit makes */
    struct cbn_text_list headers;       /* --pch: precompiled, and included before every source */
    struct cbn_text_list packing;       /* arguments of `cubinet pack` */
    struct cbn_text_list packing_files; /* files among them, on which the archive depends */

    struct arguments arguments;          /* what the strings point into */
    struct cbn_text_list argument_files; /* -optf: files that they came from */
    struct nvcc_ignored ignored;

    const char *file; /* `cubinet ninja`: where to write to; NULL: standard output */
    bool runs_ninja;  /* `cubinet build`: steps depend on the build environment, which it writes */
    uint32_t jobs;    /* `cubinet build`: 0: as many as Ninja likes */
    bool quiet;       /* `cubinet build`: no progress, and not what was slow */
    bool profile;     /* `cubinet build`: tell what the time went to */
    bool json;        /* `cubinet build`: tell what was made as JSON */
    bool help;
};

/* Reads the arguments after the subcommand's name. `options` are its own; those of `cubinet compile` that say
 * how to compile are taken too, and nvcc's that have no effect, with a warning where a compile has one. The
 * caller frees the request in any case.
 * CUBINET_ERROR_INVALID_ARGUMENT for wrong usage, CUBINET_ERROR_IO for a source that is not there. */
cubinet_status build_request_read(const struct option *options, int argc, char **argv,
                                  struct build_request *request);
void build_request_free(struct build_request *request);

/* The rows that both subcommands' tables start with. */
enum build_option {
    BUILD_OUTPUT = 2000, /* beyond the ids of `cubinet compile` and of nvcc's further options */
    BUILD_KERNEL,
    BUILD_GLOBAL,
    BUILD_IMPORT,
    BUILD_EXPORT,
    BUILD_MODULE,
    BUILD_ARCH,
    BUILD_HEADER,
    BUILD_CXX,
    BUILD_EMBED,
    BUILD_SYMBOL,
    BUILD_ARCHIVE_VERSION,
    BUILD_ABI,
    BUILD_COMPRESS,
    BUILD_SET,
    BUILD_LICENSE,
    BUILD_SIGN,
    BUILD_LAUNCH,
    BUILD_FOLDER,
    BUILD_PCH,
    BUILD_FILE,
    BUILD_JOBS,
    BUILD_QUIET,
    BUILD_PROFILE,
    BUILD_JSON,
    BUILD_COLOR,
    BUILD_HELP,
};

/* clang-format off */
#define BUILD_OPTIONS                                                                                        \
    {BUILD_OUTPUT, "output", 'o', "FILE", "the archive to make", false},                                     \
    {BUILD_OUTPUT, "output-file", 0, "FILE", NULL, false},                                                   \
    {BUILD_ARCH, "arch", 0, "WORDS",                                                                         \
     "what to make, as for `cubinet compile` (default: portable,\n"                                          \
     "which runs on every GPU the toolkit supports and later ones)", false},                                 \
    {BUILD_KERNEL, "kernel", 0, "EXPR",                                                                      \
     "kernel of the preceding source to instantiate, such as\n'scale<float>'; may be repeated", false},      \
    {BUILD_GLOBAL, "global", 0, "EXPR", "variable of the preceding source that the host uses", false},       \
    {BUILD_IMPORT, "import", 0, "EXPR", "function that the preceding source needs from others", false},      \
    {BUILD_EXPORT, "export", 0, "EXPR", "function that the preceding source defines for others", false},     \
    {BUILD_MODULE, "module", 0, "NAME",                                                                      \
     "module of the preceding source (default: the source's name\nwithout folders and suffix). Sources of "   \
     "one module are linked;\ngiven once, before or after all sources, it is the module\nof all of them",      \
     false},                                                                                                 \
    {BUILD_HEADER, "header", 0, "FILE", "write a C header of the archive, as `cubinet header`", false},      \
    {BUILD_CXX, "c++", 0, NULL,                                                                              \
     "with --header: make each kernel a function object, too, for C++17", false},                            \
    {BUILD_EMBED, "embed", 0, "FILE", "make an object file of the archive, for a program to link", false},   \
    {BUILD_SYMBOL, "symbol", 0, "NAME",                                                                      \
     "with --embed: symbol of the archive's bytes (default: the\narchive's name)", false},                   \
    {BUILD_ARCHIVE_VERSION, "archive-version", 0, "VERSION", "a version that programs can read", false},     \
    {BUILD_ABI, "abi", 0, "TAG", "a tag that programs can require", false},                                  \
    {BUILD_COMPRESS, "compress", 0, "HOW", "none (default), fast, zstd or zstd:LEVEL", false},               \
    {BUILD_SET, "set", 0, "KEY=VALUE", "a property of the archive, as for `cubinet pack`", false},           \
    {BUILD_LICENSE, "license", 0, "EXPRESSION", "the licence, such as Apache-2.0", false},                   \
    {BUILD_LICENSE, "licence", 0, "EXPRESSION", NULL, false},                                                \
    {BUILD_SIGN, "sign", 0, "FILE", "sign the archive with this secret key; may be repeated", false},        \
    {BUILD_LAUNCH, "launch", 0, "FILE.json", "how kernels are launched, as for `cubinet pack`; may be\n"      \
     "repeated", false},                                                                                     \
    {BUILD_PCH, "pch", 0, "HEADER",                                                                          \
     "precompile a header, such as cub/cub.cuh, and include it\n"                                            \
     "before every source; may be repeated", false},                                                         \
    {BUILD_FOLDER, "build-dir", 0, "DIR",                                                                    \
     "folder for intermediate files (default:\n.cubinet-build/ARCHIVE beside the archive)", false}
/* clang-format on */

#endif
