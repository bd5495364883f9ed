/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/werror.h"

#include "base/comma_list.h"
#include "loader/core/support/error.h"

#include <string.h>

/* The kinds of warnings that nvcc's -Werror takes, and the numbers that NVRTC has for them. */
static const char all_warnings[] = "all-warnings";
static const struct {
    const char *name;
    const char *numbers; /* NULL: it never warns of that */
} werror_kinds[] = {
    {all_warnings, NULL},
    {"cross-execution-space-call", "20011,20013,20014"},
    {"default-stream-launch", NULL},
    {"deprecated-declarations", "1215,1444"},
    {"ext-lambda-captures-this", NULL},
    {"missing-launch-bounds", "20238"},
    {"reorder", "1719"},
};
enum { WERROR_KINDS = sizeof(werror_kinds) / sizeof(werror_kinds[0]) };

/* The number of the kind that `text` starts with, up to its end or a comma; WERROR_KINDS if it is none. */
static size_t find_werror_kind(const char *text)
{
    size_t kind = 0;
    for (; kind < WERROR_KINDS; kind++) {
        size_t size = strlen(werror_kinds[kind].name);
        if (strncmp(text, werror_kinds[kind].name, size) == 0 && (text[size] == '\0' || text[size] == ',')) {
            break;
        }
    }
    return kind;
}

static cubinet_status add_werror_kind(struct compile_arguments *arguments, const char *name)
{
    size_t kind = find_werror_kind(name);
    if (kind == WERROR_KINDS) {
        return cbn_error(
            CUBINET_ERROR_INVALID_ARGUMENT,
            "option '-Werror' takes %s and nvcc's other kinds, not '%s'; -diag-error makes one warning "
            "an error by its number",
            all_warnings, name);
    }
    if (werror_kinds[kind].name == all_warnings) {
        arguments->warnings_are_errors = true;
        return CUBINET_OK;
    }
    return werror_kinds[kind].numbers
               ? cbn_text_list_addf(&arguments->nvrtc_options, "-diag-error=%s", werror_kinds[kind].numbers)
               : nvcc_ignored_add(&arguments->ignored.for_host, "-Werror", name);
}

bool werror_is_list(const char *text)
{
    return find_werror_kind(text) < WERROR_KINDS;
}

cubinet_status werror_take(struct compile_arguments *arguments, const char *kinds)
{
    if (!kinds) {
        arguments->warnings_are_errors = true;
        return CUBINET_OK;
    }
    struct cbn_text_list names = {0};
    cubinet_status status = comma_list_split(kinds, &names);
    for (size_t i = 0; !status && i < names.count; i++) {
        status = add_werror_kind(arguments, names.items[i]);
    }
    cbn_text_list_free(&names);
    return status;
}
