/* SPDX-License-Identifier: Apache-2.0 */
/* Work that others' libraries do. NVRTC can't be stopped from inside, and NVRTC, nvJitLink and libarchive may
 * end the process when memory runs out: so the work is done by a child, perhaps within limits, and this
 * process waits and says what became of it. */
#ifndef SUPERVISE_H
#define SUPERVISE_H

#include "base/buffer.h"
#include "process/compile_limits.h"

#include <cubinet/status.h>

/* Makes a child that goes on from here within the limits, and in which this returns false. In the process
 * that called it returns true when the child has ended; `out_exit` is the exit status, and whatever the child
 * could not say itself has been said. In such a child it makes no other, and returns false.
 *
 * A child that takes too long is ended with all that it started. Signals that end programs go to the child,
 * and then end this process too. No other thread may run yet.
 *
 * limits: NULL for none
 * subject: what is worked on, for messages; it must outlive the work */
bool supervise(const struct limits *limits, const char *subject, int *out_exit);

/* Has a child call one function, after which this process goes on with what it wrote to `out_result`, of so
 * many bytes, or with its error. An error is also what a limit or a crash did to the child; if that was the
 * time limit, command_failed() returns EXIT_TIMED_OUT from then on. In a child that supervise() made it makes
 * no other. No other thread may run yet. */
typedef cubinet_status (*supervised_fn)(const void *input, void *out_result);
cubinet_status supervise_call(const struct limits *limits, const char *subject, supervised_fn call,
                              const void *input, void *out_result, size_t size);

/* In the child, for work that failed: makes the limit the thread's message if that was the reason, which
 * `messages` or the present one tell. */
cubinet_status supervise_explain(cubinet_status status, const struct buffer *messages);

#endif
