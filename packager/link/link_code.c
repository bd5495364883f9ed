/* SPDX-License-Identifier: Apache-2.0 */
#include "link/link_code.h"

#include "loader/core/support/error.h"
#include "toolkit/assemble_all.h"

#include <stdlib.h>
#include <string.h>

/* Options that the assembler has to be told again; what else the link was told is in the PTX. */
static cubinet_status list_options(const cubinet_link_options *given, struct cbn_text_list *options)
{
    if (given->flags & CUBINET_LINK_NO_OPTIMIZATION) {
        cbn_text_list_add(options, "-O0");
    }
    if (given->flags & CUBINET_LINK_LINEINFO) {
        cbn_text_list_add(options, "-lineinfo");
    }
    if (given->max_registers > 0) {
        cbn_text_list_addf(options, "-maxrregcount=%u", (unsigned)given->max_registers);
    }
    return options->failed ? cbn_error_memory() : CUBINET_OK;
}

static bool has_functions(const struct ptx_part *text)
{
    return strstr(text->text, ".func") != NULL;
}

/* Reports what was said of a part, unless that was said of the part before: most warnings are of all parts.
 */
static void report(const struct link_work *work, cubinet_target target, const char *log, char **said)
{
    if (!*said || strcmp(*said, log) != 0) {
        link_work_report(work, log, target);
        free(*said);
        *said = strdup(log);
    }
}

static cubinet_status take_assembled(const struct link_work *work, cubinet_target target,
                                     struct assemble_outcome *outcome, struct link_code *code, size_t part,
                                     char **said)
{
    struct assembled *made = &outcome->made;
    if (outcome->status) {
        char name[CUBINET_TARGET_NAME_SIZE];
        return !outcome->error
                   ? cbn_error_memory()
                   : cbn_error(outcome->status, "module '%s': a part of %s cannot be assembled: %s",
                               work->request->module, cubinet_target_name(target, name), outcome->error);
    }
    report(work, target, made->log, said);
    code->contents[part] = made->contents;
    code->items[part] = (struct draft_part){made->data, made->size, &code->contents[part]};
    made->contents = (struct contents){0};
    made->data = NULL;
    return CUBINET_OK;
}

static size_t add_jobs(const struct link_parts *parts, cubinet_target target,
                       const struct cbn_text_list *options, struct assemble_job *jobs, size_t *numbers)
{
    size_t count = 0;
    for (size_t i = 0; i < parts->texts.count; i++) {
        const struct ptx_part *text = &parts->texts.items[i];
        if (!has_functions(text)) {
            numbers[count] = i;
            jobs[count++] = (struct assemble_job){.ptx = text->text,
                                                  .size = text->size,
                                                  .contents = &parts->contents[i],
                                                  .target = target,
                                                  .options = (const char *const *)options->items,
                                                  .option_count = options->count};
        }
    }
    return count;
}

static cubinet_status assemble_parts(const struct link_work *work, cubinet_target target,
                                     const struct cbn_nvjitlink *nvjitlink, const struct link_parts *parts,
                                     struct link_code *code, char **said)
{
    struct assemble_job *jobs = calloc(code->count, sizeof(*jobs));
    struct assemble_outcome *outcomes = calloc(code->count, sizeof(*outcomes));
    size_t *numbers = calloc(code->count, sizeof(*numbers));
    struct cbn_text_list options = {0};
    cubinet_status status = jobs && outcomes && numbers ? CUBINET_OK : cbn_error_memory();
    if (!status) {
        status = list_options(work->request->options, &options);
    }
    if (!status) {
        size_t count = add_jobs(parts, target, &options, jobs, numbers);
        assemble_all(nvjitlink, jobs, count, false, outcomes);
        for (size_t i = 0; !status && i < count; i++) {
            status = take_assembled(work, target, &outcomes[i], code, numbers[i], said);
        }
        assemble_outcomes_free(outcomes, count);
    }
    cbn_text_list_free(&options);
    free(numbers);
    free(outcomes);
    free(jobs);
    return status;
}

static cubinet_status list_names(const struct contents *part, struct cbn_text_list *kernels,
                                 struct cbn_text_list *variables)
{
    for (size_t i = 0; i < part->kernel_count; i++) {
        cbn_text_list_add(kernels, part->kernels[i].name);
    }
    for (size_t i = 0; i < part->global_count; i++) {
        cbn_text_list_add(variables, part->globals[i].name);
    }
    return kernels->failed || variables->failed ? cbn_error_memory() : CUBINET_OK;
}

/* Links one part: the same pieces, of which everything goes that the part does not have. */
static cubinet_status link_part(const struct link_work *work, cubinet_target target,
                                const struct cbn_nvjitlink *nvjitlink, const struct contents *part,
                                struct cbn_link_result *out_result)
{
    struct cbn_link_plan *plan = NULL;
    struct cbn_text_list kernels = {0};
    struct cbn_text_list variables = {0};
    cubinet_link_options options = *work->request->options;
    cubinet_status status = list_names(part, &kernels, &variables);
    if (!status) {
        options.kernels_used = (const char *const *)kernels.items;
        options.kernels_used_count = kernels.count;
        options.flags |= CUBINET_LINK_DROP_UNUSED_VARIABLES;
        status = link_work_plan(work, target, &options, &variables, &plan);
    }
    if (!status) {
        status = link_work_run(work, plan, nvjitlink, false, out_result);
    }
    cbn_link_plan_free(plan);
    cbn_text_list_free(&kernels);
    cbn_text_list_free(&variables);
    return status;
}

static bool has_global(const struct contents *contents, const char *name)
{
    for (size_t i = 0; i < contents->global_count; i++) {
        if (strcmp(contents->globals[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* A kernel or variable that is in one of them alone. That all kernels are made was checked. */
static const char *find_extra(const struct contents *wanted, const struct contents *made)
{
    for (size_t i = 0; i < made->kernel_count; i++) {
        if (!contents_has_kernel(wanted, made->kernels[i].name)) {
            return made->kernels[i].name;
        }
    }
    for (size_t i = 0; i < made->global_count; i++) {
        if (!has_global(wanted, made->globals[i].name)) {
            return made->globals[i].name;
        }
    }
    for (size_t i = 0; i < wanted->global_count; i++) {
        if (!has_global(made, wanted->globals[i].name)) {
            return wanted->globals[i].name;
        }
    }
    return NULL;
}

static cubinet_status take_linked(const struct link_work *work, cubinet_target target,
                                  const struct cbn_nvjitlink *nvjitlink, const struct contents *part,
                                  struct link_code *code, size_t number, char **said)
{
    struct cbn_link_result result = {0};
    cubinet_status status = link_part(work, target, nvjitlink, part, &result);
    if (!status) {
        report(work, target, result.log, said);
        status = link_work_contents(&result, target, &code->contents[number]);
    }
    if (!status) {
        code->items[number] = (struct draft_part){result.data, result.size, &code->contents[number]};
        code->extra = find_extra(part, &code->contents[number]);
        result.data = NULL;
    }
    cbn_link_result_free(&result);
    return status;
}

cubinet_status link_code_make(const struct link_work *work, cubinet_target target,
                              const struct cbn_nvjitlink *nvjitlink, const struct link_parts *parts,
                              struct link_code *code)
{
    char *said = NULL;
    size_t count = parts->texts.count;
    *code = (struct link_code){.items = calloc(count, sizeof(*code->items)),
                               .contents = calloc(count, sizeof(*code->contents)),
                               .count = count};
    cubinet_status status = code->items && code->contents ? CUBINET_OK : cbn_error_memory();
    for (size_t i = 0; !status && !code->extra && i < count; i++) {
        if (has_functions(&parts->texts.items[i])) {
            status = take_linked(work, target, nvjitlink, &parts->contents[i], code, i, &said);
        }
    }
    if (!status && !code->extra) {
        status = assemble_parts(work, target, nvjitlink, parts, code, &said);
    }
    free(said);
    return status;
}

void link_code_free(struct link_code *code)
{
    for (size_t i = 0; code->items && code->contents && i < code->count; i++) {
        free(code->items[i].data);
        contents_free(&code->contents[i]);
    }
    free(code->items);
    free(code->contents);
    *code = (struct link_code){0};
}
