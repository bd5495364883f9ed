/* SPDX-License-Identifier: Apache-2.0 */
/* JSON, for --json. */
#ifndef JSON_OUTPUT_H
#define JSON_OUTPUT_H

#include "base/buffer.h"

#include <cubinet/archive.h>

#include <jansson.h>
#include <stdbool.h>

/* Has jansson's failed allocations noted: what could not be added to a document would just be missing from
 * it. Call first. */
void json_output_start(void);

/* Notes that a document lacks something for which there was no memory: none is written from now on. */
void json_output_lost(void);

/* Whether anything was lost since the process started, of what was read too. */
bool json_output_is_lost(void);

/* A buffer's text, as json_output_text(); frees the buffer. */
json_t *json_output_buffer(struct buffer *text);

/* A document's text, which the caller frees, or NULL if memory ran out while it was made. Lets go of the
 * document. flags: of json_dumps() */
char *json_output_dump(json_t *document, size_t flags);

/* A string; bytes that are not UTF-8 become U+FFFD. */
json_t *json_output_text(const char *text);

/* A number, or null for CUBINET_UNKNOWN. */
json_t *json_output_number(uint32_t number);

/* A CUDA release as "13.0", or null for 0. */
json_t *json_output_release(uint32_t release);

/* A target's name. */
json_t *json_output_target(cubinet_target target);

/* A digest in hexadecimal digits. */
json_t *json_output_digest(const unsigned char *bytes, size_t size);

/* The lines of a text, each a string of an array. */
json_t *json_output_lines(const char *text);

/* What an archive says of itself: the object that a document starts with. */
json_t *json_output_archive(const cubinet_archive_info *archive);

/* Of json_output_print(): all digits that a decimal fraction keeps, 0.34 and not 0.34000000000000002. */
#define JSON_OUTPUT_PRECISION JSON_REAL_PRECISION(15)

/* Prints a document on standard output and lets go of it. */
cubinet_status json_output_print(json_t *document);

#endif
