/* SPDX-License-Identifier: Apache-2.0 */
#include "build/link_flags.h"

#include "base/comma_list.h"
#include "compile/compile_options.h"

#include <string.h>

/* nvJitLink has two levels. */
static bool is_known_level(const char *level)
{
    return !level || strcmp(level, "0") == 0 || strcmp(level, "3") == 0;
}

/* Options that `cubinet link` has, too. */
static bool is_shared(int id, const char *value)
{
    switch (id) {
    case ID_OPTIMIZE:
        return is_known_level(value);
    case ID_DEBUG:
    case ID_LINE_INFO:
    case ID_FAST_MATH:
    case ID_FTZ:
    case ID_PREC_DIV:
    case ID_PREC_SQRT:
    case ID_FMAD:
    case ID_MAX_REGISTERS:
    case ID_TIMEOUT:
    case ID_MEMORY_LIMIT:
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

static cubinet_status add_raw(struct cbn_text_list *flags, const char *option)
{
    cubinet_status status = cbn_text_list_add(flags, "--nvjitlink");
    return status ? status : cbn_text_list_add(flags, option);
}

/* nvJitLink takes one at a time. */
static cubinet_status add_ptxas(const char *list, struct cbn_text_list *nvjitlink)
{
    struct cbn_text_list options = {0};
    cubinet_status status = comma_list_split(list, &options);
    for (size_t i = 0; !status && i < options.count; i++) {
        status = cbn_text_list_addf(nvjitlink, "-Xptxas=%s", options.items[i]);
    }
    cbn_text_list_free(&options);
    return status;
}

/* What a compile hands to nvJitLink. */
static cubinet_status add_forwarded(int id, const char *value, struct cbn_text_list *flags)
{
    struct cbn_text_list nvrtc = {0};
    struct cbn_text_list nvjitlink = {0};
    cubinet_status status = id == ID_PTXAS ? add_ptxas(value, &nvjitlink)
                                           : compile_options_forward(id, value, &nvrtc, &nvjitlink);
    for (size_t i = 0; !status && i < nvjitlink.count; i++) {
        status = add_raw(flags, nvjitlink.items[i]);
    }
    cbn_text_list_free(&nvrtc);
    cbn_text_list_free(&nvjitlink);
    return status;
}

cubinet_status link_flags_take(int id, const char *value, char *const *words, int count,
                               struct cbn_text_list *flags, struct cbn_text_list *files)
{
    if (is_shared(id, value)) {
        return add_words(flags, words, count);
    }
    cubinet_status status = id == ID_CONTROLS ? cbn_text_list_add(files, value) : CUBINET_OK;
    return status ? status : add_forwarded(id, value, flags);
}
