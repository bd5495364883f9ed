/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of `cubinet compile`, read. */
#ifndef COMPILE_ARGUMENTS_H
#define COMPILE_ARGUMENTS_H

#include "ptx_clean.h"
#include "string_list.h"

#include <stdbool.h>

struct compile_arguments {
    bool help;
    const char *source;
    char *output;
    char *module;
    const char *toolkit;

    struct string_list gencodes; /* --gencode */
    struct string_list archs;    /* -arch */
    const char *code;            /* -code */

    struct string_list kernels;
    struct string_list globals;
    struct string_list nvrtc_options;
    struct string_list nvjitlink_options;
    struct string_list system_folders; /* -isystem */
    struct ptx_path_map *path_maps;    /* the last that was given first */
    size_t path_map_count;
    struct string_list map_texts; /* what the maps point into */

    bool keep_globals;
    bool relocatable;
    bool no_warnings;
    bool warnings_are_errors;
    bool verbose;

    bool write_depfile;   /* -MD */
    char *depfile;        /* -MF, or the output's name with .d */
    const char *target;   /* -MT, or the output */
    bool phony;           /* -MP */
    bool keep_if_equal;   /* --write-if-different */
    bool has_side_output; /* NVRTC was told to write a file of its own, or to read one that it made */
};

/* Reads the arguments after "compile". Strings point into `argv`. A failure is
 * CUBINET_ERROR_INVALID_ARGUMENT. The caller frees what is in `out_arguments`. */
cubinet_status compile_arguments_read(int argc, char **argv, struct compile_arguments *out_arguments);

void compile_arguments_free(struct compile_arguments *arguments);

/* Prints what --help prints. */
void compile_arguments_help(void);

#endif
