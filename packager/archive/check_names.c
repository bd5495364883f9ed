/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/check_names.h"

#include "archive/lowered_name.h"

#include <string.h>

/* Rows from `first` on, which start with the offsets of a lowered name and an expression. */
struct names {
    const struct cbn_table *strings;
    const struct cbn_table *rows;
    uint32_t first;
    uint32_t count;
};

enum { COMPARING = 32 /* what comparing two texts takes, as bytes of them */ };

static const char *name_at(const struct names *names, uint32_t i)
{
    return cbn_string_at(names->strings, cbn_row(names->rows, names->first + i) + CBN_KERNEL_NAME);
}

static const char *expression_at(const struct names *names, uint32_t i)
{
    return cbn_string_at(names->strings, cbn_row(names->rows, names->first + i) + CBN_KERNEL_EXPRESSION);
}

/* Takes what comparing an expression with a name takes out of what is left. */
static bool spend(const char *expression, const char *name, uint64_t *io_left)
{
    uint64_t bytes = COMPARING + strlen(expression) + strlen(name);
    bool is_left = *io_left >= bytes;
    *io_left -= is_left ? bytes : *io_left;
    return is_left;
}

/* The row whose lowered name the expression fits. */
static bool find_fitting(const struct names *names, const char *expression, uint64_t *io_left,
                         uint32_t *out_row)
{
    for (uint32_t i = 0; i < names->count && spend(expression, name_at(names, i), io_left); i++) {
        if (lowered_name_fits(expression, name_at(names, i))) {
            *out_row = i;
            return true;
        }
    }
    return false;
}

static void check(const struct names *names, const char *what, const char *module, uint64_t *io_left,
                  struct problems *problems)
{
    for (uint32_t i = 0; i < names->count; i++) {
        const char *expression = expression_at(names, i);
        uint32_t other;
        if (expression[0] && !lowered_name_fits(expression, name_at(names, i)) &&
            find_fitting(names, expression, io_left, &other)) {
            problems_add(problems, "module '%s': the expression '%s' is recorded for %s '%s', but names '%s'",
                         module, expression, what, name_at(names, i), name_at(names, other));
        }
    }
}

void check_names(const struct cbn_block *block, const struct listing_module *module, uint64_t *io_left,
                 struct problems *problems)
{
    check(&(struct names){&block->strings, &block->kernels, 0, block->kernels.count}, "kernel", module->name,
          io_left, problems);
    check(&(struct names){&block->strings, &block->globals, 0, block->globals.count}, "global", module->name,
          io_left, problems);
    for (uint32_t i = 0; i < block->pieces.count; i++) {
        const unsigned char *piece = cbn_row(&block->pieces, i);
        check(&(struct names){&block->strings, &block->symbols, cbn_get32(piece + CBN_PIECE_FIRST_SYMBOL),
                              cbn_get32(piece + CBN_PIECE_DEFINED) + cbn_get32(piece + CBN_PIECE_NEEDED)},
              "symbol", module->name, io_left, problems);
    }
}
