/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/link_options.h"

#include "base/comma_list.h"
#include "compile/compile_arguments.h"
#include "compile/compile_options.h"
#include "compile/compile_values.h"
#include "loader/core/support/error.h"

#include <string.h>

struct translation {
    struct cbn_text_list *flags;
    struct cbn_text_list *files;
    bool drops_host_options;
    bool debug;
    bool optimize_debug;
};

/* Options that `cubinet link` has, too. */
static bool is_shared(int id)
{
    switch (id) {
    case ID_LINE_INFO:
    case ID_FAST_MATH:
    case ID_FTZ:
    case ID_PREC_DIV:
    case ID_PREC_SQRT:
    case ID_FMAD:
    case ID_MAX_REGISTERS:
    case ID_KEEP_GLOBALS:
    case ID_DEVICE_RUNTIME:
    case ID_PARTS:
    case ID_TOOLKIT:
    case ID_TIMEOUT:
    case ID_MEMORY_LIMIT:
    case ID_VERBOSE:
        return true;
    default:
        return false;
    }
}

static cubinet_status add_words(struct cbn_text_list *flags, char *const *words, int count)
{
    cubinet_status status = CUBINET_OK;
    for (int i = 0; !status && i < count; i++) {
        status = cbn_text_list_add(flags, words[i]);
    }
    return status;
}

static cubinet_status add_raw(struct cbn_text_list *flags, const char *option, const char *value)
{
    cubinet_status status = cbn_text_list_add(flags, "--nvjitlink");
    return status ? status : cbn_text_list_addf(flags, "%s%s", option, value);
}

/* nvJitLink takes one at a time. */
static cubinet_status add_ptxas(struct cbn_text_list *flags, const char *list)
{
    struct cbn_text_list options = {0};
    cubinet_status status = comma_list_split(list, &options);
    for (size_t i = 0; !status && i < options.count; i++) {
        status = add_raw(flags, "-Xptxas=", options.items[i]);
    }
    cbn_text_list_free(&options);
    return status;
}

/* A link has the levels that nvJitLink has itself, so that its own -O may override one. */
static bool is_own_level(const char *option)
{
    return strcmp(option, "-O0") == 0 || strcmp(option, "-O3") == 0;
}

/* What a compile hands to nvJitLink. */
static cubinet_status add_forwarded(struct cbn_text_list *flags, int id, const char *value)
{
    struct cbn_text_list nvrtc = {0};
    struct cbn_text_list nvjitlink = {0};
    cubinet_status status = id == ID_OPTIMIZE ? compile_values_add_optimization(value, &nvjitlink)
                                              : compile_options_forward(id, value, &nvrtc, &nvjitlink);
    for (size_t i = 0; !status && i < nvjitlink.count; i++) {
        const char *option = nvjitlink.items[i];
        status = is_own_level(option) ? cbn_text_list_add(flags, option) : add_raw(flags, option, "");
    }
    cbn_text_list_free(&nvrtc);
    cbn_text_list_free(&nvjitlink);
    return status;
}

static cubinet_status take(struct translation *to, int id, const char *value, char *const *words, int count)
{
    cubinet_status status = CUBINET_OK;
    switch (id) {
    case ID_DEBUG:
        to->debug = true;
        return CUBINET_OK;
    case ID_OPTIMIZE_DEBUG:
        to->optimize_debug = true;
        return CUBINET_OK;
    case ID_OPTIMIZE: /* nvcc's is for host code */
        return to->drops_host_options ? CUBINET_OK : add_forwarded(to->flags, id, value);
    case ID_PTXAS:
        return add_ptxas(to->flags, value);
    case ID_JUMP_TABLES:
        return add_raw(to->flags, "-jump-table-density=", value);
    case ID_CONTROLS:
        status = cbn_text_list_add(to->files, value);
        break;
    default:
        break;
    }
    if (status) {
        return status;
    }
    return is_shared(id) ? add_words(to->flags, words, count) : add_forwarded(to->flags, id, value);
}

static cubinet_status take_all(struct translation *to, struct option_reader *reader)
{
    cubinet_status status = CUBINET_OK;
    while (!status) {
        int before = reader->next;
        int id = option_next(reader);
        if (id == OPTION_END || id == OPTION_ERROR) {
            return id == OPTION_END ? CUBINET_OK : CUBINET_ERROR_INVALID_ARGUMENT;
        }
        if (id == OPTION_POSITIONAL) {
            status = cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "'%s' is not an option of a compile",
                               reader->value);
        } else if (id != OPTION_UNKNOWN) {
            compile_values_take_optional(reader, id);
            status = take(to, id, reader->value, reader->argv + before, reader->next - before);
        }
    }
    return status;
}

/* What -G means depends on -dopt, wherever that stands. */
static cubinet_status add_debug(const struct translation *to)
{
    return to->debug ? cbn_text_list_add(to->flags, to->optimize_debug ? "-lineinfo" : "-G") : CUBINET_OK;
}

cubinet_status link_options_of_compile(int argc, char **argv, struct cbn_text_list *flags,
                                       struct cbn_text_list *files)
{
    struct translation to = {
        .flags = flags,
        .files = files,
        .drops_host_options = compile_arguments_drop_host_options(argc, argv),
    };
    struct option_reader reader = {
        .options = compile_options,
        .more = nvcc_options,
        .skips_unknown = to.drops_host_options || nvcc_forwards_unknown(argc, argv),
        .argc = argc,
        .argv = argv,
    };
    cubinet_status status = take_all(&to, &reader);
    return status ? status : add_debug(&to);
}
