/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/compression.h"

#include "base/command.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

enum { FAST_LEVEL = 1, DEFAULT_LEVEL = 19, MAX_LEVEL = 19, MOST_THREADS = 1024 };

cubinet_status compression_parse(const char *text, int *out_level)
{
    static const char zstd[] = "zstd:";
    if (strcmp(text, "none") == 0) {
        *out_level = 0;
        return CUBINET_OK;
    }
    if (strcmp(text, "fast") == 0) {
        *out_level = FAST_LEVEL;
        return CUBINET_OK;
    }
    if (strcmp(text, "zstd") == 0) {
        *out_level = DEFAULT_LEVEL;
        return CUBINET_OK;
    }
    if (strncmp(text, zstd, strlen(zstd)) == 0) {
        char *end;
        long level = strtol(text + strlen(zstd), &end, 10);
        if (*end == '\0' && level >= 1 && level <= MAX_LEVEL) {
            *out_level = (int)level;
            return CUBINET_OK;
        }
    }
    return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                     "'%s' is not a compression: use none, fast, zstd, or zstd:1 to zstd:%d", text,
                     (int)MAX_LEVEL);
}

cubinet_status compression_threads(const char *text, uint32_t *out_threads)
{
    return command_number(text, "threads", 0, MOST_THREADS, out_threads);
}

int compression_of(const struct listing *listing)
{
    for (uint32_t i = 0; i < listing->module_count; i++) {
        for (uint32_t j = 0; j < listing->modules[i].image_count; j++) {
            const cubinet_image_info *image = &listing->modules[i].images[j];
            if (image->encoding != CUBINET_ENCODING_RAW || image->stored_size != image->raw_size) {
                return DEFAULT_LEVEL;
            }
        }
    }
    return 0;
}
