/* SPDX-License-Identifier: Apache-2.0 */
#include "process/build_notes.h"

#include "base/buffer.h"
#include "base/file.h"
#include "loader/core/support/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char variable[] = "CUBINET_BUILD_NOTES"; /* the file's path */

cubinet_status build_notes_offer(const char *folder)
{
    char *place = realpath(folder, NULL);
    char *path = NULL;
    if (!place || asprintf(&path, "%s/notes", place) < 0) {
        free(place);
        return cbn_error_memory();
    }
    unlink(path);
    int result = setenv(variable, path, true);
    free(place);
    free(path);
    return result == 0 ? CUBINET_OK : cbn_error_memory();
}

void build_notes_add(const char *kind, const char *output)
{
    const char *path = getenv(variable);
    struct buffer line = {0};
    if (!path || !*path) {
        return;
    }
    int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    buffer_printf(&line, "%s\t%s\n", kind, output);
    if (file >= 0 && !line.failed && write(file, line.data, line.size) < 0) { /* at once: others write too */
        errno = 0;
    }
    if (file >= 0) {
        close(file);
    }
    buffer_free(&line);
}

/* The kind at the start of a line, if the output is that one or NULL. */
static const char *kind_of(const char *line, size_t size, const char *output)
{
    static const char *const kinds[] = {"hit", "miss"};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        size_t length = strlen(kinds[i]);
        bool fits = size > length && strncmp(line, kinds[i], length) == 0 && line[length] == '\t';
        size_t rest = fits ? size - length - 1 : 0;
        if (fits && (!output || (strlen(output) == rest && strncmp(line + length + 1, output, rest) == 0))) {
            return kinds[i];
        }
    }
    return NULL;
}

void build_notes_read(struct build_notes *out_notes)
{
    const char *path = getenv(variable);
    size_t size = 0;
    *out_notes = (struct build_notes){0};
    if (!path || file_read(path, &out_notes->lines, &size)) {
        return; /* no compile ran, or none has a cache */
    }
    for (const char *line = out_notes->lines; *line; line += strcspn(line, "\n") + 1) {
        const char *kind = kind_of(line, strcspn(line, "\n"), NULL);
        out_notes->hits += kind && strcmp(kind, "hit") == 0;
        out_notes->misses += kind && strcmp(kind, "miss") == 0;
    }
}

const char *build_notes_find(const struct build_notes *notes, const char *output)
{
    const char *found = NULL;
    for (const char *line = notes->lines; line && *line; line += strcspn(line, "\n") + 1) {
        const char *kind = kind_of(line, strcspn(line, "\n"), output);
        found = kind ? kind : found;
    }
    return found;
}

void build_notes_free(struct build_notes *notes)
{
    free(notes->lines);
    *notes = (struct build_notes){0};
}
