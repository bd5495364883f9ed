/* SPDX-License-Identifier: Apache-2.0 */
/* Text that is printed into memory, whole or not at all. open_memstream() of glibc leaves out what it finds
 * no memory for, and reports nothing. */
#ifndef CBN_TEXT_STREAM_H
#define CBN_TEXT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct cbn_text_stream {
    FILE *file;
    char *text;
    size_t size; /* without the NUL that ends the text */
    size_t room;
    bool is_cut; /* something had no room */
};

/* Returns what to print to; NULL if memory is out. */
FILE *cbn_text_stream_open(struct cbn_text_stream *stream);

/* Returns the text, which the caller frees; NULL if memory was out. */
char *cbn_text_stream_close(struct cbn_text_stream *stream);

#endif
