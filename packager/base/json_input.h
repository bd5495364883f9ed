/* SPDX-License-Identifier: Apache-2.0 */
/* JSON that users write: files, and values in them by their names. Failures are
 * CUBINET_ERROR_INVALID_ARGUMENT unless they say otherwise. */
#ifndef JSON_INPUT_H
#define JSON_INPUT_H

#include <cubinet/status.h>

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* Reads a file, as file_read() and json_input_parse() do. The caller lets go of the document. */
cubinet_status json_input_read(const char *path, json_t **out_document);

/* Parses a file's text, in which no object has a name twice. CUBINET_ERROR_LIMIT above 64 MiB. `path` is for
 * messages. */
cubinet_status json_input_parse(const char *path, const char *text, size_t size, json_t **out_document);

/* A text that need not be JSON: the document is NULL then. CUBINET_ERROR_OUT_OF_MEMORY alone. */
cubinet_status json_input_try(const char *text, size_t size, json_t **out_document);

/* The error for a value of another kind: "KEY" is not WANTED. */
cubinet_status json_input_wrong(const char *key, const char *wanted);

/* A whole number from 0 to `most`. */
cubinet_status json_input_number(const char *key, const json_t *value, uint64_t most, uint64_t *out_number);

#endif
