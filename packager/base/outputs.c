/* SPDX-License-Identifier: Apache-2.0 */
#include "base/outputs.h"

#include "base/array.h"
#include "base/response_file.h"
#include "loader/core/support/error.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct outputs_file {
    const char *what;
    const char *path;
    const char *replaced_by; /* the output that may replace it; NULL: none */
    bool is_written;
};

/* What a path stands for. Writers replace names, not files: with hard links a name is what counts. */
struct place {
    struct stat file; /* st_nlink is 0 if none is there */
    struct stat folder;
    char *name; /* from that folder: the deepest that is there */
};

/* Whether it was added before: an option may be given twice. */
static bool is_added(const struct outputs *outputs, const struct outputs_file *file)
{
    for (size_t i = 0; i < outputs->count; i++) {
        const struct outputs_file *other = &outputs->items[i];
        if (file->is_written && other->is_written && strcmp(other->what, file->what) == 0 &&
            strcmp(other->path, file->path) == 0) {
            return true;
        }
    }
    return false;
}

static void add(struct outputs *outputs, const struct outputs_file *file)
{
    if (!file->path || strcmp(file->path, "-") == 0 || is_added(outputs, file)) {
        return;
    }
    struct outputs_file *items = array_grow(outputs->items, outputs->count, sizeof(*items));
    if (!items) {
        outputs->failed = true;
        return;
    }
    outputs->items = items;
    items[outputs->count++] = *file;
}

void outputs_write(struct outputs *outputs, const char *what, const char *path)
{
    add(outputs, &(struct outputs_file){what, path, NULL, true});
}

void outputs_read(struct outputs *outputs, const char *what, const char *path)
{
    add(outputs, &(struct outputs_file){what, path, NULL, false});
}

void outputs_read_all(struct outputs *outputs, const char *what, const struct cbn_text_list *paths)
{
    for (size_t i = 0; i < paths->count; i++) {
        outputs_read(outputs, what, paths->items[i]);
    }
}

void outputs_edit(struct outputs *outputs, const char *what, const char *path, const char *replaced_by)
{
    add(outputs, &(struct outputs_file){what, path, replaced_by, false});
}

/* Where a link leads though nothing is there: another output may put it there. Any other path is its own. */
static char *link_target(const char *path)
{
    char text[PATH_MAX];
    ssize_t size = readlink(path, text, sizeof(text) - 1);
    const char *slash = strrchr(path, '/');
    char *target = NULL;
    if (size < 0) {
        return strdup(path);
    }
    text[size] = '\0';
    int folder = slash && text[0] != '/' ? (int)(slash - path) + 1 : 0;
    return asprintf(&target, "%.*s%s", folder, path, text) < 0 ? NULL : target;
}

/* The path behind links, which the caller frees; NULL if memory is out. */
static char *find_target(const char *path)
{
    char *target = realpath(path, NULL);
    return target || errno == ENOMEM ? target : link_target(path);
}

/* Without "." and empty parts. */
static void simplify(char *name)
{
    char *to = name;
    for (const char *from = name; *from;) {
        size_t size = strcspn(from, "/");
        bool is_part = size > 0 && !(size == 1 && *from == '.');
        if (is_part) {
            memmove(to, from, size);
            to += size;
            *to = from[size]; /* a slash, or the end */
            to += from[size] != '\0';
        }
        from += size + (from[size] != '\0');
    }
    *to = '\0';
}

/* Finds the deepest folder of a path that is there, and says how much of the path names it. */
static cubinet_status find_folder(const char *path, struct stat *out_folder, size_t *out_length)
{
    size_t length = strlen(path);
    bool is_found = false;
    while (!is_found) {
        const char *slash = memrchr(path, '/', length);
        char *folder = !slash          ? strdup(".")
                       : slash == path ? strdup("/")
                                       : strndup(path, (size_t)(slash - path));
        if (!folder) {
            return cbn_error_memory();
        }
        length = slash ? (size_t)(slash - path) : 0;
        is_found = stat(folder, out_folder) == 0 || length == 0;
        *out_length = slash ? length + 1 : 0;
        free(folder);
    }
    return CUBINET_OK;
}

static cubinet_status find_place(const char *path, struct place *out_place)
{
    struct place place = {0};
    char *target = find_target(path);
    size_t length = 0;
    cubinet_status status = target ? find_folder(target, &place.folder, &length) : cbn_error_memory();
    if (stat(path, &place.file) != 0) {
        place.file.st_nlink = 0;
    }
    if (!status && !(place.name = strdup(target + length))) {
        status = cbn_error_memory();
    }
    free(target);
    if (!status) {
        simplify(place.name);
        *out_place = place;
    }
    return status;
}

static bool is_same_inode(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool is_special(const struct place *place)
{
    return place->file.st_nlink > 0 && !S_ISREG(place->file.st_mode);
}

static bool is_same(const struct place *a, const struct place *b)
{
    if (is_special(a) || is_special(b)) {
        return false;
    }
    bool is_one_file = a->file.st_nlink == 1 && b->file.st_nlink == 1 && is_same_inode(&a->file, &b->file);
    return is_one_file || (is_same_inode(&a->folder, &b->folder) && strcmp(a->name, b->name) == 0);
}

static cubinet_status refuse(const struct outputs_file *output, const struct outputs_file *other)
{
    if (other->is_written) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "%s '%s' and %s '%s' are the same file; name another for one of them", other->what,
                         other->path, output->what, output->path);
    }
    return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                     "%s '%s' is %s '%s', which would be lost; name another file", output->what, output->path,
                     other->what, other->path);
}

static bool may_replace(const struct outputs_file *output, const struct outputs_file *other)
{
    return other->replaced_by && strcmp(other->replaced_by, output->path) == 0;
}

/* Compares an output with the outputs before it, and with all that is read. */
static cubinet_status check_output(const struct outputs *outputs, const struct place *places, size_t output)
{
    for (size_t i = 0; i < outputs->count; i++) {
        const struct outputs_file *other = &outputs->items[i];
        bool is_compared = other->is_written ? i < output : !may_replace(&outputs->items[output], other);
        if (is_compared && is_same(&places[output], &places[i])) {
            return refuse(&outputs->items[output], other);
        }
    }
    return CUBINET_OK;
}

static cubinet_status check_places(const struct outputs *outputs)
{
    struct place *places = calloc(outputs->count + 1, sizeof(*places));
    cubinet_status status = places && !outputs->failed ? CUBINET_OK : cbn_error_memory();
    for (size_t i = 0; !status && i < outputs->count; i++) {
        status = find_place(outputs->items[i].path, &places[i]);
    }
    for (size_t i = 0; !status && i < outputs->count; i++) {
        status = outputs->items[i].is_written ? check_output(outputs, places, i) : CUBINET_OK;
    }
    for (size_t i = 0; places && i < outputs->count; i++) {
        free(places[i].name);
    }
    free(places);
    return status;
}

cubinet_status outputs_check(struct outputs *outputs)
{
    struct cbn_text_list response_files = {0};
    cubinet_status status = arguments_add_files(&response_files);
    outputs_read_all(outputs, "the file of arguments", &response_files);
    if (!status) {
        status = check_places(outputs);
    }
    cbn_text_list_free(&response_files);
    free(outputs->items);
    *outputs = (struct outputs){0};
    return status;
}
