/* SPDX-License-Identifier: Apache-2.0 */
/* Link options that are about the code, kept and put into nvJitLink's words. */
#ifndef CBN_LINK_SETTINGS_H
#define CBN_LINK_SETTINGS_H

#include "loader/core/support/text_list.h"

#include <cubinet/link.h>

struct cbn_link_settings {
    bool no_optimization;
    bool debug;
    bool lineinfo;
    bool drop_unused_variables;
    uint32_t max_registers;
    uint32_t math;
    int suffix;
    struct cbn_text_list kernels_used; /* expressions or names */
    struct cbn_text_list variables_used;
    struct cbn_text_list raw;
};

/* Checks options and copies them; NULL: the defaults. The caller frees what is in `out_settings`. */
cubinet_status cbn_link_settings_read(const cubinet_link_options *options,
                                      struct cbn_link_settings *out_settings);
void cbn_link_settings_free(struct cbn_link_settings *settings);

/* Appends nvJitLink's options, but those for names. */
void cbn_link_settings_say(const struct cbn_link_settings *settings, struct cbn_text_list *options);

#endif
