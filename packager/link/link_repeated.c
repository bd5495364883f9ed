/* SPDX-License-Identifier: Apache-2.0 */
#include "link/link_repeated.h"

#include "base/buffer.h"
#include "loader/core/names/readable.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

/* The symbol between quotes in nvJitLink's words, which the caller frees: of LTO-IR "Linking globals named
 * 'f': symbol multiply defined!", of others "Multiple definition of 'f' in 'a', first defined in 'b'". NULL
 * if it said nothing of the kind. */
static char *repeated_symbol(const char *message)
{
    static const char *const starts[] = {"Linking globals named '", "Multiple definition of '"};
    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
        const char *at = strstr(message, starts[i]);
        if (at) {
            at += strlen(starts[i]);
            return strndup(at, strcspn(at, "'"));
        }
    }
    return NULL;
}

static cubinet_status defines(const cubinet_archive *archive, uint32_t module, const char *symbol,
                              bool *out_defines)
{
    cubinet_module_info about = {.size = sizeof(about)};
    cubinet_status status = cubinet_archive_get_module(archive, module, &about);
    for (uint32_t i = 0; !status && !*out_defines && i < about.kernel_count; i++) {
        cubinet_kernel_info kernel = {.size = sizeof(kernel)};
        status = cubinet_archive_get_kernel(archive, module, i, &kernel);
        *out_defines = !status && strcmp(kernel.name, symbol) == 0;
    }
    return status;
}

/* Adds the modules of an input that have a kernel of that name: "module 'a' and module 'b'". */
static cubinet_status list_modules(const struct link_input *input, const char *symbol, size_t *count,
                                   struct buffer *text)
{
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; !status && i < input->module_count; i++) {
        cubinet_module_info about = {.size = sizeof(about)};
        bool has_it = false;
        status = cubinet_archive_get_module(input->archive, input->first_module + i, &about);
        if (!status) {
            status = defines(input->archive, input->first_module + i, symbol, &has_it);
        }
        if (!status && has_it) {
            buffer_printf(text, "%smodule '%s'", (*count)++ ? " and " : "", about.name);
        }
    }
    return status;
}

cubinet_status link_repeated_explain(cubinet_status status, const struct link_inputs *pieces)
{
    char *symbol = status == CUBINET_ERROR_LINK ? repeated_symbol(cubinet_error_message()) : NULL;
    struct buffer modules = {0};
    size_t count = 0;
    cubinet_status read = symbol ? CUBINET_OK : CUBINET_ERROR_NOT_FOUND;
    for (size_t i = 0; !read && i < pieces->count; i++) {
        if (pieces->items[i].archive) {
            read = list_modules(&pieces->items[i], symbol, &count, &modules);
        }
    }
    if (!read && !modules.failed && count > 1) {
        struct cbn_readable *readable = cbn_readable_new();
        const char *name = readable ? cbn_readable_full(readable, symbol) : NULL;
        cbn_error(CUBINET_ERROR_LINK,
                  "kernel '%s' is defined by %s, which are linked into one module: remove or rename one, or "
                  "put it into a module of its own",
                  name ? name : symbol, modules.data);
        cbn_readable_free(readable);
    }
    buffer_free(&modules);
    free(symbol);
    return status;
}
