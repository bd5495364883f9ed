/* SPDX-License-Identifier: Apache-2.0 */
#include "toolkit/ptxas.h"

#include "loader/core/support/error.h"
#include "loader/core/support/text_list.h"
#include "ptx/cleaning/line_files.h"
#include "toolkit/assembler_program.h"

#include <stdlib.h>
#include <string.h>

const char *ptxas_forwarded(const char *option)
{
    static const char forwarded[] = "-Xptxas=";
    return strncmp(option, forwarded, strlen(forwarded)) == 0 ? option + strlen(forwarded) : NULL;
}

/* Options of nvJitLink, which calls some by other names, then those for ptxas, one after another: one may
 * be the value of the one before. */
static cubinet_status add_options(const struct assemble_job *job, struct cbn_text_list *arguments)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < job->option_count; i++) {
        const char *option = job->options[i];
        if (!ptxas_forwarded(option)) {
            status = cbn_text_list_add(arguments, strcmp(option, "-verbose") == 0 ? "-v" : option);
        }
    }
    for (size_t i = 0; !status && i < job->option_count; i++) {
        const char *word = ptxas_forwarded(job->options[i]);
        status = word ? cbn_text_list_add(arguments, word) : CUBINET_OK;
    }
    return status;
}

static cubinet_status make_arguments(const struct assemble_job *job, struct cbn_text_list *arguments)
{
    char name[CUBINET_TARGET_NAME_SIZE];
    cubinet_status status = cbn_text_list_addf(arguments, "-arch=%s", cubinet_target_name(job->target, name));
    if (!status) {
        status = add_options(job, arguments);
    }
    static const char *const files[] = {ASSEMBLER_INPUT, "-o", ASSEMBLER_OUTPUT};
    for (size_t i = 0; !status && i < sizeof(files) / sizeof(files[0]); i++) {
        status = cbn_text_list_add(arguments, files[i]);
    }
    return status;
}

static cubinet_status take_answer(struct assembler_answer *answer, struct cbn_link_result *out_result)
{
    if (answer->size == 0) {
        return cbn_error(CUBINET_ERROR_LINK, "ptxas: exit status %d and %zu bytes of code\n%s", answer->exit,
                         answer->size, answer->log);
    }
    *out_result = (struct cbn_link_result){
        .data = (unsigned char *)answer->data, .size = answer->size, .log = answer->log};
    *answer = (struct assembler_answer){0};
    return CUBINET_OK;
}

/* A copy of the PTX in which the files of the line table have other names; NULL if it has no such files. */
static cubinet_status hide_files(const struct assemble_job *job, struct line_files *out_files, char **out_ptx)
{
    *out_files = (struct line_files){0};
    if (!memmem(job->ptx, job->size, ".file", strlen(".file"))) {
        return CUBINET_OK;
    }
    char *copy = malloc(job->size);
    if (!copy) {
        return cbn_error_memory();
    }
    memcpy(copy, job->ptx, job->size);
    line_files_hide(copy, job->size, out_files);
    *out_ptx = copy;
    return CUBINET_OK;
}

cubinet_status ptxas_assemble(const char *program, const struct assemble_job *job,
                              struct cbn_link_result *out_result)
{
    struct cbn_text_list arguments = {0};
    struct cbn_link_result result = {0};
    struct assembler_answer answer = {0};
    struct line_files line_files;
    char *renamed = NULL;
    const struct assembler_program run = {
        .path = program, .arguments = &arguments, .input_name = "application ptx input"};
    cubinet_status status = make_arguments(job, &arguments);
    if (!status) {
        status = hide_files(job, &line_files, &renamed);
    }
    if (!status) {
        status = assembler_program_run(&run, renamed ? renamed : job->ptx, job->size, &answer);
    }
    if (!status) {
        status = take_answer(&answer, &result);
    }
    if (!status && renamed) {
        status = line_files_show(&line_files, result.data, result.size);
    }
    assembler_answer_free(&answer);
    cbn_text_list_free(&arguments);
    free(renamed);
    if (status) {
        cbn_link_result_free(&result);
        return status;
    }
    *out_result = result;
    return CUBINET_OK;
}

/* From "Cuda compilation tools, release 13.0, V13.0.88". */
static int read_version(const char *text)
{
    static const char before[] = ", release ";
    const char *found = strstr(text, before);
    char *end = NULL;
    long major = found ? strtol(found + strlen(before), &end, 10) : 0;
    long minor = end && *end == '.' ? strtol(end + 1, NULL, 10) : -1;
    return major > 0 && major < 1000 && minor >= 0 && minor < 100 ? (int)(1000 * major + 10 * minor) : 0;
}

cubinet_status ptxas_version(const char *program, int *out_version)
{
    struct cbn_text_list arguments = {0};
    struct assembler_answer answer = {0};
    const struct assembler_program run = {.path = program, .arguments = &arguments, .input_name = ""};
    cubinet_status status = cbn_text_list_add(&arguments, "--version");
    if (!status) {
        status = assembler_program_run(&run, "", 0, &answer);
    }
    if (!status) {
        *out_version = answer.exit == 0 ? read_version(answer.log) : 0;
    }
    assembler_answer_free(&answer);
    cbn_text_list_free(&arguments);
    return status;
}
