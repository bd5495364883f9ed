/* SPDX-License-Identifier: Apache-2.0 */
/* The table of functions, as the writers of github.com/NVIDIA/cuda-tile (lib/Bytecode/Writer) and of
 * github.com/NVIDIA/cutile-python (src/cuda/tile/_bytecode) write it; tileirdisasm 13.5 reads the same from
 * what they write for 13.1 to 13.5. */
#include "image/tileir_read.h"

#include "loader/core/archive/format.h"
#include "loader/core/archive/tileir.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

enum {
    OLDEST = 131,
    NEWEST = 135,
    WITH_ARGUMENTS = 135, /* since which functions have attributes of arguments, and entries always hints */

    FLAG_ENTRY = 2,
    FLAG_HINTS = 4,

    STRING_ALIGNMENT = 4,
    DEEPEST = 16, /* attributes in attributes; hints have three */
};

enum tag {
    TAG_INTEGER = 1,
    TAG_BOOL = 3,
    TAG_TYPE = 4,
    TAG_STRING = 5,
    TAG_ARRAY = 6,
    TAG_DIVISIBLE = 8,
    TAG_SAME_ELEMENTS = 9,
    TAG_DICTIONARY = 10,
    TAG_HINTS = 11,
    TAG_BOUNDED = 12,
};

struct strings {
    const unsigned char *offsets; /* 32 bits each */
    uint64_t count;
    const char *text;
    size_t size;
};

static cubinet_status damaged(const char *what)
{
    return cbn_error(CUBINET_ERROR_DAMAGED, "not Tile IR: %s", what);
}

static bool read_strings(struct cbn_tileir_span section, struct strings *out_strings)
{
    const unsigned char *start = section.at;
    uint64_t count = 0;
    if (!start || !cbn_tileir_varint(&section, &count)) {
        return false;
    }
    size_t offset = (size_t)(section.at - start);
    if (count && !cbn_tileir_skip(&section, -offset % STRING_ALIGNMENT)) {
        return false;
    }
    const unsigned char *offsets = section.at;
    if (count > SIZE_MAX / 4 || !cbn_tileir_skip(&section, 4 * count)) {
        return false;
    }
    *out_strings =
        (struct strings){offsets, count, (const char *)section.at, (size_t)(section.end - section.at)};
    return true;
}

/* A string that can be a name; NULL if it is none. */
static const char *find_name(const struct strings *strings, uint64_t number, size_t *out_size)
{
    if (number >= strings->count) {
        return NULL;
    }
    const unsigned char *offset = strings->offsets + 4 * number;
    size_t first = cbn_get32(offset);
    size_t end = number + 1 < strings->count ? cbn_get32(offset + 4) : strings->size;
    if (first >= end || end > strings->size || memchr(strings->text + first, '\0', end - first)) {
        return NULL;
    }
    *out_size = end - first;
    return strings->text + first;
}

static bool skip_attribute(struct cbn_tileir_span *span, int depth);

static bool skip_varints(struct cbn_tileir_span *span, uint64_t count)
{
    uint64_t number = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (!cbn_tileir_varint(span, &number)) {
            return false;
        }
    }
    return true;
}

/* Each one has a byte at least, so a count that is not true ends with the bytes. */
static bool skip_attributes(struct cbn_tileir_span *span, bool have_keys, int depth)
{
    uint64_t count = 0;
    if (!cbn_tileir_varint(span, &count)) {
        return false;
    }
    for (uint64_t i = 0; i < count; i++) {
        if ((have_keys && !skip_varints(span, 1)) || !skip_attribute(span, depth)) {
            return false;
        }
    }
    return true;
}

/* Two numbers, of which flags say whether they are there. */
static bool skip_pair(struct cbn_tileir_span *span)
{
    unsigned char flags = 0;
    return cbn_tileir_byte(span, &flags) && flags < 4 && skip_varints(span, (flags & 1u) + (flags >> 1));
}

static bool skip_elements(struct cbn_tileir_span *span)
{
    uint64_t count = 0;
    return cbn_tileir_varint(span, &count) && count <= SIZE_MAX / 8 && cbn_tileir_skip(span, 8 * count);
}

/* Those whose size depends on types (floats, dense elements) are none that functions are seen to have. */
static bool skip_attribute(struct cbn_tileir_span *span, int depth)
{
    uint64_t tag = 0;
    if (depth == DEEPEST || !cbn_tileir_varint(span, &tag)) {
        return false;
    }
    switch (tag) {
    case TAG_INTEGER: /* type, value */
        return skip_varints(span, 2);
    case TAG_BOOL:
        return cbn_tileir_skip(span, 1);
    case TAG_TYPE:
    case TAG_STRING:
        return skip_varints(span, 1);
    case TAG_ARRAY:
        return skip_attributes(span, false, depth + 1);
    case TAG_DIVISIBLE:
        return skip_varints(span, 1) && skip_pair(span);
    case TAG_SAME_ELEMENTS:
        return skip_elements(span);
    case TAG_DICTIONARY:
    case TAG_HINTS:
        return skip_attributes(span, true, depth + 1);
    case TAG_BOUNDED:
        return skip_pair(span);
    default:
        return false;
    }
}

struct function {
    uint64_t name;
    bool is_entry;
};

static bool skip_function_attributes(struct cbn_tileir_span *span, int version, unsigned char flags)
{
    bool is_entry = (flags & FLAG_ENTRY) != 0;
    bool has_hints = version >= WITH_ARGUMENTS ? is_entry : is_entry && (flags & FLAG_HINTS);
    return (!has_hints || skip_attribute(span, 0)) && (version < WITH_ARGUMENTS || skip_attribute(span, 0));
}

static bool read_function(struct cbn_tileir_span *span, int version, struct function *out_function)
{
    uint64_t body = 0;
    unsigned char flags = 0;
    /* Name, type; flags; place in the source. */
    if (!cbn_tileir_varint(span, &out_function->name) || !skip_varints(span, 1) ||
        !cbn_tileir_byte(span, &flags) || !skip_varints(span, 1) ||
        !skip_function_attributes(span, version, flags)) {
        return false;
    }
    out_function->is_entry = (flags & FLAG_ENTRY) != 0;
    return cbn_tileir_varint(span, &body) && cbn_tileir_skip(span, body);
}

static cubinet_status add_kernel(const struct strings *strings, const struct function *function,
                                 struct contents *contents)
{
    size_t size = 0;
    const char *name = find_name(strings, function->name, &size);
    if (!name) {
        return damaged("a function without a name");
    }
    return contents_add_kernel(contents, name, size) ? CUBINET_OK : cbn_error_memory();
}

static cubinet_status read_functions(const struct cbn_tileir *tileir, struct contents *contents)
{
    struct cbn_tileir_span rest = tileir->sections[CBN_TILEIR_FUNCTIONS];
    struct strings strings;
    uint64_t count = 0;
    if (!rest.at || !cbn_tileir_varint(&rest, &count)) {
        return damaged("no table of functions");
    }
    if (!read_strings(tileir->sections[CBN_TILEIR_STRINGS], &strings)) {
        return damaged("no strings");
    }
    cubinet_status status = CUBINET_OK;
    for (uint64_t i = 0; i < count && !status; i++) {
        struct function function;
        if (!read_function(&rest, tileir->number, &function)) {
            return damaged("a function of another form, or cut off");
        }
        status = function.is_entry ? add_kernel(&strings, &function, contents) : CUBINET_OK;
    }
    return status;
}

static cubinet_status check_names(const struct contents *contents)
{
    for (size_t i = 1; i < contents->kernel_count; i++) {
        if (strcmp(contents->kernels[i - 1].name, contents->kernels[i].name) == 0) {
            return cbn_error(CUBINET_ERROR_DAMAGED, "not Tile IR: two kernels are named '%s'",
                             contents->kernels[i].name);
        }
    }
    return CUBINET_OK;
}

static cubinet_status check_version(const struct cbn_tileir *tileir)
{
    if (tileir->number < OLDEST || tileir->number > NEWEST) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "it is Tile IR %d.%d, and Cubinet reads %d.%d to %d.%d", tileir->number / 10,
                         tileir->number % 10, OLDEST / 10, OLDEST % 10, NEWEST / 10, NEWEST % 10);
    }
    if (tileir->tag) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "it uses features of Tile IR %d.%d that are previews, which other drivers need not "
                         "take: compile it to cubins with tileiras, and pack these",
                         tileir->number / 10, tileir->number % 10);
    }
    return CUBINET_OK;
}

cubinet_status tileir_read(const void *data, size_t size, struct contents *out_contents)
{
    struct cbn_tileir tileir;
    struct contents contents = {0};
    cubinet_status status = cbn_tileir_open(data, size, &tileir);
    if (!status) {
        status = check_version(&tileir);
    }
    if (!status && tileir.size < size) {
        status = damaged("there are bytes after its end");
    }
    if (!status) {
        status = read_functions(&tileir, &contents);
    }
    if (!status) {
        contents_keep_names(&contents);
        contents_sort(&contents);
        contents.target = (cubinet_target){.kind = CUBINET_IMAGE_TILEIR, .number = tileir.number};
        status = check_names(&contents);
    }
    if (status) {
        contents_free(&contents);
        return status;
    }
    *out_contents = contents;
    return CUBINET_OK;
}
