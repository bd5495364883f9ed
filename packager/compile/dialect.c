/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/dialect.h"

#include "loader/core/support/error.h"
#include "loader/core/support/text.h"

#include <ctype.h>
#include <string.h>

static const char option[] = "-std=";

const char *dialect_number(const char *name)
{
    static const char *const dialects[][2] = {{"03", "199711L"}, {"11", "201103L"}, {"14", "201402L"},
                                              {"17", "201703L"}, {"20", "202002L"}, {"23", "202302L"}};
    size_t size = strlen(name);
    for (size_t i = 0; i < sizeof(dialects) / sizeof(dialects[0]); i++) {
        if (size > 2 && strcmp(name + size - 2, dialects[i][0]) == 0) {
            return dialects[i][1];
        }
    }
    return "201703L";
}

/* Whether the caret two lines below a message points to a dot and a name. */
static bool points_to_designator(const char *message)
{
    const char *line = strchrnul(message, '\n');
    line += *line == '\n';
    size_t size = strcspn(line, "\n");
    const char *below = line + size + (line[size] == '\n');
    size_t column = strspn(below, " \t");
    return below[column] == '^' && column + 1 < size && line[column] == '.' &&
           (isalpha((unsigned char)line[column + 1]) || line[column + 1] == '_');
}

bool dialect_is_refused(const char *log)
{
    static const char refused[] = "error: expected an expression";
    static const char unevaluated[] = "error: a lambda is not allowed in an unevaluated expression";
    const char *at = strstr(log, refused);
    while (at && !points_to_designator(at)) {
        at = strstr(at + 1, refused);
    }
    return at || strstr(log, unevaluated) ||
           strstr(log, "#error directive: \"This file needs C++20 features.");
}

bool dialect_is_too_old(const char *log)
{
    return strstr(log, "#error directive: libcu++ requires at least C++") != NULL;
}

/* The option that names the dialect. */
static const char *asked_option(const struct cbn_text_list *options)
{
    const char *asked = "-std=c++17";
    for (size_t i = 0; i < options->count; i++) {
        asked = cbn_starts_with(options->items[i], option) ? options->items[i] : asked;
    }
    return asked;
}

cubinet_status dialect_renew(struct cbn_text_list *options)
{
    cbn_text_list_remove(options, asked_option(options));
    return cbn_text_list_addf(options, "%sc++17", option);
}

cubinet_status dialect_raise(struct cbn_text_list *options)
{
    const char *asked = asked_option(options);
    const char *number = dialect_number(asked);
    cbn_text_list_remove(options, asked);
    cubinet_status status = cbn_text_list_addf(options, "%sc++20", option);
    return status ? status : cbn_text_list_addf(options, "-D__cplusplus=%s", number);
}
