/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_output.h"
#include "loader/core/support/error.h"
#include "show/coverage.h"
#include "show/gpus.h"
#include "show/natural_order.h"
#include "show/report_parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static int compare_modules(const void *a, const void *b)
{
    const struct listing_module *const *x = a;
    const struct listing_module *const *y = b;
    return natural_order((*x)->name, (*y)->name);
}

const struct listing_module **report_modules(const struct listing *listing)
{
    const struct listing_module **modules = calloc((size_t)listing->module_count + 1, sizeof(*modules));
    for (uint32_t i = 0; modules && i < listing->module_count; i++) {
        modules[i] = &listing->modules[i];
    }
    if (modules) {
        qsort(modules, listing->module_count, sizeof(*modules), compare_modules);
    }
    return modules;
}

json_t *report_generations(void)
{
    json_t *array = json_array();
    for (size_t i = 0; i < gpu_generation_count; i++) {
        int compute = gpu_generations[i].compute;
        json_array_append_new(array, json_pack("{s:s, s:o}", "name", gpu_generations[i].name, "device",
                                               json_sprintf("%d.%d", compute / 10, compute % 10)));
    }
    return array;
}

enum coverage_way report_coverage_way(const char *word)
{
    if (strcmp(word, "-") == 0) {
        return COVERAGE_NONE;
    }
    if (isdigit((unsigned char)word[0])) {
        return COVERAGE_CODE;
    }
    return strncmp(word, "lto", 3) == 0 ? COVERAGE_LINK : COVERAGE_JIT; /* PTX and Tile IR */
}

cubinet_status report_coverage_text(const struct listing_module *module, struct buffer *text)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < gpu_generation_count; i++) {
        char word[COVERAGE_WORD_SIZE];
        status = coverage_word(module, gpu_generations[i].compute, word);
        if (!status) {
            buffer_printf(text, "%s%s", i ? " " : "", word);
        }
    }
    return !status && text->failed ? cbn_error_memory() : status;
}

json_t *report_coverage_words(const char *text)
{
    json_t *words = json_array();
    while (*text) {
        size_t size = strcspn(text, " ");
        json_array_append_new(words, json_stringn(text, size));
        text += size + (text[size] == ' ');
    }
    return words;
}

/* `index` has the rows by their texts. */
static cubinet_status add_module(const struct listing_module *module, json_t *index, json_t *rows)
{
    struct buffer text = {0};
    cubinet_status status = report_coverage_text(module, &text);
    if (!status) {
        json_t *row = json_object_get(index, text.data);
        if (!row) {
            row = json_pack("{s:o, s:[]}", "words", report_coverage_words(text.data), "modules");
            json_object_set(index, text.data, row);
            json_array_append_new(rows, row);
        }
        json_array_append_new(json_object_get(row, "modules"), json_output_text(module->name));
    }
    buffer_free(&text);
    return status;
}

cubinet_status report_coverage(const struct listing_module *const *modules, size_t count, json_t *out_rows)
{
    json_t *index = json_object();
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < count; i++) {
        status = add_module(modules[i], index, out_rows);
    }
    json_decref(index);
    return status;
}
