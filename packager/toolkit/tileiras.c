/* SPDX-License-Identifier: Apache-2.0 */
#include "toolkit/tileiras.h"

#include "image/cubin.h"
#include "loader/core/support/error.h"
#include "loader/core/support/text.h"
#include "process/trace.h"
#include "toolkit/assembler_program.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

/* From the folder of NVRTC's library: in a toolkit, and in one with folders for each target. */
static const char *const programs[] = {"../bin/tileiras", "../../../bin/tileiras", NULL};
/* From the folder of the program. */
static const char *const ptxas[] = {"ptxas", NULL};
static const char *const nvvm[] = {"../nvvm/lib64/libnvvm.so.4", "../nvvm/lib64/libnvvm.so",
                                   "../lib/libnvvm.so.4", NULL};

/* The first of these from the folder of `beside` that is there; NULL if none is. */
static cubinet_status find_from(const char *beside, const char *const *places, char **out_path)
{
    char *copy = strdup(beside);
    char *found = NULL;
    cubinet_status status = copy ? CUBINET_OK : cbn_error_memory();
    const char *folder = copy ? dirname(copy) : NULL;
    for (size_t i = 0; !status && !found && places[i]; i++) {
        char *path = NULL;
        if (asprintf(&path, "%s/%s", folder, places[i]) < 0) {
            status = cbn_error_memory();
        } else if (access(path, R_OK) == 0) {
            found = realpath(path, NULL);
            status = found ? CUBINET_OK : cbn_error(CUBINET_ERROR_TOOLKIT, "'%s': %s", path, strerror(errno));
            free(path);
        } else {
            free(path);
        }
    }
    free(copy);
    *out_path = found;
    return status;
}

cubinet_status tileiras_find(struct toolkit *toolkit)
{
    cubinet_status status = find_from(toolkit->nvrtc, programs, &toolkit->tileiras);
    if (!status && toolkit->tileiras) {
        status = find_from(toolkit->tileiras, ptxas, &toolkit->tile_ptxas);
    }
    if (!status && toolkit->tileiras) {
        status = find_from(toolkit->tileiras, nvvm, &toolkit->tile_nvvm);
    }
    return status;
}

cubinet_status tileiras_check(const struct toolkit *toolkit)
{
    const char *lacks = !toolkit->tileiras     ? "tileiras (NVIDIA's package nvidia-cuda-tileiras)"
                        : !toolkit->tile_ptxas ? "ptxas beside tileiras (nvidia-cuda-nvcc)"
                        : !toolkit->tile_nvvm  ? "libnvvm for tileiras (nvidia-nvvm)"
                                               : NULL;
    return lacks ? cbn_error(
                       CUBINET_ERROR_TOOLKIT,
                       "the toolkit of '%s' has no %s, which makes machine code of tile kernels; install it, "
                       "or ask only for Tile IR, which drivers compile, as in --arch 90-virtual",
                       toolkit->nvrtc, lacks)
                 : CUBINET_OK;
}

/* What tileiras reads by itself is in no key of a cache, and nothing is made again when it changes. */
static cubinet_status names_file(const char *option)
{
    return cbn_error(
        CUBINET_ERROR_INVALID_ARGUMENT,
        "-Xtileiras=%s makes tileiras read a file, of whose changes nothing would know; write the "
        "options themselves",
        option);
}

cubinet_status tileiras_options(const struct cbn_text_list *nvjitlink_options,
                                const struct cbn_text_list *own, struct cbn_text_list *out_options)
{
    static const struct {
        const char *name, *const tile[3];
    } names[] = {
        {"-g", {"--device-debug", "--opt-level=0", "--lineinfo"}},
        {"-lineinfo", {"--lineinfo"}},
        {"-O0", {"--opt-level=0"}},
        {"-Xptxas=-O1", {"--opt-level=1"}},
        {"-Xptxas=-O2", {"--opt-level=2"}},
        {"-O3", {"--opt-level=3"}},
    };
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < nvjitlink_options->count; i++) {
        const char *option = nvjitlink_options->items[i];
        for (size_t j = 0; j < sizeof(names) / sizeof(names[0]); j++) {
            for (size_t k = 0; !status && strcmp(option, names[j].name) == 0 && k < 3 && names[j].tile[k];
                 k++) {
                status = cbn_text_list_add_once(out_options, names[j].tile[k]);
            }
        }
    }
    for (size_t i = 0; !status && i < own->count; i++) {
        const char *option = own->items[i];
        status = option[0] == '@' || strcmp(option, "-l") == 0 ? names_file(option)
                                                               : cbn_text_list_add(out_options, option);
    }
    return status;
}

/* This process's environment with CUDA_HOME, from which tileiras takes ptxas and libnvvm, as the toolkit's
 * own folder: that of another release is as likely to be there. */
static cubinet_status make_environment(const char *program, struct cbn_text_list *out_variables)
{
    static const char home[] = "CUDA_HOME=";
    char *copy = strdup(program);
    cubinet_status status =
        copy ? cbn_text_list_addf(out_variables, "%s%s", home, dirname(dirname(copy))) : cbn_error_memory();
    for (char **variable = environ; !status && variable && *variable; variable++) {
        status = cbn_starts_with(*variable, home) ? CUBINET_OK : cbn_text_list_add(out_variables, *variable);
    }
    free(copy);
    return status;
}

static cubinet_status run(const struct toolkit *toolkit, const struct cbn_text_list *arguments,
                          const void *tile_ir, size_t size, struct assembler_answer *out_answer)
{
    struct cbn_text_list variables = {0};
    cubinet_status status = make_environment(toolkit->tileiras, &variables);
    char **environment = status ? NULL : calloc(variables.count + 1, sizeof(*environment));
    if (!status && !environment) {
        status = cbn_error_memory();
    }
    if (!status) {
        memcpy(environment, variables.items, variables.count * sizeof(*environment));
        const struct assembler_program program = {toolkit->tileiras, arguments, environment,
                                                  "application Tile IR input"};
        status = assembler_program_run(&program, tile_ir, size, out_answer);
    }
    free(environment);
    cbn_text_list_free(&variables);
    return status;
}

static cubinet_status take_answer(struct assembler_answer *answer, struct assembled *out_assembled)
{
    if (answer->size == 0) {
        return cbn_error(CUBINET_ERROR_LINK, "tileiras: exit status %d\n%s", answer->exit, answer->log);
    }
    *out_assembled =
        (struct assembled){.data = (unsigned char *)answer->data, .size = answer->size, .log = answer->log};
    *answer = (struct assembler_answer){0};
    return cubin_read(out_assembled->data, out_assembled->size, &out_assembled->contents);
}

cubinet_status tileiras_assemble(const struct toolkit *toolkit, const struct cbn_text_list *options,
                                 cubinet_target target, const void *tile_ir, size_t size,
                                 struct assembled *out_assembled)
{
    struct cbn_text_list arguments = {0};
    struct assembler_answer answer = {0};
    struct assembled made = {0};
    char name[CUBINET_TARGET_NAME_SIZE];
    cubinet_status status = cbn_text_list_addf(&arguments, "--gpu-name=sm_%d", target.number);
    for (size_t i = 0; !status && i < options->count; i++) {
        status = cbn_text_list_add(&arguments, options->items[i]);
    }
    if (!status) {
        status = cbn_text_list_addf(&arguments, "%s", ASSEMBLER_INPUT);
    }
    if (!status) {
        status = cbn_text_list_addf(&arguments, "--output-file=%s", ASSEMBLER_OUTPUT);
    }
    if (!status) {
        trace_begin("compile Tile IR", cubinet_target_name(target, name));
        status = run(toolkit, &arguments, tile_ir, size, &answer);
        trace_end();
    }
    if (!status) {
        status = take_answer(&answer, &made);
    }
    assembler_answer_free(&answer);
    cbn_text_list_free(&arguments);
    if (status) {
        assembled_free(&made);
        return status;
    }
    *out_assembled = made;
    return CUBINET_OK;
}
