/* SPDX-License-Identifier: Apache-2.0 */
/* Text that claims to be PTX: what is in it, its symbols, cleaning it, and merging it. What was cleaned must
 * be as readable as it was before. */
#include "harness.h"
#include "ptx/cleaning/ptx_clean.h"
#include "ptx/cleaning/ptx_merge.h"
#include "ptx/reading/ptx.h"
#include "ptx/reading/ptx_symbols.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = harness_copy(data, size);
    clean(text, size, can_read(text, size));
    merge(text, size);
    free(text);
    return 0;
}
