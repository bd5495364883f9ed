/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a compile share this: front_end.c has NVRTC compile, compile.c files PTX, compile_cubins.c has
 * it assembled, and compile_ltoir.c and compile_optixir.c file what these are named after. */
#ifndef COMPILE_WORK_H
#define COMPILE_WORK_H

#include "compile.h"

/* One compile in work: what all of its steps share. */
struct compile_work {
    struct compile_tools *tools;
    const struct compile_request *request;
    struct draft_module *module;
    struct buffer *messages;
    const char *text; /* of the source */
    size_t warnings;
    bool implicit_headers; /* those that nvcc includes before every source are included */
    bool default_device;   /* headers of the toolkit's turned out to need the option */
};

struct compile_name {
    char text[CUBINET_TARGET_NAME_SIZE];
};

/* A target's name, to be used in the same expression. */
struct compile_name compile_name_of(cubinet_target target);

/* Prints what is about to run if the user wants to see it, at once: a compile may take long. */
void compile_say(const struct compile_work *work, const char *program, const struct string_list *options);

struct compile_pass {
    cubinet_target target;    /* virtual */
    const char *text;         /* the source, perhaps with more behind its end */
    cubinet_image_kind makes; /* what comes out: LTO-IR, OptiX-IR, or 0: PTX */
    bool relocatable;         /* -rdc=true, whatever else is asked for */
};

/* One pass of NVRTC over the source. What it says goes to the messages. The caller frees the result. */
cubinet_status compile_front_end(struct compile_work *work, const struct compile_pass *pass,
                                 struct nvrtc_result *out_result);

/* What NVRTC is told in a pass. */
cubinet_status compile_pass_options(const struct compile_work *work, const struct compile_pass *pass,
                                    struct string_list *out_options);

/* What NVRTC takes for the working folder; the path maps make a relative name of it again. */
const char *compile_pretended_folder(const struct compile_work *work);

/* Adds what NVRTC said in a pass to the messages. `compiled` is what it ended with; the result is that, with
 * the exit line for a source that was refused. */
cubinet_status compile_report(struct compile_work *work, const struct nvrtc_result *result,
                              cubinet_target source, cubinet_status compiled);

/* Opens the toolkit's nvJitLink if it is not open yet. */
cubinet_status compile_open_nvjitlink(struct compile_tools *tools);

/* Cleans PTX as the request says. `keep` variables stay; with `drop_unreferenced`, unlike others. */
cubinet_status compile_clean_ptx(const struct compile_work *work, const struct nvrtc_result *result,
                                 bool drop_unreferenced, char **out_ptx, size_t *out_size);

/* Records the names that the expressions have in the compiled code, and checks that each is what it was asked
 * for as. `contents` is of that code. */
cubinet_status compile_record_expressions(const struct compile_work *work, const struct nvrtc_result *result,
                                          const struct contents *contents);

/* Adds an image, whose bytes are taken over, and fills in what only the toolkit knows. */
cubinet_status compile_file_image(const struct compile_work *work, cubinet_target target, unsigned char *data,
                                  size_t size, const struct contents *contents, int toolkit);

/* Cleaned PTX, and what is in it. */
struct compile_ptx {
    const char *text; /* NUL-terminated */
    size_t size;
    const struct contents *contents;
};

/* Makes and files the cubins of one virtual architecture. */
cubinet_status compile_cubins(struct compile_work *work, const struct arch_virtual *virtual,
                              const struct compile_ptx *ptx);

/* Each makes the LTO-IR or OptiX-IR of one virtual architecture and files it for every target that was asked
 * for. */
cubinet_status compile_ltoir(struct compile_work *work, const struct arch_virtual *virtual);
cubinet_status compile_optixir(struct compile_work *work, const struct arch_virtual *virtual);

#endif
