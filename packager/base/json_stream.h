/* SPDX-License-Identifier: Apache-2.0 */
/* A JSON document on standard output, printed as it is made: for those that are large. It reads as if
 * json_output_print() had printed it. After a failure the document is not complete. */
#ifndef JSON_STREAM_H
#define JSON_STREAM_H

#include <cubinet/status.h>

#include <jansson.h>
#include <stdbool.h>

/* Zero-initialise to start. */
struct json_stream {
    unsigned depth; /* arrays and objects that are open */
    bool is_filled; /* the innermost has a member */
};

/* Starts an array or object, the member `key` of the object that is open; NULL: an element, or the document.
 */
void json_stream_open(struct json_stream *stream, const char *key, char bracket);

/* Ends it, and after the document the line. */
void json_stream_close(struct json_stream *stream, char bracket);

/* Prints a value and lets go of it. CUBINET_ERROR_OUT_OF_MEMORY, also if memory ran out while it was made */
cubinet_status json_stream_put(struct json_stream *stream, const char *key, json_t *value);

/* Prints each member of an object as one of the object that is open, and lets go of it. */
cubinet_status json_stream_put_members(struct json_stream *stream, json_t *object);

#endif
