/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of `cubinet link`, read. */
#ifndef LINK_ARGUMENTS_H
#define LINK_ARGUMENTS_H

#include "archive/archive_writer.h"
#include "loader/core/support/text_list.h"
#include "process/compile_limits.h"
#include "toolkit/parts_choice.h"

#include <cubinet/link.h>
#include <cubinet/target.h>

#include <stdbool.h>

struct link_arguments {
    bool help;
    struct cbn_text_list pieces;    /* as they were given: files, archives, ARCHIVE:MODULE */
    struct cbn_text_list libraries; /* archives, of which what is missing is taken */
    struct cbn_text_list archs;     /* --arch, and --device as the word that it stands for */
    char *output;
    char *module;
    const char *toolkit;
    const char *nvjitlink; /* --nvjitlink-path */
    bool write_depfile;    /* -MD */
    char *depfile;         /* -MF, or the output's name with .d */
    const char *target;    /* -MT, or the output */
    bool phony;            /* -MP */
    bool keep_pieces;
    bool keep_globals;
    bool no_device_runtime; /* never link libcudadevrt */
    enum parts_choice parts;
    bool verbose;
    struct limits limits;
    struct archive_writer_options writer;

    struct cbn_text_list of_compile; /* what the options after --compile-options become */

    /* What the link options point into. */
    struct cbn_text_list kernels_used;
    struct cbn_text_list variables_used;
    struct cbn_text_list raw_options;
    struct cbn_text_list required; /* expressions that the module must have */
    cubinet_link_options options;  /* as far as they are about the code */

    /* --all: fill a cache with what loads on the devices would link. */
    bool all;
    struct cbn_text_list devices; /* names, such as sm_90 */
    const char *cache;            /* its folder; NULL: the environment says */
    const char *remote_cache;     /* its server; NULL: the same */
};

/* Reads the arguments after "link". Strings point into `argv`. A failure is CUBINET_ERROR_INVALID_ARGUMENT.
 * The caller frees what is in `out_arguments`. */
cubinet_status link_arguments_read(int argc, char **argv, struct link_arguments *out_arguments);
void link_arguments_free(struct link_arguments *arguments);

/* Prints what --help prints. */
void link_arguments_help(void);

#endif
