/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/link/link_undefined.h"

#include "loader/core/names/readable.h"
#include "loader/core/support/error.h"
#include "loader/link/link_plan_parts.h"
#include "loader/link/link_provider.h"
#include "loader/link/link_symbols.h"

#include <stdlib.h>
#include <string.h>

/* A link of a library that was forgotten lacks hundreds. */
enum { EXPLAINED = 8 };

static const struct cbn_piece *piece_that_needs(const struct cbn_link_plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->piece_count; i++) {
        const struct cbn_piece *piece = &plan->pieces[i];
        for (size_t s = 0; s < piece->symbol_count; s++) {
            if (!piece->symbols[s].is_defined && strcmp(piece->symbols[s].name, name) == 0) {
                return piece;
            }
        }
    }
    return NULL;
}

/* "; module 'ops' of the same archive defines it: add it to the link" */
static void say_provider(const struct cbn_link_plan *plan, cubinet_status status, const char *name)
{
    for (size_t i = 0; i < plan->piece_count; i++) {
        struct cbn_kept_error kept = cbn_error_keep();
        const char *module =
            plan->pieces[i].archive ? cbn_link_find_provider(plan, plan->pieces[i].archive, name) : NULL;
        cbn_error_put_back(&kept);
        if (module) {
            cbn_error(status, "%s; module '%s' in the archive of %s defines it: add that module to the link",
                      cubinet_error_message(), module, plan->pieces[i].name);
            return;
        }
    }
}

/* "; ops.o defines 'scale(double)'": a function of the same name that takes something else. */
static void say_overload(const struct cbn_link_plan *plan, cubinet_status status, const char *name,
                         struct cbn_readable *readable)
{
    const char *text = cbn_readable_name(readable, name);
    char *wanted = text ? strdup(text) : NULL;
    for (size_t i = 0; wanted && i < plan->piece_count; i++) {
        const struct cbn_piece *piece = &plan->pieces[i];
        for (size_t s = 0; s < piece->symbol_count; s++) {
            const char *defined = piece->symbols[s].is_defined ? piece->symbols[s].name : "";
            const char *other = cbn_readable_name(readable, defined);
            if (other && strcmp(other, wanted) == 0) {
                cbn_error(status, "%s; %s defines '%s'", cubinet_error_message(), piece->name,
                          cbn_readable_full(readable, defined));
                free(wanted);
                return;
            }
        }
    }
    free(wanted);
}

static void explain(const struct cbn_link_plan *plan, cubinet_status status, const char *name,
                    struct cbn_readable *readable)
{
    const struct cbn_piece *needing = piece_that_needs(plan, name);
    const char *full = cbn_readable_full(readable, name);
    cbn_error(status, "%s\nno piece is known to define '%s'%s%s%s%s%s", cubinet_error_message(),
              full ? full : name, full ? " (" : "", full ? name : "", full ? ")" : "",
              needing ? ", which is needed by " : "", needing ? needing->name : "");
    say_provider(plan, status, name);
    say_overload(plan, status, name, readable);
}

void cbn_link_hint_at(const struct cbn_link_plan *plan, cubinet_status status, const char *missing)
{
    struct cbn_readable *readable = cbn_readable_new();
    say_provider(plan, status, missing);
    if (readable) {
        say_overload(plan, status, missing, readable);
    }
    cbn_readable_free(readable);
}

void cbn_link_explain_undefined(const struct cbn_link_plan *plan, cubinet_status status)
{
    struct cbn_kept_error kept = cbn_error_keep();
    struct cbn_text_list missing = {0};
    struct cbn_readable *readable = cbn_readable_new();
    bool is_known = readable && !cbn_symbols_missing(plan->pieces, plan->piece_count, &missing);
    cbn_error_put_back(&kept);
    for (size_t i = 0; is_known && i < missing.count && i < EXPLAINED; i++) {
        explain(plan, status, missing.items[i], readable);
    }
    if (missing.count > EXPLAINED) {
        cbn_error(status, "%s\nand %zu more", cubinet_error_message(), missing.count - EXPLAINED);
    }
    cbn_text_list_free(&missing);
    cbn_readable_free(readable);
}
