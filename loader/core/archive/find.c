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

/* Rows that a name which is none of theirs may mean. */
struct meant {
    enum cbn_fit fit;
    uint32_t count;
    uint32_t first;
};

/* Instances of one expression, of which each architecture may have its own, are one. */
static bool is_same(const struct named *named, uint32_t a, uint32_t b)
{
    return expression_of(named, a)[0] &&
           cbn_expression_equal(expression_of(named, a), expression_of(named, b));
}

static struct meant find_meant(const struct named *named, struct cbn_readable *readable, const char *wanted)
{
    struct meant meant = {.fit = CBN_FIT_NONE};
    for (uint32_t i = 0; i < named->table->count; i++) {
        enum cbn_fit fit = cbn_readable_fit(readable, wanted, name_of(named, i));
        if (fit < meant.fit) {
            meant = (struct meant){fit, 1, i};
        } else if (fit < CBN_FIT_NONE && fit == meant.fit && !is_same(named, meant.first, i)) {
            meant.count++;
        }
    }
    return meant;
}

/* Names those that are meant, up to some: as people write them unless that is what was written. */
static cubinet_status ambiguous(const struct named *named, struct cbn_readable *readable, const char *wanted,
                                const struct meant *meant)
{
    enum { MOST = 8 };
    char *list = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&list, &size);
    if (!file) {
        return cbn_error_memory();
    }
    uint32_t told = 0;
    for (uint32_t i = meant->first; i < named->table->count && told < MOST; i++) {
        const char *name = name_of(named, i);
        if (cbn_readable_fit(readable, wanted, name) == meant->fit) {
            const char *full = meant->fit == CBN_FIT_FULL ? NULL : cbn_readable_full(readable, name);
            fprintf(file, "%s'%s'", told++ ? ", " : "", full ? full : name);
        }
    }
    if (fclose(file)) {
        free(list);
        return cbn_error_memory();
    }
    cubinet_status status = cbn_error(
        CUBINET_ERROR_NOT_FOUND, "module '%s' has %u %ss that '%s' may mean: %s%s; write one of these names",
        named->block->module, (unsigned)meant->count, named->what, wanted, list,
        meant->count > MOST ? ", ..." : "");
    free(list);
    return status;
}

static cubinet_status find_readable(const struct named *named, const char *wanted, uint32_t *out_row)
{
    struct cbn_readable *readable = cbn_readable_new();
    if (!readable) {
        return cbn_error_memory();
    }
    struct meant meant = find_meant(named, readable, wanted);
    cubinet_status status = meant.count == 0   ? not_found(named, wanted)
                            : meant.count == 1 ? CUBINET_OK
                                               : ambiguous(named, readable, wanted, &meant);
    cbn_readable_free(readable);
    if (!status) {
        *out_row = meant.first;
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
    struct cbn_readable *readable = cbn_readable_new();
    bool is_ambiguous = false;
    if (readable && !cbn_archive_block(archive, module, &block)) {
        struct named kernels = {block, &block->kernels, "kernel"};
        is_ambiguous = find_meant(&kernels, readable, name).count > 1;
    }
    cbn_readable_free(readable);
    return is_ambiguous;
}
