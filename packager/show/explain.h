/* SPDX-License-Identifier: Apache-2.0 */
/* What `cubinet explain` is about, and its two forms of output. */
#ifndef EXPLAIN_H
#define EXPLAIN_H

#include "show/coverage.h"
#include "show/shown_archive.h"

enum { EXPLAIN_LABEL_SIZE = 64 };

/* A device that is asked about. */
struct explain_device {
    cubinet_device_profile profile;
    char label[EXPLAIN_LABEL_SIZE]; /* "9.0 (H100)" */
};

struct explain {
    const struct shown_archive *shown;
    const struct explain_device *devices;
    size_t device_count;
    const cubinet_policy *policy; /* NULL: the default */
    bool assume_linker; /* the profiles have no nvJitLink: assume the one that a module's LTO-IR wants */
};

/* The device as the module meets it. */
cubinet_device_profile explain_profile(const struct explain *explain, const struct listing_module *module,
                                       size_t device);

/* A verdict's sentence, which the caller frees; NULL if memory is out. */
char *explain_reason(const struct explain *explain, const struct listing_module *module,
                     const cubinet_verdict *verdict, const cubinet_device_profile *device);

/* For one device the whole ranking of each module, for several what each gets. */
cubinet_status explain_print(const struct explain *explain);
cubinet_status explain_print_json(const struct explain *explain);

#endif
