/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx/cleaning/ptx_names.h"

#include "loader/core/archive/digest.h"

#include <stdio.h>
#include <string.h>

enum {
    CHECKSUM_SIZE = 8,
    MAX_FILE_SIZE = 255, /* of a file's name on every system */
};

static const char zeros[] = "_00000000_"; /* in every such name, and little else in PTX looks like it */

struct unstable_name {
    const char *start; /* the first digit of its length */
    const char *name;  /* what the length counts */
    const char *tail;  /* the checksum and the process id, to the end */
    const char *end;
};

struct ptx_name_tail ptx_name_tail(const char *identity)
{
    struct cbn_digest digest = cbn_digest(identity, strlen(identity));
    struct ptx_name_tail tail;
    unsigned checksum = cbn_get32(digest.bytes);
    unsigned process = 1000000 + cbn_get32(digest.bytes + 4) % 9000000;
    snprintf(tail.text, sizeof(tail.text), "%08x_%07u", checksum, process);
    return tail;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Skips digits and sets their value, as far as a length of a name can be. */
static const char *take_number(const char *at, const char *end, size_t *out_value)
{
    size_t value = 0;
    for (; at < end && is_digit(*at) && value < 1000; at++) {
        value = value * 10 + (size_t)(*at - '0');
    }
    *out_value = value;
    return at;
}

/* Skips "_", the checksum and "_". NULL if that is not what is there. */
static const char *take_checksum(const char *at, const char *end)
{
    if (end - at < CHECKSUM_SIZE + 2 || at[0] != '_' || at[CHECKSUM_SIZE + 1] != '_') {
        return NULL;
    }
    for (int i = 1; i <= CHECKSUM_SIZE; i++) {
        if (!is_digit(at[i]) && !(at[i] >= 'a' && at[i] <= 'f')) {
            return NULL;
        }
    }
    return at + CHECKSUM_SIZE + 2;
}

/* The checksum of a name in which the file's name and its length follow at `at`; NULL if there is none.
 * out_process: the process id, of which one digit is there */
static const char *find_tail(const char *at, const char *end, const char **out_process)
{
    size_t file_size;
    const char *file = take_number(at, end, &file_size);
    if (file == at || file == end || *file != '_' || file_size > MAX_FILE_SIZE ||
        (size_t)(end - file - 1) <= file_size) {
        return NULL;
    }
    file++;
    for (size_t i = 0; i < file_size; i++) {
        if (!is_word(file[i])) {
            return NULL;
        }
    }
    const char *process = take_checksum(file + file_size, end);
    if (!process || process == end || !is_digit(*process)) {
        return NULL;
    }
    *out_process = process;
    return file + file_size + 1;
}

/* Reads the length in front of a name. What is in front of the length may be digits too, and what follows the
 * process id as well, so the length is the one number there that makes the process id 1 to 10 digits long. */
static bool find_length(struct unstable_name *name, const char *begin, const char *process, const char *end)
{
    enum { MIN_DIGITS = 2, MAX_DIGITS = 3, MAX_PROCESS = 10 };
    for (int digits = 1; digits <= MAX_DIGITS; digits++) {
        const char *start = name->name - digits;
        if (name->name - begin < digits || !is_digit(*start)) {
            return false;
        }
        size_t length;
        take_number(start, name->name, &length);
        if (digits < MIN_DIGITS || length > (size_t)(end - name->name) || name->name + length <= process ||
            name->name + length > process + MAX_PROCESS) {
            continue;
        }
        name->start = start;
        name->end = name->name + length;
        const char *at = process;
        while (at < name->end && is_digit(*at)) {
            at++;
        }
        return at == name->end;
    }
    return false;
}

/* Reads the name in which `zeros` was found at `at`. */
static bool read_name(const char *begin, const char *at, const char *end, struct unstable_name *out_name)
{
    static const char *const kinds[] = {"_INTERNAL", "_GLOBAL__N_"};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        size_t size = strlen(kinds[i]);
        if ((size_t)(at - begin) > size && memcmp(at - size, kinds[i], size) == 0) {
            const char *process;
            out_name->name = at - size;
            out_name->tail = find_tail(at + sizeof(zeros) - 1, end, &process);
            return out_name->tail && find_length(out_name, begin, process, end);
        }
    }
    return false;
}

/* Finds the first such name. */
static bool find_name(const char *begin, const char *end, struct unstable_name *out_name)
{
    const char *at = begin;
    while (at < end && (at = memmem(at, (size_t)(end - at), zeros, sizeof(zeros) - 1)) != NULL) {
        if (read_name(begin, at, end, out_name)) {
            return true;
        }
        at++;
    }
    return false;
}

void ptx_append_stable(const char *text, size_t size, const struct ptx_name_tail *tail, struct buffer *out)
{
    const char *end = text + size;
    struct unstable_name name;
    while (find_name(text, end, &name)) {
        buffer_append(out, text, (size_t)(name.start - text));
        buffer_printf(out, "%zu", (size_t)(name.tail - name.name) + PTX_NAME_TAIL_SIZE);
        buffer_append(out, name.name, (size_t)(name.tail - name.name));
        buffer_append(out, tail->text, PTX_NAME_TAIL_SIZE);
        text = name.end;
    }
    buffer_append(out, text, (size_t)(end - text));
}

bool ptx_has_unstable(const char *text, size_t size, bool *out_same_size)
{
    const char *end = text + size;
    struct unstable_name name;
    bool found = false;
    *out_same_size = true;
    for (; find_name(text, end, &name); text = name.end) {
        found = true;
        *out_same_size &= name.end - name.tail == PTX_NAME_TAIL_SIZE;
    }
    return found;
}
