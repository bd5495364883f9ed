/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/base_dir.h"

#include "compile/compile_options.h"
#include "compile/nvcc_options.h"
#include "loader/core/support/error.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Folders outside of the working folder that were replaced in the arguments, as they are now and as they
 * were. */
static struct cbn_text_list replaced;
static struct cbn_text_list whole;

static struct option_reader reader_of(const struct arguments *arguments)
{
    return (struct option_reader){
        .options = compile_options,
        .more = nvcc_options,
        .argc = arguments->count,
        .argv = arguments->values,
        .skips_unknown = nvcc_forwards_unknown(arguments->count, arguments->values),
    };
}

/* The folder, or NULL. */
static const char *find_base(const struct arguments *arguments)
{
    struct option_reader reader = reader_of(arguments);
    const char *base = getenv("CUBINET_BASE_DIR");
    for (int id; (id = option_next(&reader)) != OPTION_END && id != OPTION_ERROR;) {
        base = id == ID_BASE_DIR ? reader.value : base;
    }
    return base && base[0] ? base : NULL;
}

static bool is_in(const char *path, const char *folder)
{
    size_t size = strlen(folder);
    while (size > 1 && folder[size - 1] == '/') {
        size--;
    }
    return strncmp(path, folder, size) == 0 && (path[size] == '/' || path[size] == '\0' || size == 1);
}

/* How much of two absolute paths is one folder's: up to the end of a name in both. */
static size_t common_size(const char *a, const char *b)
{
    size_t common = 0;
    size_t i = 0;
    for (; a[i] && a[i] == b[i]; i++) {
        common = a[i] == '/' ? i : common;
    }
    bool both_end = (a[i] == '\0' || a[i] == '/') && (b[i] == '\0' || b[i] == '/');
    return both_end ? i : common;
}

/* The path as seen from a folder, which the caller frees; NULL without memory. The folder's own path leads
 * through no symbolic links, so going up from it is the same as shortening it. */
static char *relative(const char *path, const char *folder)
{
    size_t common = common_size(path, folder);
    const char *rest = path + common + strspn(path + common, "/");
    size_t steps = 0;
    for (const char *at = folder + common; *at; at++) {
        steps += at[0] == '/' && at[1] != '\0';
    }
    size_t size = 3 * steps + strlen(rest) + 2;
    char *result = malloc(size);
    if (!result) {
        return NULL;
    }
    char *end = result;
    for (size_t i = 0; i < steps; i++) {
        end = stpcpy(end, "../");
    }
    strcpy(end, rest);
    size_t length = strlen(result);
    if (length > 1 && result[length - 1] == '/') {
        result[length - 1] = '\0';
    }
    return result[0] ? result : strcpy(result, ".");
}

static bool is_path_option(int id)
{
    return id == OPTION_POSITIONAL || id == ID_INCLUDE || id == ID_SYSTEM_INCLUDE || id == ID_PRE_INCLUDE;
}

/* Length of a path without slashes at its end, or of the folder of a file. */
static size_t folder_size(const char *path, bool is_file)
{
    const char *slash = is_file ? strrchr(path, '/') : NULL;
    size_t size = slash ? (size_t)(slash - path) : strlen(path);
    while (size > 1 && path[size - 1] == '/') {
        size--;
    }
    return size;
}

/* Of a file its folder, in which there may be headers. */
static cubinet_status remember(const char *path, const char *was, bool is_file)
{
    if (strncmp(path, "../", 3) != 0 && strcmp(path, "..") != 0) {
        return CUBINET_OK;
    }
    cubinet_status status = cbn_text_list_addf(&replaced, "%.*s", (int)folder_size(path, is_file), path);
    return status ? status : cbn_text_list_addf(&whole, "%.*s", (int)folder_size(was, is_file), was);
}

/* Replaces the value that was just read, which ends its argument. */
static cubinet_status replace(struct arguments *arguments, const struct option_reader *reader,
                              const char *folder, bool is_file)
{
    char **argument = &arguments->values[reader->next - 1];
    char *path = relative(reader->value, folder);
    char *text = NULL;
    if (!path || asprintf(&text, "%.*s%s", (int)(reader->value - *argument), *argument, path) < 0) {
        free(path);
        return cbn_error_memory();
    }
    cubinet_status status = remember(path, reader->value, is_file);
    free(path);
    free(*argument);
    *argument = text;
    return status;
}

cubinet_status base_dir_apply(struct arguments *arguments)
{
    const char *named = find_base(arguments);
    if (!named) {
        return CUBINET_OK;
    }
    if (named[0] != '/') {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "--base-dir is '%s'; it must be an absolute path",
                         named);
    }
    char *base = strdup(named); /* its argument may move */
    char *folder = getcwd(NULL, 0);
    cubinet_status status = base ? CUBINET_OK : cbn_error_memory();
    if (!status && !folder) {
        status = cbn_error(CUBINET_ERROR_IO, "the working folder cannot be found: %s", strerror(errno));
    }
    struct option_reader reader = reader_of(arguments);
    bool applies = !status && is_in(folder, base);
    for (int id; !status && applies && (id = option_next(&reader)) != OPTION_END && id != OPTION_ERROR;) {
        if (is_path_option(id) && reader.value && is_in(reader.value, base)) {
            status = replace(arguments, &reader, folder, id == OPTION_POSITIONAL || id == ID_PRE_INCLUDE);
        }
    }
    free(folder);
    free(base);
    return status;
}

cubinet_status base_dir_restore(struct cbn_text_list *paths)
{
    for (size_t i = 0; i < paths->count; i++) {
        size_t j = 0;
        while (j < replaced.count && !is_in(paths->items[i], replaced.items[j])) {
            j++;
        }
        char *path = NULL;
        if (j < replaced.count) {
            const char *rest = paths->items[i] + strlen(replaced.items[j]);
            if (asprintf(&path, "%s%s", whole.items[j], rest) < 0) {
                return cbn_error_memory();
            }
            free(paths->items[i]);
            paths->items[i] = path;
        }
    }
    return CUBINET_OK;
}
