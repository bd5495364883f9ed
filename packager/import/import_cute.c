/* SPDX-License-Identifier: Apache-2.0 */
#include "import/import_cute.h"

#include "base/file.h"
#include "base/path.h"
#include "import/import_beside.h"
#include "import/import_text.h"
#include "loader/core/support/error.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SHARED = 1 << 20 };

static const char prefix[] = "cute_dsl_";

struct reading {
    struct import_text text;
    const char *stem; /* of the images, up to a dot */
    size_t stem_size;
    struct import_list *list;
    bool found; /* an image */
};

/* The line that starts at `at`. */
static struct import_text line_at(const char *at, const char *end)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return (struct import_text){at, newline ? newline : end};
}

/* "!memref_smem_i8_1 = !cute.memref<i8, smem, align<1024>, "512:1">", of which `name` stands at the start of
 * a line. An alloca of anything else is not understood. */
static bool read_type(const struct reading *reading, const char *name, size_t name_size, uint32_t *out_bytes,
                      uint32_t *out_alignment)
{
    struct import_text text = reading->text;
    char *start = NULL;
    bool is_one = asprintf(&start, "%.*s = !cute.memref<i8, smem, align<", (int)name_size, name) >= 0;
    if (is_one) {
        is_one = import_text_skip_to(&text, start) && import_text_number(&text, out_alignment) &&
                 import_text_skip_to(&text, ">, \"") && import_text_number(&text, out_bytes) &&
                 text.end - text.at > 4 && strncmp(text.at, ":1\">", 4) == 0;
        free(start);
    }
    return is_one && *out_bytes <= MOST_SHARED && *out_alignment > 0 && *out_alignment <= MOST_SHARED &&
           (*out_alignment & (*out_alignment - 1)) == 0;
}

/* Bytes of what a kernel allots, one after another; false if that can't be told. */
static bool read_shared(const struct reading *reading, struct import_text body, uint32_t *out_bytes)
{
    static const char alloca[] = "cute.memref.alloca(";
    struct import_text first = {NULL, NULL};
    uint64_t total = 0;
    while (import_text_skip_to(&body, alloca)) {
        struct import_text line = line_at(body.at, body.end);
        struct import_text where = line;
        uint32_t bytes = 0;
        uint32_t alignment = 0;
        if (!import_text_skip_to(&line, " : !")) {
            return false;
        }
        where.end = line.at;
        line.at--;
        if (!read_type(reading, line.at, (size_t)(line.end - line.at), &bytes, &alignment)) {
            return false;
        }
        if (first.at && (first.end - first.at != where.end - where.at ||
                         memcmp(first.at, where.at, (size_t)(first.end - first.at)) != 0)) {
            return false; /* of several partitions */
        }
        first = where;
        total = (total + alignment - 1) / alignment * alignment + bytes;
    }
    *out_bytes = (uint32_t)total;
    return total <= MOST_SHARED;
}

/* Whether the launch is given what the kernel allots, and no number of the user's. */
static bool is_computed(const struct reading *reading, const char *name)
{
    struct import_text text = reading->text;
    char *mark = NULL;
    bool is_one = asprintf(&mark, "cute.kernel_smem_size @kernels::@%s :", name) >= 0 &&
                  import_text_skip_to(&text, mark);
    free(mark);
    return is_one;
}

/* "exact_block_dim = array<i64: 128, 1, 1>" */
static void read_block(struct import_text line, cubinet_launch_record *known)
{
    uint32_t block[3];
    if (import_text_skip_to(&line, "exact_block_dim = array<i64: ") && import_text_number(&line, &block[0]) &&
        import_text_skip_to(&line, ",") && import_text_number(&line, &block[1]) &&
        import_text_skip_to(&line, ",") && import_text_number(&line, &block[2]) && block[0] && block[1] &&
        block[2]) {
        memcpy(known->block, block, sizeof(block));
    }
}

/* From after "cuda.kernel @" on. */
static cubinet_status add_kernel(const struct reading *reading, struct import_text body,
                                 struct import_item *item)
{
    struct import_text line = line_at(body.at, body.end);
    struct import_text cooperative = line;
    char *name = strndup(body.at, import_text_word(&body));
    struct import_kernel *kernel = name ? import_item_kernel(item, name) : NULL;
    uint32_t bytes = 0;
    if (kernel) {
        cubinet_launch_record *known = &kernel->record.known;
        read_block(line, known);
        if (import_text_skip_to(&cooperative, "cooperative_launch = true")) {
            known->flags |= CUBINET_RECORD_COOPERATIVE;
        }
        if (is_computed(reading, name) && read_shared(reading, body, &bytes)) {
            known->dynamic_shared_bytes = bytes;
            known->flags |= bytes > 0 ? CUBINET_RECORD_TAKES_DYNAMIC_SHARED : 0;
        }
    }
    free(name);
    return kernel ? CUBINET_OK : cbn_error_memory();
}

static cubinet_status add_kernels(const struct reading *reading, struct import_item *item)
{
    static const char start[] = "cuda.kernel @";
    struct import_text text = reading->text;
    cubinet_status status = CUBINET_OK;
    bool found = import_text_skip_to(&text, start);
    while (!status && found) {
        struct import_text body = text;
        found = import_text_skip_to(&text, start);
        body.end = found ? text.at : body.end;
        status = add_kernel(reading, body, item);
    }
    return status;
}

static cubinet_status take_file(void *user, const char *file, const char *path)
{
    struct reading *reading = user;
    const char *suffix = strrchr(file, '.');
    bool is_image =
        file[reading->stem_size] == '.' && (strcmp(suffix, ".cubin") == 0 || strcmp(suffix, ".ptx") == 0);
    if (!is_image) {
        return CUBINET_OK;
    }
    struct import_item *item = import_list_add(reading->list, path);
    reading->found = true;
    return item ? add_kernels(reading, item) : cbn_error_memory();
}

cubinet_status import_cute(const char *path, struct import_list *list, bool *out_is_one)
{
    const char *name = path_name(path);
    char *data = NULL;
    size_t size = 0;
    *out_is_one = false;
    if (strncmp(name, prefix, sizeof(prefix) - 1) != 0) {
        return CUBINET_OK;
    }
    struct reading reading = {.stem = name + sizeof(prefix) - 1, .list = list};
    reading.stem_size = path_stem_size(reading.stem);
    cubinet_status status = file_read(path, &data, &size);
    if (!status) {
        reading.text = (struct import_text){data, data + size};
        status = import_beside(&list->beside, path, reading.stem, reading.stem_size, take_file, &reading);
        *out_is_one = reading.found;
    }
    free(data);
    return status;
}
