/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Log messages of the library. */
#ifndef CUBINET_LOG_H
#define CUBINET_LOG_H

#ifdef __cplusplus
extern "C" {
#endif

/** How serious a log line is.
 * @since 0.1 */
typedef enum cubinet_log_level {
    CUBINET_LOG_WARNING = 1, /**< a problem that was worked around */
    CUBINET_LOG_INFO = 2,    /**< a decision */
} cubinet_log_level;

/** Receives a line without its line end; `line` is valid during the call. May be called from any thread that
 * uses the object.
 * @since 0.1 */
typedef void (*cubinet_log_fn)(void *user, cubinet_log_level level, const char *line);

#ifdef __cplusplus
}
#endif

#endif
