/* SPDX-License-Identifier: Apache-2.0 */
/* What a compile may take: time and memory. */
#ifndef COMPILE_LIMITS_H
#define COMPILE_LIMITS_H

#include <cubinet/status.h>

#include <stdbool.h>
#include <stdint.h>

struct limits {
    uint32_t seconds; /* 0: as long as it takes */
    uint64_t memory;  /* bytes; 0: no limit of its own */
    bool has_seconds; /* said by an option, which goes before the environment */
    bool has_memory;
};

/* --timeout, --memory-limit. CUBINET_ERROR_INVALID_ARGUMENT if the value is none. */
cubinet_status limits_take_timeout(struct limits *limits, const char *value);
cubinet_status limits_take_memory(struct limits *limits, const char *value);

/* Takes CUBINET_TIMEOUT and CUBINET_MEMORY_LIMIT for what no option says. */
cubinet_status limits_take_environment(struct limits *limits);

/* Whether there is any. */
bool limits_are_set(const struct limits *limits);

#endif
