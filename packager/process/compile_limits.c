/* SPDX-License-Identifier: Apache-2.0 */
#include "process/compile_limits.h"

#include "base/command.h"
#include "loader/cache/cache_settings.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_SECONDS = 1000000,
    LEAST_BYTES = 10000000, /* the compiler does not even start with less */
};

static cubinet_status read_timeout(const char *text, const char *from, uint32_t *out_seconds)
{
    if (command_number(text, "seconds", 0, MOST_SECONDS, out_seconds)) {
        return cbn_error_context(CUBINET_ERROR_INVALID_ARGUMENT, "%s", from);
    }
    return CUBINET_OK;
}

static cubinet_status read_memory(const char *text, const char *from, uint64_t *out_bytes)
{
    uint64_t bytes = 0;
    if (strcmp(text, "0") != 0 && (!cbn_cache_parse_size(text, &bytes) || bytes < LEAST_BYTES)) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "%s: '%s' is not a size of memory for a compile, such as 500M or 4G", from, text);
    }
    *out_bytes = bytes;
    return CUBINET_OK;
}

cubinet_status limits_take_timeout(struct limits *limits, const char *value)
{
    limits->has_seconds = true;
    return read_timeout(value, "option '--timeout'", &limits->seconds);
}

cubinet_status limits_take_memory(struct limits *limits, const char *value)
{
    limits->has_memory = true;
    return read_memory(value, "option '--memory-limit'", &limits->memory);
}

cubinet_status limits_take_environment(struct limits *limits)
{
    const char *timeout = getenv("CUBINET_TIMEOUT");
    const char *memory = getenv("CUBINET_MEMORY_LIMIT");
    cubinet_status status = CUBINET_OK;
    if (timeout && *timeout && !limits->has_seconds) {
        status = read_timeout(timeout, "the environment's CUBINET_TIMEOUT", &limits->seconds);
    }
    if (!status && memory && *memory && !limits->has_memory) {
        status = read_memory(memory, "the environment's CUBINET_MEMORY_LIMIT", &limits->memory);
    }
    return status;
}

bool limits_are_set(const struct limits *limits)
{
    return limits->seconds > 0 || limits->memory > 0;
}
