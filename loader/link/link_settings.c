/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/link/link_settings.h"

#include "loader/core/support/error.h"
#include "loader/core/support/sized.h"

enum {
    KNOWN_FLAGS = CUBINET_LINK_NO_OPTIMIZATION | CUBINET_LINK_DEBUG | CUBINET_LINK_LINEINFO |
                  CUBINET_LINK_DROP_UNUSED_VARIABLES | CUBINET_LINK_NO_CACHE,
    KNOWN_MATH = CUBINET_MATH_FAST | CUBINET_MATH_NO_FMA,
};

static cubinet_status check(const cubinet_link_options *options)
{
    cubinet_status status = cbn_flags_check("cubinet_link_options", options->flags, KNOWN_FLAGS, 0);
    if (status) {
        return status;
    }
    if (options->math & ~(uint32_t)KNOWN_MATH) {
        return cbn_error(
            CUBINET_ERROR_INVALID_ARGUMENT,
            "cubinet_link_options: `math` is %#x; this version of the library knows the bits %#x",
            (unsigned)options->math, (unsigned)KNOWN_MATH);
    }
    if (options->suffix != 0 && options->suffix != 'a' && options->suffix != 'f') {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "cubinet_link_options: `suffix` is %d; it can be 'a', 'f' or 0", options->suffix);
    }
    return CUBINET_OK;
}

static cubinet_status copy_lists(const cubinet_link_options *options, struct cbn_link_settings *settings)
{
    cubinet_status status =
        cbn_text_list_copy(options->kernels_used, options->kernels_used_count,
                           "cubinet_link_options: `kernels_used`", &settings->kernels_used);
    if (!status) {
        status = cbn_text_list_copy(options->variables_used, options->variables_used_count,
                                    "cubinet_link_options: `variables_used`", &settings->variables_used);
    }
    if (!status) {
        status = cbn_text_list_copy(options->raw_options, options->raw_option_count,
                                    "cubinet_link_options: `raw_options`", &settings->raw);
    }
    return status;
}

cubinet_status cbn_link_settings_read(const cubinet_link_options *given,
                                      struct cbn_link_settings *out_settings)
{
    cubinet_link_options options;
    cubinet_status status = cbn_sized_read(given, "cubinet_link_options", &options, sizeof(options));
    if (!status) {
        status = check(&options);
    }
    if (status) {
        return status;
    }
    struct cbn_link_settings settings = {
        .no_optimization = (options.flags & CUBINET_LINK_NO_OPTIMIZATION) != 0,
        .debug = (options.flags & CUBINET_LINK_DEBUG) != 0,
        .lineinfo = (options.flags & CUBINET_LINK_LINEINFO) != 0,
        .drop_unused_variables = (options.flags & CUBINET_LINK_DROP_UNUSED_VARIABLES) != 0,
        .max_registers = options.max_registers,
        .math = options.math,
        .suffix = options.suffix,
    };
    status = copy_lists(&options, &settings);
    if (status) {
        cbn_link_settings_free(&settings);
        return status;
    }
    *out_settings = settings;
    return CUBINET_OK;
}

void cbn_link_settings_free(struct cbn_link_settings *settings)
{
    cbn_text_list_free(&settings->kernels_used);
    cbn_text_list_free(&settings->variables_used);
    cbn_text_list_free(&settings->raw);
}

void cbn_link_settings_say(const struct cbn_link_settings *settings, struct cbn_text_list *options)
{
    const struct {
        bool is_set;
        const char *option;
    } switches[] = {
        {settings->no_optimization, "-O0"},
        {settings->debug, "-g"},
        {settings->lineinfo, "-lineinfo"},
        {settings->math & CUBINET_MATH_FLUSH_DENORMALS, "-ftz=1"},
        {settings->math & CUBINET_MATH_APPROXIMATE_DIVISION, "-prec-div=0"},
        {settings->math & CUBINET_MATH_APPROXIMATE_SQRT, "-prec-sqrt=0"},
        {settings->math & CUBINET_MATH_NO_FMA, "-fma=0"},
    };
    for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++) {
        if (switches[i].is_set) {
            cbn_text_list_add(options, switches[i].option);
        }
    }
    if (settings->max_registers > 0) {
        cbn_text_list_addf(options, "-maxrregcount=%u", (unsigned)settings->max_registers);
    }
    for (size_t i = 0; i < settings->raw.count; i++) {
        cbn_text_list_add(options, settings->raw.items[i]);
    }
}
