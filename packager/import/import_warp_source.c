/* SPDX-License-Identifier: Apache-2.0 */
#include "import/import_warp_source.h"

#include "base/array.h"
#include "base/buffer.h"
#include "loader/core/support/error.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 1024 };

static uint32_t read_block(const char *source)
{
    static const char define[] = "#define WP_TILE_BLOCK_DIM ";
    const char *at = strstr(source, define);
    unsigned long number = at ? strtoul(at + sizeof(define) - 1, NULL, 10) : 0;
    return number <= MOST_THREADS ? (uint32_t)number : 0;
}

static const char *c_type(const char *type, size_t size)
{
    static const struct {
        const char *type;
        const char *c;
    } table[] = {
        {"wp::float32", "float"},   {"wp::float64", "double"},  {"wp::int8", "int8_t"},
        {"wp::uint8", "uint8_t"},   {"wp::int16", "int16_t"},   {"wp::uint16", "uint16_t"},
        {"wp::int32", "int32_t"},   {"wp::uint32", "uint32_t"}, {"wp::int64", "int64_t"},
        {"wp::uint64", "uint64_t"}, {"bool", "bool"},
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (strlen(table[i].type) == size && memcmp(table[i].type, type, size) == 0) {
            return table[i].c;
        }
    }
    return "";
}

/* Where a parameter ends: at a ',' or ')' outside of brackets. */
static const char *end_of(const char *at)
{
    int depth = 0;
    for (; *at; at++) {
        if (depth == 0 && (*at == ',' || *at == ')')) {
            return at;
        }
        depth += (*at == '<' || *at == '(') - (*at == '>' || *at == ')');
    }
    return NULL;
}

/* Adds "wp::float32 var_a", from `at` to `end`, as "a". */
static cubinet_status add_param(const char *at, const char *end, struct launch_record *record)
{
    static const char prefix[] = "var_";
    while (end > at && isspace((unsigned char)end[-1])) {
        end--;
    }
    const char *name = end;
    while (name > at && (isalnum((unsigned char)name[-1]) || name[-1] == '_')) {
        name--;
    }
    const char *type_end = name;
    while (type_end > at && isspace((unsigned char)type_end[-1])) {
        type_end--;
    }
    at += strspn(at, " \t\r\n");
    if ((size_t)(end - name) > sizeof(prefix) - 1 && strncmp(name, prefix, sizeof(prefix) - 1) == 0) {
        name += sizeof(prefix) - 1;
    }
    struct buffer copy = {0};
    buffer_append(&copy, name, (size_t)(end - name));
    cubinet_status status = copy.failed ? cbn_error_memory() : CUBINET_OK;
    if (!status) {
        status = launch_record_add_name(record, copy.data,
                                        type_end > at ? c_type(at, (size_t)(type_end - at)) : "");
    }
    buffer_free(&copy);
    return status;
}

static int compare(const void *left, const void *right)
{
    const struct warp_kernel *a = left;
    const struct warp_kernel *b = right;
    int order = memcmp(a->name, b->name, a->size < b->size ? a->size : b->size);
    return order ? order : (a->size > b->size) - (a->size < b->size);
}

static cubinet_status add_definition(struct warp_source *source, const char *name, size_t size)
{
    struct warp_kernel *kernels = array_grow(source->kernels, source->count, sizeof(*kernels));
    if (!kernels) {
        return cbn_error_memory();
    }
    source->kernels = kernels;
    kernels[source->count++] = (struct warp_kernel){name, size};
    return CUBINET_OK;
}

cubinet_status warp_source_read(const char *text, struct warp_source *out)
{
    static const char mark[] = "__global__ void ";
    cubinet_status status = CUBINET_OK;
    *out = (struct warp_source){.block = read_block(text)};
    for (const char *at = strstr(text, mark); !status && at; at = strstr(at, mark)) {
        at += sizeof(mark) - 1;
        size_t size = strcspn(at, "( \n");
        status = at[size] == '(' ? add_definition(out, at, size) : CUBINET_OK;
    }
    if (out->count > 1) {
        qsort(out->kernels, out->count, sizeof(*out->kernels), compare);
    }
    return status;
}

void warp_source_free(struct warp_source *source)
{
    free(source->kernels);
    *source = (struct warp_source){0};
}

/* Where the kernel's parameters start; NULL: it is not there. */
static const char *find_kernel(const struct warp_source *source, const char *kernel)
{
    const struct warp_kernel key = {kernel, strlen(kernel)};
    size_t place;
    bool is_there = array_find(source->kernels, source->count, sizeof(key), &key, compare, &place);
    return is_there ? source->kernels[place].name + key.size + 1 : NULL;
}

uint32_t warp_source_dimensions(const struct warp_source *source, const char *kernel)
{
    static const char bounds[] = "wp::launch_bounds_t<";
    enum { MOST = 4 };
    const char *at = find_kernel(source, kernel);
    at = at ? at + strspn(at, " \t\r\n") : NULL;
    if (!at || strncmp(at, bounds, sizeof(bounds) - 1) != 0) {
        return 0;
    }
    char digit = at[sizeof(bounds) - 1];
    bool is_one = digit >= '1' && digit <= '0' + MOST && at[sizeof(bounds)] == '>';
    return is_one ? (uint32_t)(digit - '0') : 0;
}

cubinet_status warp_source_names(const struct warp_source *source, const char *kernel,
                                 struct launch_record *record)
{
    cubinet_status status = CUBINET_OK;
    const char *at = find_kernel(source, kernel);
    for (const char *end = at ? end_of(at) : NULL; !status && end; end = end_of(at)) {
        status = add_param(at, end, record);
        at = end + 1;
        if (*end == ')') {
            break;
        }
    }
    return status;
}
