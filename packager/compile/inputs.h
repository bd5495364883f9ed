/* SPDX-License-Identifier: Apache-2.0 */
/* What a compile read, and the record of it that lets the next one see that there is nothing to do.
 *
 * A build tool compares times, and the time of a folder changes for many reasons. So `compile -MD` depends on
 * the folders in which it looked for headers in vain, keeps a record beside its output, and when it is
 * started again compares contents. The record only ever saves work: whatever is not certain means a compile.
 */
#ifndef INPUTS_H
#define INPUTS_H

#include "base/buffer.h"
#include "interpose/opened_files.h"
#include "loader/core/support/sha256.h"
#include "loader/core/support/text_list.h"
#include "toolkit/toolkit.h"

#include <stdbool.h>
#include <time.h>

enum input_kind {
    INPUT_FILE,    /* a file of the user's: its digest counts */
    INPUT_TOOLKIT, /* a file of the toolkit's: its size and time count */
    INPUT_FOLDER,  /* a folder that was opened: that it is one counts */
    INPUT_MISSING, /* a path that nothing was at */
};

struct input {
    enum input_kind kind;
    char *path;
    struct cbn_sha256 digest; /* INPUT_FILE */
    long long size;           /* INPUT_TOOLKIT */
    long long time;           /* INPUT_TOOLKIT: nanoseconds since 1970 */
};

struct inputs {
    struct input *items; /* the source first */
    size_t count;
    /* Whether a record of them would be sound: no file changed since the compile started, and none says when
     * it was compiled. */
    bool certain;
};

/* The time by the clock that files' times are taken from. */
struct timespec inputs_clock(void);

/* Whether a source or an option says when it was compiled: then no two compiles are the same. */
bool inputs_tells_time(const char *data, size_t size);

/* Looks at what a compile that began at `start` opened. source: NULL: none is known beside those files */
cubinet_status inputs_gather(const char *source, const struct opened_files *files,
                             const struct toolkit *toolkit, struct timespec start, struct inputs *out_inputs);

/* Appends a note on each path that the compiler could not open although something may be there, which it
 * reports as it does one that is missing: a header without the right to read it, a link that leads to itself.
 */
void inputs_note_unreadable(const struct opened_files *files, struct buffer *messages);

/* The paths for a depfile: the source, the other files, the folders that the missing paths would appear in,
 * the toolkit's libraries and header folders in place of its headers.
 *
 * The working folder and those of `written` (the output, the depfile) change with each build. Were the rule
 * to depend on them, it would run each time. So a header of the toolkit's that was looked for in such a
 * folder as in any other adds no dependency on it; other missing headers do. */
cubinet_status inputs_dependencies(const struct inputs *inputs, const struct toolkit *toolkit,
                                   const struct cbn_text_list *written, struct cbn_text_list *out_paths);

/* What a record is kept of, beside the inputs. */
struct inputs_record {
    const char *path;      /* of the record */
    const char *output;    /* the file that the compile made */
    struct cbn_sha256 key; /* of everything that is not a file: see compile_key.h */
};

/* Keeps a record, with what the compiler had to say. Removes the old one if the inputs are not certain. */
cubinet_status inputs_save(const struct inputs_record *record, const struct inputs *inputs,
                           const char *messages);

/* Whether the output is there, unaltered, and made of what is there now. Then the inputs and messages are
 * handed over, and the caller frees them. */
bool inputs_unchanged(const struct inputs_record *record, struct inputs *out_inputs, char **out_messages);

/* Parts of the above. An input as a line of a record; such a line read, compared with what is there now, and
 * added if it is the same; a digest in hexadecimal digits, and read with the space after it (NULL: it is
 * none).
 */
void inputs_write_line(struct buffer *text, const struct input *input);
bool inputs_read_line(const char *line, struct inputs *inputs);
void inputs_write_digest(struct buffer *text, const unsigned char *digest, size_t size);
const char *inputs_read_digest(const char *text, unsigned char *out_digest, size_t size);
char *inputs_take_line(char **at); /* the next line of a text, cut off without its end; NULL at the end */
struct input *inputs_add(struct inputs *inputs, enum input_kind kind, const char *path); /* NULL: no memory */
long long inputs_nanoseconds(struct timespec time);                                      /* since 1970 */
bool inputs_is_folder(const char *path);
bool inputs_is_missing(const char *path);

void inputs_free(struct inputs *inputs);

#endif
