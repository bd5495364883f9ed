/* SPDX-License-Identifier: Apache-2.0 */
#include "import/import_xla.h"

#include "base/array.h"
#include "base/file.h"
#include "base/path.h"
#include "import/import_beside.h"
#include "import/import_text.h"
#include "loader/core/support/error.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char suffix[] = ".thunk_sequence.txt";

/* How a kernel is launched. */
struct launch {
    char *name;
    cubinet_launch_record known; /* empty if it is launched in several ways */
};

/* A function's dump being read. */
struct reading {
    const char *stem; /* "module_0001.jit_f", which the function's files start with */
    size_t stem_size;
    struct launch *launches; /* by name, in order */
    size_t launch_count;
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

/* The name before " grid: ". */
static cubinet_status add_launch(struct import_text line, struct reading *reading)
{
    struct import_text rest = line;
    cubinet_launch_record known = {.size = sizeof(known)};
    if (!import_text_skip_to(&rest, " grid: ") || !read_shape(rest, &known)) {
        return CUBINET_OK;
    }
    const char *end = rest.at - strlen(" grid: ");
    const char *start = import_text_word_before(line.at, end);
    char *name = strndup(start, (size_t)(end - start));
    struct launch *launches =
        name ? array_grow(reading->launches, reading->launch_count, sizeof(*launches)) : NULL;
    if (!launches) {
        free(name);
        return cbn_error_memory();
    }
    launches[reading->launch_count++] = (struct launch){name, known};
    reading->launches = launches;
    return CUBINET_OK;
}

static int compare(const void *left, const void *right)
{
    return strcmp(((const struct launch *)left)->name, ((const struct launch *)right)->name);
}

static int compare_name(const void *key, const void *element)
{
    return strcmp(key, ((const struct launch *)element)->name);
}

/* A kernel that is launched in several ways has none of its own. */
static void merge_launches(struct reading *reading)
{
    static const struct launch_record unknown = LAUNCH_RECORD_EMPTY;
    size_t count = 0;
    if (reading->launch_count > 1) {
        qsort(reading->launches, reading->launch_count, sizeof(*reading->launches), compare);
    }
    for (size_t i = 0; i < reading->launch_count; i++) {
        struct launch *launch = &reading->launches[i];
        struct launch *last = count > 0 ? &reading->launches[count - 1] : NULL;
        if (!last || strcmp(last->name, launch->name) != 0) {
            reading->launches[count++] = *launch;
            continue;
        }
        if (memcmp(&last->known, &launch->known, sizeof(last->known)) != 0) {
            last->known = unknown.known;
        }
        free(launch->name);
    }
    reading->launch_count = count;
}

static cubinet_status read_launches(struct import_text text, struct reading *reading)
{
    cubinet_status status = CUBINET_OK;
    while (!status && text.at < text.end) {
        const char *newline = memchr(text.at, '\n', (size_t)(text.end - text.at));
        const char *end = newline ? newline : text.end;
        status = add_launch((struct import_text){text.at, end}, reading);
        text.at = newline ? newline + 1 : end;
    }
    merge_launches(reading);
    return status;
}

static void free_launches(struct reading *reading)
{
    for (size_t i = 0; i < reading->launch_count; i++) {
        free(reading->launches[i].name);
    }
    free(reading->launches);
}

static cubinet_status add_kernel(const struct reading *reading, struct import_text name,
                                 struct import_item *item)
{
    size_t place;
    char *word = strndup(name.at, import_text_word(&name));
    bool is_known = word && array_find(reading->launches, reading->launch_count, sizeof(*reading->launches),
                                       word, compare_name, &place);
    struct import_kernel *kernel = is_known ? import_item_kernel(item, word) : NULL;
    if (kernel) {
        kernel->record.known = reading->launches[place].known;
    }
    free(word);
    return word && (!is_known || kernel) ? CUBINET_OK : cbn_error_memory();
}

/* Those of the function's kernels that the PTX has. */
static cubinet_status add_kernels(const struct reading *reading, const char *path, struct import_item *item)
{
    char *data = NULL;
    size_t size = 0;
    cubinet_status status = file_read(path, &data, &size);
    struct import_text text = {data, data + size};
    while (!status && import_text_skip_to(&text, ".entry ")) {
        status = add_kernel(reading, text, item);
    }
    free(data);
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
    if (size <= reading->stem_size || *at != '.') {
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
    return add_kernels(reading, path, item);
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
        status = read_launches((struct import_text){data, data + size}, &reading);
    }
    if (!status) {
        status = import_beside(&list->beside, path, reading.stem, reading.stem_size, take_file, &reading);
        *out_is_one = reading.found;
    }
    free_launches(&reading);
    free(data);
    return status;
}
