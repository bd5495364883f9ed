/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of `cubinet compile`, read. */
#ifndef COMPILE_ARGUMENTS_H
#define COMPILE_ARGUMENTS_H

#include "base/response_file.h"
#include "compile/nvcc_options.h"
#include "loader/core/support/text_list.h"
#include "origin/provenance.h"
#include "process/compile_limits.h"
#include "ptx/cleaning/ptx_clean.h"
#include "toolkit/device_headers.h"
#include "toolkit/parts_choice.h"

#include <cubinet/target.h>

#include <stdbool.h>
#include <stdint.h>

enum { COMPILE_ERROR_LIMIT = 20 };

/* Which of a source's tile kernels and others are compiled. */
enum compile_tile {
    COMPILE_TILE_OFF, /* the others; tile kernels are errors, or with --simt-only left out */
    COMPILE_TILE_TOO, /* --enable-tile: both */
    COMPILE_TILE_ONLY /* --tile-only */
};

struct compile_arguments {
    bool help;
    const char *source;
    char *output;
    const char *output_folder; /* -odir: where an output that is not named goes; NULL: the working folder */
    char *module;
    const char *toolkit;

    struct cbn_text_list gencodes; /* --gencode */
    struct cbn_text_list archs;    /* -arch */
    const char *code;              /* -code */
    cubinet_image_kind only;       /* -cubin, -ptx, -ltoir: images of this kind; 0: all that were asked for */
    bool list_architectures;       /* print what the toolkit compiles for, and nothing else */
    bool list_codes;
    bool list_launches; /* print them, beside the compile */
    bool json;          /* print what was made */

    struct cbn_text_list kernels;
    struct cbn_text_list globals;
    struct cbn_text_list exports;
    struct cbn_text_list imports;
    struct cbn_text_list nvrtc_options;
    struct cbn_text_list nvjitlink_options;
    struct cbn_text_list system_folders; /* -isystem */
    struct cbn_text_list pch_files;      /* --pch */
    struct ptx_path_map *path_maps;      /* the last that was given first */
    size_t path_map_count;
    struct cbn_text_list map_texts; /* what the maps point into */

    enum compile_tile tile;
    struct cbn_text_list tileiras_options; /* -Xtileiras */

    bool fragment;         /* --fragment, --export or --import */
    const char *assembler; /* NULL: auto */
    enum parts_choice parts;
    bool has_nvjitlink_options;
    uint32_t threads; /* the most that may run; 0: as many as processors */
    bool has_threads; /* --threads says so */
    bool is_split;    /* NVRTC is to optimize over several threads */
    uint32_t split_threads;
    enum device_headers device_headers;
    bool optional_names;
    bool keep_globals;
    bool keep_shared_addresses;
    bool relocatable;
    bool debug;
    bool optimize_debug;
    bool no_device_runtime; /* never link libcudadevrt */
    bool extended_lambda;   /* allow annotations of lambdas */
    bool syntax_only;       /* run the front end alone, and write no archive */
    bool no_warnings;
    uint32_t error_limit; /* errors that are shown; 0: all */
    bool warnings_are_errors;
    bool verbose;
    enum provenance_detail provenance; /* what is recorded of where images come from */

    bool write_depfile;       /* -MD */
    bool depfile_alone;       /* -M: no archive */
    bool user_files_alone;    /* -MMD, -MM: no toolkit, no folders, nothing of -isystem */
    char *depfile;            /* -MF, or the output's name with .d; NULL with -M: standard output */
    const char *target;       /* -MT, or the output */
    bool phony;               /* -MP */
    bool keep_if_equal;       /* --write-if-different */
    const char *cache;        /* --cache; NULL: the folder that the environment names, if it does */
    bool no_cache;            /* --no-cache */
    const char *remote_cache; /* --remote-cache; NULL: the server that the environment names, if it does */
    bool has_side_output;     /* NVRTC was told to write a file of its own, or to read one that it made */

    struct limits limits;

    bool makes_pch; /* `cubinet pch`: what are no options are headers, and there is no source */

    bool drops_host_options; /* --drop-host-options */
    struct nvcc_ignored ignored;
};

/* Replaces files with arguments by what is in them (response_file.h). The caller frees the result. */
cubinet_status compile_arguments_expand(int argc, char *const *argv, struct arguments *out_arguments);

/* Reads the arguments after "compile". Strings point into `argv`. A failure is
 * CUBINET_ERROR_INVALID_ARGUMENT. The caller frees what is in `out_arguments`. */
cubinet_status compile_arguments_read(int argc, char **argv, struct compile_arguments *out_arguments);

/* Whether --drop-host-options is among the arguments, which has to be known before others are read. */
bool compile_arguments_drop_host_options(int argc, char *const *argv);

/* Whether the same arguments ask for the same thing tomorrow and with another GPU. */
bool compile_arguments_repeatable(const struct compile_arguments *arguments);

/* The same for `cubinet pch`, whose arguments that are not options are headers. */
cubinet_status compile_arguments_read_pch(int argc, char **argv, struct compile_arguments *out_arguments);

/* The name of a header that may stand in the brackets or quotes of an #include. The caller frees it; NULL:
 * memory is out. */
char *compile_arguments_header(const char *header);

void compile_arguments_free(struct compile_arguments *arguments);

#endif
