/* SPDX-License-Identifier: Apache-2.0 */
#include "import/import_xla.h"

#include "base/file.h"
#include "base/path.h"
#include "import/import_beside.h"
#include "import/import_text.h"
#include "loader/core/support/error.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char suffix[] = ".thunk_sequence.txt";

/* A function's dump being read. */
struct reading {
    struct import_text text; /* the launches, a line each */
    const char *stem;        /* "module_0001.jit_f", which the function's files start with */
    size_t stem_size;
    struct import_list *list;
    bool found; /* an image */
};

/* "threads: [128, 1, 1]  shared_memory: 0 bytes" */
static bool read_shape(struct import_text line, cubinet_launch_record *known)
{
    uint32_t shared = 0;
    uint32_t block[3];
    if (!import_text_skip_to(&line, "threads: [") || !import_text_number(&line, &block[0]) ||
        !import_text_skip_to(&line, ",") || !import_text_number(&line, &block[1]) ||
        !import_text_skip_to(&line, ",") || !import_text_number(&line, &block[2]) ||
        !import_text_skip_to(&line, "shared_memory: ") || !import_text_number(&line, &shared)) {
        return false;
    }
    memcpy(known->block, block, sizeof(block));
    known->dynamic_shared_bytes = shared;
    known->flags |= shared > 0 ? CUBINET_RECORD_TAKES_DYNAMIC_SHARED : 0;
    return block[0] && block[1] && block[2];
}

/* The name before " grid: ". A kernel that is launched in several ways has none of its own. */
static cubinet_status add_launch(struct import_text line, struct import_item *item)
{
    struct import_text rest = line;
    cubinet_launch_record known = {.size = sizeof(known)};
    if (!import_text_skip_to(&rest, " grid: ") || !read_shape(rest, &known)) {
        return CUBINET_OK;
    }
    const char *end = rest.at - strlen(" grid: ");
    const char *start = import_text_word_before(line.at, end);
    char *name = strndup(start, (size_t)(end - start));
    const struct import_kernel *there = name ? import_item_find(item, name) : NULL;
    struct import_kernel *kernel = name && !there ? import_item_kernel(item, name) : NULL;
    cubinet_status status = name && (there || kernel) ? CUBINET_OK : cbn_error_memory();
    if (kernel) {
        kernel->record.known = known;
    } else if (there && memcmp(&there->record.known, &known, sizeof(known)) != 0) {
        ((struct import_kernel *)there)->record = (struct launch_record)LAUNCH_RECORD_EMPTY;
    }
    free(name);
    return status;
}

static cubinet_status add_launches(const struct reading *reading, struct import_item *item)
{
    struct import_text text = reading->text;
    cubinet_status status = CUBINET_OK;
    while (!status && text.at < text.end) {
        const char *newline = memchr(text.at, '\n', (size_t)(text.end - text.at));
        const char *end = newline ? newline : text.end;
        status = add_launch((struct import_text){text.at, end}, item);
        text.at = newline ? newline + 1 : end;
    }
    return status;
}

/* "jit_f" of "module_0001.jit_f": the number is that of the process's compiles. */
static char *function_of(const struct reading *reading)
{
    static const char module[] = "module_";
    const char *dot = memchr(reading->stem, '.', reading->stem_size);
    bool is_numbered = dot && strncmp(reading->stem, module, sizeof(module) - 1) == 0;
    const char *start = is_numbered ? dot + 1 : reading->stem;
    return strndup(start, (size_t)(reading->stem + reading->stem_size - start));
}

/* "module_0001.jit_f.1.ptx" */
static bool is_image(const struct reading *reading, const char *file)
{
    size_t size = strlen(file);
    const char *at = file + reading->stem_size;
    if (size <= reading->stem_size || strncmp(file, reading->stem, reading->stem_size) != 0 || *at != '.') {
        return false;
    }
    at++;
    while (isdigit((unsigned char)*at)) {
        at++;
    }
    return at > file + reading->stem_size + 1 && strcmp(at, ".ptx") == 0;
}

static cubinet_status take_file(void *user, const char *file, const char *path)
{
    struct reading *reading = user;
    if (!is_image(reading, file)) {
        return CUBINET_OK;
    }
    struct import_item *item = import_list_add(reading->list, path);
    if (!item || !(item->name = function_of(reading))) {
        return cbn_error_memory();
    }
    item->is_part = true;
    reading->found = true;
    return add_launches(reading, item);
}

cubinet_status import_xla(const char *path, struct import_list *list, bool *out_is_one)
{
    const char *name = path_name(path);
    size_t size = strlen(name);
    *out_is_one = false;
    if (size < sizeof(suffix) || strcmp(name + size - (sizeof(suffix) - 1), suffix) != 0) {
        return CUBINET_OK;
    }
    struct reading reading = {.stem = name, .stem_size = size - (sizeof(suffix) - 1), .list = list};
    char *data = NULL;
    cubinet_status status = file_read(path, &data, &size);
    if (!status) {
        reading.text = (struct import_text){data, data + size};
        status = import_beside(path, take_file, &reading);
        *out_is_one = reading.found;
    }
    free(data);
    return status;
}
