/* SPDX-License-Identifier: Apache-2.0 */
/* One source, compiled for every virtual architecture that was asked for, into a module of a draft: NVRTC
 * makes PTX, the PTX is cleaned, ptxas or nvJitLink assembles it for each real architecture. */
#ifndef COMPILE_H
#define COMPILE_H

#include "arch.h"
#include "buffer.h"
#include "device_headers.h"
#include "device_runtime.h"
#include "draft.h"
#include "nvjitlink.h"
#include "nvrtc.h"
#include "ptx_clean.h"
#include "string_list.h"
#include "toolkit.h"

#include <stdbool.h>

/* What stands for a working folder whose name is relative where NVRTC takes none: paths that start with it
 * are to be mapped to ones that start with that name. */
#define COMPILE_ABSOLUTE_FOLDER "/."

struct compile_request {
    const char *source; /* path */
    const char *module;
    const struct arch_plan *plan;
    struct string_list kernels; /* name expressions */
    struct string_list globals; /* name expressions */
    struct string_list exports; /* of a fragment: name expressions, perhaps with '&', or lowered names */
    struct string_list imports; /* likewise */
    struct string_list nvrtc_options;
    struct string_list nvjitlink_options;
    struct string_list pch_files;         /* records of precompiled headers that may fit */
    struct string_list quiet_folders;     /* whose warnings are left out */
    struct string_list include_folders;   /* of the toolkit: they come after the options' own */
    const struct ptx_path_map *path_maps; /* the first that fits; the working folder's is the last */
    size_t path_map_count;
    const char *working_folder;         /* what the compiler takes for it */
    const char *assembler;              /* as --assembler names it; NULL: the default */
    size_t threads;                     /* the most that may run; 0: as many as processors */
    bool has_threads;                   /* the user gave the number */
    bool is_split;                      /* NVRTC is to optimize over several threads */
    size_t split_threads;               /* how many; 0: as many as processors */
    enum device_headers device_headers; /* which are there, for messages */
    bool keep_globals;                  /* do not drop variables that nothing refers to */
    bool keep_shared_addresses;         /* do not tell addresses of shared memory by others */
    bool relocatable;                   /* a module without kernels is fine */
    bool no_device_runtime;             /* never link libcudadevrt */
    bool extended_lambda;               /* the source may annotate its lambdas */
    bool fragment;                      /* LTO-IR alone; record what it defines and needs */
    bool optional_names; /* kernels and globals that the source does not declare are left out */
    bool syntax_only;    /* run the front end, and make nothing */
    bool no_warnings;
    uint32_t error_limit; /* errors that are shown; 0: all */
    bool warnings_are_errors;
    bool verbose;
};

enum { NVRTC_BUILD_SIZE = 16 };

struct compile_tools {
    const struct toolkit *toolkit;
    struct nvrtc nvrtc;
    char nvrtc_build[NVRTC_BUILD_SIZE];   /* "13.0.88", once PTX told; "" before */
    struct cbn_nvjitlink nvjitlink;       /* opened when it is first needed */
    const char *ptxas;                    /* what assembles whole programs; NULL: nvJitLink */
    int ptxas_version;                    /* 0: it does not tell, or was not asked */
    bool ptxas_is_known;                  /* it was asked */
    struct device_runtime device_runtime; /* read when it is first needed */
};

/* Compiles into `module`. What the compilers had to say goes into `messages`, on success and on failure, in
 * gcc's form; what they are told, too, if `verbose`. */
cubinet_status compile_source(struct compile_tools *tools, const struct compile_request *request,
                              struct draft_module *module, struct buffer *messages);

#endif
