/* SPDX-License-Identifier: Apache-2.0 */
/* Finding a module's kernels and globals by name or expression. */
#include "loader/core/archive/cbn_archive.h"
#include "loader/core/archive/opened.h"
#include "loader/core/names/readable.h"
#include "loader/core/support/error.h"
#include "loader/core/support/expression.h"
#include "loader/core/support/nearest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The kernels or the globals of a module: rows of both start with a lowered name and an expression. */
struct named {
    const struct cbn_block *block;
    const struct cbn_table *table;
    const char *what;
};

static const char *name_of(const struct named *named, uint32_t row)
{
    return cbn_string_at(&named->block->strings, cbn_row(named->table, row) + CBN_KERNEL_NAME);
}

static const char *expression_of(const struct named *named, uint32_t row)
{
    return cbn_string_at(&named->block->strings, cbn_row(named->table, row) + CBN_KERNEL_EXPRESSION);
}

static bool find_name(const struct named *named, const char *name, uint32_t *out_row)
{
    return cbn_find_string(named->table, &named->block->strings, CBN_KERNEL_NAME, name, out_row);
}

static bool find_expression(const struct named *named, const char *expression, uint32_t *out_row)
{
    for (uint32_t i = 0; i < named->table->count; i++) {
        const char *other = expression_of(named, i);
        if (other[0] && cbn_expression_equal(expression, other)) {
            *out_row = i;
            return true;
        }
    }
    return false;
}

static cubinet_status not_found(const struct named *named, const char *wanted)
{
    struct cbn_nearest nearest;
    cbn_nearest_start(&nearest, wanted, strlen(wanted));
    for (uint32_t i = 0; i < named->table->count; i++) {
        if (expression_of(named, i)[0]) {
            cbn_nearest_offer(&nearest, expression_of(named, i));
        }
        cbn_nearest_offer(&nearest, name_of(named, i));
    }
    const char *found = cbn_nearest_found(&nearest);
    if (found) {
        return cbn_error(CUBINET_ERROR_NOT_FOUND, "module '%s' has no %s '%s'; the nearest is '%s'",
                         named->block->module, named->what, wanted, found);
    }
    return cbn_error(CUBINET_ERROR_NOT_FOUND, "module '%s' has no %s '%s', nor any like it among its %u",
                     named->block->module, named->what, wanted, (unsigned)named->table->count);
}

/* Instances of one expression, of which each architecture may have its own, are one. */
static bool is_same(const struct named *named, uint32_t a, uint32_t b)
{
    return expression_of(named, a)[0] &&
           cbn_expression_equal(expression_of(named, a), expression_of(named, b));
}

/* Offers the names of all rows; the row of the first that fits best. */
static uint32_t offer_all(const struct named *named, struct cbn_readable_search *search)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < named->table->count; i++) {
        enum cbn_fit before = search->fit;
        if (search->count == 0 || !is_same(named, first, i)) {
            cbn_readable_offer(search, name_of(named, i));
            first = search->fit < before ? i : first;
        }
    }
    return first;
}

static cubinet_status find_readable(const struct named *named, const char *wanted, uint32_t *out_row)
{
    struct cbn_readable_search search = cbn_readable_search_start(wanted);
    uint32_t row = offer_all(named, &search);
    const char *name = NULL;
    char what[16];
    snprintf(what, sizeof(what), "%ss", named->what);
    cubinet_status status = cbn_readable_search_end(&search, what, &name);
    if (status == CUBINET_ERROR_NOT_FOUND) {
        return cbn_error_context(status, "module '%s'", named->block->module);
    }
    if (!status && !name) {
        return not_found(named, wanted);
    }
    if (!status) {
        *out_row = row;
    }
    return status;
}

static cubinet_status find(const struct named *named, const char *wanted, uint32_t *out_row)
{
    if (!wanted || !out_row) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "the %s's name, or the place for it, is NULL",
                         named->what);
    }
    if (find_name(named, cbn_expression_start(wanted), out_row) || find_expression(named, wanted, out_row)) {
        return CUBINET_OK;
    }
    return find_readable(named, wanted, out_row);
}

cubinet_status cubinet_archive_find_kernel(const cubinet_archive *archive, uint32_t module,
                                           const char *expression_or_name, uint32_t *out_kernel)
{
    const struct cbn_block *block = NULL;
    cubinet_status status = cbn_archive_block(archive, module, &block);
    if (status) {
        return status;
    }
    struct named kernels = {block, &block->kernels, "kernel"};
    return find(&kernels, expression_or_name, out_kernel);
}

cubinet_status cubinet_archive_find_global(const cubinet_archive *archive, uint32_t module,
                                           const char *expression_or_name, uint32_t *out_global)
{
    const struct cbn_block *block = NULL;
    cubinet_status status = cbn_archive_block(archive, module, &block);
    if (status) {
        return status;
    }
    struct named globals = {block, &block->globals, "global"};
    return find(&globals, expression_or_name, out_global);
}

bool cbn_archive_has_global(const cubinet_archive *archive, uint32_t module, const char *name)
{
    const struct cbn_block *block = NULL;
    uint32_t row = 0;
    if (cbn_archive_block(archive, module, &block)) {
        return false;
    }
    struct named globals = {block, &block->globals, "global"};
    return find_name(&globals, name, &row);
}

bool cbn_archive_is_ambiguous(const cubinet_archive *archive, uint32_t module, const char *name)
{
    const struct cbn_block *block = NULL;
    struct cbn_readable_search search = cbn_readable_search_start(name);
    if (!cbn_archive_block(archive, module, &block)) {
        struct named kernels = {block, &block->kernels, "kernel"};
        offer_all(&kernels, &search);
    }
    cbn_readable_free(search.readable);
    return search.count > 1;
}
