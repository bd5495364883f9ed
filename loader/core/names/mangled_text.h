/* SPDX-License-Identifier: Apache-2.0 */
/* What mangled names are to people, as c++filt prints it. */
#ifndef CBN_MANGLED_TEXT_H
#define CBN_MANGLED_TEXT_H

#include "loader/core/names/mangled.h"

/* "ns::scale<float, 256>(float*, int)", without the result, and where its parts begin. */
struct cbn_mangled_text {
    size_t size;
    size_t plain;      /* "scale" */
    size_t arguments;  /* "<float, 256>"; where the next begins if there are none */
    size_t parameters; /* "(float*, int)"; the end of a variable's text */
};

/* Writes what cbn_mangled_read() gave into `text`, with a NUL. False if there is no room for it, or it says
 * something that nothing stands for. */
bool cbn_mangled_write(const struct cbn_mangled *encoding, char *text, size_t capacity,
                       struct cbn_mangled_text *out_parts);

#endif
