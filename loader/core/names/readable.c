/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/names/readable.h"

#include "loader/core/names/mangled_text.h"
#include "loader/core/support/error.h"
#include "loader/core/support/expression.h"
#include "loader/core/support/text_stream.h"

#include <stdio.h>
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

struct cbn_readable_search cbn_readable_search_start(const char *wanted)
{
    return (struct cbn_readable_search){
        .readable = cbn_readable_new(), .wanted = wanted, .fit = CBN_FIT_NONE};
}

static size_t listed(const struct cbn_readable_search *search)
{
    return search->count < CBN_READABLE_LISTED ? search->count : CBN_READABLE_LISTED;
}

void cbn_readable_offer(struct cbn_readable_search *search, const char *lowered)
{
    enum cbn_fit fit =
        search->readable ? cbn_readable_fit(search->readable, search->wanted, lowered) : CBN_FIT_NONE;
    if (fit == CBN_FIT_NONE || fit > search->fit) {
        return;
    }
    if (fit < search->fit) {
        search->fit = fit;
        search->count = 0;
    }
    for (size_t i = 0; i < listed(search); i++) {
        if (strcmp(search->names[i], lowered) == 0) {
            return;
        }
    }
    if (search->count < CBN_READABLE_LISTED) {
        search->names[search->count] = lowered;
    }
    search->count++;
}

/* Lists those that fit as people write them, unless that is what was written. */
static cubinet_status ambiguous(const struct cbn_readable_search *search, const char *what)
{
    struct cbn_text_stream stream;
    FILE *file = cbn_text_stream_open(&stream);
    if (!file) {
        return cbn_error_memory();
    }
    for (size_t i = 0; i < listed(search); i++) {
        const char *name = search->names[i];
        const char *full = search->fit == CBN_FIT_FULL ? NULL : cbn_readable_full(search->readable, name);
        fprintf(file, "%s'%s'", i ? ", " : "", full ? full : name);
    }
    char *list = cbn_text_stream_close(&stream);
    if (!list) {
        return cbn_error_memory();
    }
    cubinet_status status = cbn_error(
        CUBINET_ERROR_NOT_FOUND, "'%s' may mean %zu %s: %s%s; write one of these names", search->wanted,
        search->count, what, list, search->count > CBN_READABLE_LISTED ? ", ..." : "");
    free(list);
    return status;
}

cubinet_status cbn_readable_search_end(struct cbn_readable_search *search, const char *what,
                                       const char **out_name)
{
    cubinet_status status = !search->readable   ? cbn_error_memory()
                            : search->count > 1 ? ambiguous(search, what)
                                                : CUBINET_OK;
    *out_name = search->count == 1 ? search->names[0] : NULL;
    cbn_readable_free(search->readable);
    search->readable = NULL;
    return status;
}
