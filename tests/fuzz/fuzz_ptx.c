/* SPDX-License-Identifier: Apache-2.0 */
/* Text that claims to be PTX: what is in it, its symbols, cleaning it, merging it, and splitting it. What was
 * cleaned must be as readable as it was before; so must the parts be, with each kernel in one of them. */
#include "harness.h"
#include "ptx/cleaning/ptx_clean.h"
#include "ptx/cleaning/ptx_merge.h"
#include "ptx/reading/ptx.h"
#include "ptx/reading/ptx_symbols.h"
#include "ptx/splitting/ptx_split.h"

#include <string.h>

static int can_read(const char *text, size_t size)
{
    struct contents contents = {0};
    struct symbol_list symbols = {0};
    int readable = ptx_read(text, size, &contents) == CUBINET_OK;
    if (readable) {
        contents_free(&contents);
    }
    ptx_symbols_read(text, size, &symbols);
    symbol_list_free(&symbols);
    return readable;
}

static void clean(const char *text, size_t size, int readable)
{
    static const char *const keep[] = {"kept", "_ZN1a1bE"};
    static const struct ptx_path_map maps[] = {{"/home/", "h/"}, {"/", ""}};
    const struct ptx_clean_options options = {
        .drop_unreferenced = true,
        .keep = keep,
        .keep_count = sizeof(keep) / sizeof(keep[0]),
        .path_maps = maps,
        .path_map_count = sizeof(maps) / sizeof(maps[0]),
        .tell_shared_offsets = true,
        .identity = "module",
    };
    char *cleaned = NULL;
    size_t cleaned_size = 0;
    if (ptx_clean(text, size, &options, &cleaned, &cleaned_size) == CUBINET_OK && readable &&
        !can_read(cleaned, cleaned_size)) {
        abort();
    }
    free(cleaned);
}

/* The text and a kernel that it surely lacks. */
static void merge(const char *text, size_t size)
{
    static const char other[] =
        ".version 8.0\n.target sm_80\n.address_size 64\n.entry no_such_kernel_() { ret; }";
    const struct ptx_piece pieces[] = {{text, size, "first"}, {other, sizeof(other) - 1, "second"}};
    char *merged = NULL;
    char *reason = NULL;
    size_t merged_size = 0;
    if (ptx_merge(pieces, 2, &merged, &merged_size, &reason) == CUBINET_OK && !merged == !reason) {
        abort();
    }
    free(merged);
    free(reason);
}

/* How many parts have a kernel. */
static size_t parts_with(const struct contents *parts, size_t count, const char *kernel)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        found += contents_has_kernel(&parts[i], kernel);
    }
    return found;
}

static void check_parts(const struct ptx_parts *parts, const struct contents *whole)
{
    struct contents *contents = calloc(parts->count, sizeof(*contents));
    size_t kernels = 0;
    for (size_t i = 0; contents && i < parts->count; i++) {
        if (ptx_read(parts->items[i].text, parts->items[i].size, &contents[i])) {
            abort();
        }
        kernels += contents[i].kernel_count;
        if (contents[i].kernel_count == 0 ||
            (i > 0 && strcmp(contents[i - 1].kernels[0].name, contents[i].kernels[0].name) >= 0)) {
            abort();
        }
    }
    for (size_t i = 0; contents && i < whole->kernel_count; i++) {
        if (kernels != whole->kernel_count ||
            parts_with(contents, parts->count, whole->kernels[i].name) != 1) {
            abort();
        }
    }
    for (size_t i = 0; contents && i < parts->count; i++) {
        contents_free(&contents[i]);
    }
    free(contents);
}

static void split(const char *text, size_t size)
{
    struct contents whole = {0};
    struct ptx_parts parts = {0};
    if (ptx_split(text, size, &parts)) {
        return;
    }
    if (parts.count == 1 || !parts.count == !parts.reason) {
        abort();
    }
    if (parts.count > 0 && ptx_read(text, size, &whole) == CUBINET_OK) {
        check_parts(&parts, &whole);
        contents_free(&whole);
    }
    ptx_parts_free(&parts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = harness_copy(data, size);
    clean(text, size, can_read(text, size));
    merge(text, size);
    split(text, size);
    free(text);
    return 0;
}
