/* SPDX-License-Identifier: Apache-2.0 */
/* What nvJitLink, and ptxas within it, say of code that they assemble, in the form of gcc's messages. */
#ifndef ASSEMBLER_LOG_H
#define ASSEMBLER_LOG_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>

struct assembler_said {
    size_t errors;
    size_t warnings;
};

/* Appends the lines of a log to `messages`, each after `subject` ("a.cu: sm_90"):
 *
 *     error   : text                                          a.cu: sm_90: error: text
 *     ptxas fatal   : text                                    a.cu: sm_90: fatal error: text
 *     ptxas application ptx input, line 26; error   : text    a.cu: sm_90: error: text (line 26 of the PTX)
 *     ptxas warning : text                                    a.cu: sm_90: warning: text
 *
 * ptxas's figures stay as they are, what only repeats that there were errors goes, and anything else counts
 * as a warning. */
struct assembler_said assembler_log_append(const char *log, const char *subject, bool no_warnings,
                                           struct buffer *messages);

/* The log in the message of a failed cbn_nvjitlink_link() or ptxas_assemble(), after what failed, or NULL. */
const char *assembler_log_in(const char *message);

#endif
