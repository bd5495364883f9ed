/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/names/readable.h"

#include "loader/core/names/mangled_text.h"
#include "loader/core/support/expression.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST = 32768 };

struct cbn_readable {
    struct cbn_mangled_space space;
    char text[LONGEST];
};

struct cbn_readable *cbn_readable_new(void)
{
    return malloc(sizeof(struct cbn_readable));
}

void cbn_readable_free(struct cbn_readable *readable)
{
    free(readable);
}

static bool read(struct cbn_readable *readable, const char *lowered, struct cbn_mangled_text *out_parts)
{
    const struct cbn_mangled *encoding = cbn_mangled_read(&readable->space, lowered);
    return encoding && cbn_mangled_write(encoding, readable->text, LONGEST, out_parts);
}

const char *cbn_readable_full(struct cbn_readable *readable, const char *lowered)
{
    struct cbn_mangled_text parts;
    return read(readable, lowered, &parts) ? readable->text : NULL;
}

const char *cbn_readable_name(struct cbn_readable *readable, const char *lowered)
{
    struct cbn_mangled_text parts;
    if (!read(readable, lowered, &parts)) {
        return NULL;
    }
    readable->text[parts.parameters] = '\0';
    return readable->text;
}

/* c++filt prints the result of templates, which is void of every kernel. */
static const char *skip_result(const char *wanted)
{
    wanted = cbn_expression_start(wanted);
    return strncmp(wanted, "void ", 5) == 0 ? wanted + 5 : wanted;
}

enum cbn_fit cbn_readable_fit(struct cbn_readable *readable, const char *wanted, const char *lowered)
{
    struct cbn_mangled_text parts;
    if (!read(readable, lowered, &parts)) {
        return CBN_FIT_NONE;
    }
    const size_t ends[] = {parts.size, parts.parameters, parts.arguments};
    bool fits_plain = false;
    wanted = skip_result(wanted);
    for (int fit = CBN_FIT_FULL; fit <= CBN_FIT_QUALIFIED; fit++) {
        readable->text[ends[fit]] = '\0';
        if (cbn_expression_equal(wanted, readable->text)) {
            return (enum cbn_fit)fit;
        }
        fits_plain |= cbn_expression_equal(wanted, readable->text + parts.plain);
    }
    return fits_plain ? CBN_FIT_PLAIN : CBN_FIT_NONE;
}

void cbn_readable_offer(struct cbn_readable_search *search, const char *lowered)
{
    enum cbn_fit fit = cbn_readable_fit(search->readable, search->wanted, lowered);
    if (fit < search->fit) {
        search->fit = fit;
        search->found = lowered;
    } else if (fit == search->fit && search->found && strcmp(search->found, lowered) != 0) {
        search->found = NULL;
    }
}
