/* SPDX-License-Identifier: Apache-2.0 */
/* Text inside Ninja files, and words inside the command lines that they hold. */
#ifndef NINJA_TEXT_H
#define NINJA_TEXT_H

#include "base/buffer.h"
#include "loader/core/support/text_list.h"

#include <cubinet/status.h>

/* CUBINET_ERROR_INVALID_ARGUMENT for what no Ninja file can hold: a line break. `what` starts the message. */
cubinet_status ninja_check(const char *what, const char *text);

/* Appends a path as a build statement has it. `|` has no escape there; $pipe stands for it. */
void ninja_path(struct buffer *file, const char *path);

/* Appends a text as the value of a variable. */
void ninja_value(struct buffer *file, const char *text);

/* Appends one word for the shell, between quotes if it needs any. */
void shell_word(struct buffer *line, const char *word);

/* Appends words with spaces between them, quoted for the shell, as the value of a variable. */
void ninja_words(struct buffer *file, const struct cbn_text_list *words);

#endif
