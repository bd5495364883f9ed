/* SPDX-License-Identifier: Apache-2.0 */
#include "interpose/integer_header.h"

#include "interpose/replaced_files.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 64 * 1024 }; /* bytes of such a header: they have up to 15 KiB */

/* libcu++'s since CUDA 13, the part of it that earlier ones declare the types in, and two of the toolkit's
 * that repeat them. */
static const char *const names[] = {"/cuda/std/cstdint", "/__cuda/cstdint_prelude.h",
                                    "/cuda_pipeline_helpers.h", "/cuda_awbarrier_helpers.h"};

static bool is_integer_header(const char *path)
{
    bool is = false;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !is; i++) {
        size_t size = strlen(names[i]);
        is = strlen(path) > size && strcmp(path + strlen(path) - size, names[i]) == 0;
    }
    return is;
}

/* Of one size: places in the file stay. */
static void replace(char *line, size_t size, const char *from, const char *to)
{
    char *at = memmem(line, size, from, strlen(from));
    if (at) {
        memcpy(at, to, strlen(to));
    }
}

static void replace_in_lines(char *text)
{
    for (char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        size_t size = strcspn(line, "\n");
        if (memmem(line, size, "int64_t", strlen("int64_t"))) {
            replace(line, size, "long long", "long     ");
        }
        replace(line, size, "ULLONG_M", " ULONG_M");
        replace(line, size, "LLONG_M", " LONG_M");
    }
}

FILE *integer_header_stream(const char *path, FILE *file)
{
    char *text = is_integer_header(path) ? calloc(1, LARGEST + 1) : NULL;
    if (!text) {
        return file;
    }
    size_t size = fread(text, 1, LARGEST, file);
    if (size == LARGEST || ferror(file)) {
        free(text);
        rewind(file);
        return file;
    }
    replace_in_lines(text);
    fclose(file);
    FILE *stream = replaced_files_stream_of(text);
    int error = errno;
    free(text);
    errno = error;
    return stream;
}
