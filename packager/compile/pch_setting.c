/* SPDX-License-Identifier: Apache-2.0 */
/* What a precompiled header depends on beside files: which options concern headers, and which NVRTC it is. */
#include "compile/pch_record.h"
#include "loader/core/support/error.h"
#include "loader/core/support/text.h"

#include <libgen.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What is about names, machine code and times alone. */
static bool is_no_matter(const char *option)
{
    static const char *const starts[] = {"-frandom-seed=", "-maxrregcount=", "-split-compile=", "-time="};
    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
        if (cbn_starts_with(option, starts[i])) {
            return true;
        }
    }
    return false;
}

struct kind {
    const char *text;
    int size;
};

/* Options of different kinds may stand in any order: what counts is the order of folders, of headers, and of
 * definitions. */
static struct kind kind_of(const char *option)
{
    switch (option[1]) {
    case 'I':
        return (struct kind){"-I", 2};
    case 'D':
    case 'U':
        return (struct kind){"-D", 2};
    default:
        return (struct kind){option, (int)strcspn(option, "=")};
    }
}

static int compare_kinds(const char *a, const char *b)
{
    struct kind kind_a = kind_of(a);
    struct kind kind_b = kind_of(b);
    int shorter = kind_a.size < kind_b.size ? kind_a.size : kind_b.size;
    int order = memcmp(kind_a.text, kind_b.text, (size_t)shorter);
    return order ? order : kind_a.size - kind_b.size;
}

/* Sorts by kind, and leaves those of a kind in their order. */
static void sort_by_kind(struct cbn_text_list *options)
{
    for (size_t i = 1; i < options->count; i++) {
        char *moved = options->items[i];
        size_t at = i;
        for (; at > 0 && compare_kinds(options->items[at - 1], moved) > 0; at--) {
            options->items[at] = options->items[at - 1];
        }
        options->items[at] = moved;
    }
}

/* Takes the options that concern headers from those of a compile: all but a few that are known not to. */
static cubinet_status take_options(const struct cbn_text_list *options, struct cbn_text_list *out_options)
{
    static const char trace[] = "-fdevice-time-trace";
    static const char relocatable[] = "-rdc=true";
    bool is_traced = false;
    bool is_relocatable = false;
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < options->count; i++) {
        const char *option = options->items[i];
        if (cbn_starts_with(option, trace)) {
            is_traced = true; /* wherever it goes */
        } else if (strcmp(option, relocatable) == 0) {
            is_relocatable = true; /* wherever it stands */
        } else if (!is_no_matter(option)) {
            status = cbn_text_list_add(out_options, option);
        }
    }
    if (!status && is_traced) {
        status = cbn_text_list_add(out_options, trace);
    }
    if (!status && is_relocatable) {
        status = cbn_text_list_add(out_options, relocatable);
    }
    if (!status) {
        sort_by_kind(out_options);
    }
    return status;
}

static void add_file(struct buffer *text, const char *path)
{
    struct stat about = {0};
    if (stat(path, &about) != 0) {
        memset(&about, 0, sizeof(about));
    }
    buffer_printf(text, "%s %lld %lld %llu\n", path, (long long)about.st_size,
                  inputs_nanoseconds(about.st_mtim), (unsigned long long)about.st_ino);
}

/* The library by its path, size, time and number, and its folder: its builtins are beside it. */
static cubinet_status digest_library(const char *path, struct cbn_sha256 *out_digest)
{
    struct buffer text = {0};
    char *copy = strdup(path);
    if (!copy) {
        return cbn_error_memory();
    }
    add_file(&text, path);
    add_file(&text, dirname(copy));
    free(copy);
    if (text.failed) {
        buffer_free(&text);
        return cbn_error_memory();
    }
    *out_digest = cbn_sha256(text.data, text.size);
    buffer_free(&text);
    return CUBINET_OK;
}

cubinet_status pch_setting_make(const struct cbn_text_list *options, const char *folder,
                                const char *nvrtc_path, struct pch_setting *out_setting)
{
    struct pch_setting setting = {.folder = strdup(folder)};
    cubinet_status status = setting.folder ? CUBINET_OK : cbn_error_memory();
    if (!status) {
        status = take_options(options, &setting.options);
    }
    if (!status) {
        status = digest_library(nvrtc_path, &setting.nvrtc);
    }
    if (status) {
        pch_setting_free(&setting);
        return status;
    }
    *out_setting = setting;
    return CUBINET_OK;
}
