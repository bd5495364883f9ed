/* SPDX-License-Identifier: Apache-2.0 */
/* A C header about an archive: what programs call its modules, kernels and globals, and what launches need to
 * know, as constants, so that what is not there does not compile. */
#ifndef HEADER_H
#define HEADER_H

#include "show/shown_archive.h"

struct header_options {
    const char *prefix;   /* a C identifier, which all names in it start with */
    const char *embedded; /* NULL, or what a program that has the archive inside calls its bytes */
    bool cxx;             /* also function objects for C++17 */
};

/* Makes the header's text, the same for the same archive, file name and options. The caller frees it. */
cubinet_status header_text(const struct shown_archive *shown, const struct header_options *options,
                           char **out_text);

#endif
