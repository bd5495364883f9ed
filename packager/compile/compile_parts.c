/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/compile_parts.h"

#include "loader/core/support/error.h"
#include "loader/core/support/text.h"
#include "process/trace.h"
#include "ptx/reading/ptx.h"
#include "source/kernel_parameters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Options that name kernels or files, or make code to be linked with other code. */
static const char *option_against(const struct compile_arguments *arguments)
{
    static const char *const starts[] = {"-ewp",
                                         "--extensible-whole-program",
                                         "-Xptxas=-e",
                                         "-Xptxas=--entry",
                                         "-Xptxas=-c",
                                         "-Xptxas=--compile-only",
                                         "-Xptxas=-optf",
                                         "-Xptxas=--optf",
                                         "-Xptxas=-options-file",
                                         "-Xptxas=--options-file",
                                         "-Xptxas=-apply",
                                         "-Xptxas=--apply",
                                         "-kernels-used",
                                         "-variables-used"};
    const struct cbn_text_list *lists[] = {&arguments->nvrtc_options, &arguments->nvjitlink_options};
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        for (size_t j = 0; j < lists[i]->count; j++) {
            for (size_t k = 0; k < sizeof(starts) / sizeof(starts[0]); k++) {
                if (cbn_starts_with(lists[i]->items[j], starts[k])) {
                    return lists[i]->items[j];
                }
            }
        }
    }
    return NULL;
}

/* What the arguments have against parts; NULL: nothing. */
static const char *find_reason(const struct compile_arguments *arguments)
{
    if (arguments->relocatable) {
        return "the code is relocatable";
    }
    if (arguments->debug) {
        return "there is debug information";
    }
    return option_against(arguments);
}

static void say(const struct compile_work *work, cubinet_target source, size_t count, const char *reason)
{
    if (!work->arguments->verbose || (!reason && count == 0)) {
        return;
    }
    if (reason) {
        fprintf(stderr, "%s: in one part: %s\n", compile_name_of(source).text, reason);
    } else {
        fprintf(stderr, "%s: in %zu parts\n", compile_name_of(source).text, count);
    }
}

static cubinet_status keep_whole(const struct compile_ptx *whole, struct compile_parts *parts)
{
    parts->items = calloc(1, sizeof(*parts->items));
    if (!parts->items) {
        return cbn_error_memory();
    }
    parts->items[0] = *whole;
    parts->count = 1;
    return CUBINET_OK;
}

static cubinet_status read_parts(const struct compile_work *work, struct compile_parts *parts)
{
    size_t count = parts->texts.count;
    parts->items = calloc(count, sizeof(*parts->items));
    parts->contents = calloc(count, sizeof(*parts->contents));
    cubinet_status status = parts->items && parts->contents ? CUBINET_OK : cbn_error_memory();
    for (size_t i = 0; !status && i < count; i++) {
        const struct ptx_part *text = &parts->texts.items[i];
        status = ptx_read(text->text, text->size, &parts->contents[i]);
        if (!status) {
            parts->items[parts->count++] = (struct compile_ptx){text->text, text->size, &parts->contents[i]};
            status = kernel_parameters_record(work->parameters, &parts->contents[i]);
        }
    }
    return status;
}

cubinet_status compile_parts_make(const struct compile_work *work, cubinet_target source,
                                  const struct compile_ptx *whole, struct compile_parts *out_parts)
{
    struct compile_parts parts = {0};
    cubinet_status status = CUBINET_OK;
    const char *reason = NULL;
    bool are_asked_for = parts_are_wanted(work->arguments->parts, whole->size);
    if (are_asked_for) {
        reason = find_reason(work->arguments);
    }
    if (are_asked_for && !reason) {
        trace_begin("split PTX", NULL);
        status = ptx_split(whole->text, whole->size, &parts.texts);
        trace_end();
        reason = parts.texts.reason
                     ? parts.texts.reason
                     : parts_find_reason(work->arguments->parts, whole->size, parts.texts.count);
    }
    if (!status) {
        say(work, source, parts.texts.count, reason);
        bool are_wanted = !reason && parts.texts.count > 0;
        status = are_wanted ? read_parts(work, &parts) : keep_whole(whole, &parts);
    }
    if (status) {
        compile_parts_free(&parts);
        return status;
    }
    *out_parts = parts;
    return CUBINET_OK;
}

void compile_parts_free(struct compile_parts *parts)
{
    for (size_t i = 0; parts->contents && i < parts->texts.count; i++) {
        contents_free(&parts->contents[i]);
    }
    free(parts->contents);
    free(parts->items);
    ptx_parts_free(&parts->texts);
    *parts = (struct compile_parts){0};
}
