/* SPDX-License-Identifier: Apache-2.0 */
/* One compile in work, and what the parts of it share: front_end.c has NVRTC compile, compile_cubins.c has
 * PTX assembled, compile_ltoir.c files LTO-IR, and compile.c has them all do that. */
#ifndef COMPILE_WORK_H
#define COMPILE_WORK_H

#include "archive/draft.h"
#include "base/buffer.h"
#include "compile/compile_arguments.h"
#include "loader/link/nvjitlink.h"
#include "toolkit/arch.h"
#include "toolkit/assemble.h"
#include "toolkit/device_runtime.h"
#include "toolkit/nvrtc.h"
#include "toolkit/toolkit.h"

/* What stands for a working folder whose name is relative where NVRTC takes none: paths that start with it
 * are to be mapped to ones that start with that name. */
#define COMPILE_ABSOLUTE_FOLDER "/."

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

struct kernel_parameters;
struct launch_sites;

struct compile_work {
    struct compile_tools *tools;
    const struct compile_arguments *arguments; /* what is asked */
    const struct arch_plan *plan;
    const struct assemble_store *store;   /* of machine code; NULL: there is none */
    struct cbn_text_list quiet_folders;   /* whose warnings are left out */
    const struct ptx_path_map *path_maps; /* the first that fits; the working folder's is the last */
    size_t path_map_count;
    const char *working_folder; /* what the compiler takes for it */
    struct draft_module *module;
    struct draft_module *tile;         /* of tile kernels; NULL: none are compiled */
    struct cbn_text_list tile_kernels; /* in it, by lowered names */
    struct buffer *messages;
    const char *text; /* of the source */
    size_t warnings;
    bool implicit_headers;    /* those that nvcc includes before every source are included */
    bool nvcc_names;          /* and what else it declares */
    bool cuda_std_names;      /* names of cuda::std are included */
    bool algorithm_kernels;   /* and the kernels of CUB's and Thrust's algorithms */
    bool is_cxx17;            /* headers of the toolkit's want it, for NVRTC alone */
    bool is_cxx20;            /* of the dialect's extensions, NVRTC has those it needs in C++20 alone */
    struct buffer host_notes; /* on host code that device code uses */
    struct cbn_text_list used_kernels;    /* templates of kernels that host code uses */
    struct cbn_text_list said_kernels;    /* those of them that a warning was about */
    struct launch_sites *launches;        /* to be found; NULL: of no use */
    struct kernel_parameters *parameters; /* as the source declares them; NULL: not asked for */
    struct buffer *listing;               /* of the launches */
    bool skips_host_code;                 /* NVRTC sees another text than the source's */
    bool refuses_left_out; /* what files leave out for NVRTC alone does not compile: it stays out */
    bool default_device;   /* headers of the toolkit's turned out to need the option */
};

struct compile_name {
    char text[CUBINET_TARGET_NAME_SIZE];
};

/* A target's name, to be used in the same expression. */
struct compile_name compile_name_of(cubinet_target target);

/* Prints what is about to run if the user wants to see it, at once: a compile may take long. */
void compile_say(const struct compile_work *work, const char *program, const struct cbn_text_list *options);

/* Opens the toolkit's nvJitLink if it is not open yet. */
cubinet_status compile_open_nvjitlink(struct compile_tools *tools);

/* Cleans PTX as the request says. `keep` variables stay; with `drop_unreferenced`, unlike others. */
cubinet_status compile_clean_ptx(const struct compile_work *work, const struct nvrtc_result *result,
                                 bool drop_unreferenced, char **out_ptx, size_t *out_size);

/* Records the names that the expressions have in the compiled code, and checks that each is what it was asked
 * for as. `contents` is of that code. */
cubinet_status compile_record_expressions(const struct compile_work *work, const struct nvrtc_result *result,
                                          const struct contents *contents);

/* Adds an image to a module, whose bytes are taken over, and fills in what only the toolkit knows. */
cubinet_status compile_file_image(const struct compile_work *work, struct draft_module *module,
                                  cubinet_target target, unsigned char *data, size_t size,
                                  const struct contents *contents, int toolkit);

/* Adds a cubin or PTX of `count` parts, whose bytes are taken over, too. */
cubinet_status compile_file_parts(const struct compile_work *work, struct draft_module *module,
                                  cubinet_target target, const struct draft_part *parts, size_t count,
                                  int toolkit);

/* As compile_file_image() with a copy of the bytes, which NVRTC made. */
cubinet_status compile_file_copy(const struct compile_work *work, struct draft_module *module,
                                 cubinet_target target, const void *data, size_t size,
                                 const struct contents *contents);

/* Adds a copy of what a pass made for each target of that kind that is made from the virtual architecture. */
cubinet_status compile_file_result(const struct compile_work *work, const struct arch_virtual *virtual,
                                   cubinet_image_kind kind, const struct nvrtc_result *result,
                                   const struct contents *contents);

/* Warns of templates that host code launches and of which nothing was made, of each once for all
 * architectures. */
cubinet_status compile_say_unsettled(struct compile_work *work, const struct contents *contents);

#endif
