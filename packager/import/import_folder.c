/* SPDX-License-Identifier: Apache-2.0 */
#include "import/import_folder.h"

#include "base/array.h"
#include "base/path.h"
#include "import/import_code_object.h"
#include "import/import_cute.h"
#include "import/import_numba.h"
#include "import/import_tilelang.h"
#include "import/import_triton.h"
#include "import/import_triton_source.h"
#include "import/import_warp.h"
#include "import/import_xla.h"
#include "loader/core/support/error.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEEPEST = 32, DIGEST_DIGITS = 32 };

static bool has_suffix(const char *path, const char *suffix)
{
    const char *dot = strrchr(path_name(path), '.');
    return dot && strcmp(dot, suffix) == 0;
}

/* Caches call files by digests: cuda.core's has images by the rest of a digest of 64 digits, without a
 * suffix. */
static bool is_digest(const char *name)
{
    size_t size = 0;
    while (isxdigit((unsigned char)name[size])) {
        size++;
    }
    return size >= DIGEST_DIGITS && name[size] == '\0';
}

/* Of device code, and of what may have some inside. */
static bool may_have_images(const char *path)
{
    static const char *const suffixes[] = {".cubin",   ".ptx", ".fatbin", ".ltoir", ".tileir", ".tilebc",
                                           ".optixir", ".nbc", ".pt2",    ".so",    ".o",      ".alg"};
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        if (has_suffix(path, suffixes[i])) {
            return true;
        }
    }
    return path_is_versioned(path_name(path)) || is_digest(path_name(path));
}

/* Whether a link leads to a file beside it, which is taken by its own name: libraries have several. */
static bool is_second_name(const char *path)
{
    char target[NAME_MAX + 1];
    ssize_t size = readlink(path, target, sizeof(target) - 1);
    target[size > 0 ? size : 0] = '\0';
    return size > 0 && target[0] != '.' && !strchr(target, '/') && may_have_images(target);
}

/* What reads the files that describe others, by their suffix. */
static const struct {
    const char *suffix;
    cubinet_status (*read)(const char *path, struct import_list *list, bool *out_is_one);
} readers[] = {
    {".json", import_triton}, {".c", import_triton_source},  {".meta", import_warp},
    {".txt", import_xla},     {".mlir", import_cute},        {".cu", import_tilelang},
    {".nbc", import_numba},   {".pkl", import_code_objects}, {".pickle", import_code_objects},
};

cubinet_status import_file(const char *path, struct import_list *list, bool *out_is_one)
{
    *out_is_one = false;
    for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
        if (has_suffix(path, readers[i].suffix)) {
            return readers[i].read(path, list, out_is_one);
        }
    }
    return CUBINET_OK;
}

static cubinet_status take_folder(const char *path, int depth, struct import_list *list);

/* A file that the first pass has added. */
struct described {
    const char *path;
    size_t stem_size; /* of the path, without a suffix */
    bool has_kernels;
};

/* What lies in a folder: first what describes others, then the rest. */
struct pass {
    bool is_second;
    int depth;
    struct described *described; /* by their paths without suffixes */
    size_t count;
};

static int compare(const void *left, const void *right)
{
    const struct described *a = left;
    const struct described *b = right;
    size_t size = a->stem_size < b->stem_size ? a->stem_size : b->stem_size;
    int order = memcmp(a->path, b->path, size);
    return order ? order : (a->stem_size > b->stem_size) - (a->stem_size < b->stem_size);
}

static struct described described_of(const char *path, bool has_kernels)
{
    const char *name = path_name(path);
    return (struct described){path, (size_t)(name - path) + path_stem_size(name), has_kernels};
}

static cubinet_status start_second(struct pass *pass, size_t start, const struct import_list *list)
{
    pass->is_second = true;
    pass->described = calloc(list->count - start + 1, sizeof(*pass->described));
    if (!pass->described) {
        return cbn_error_memory();
    }
    for (size_t i = start; i < list->count; i++) {
        const struct import_item *item = &list->items[i];
        pass->described[pass->count++] = described_of(item->path, item->kernel_count > 0);
    }
    qsort(pass->described, pass->count, sizeof(*pass->described), compare);
    return CUBINET_OK;
}

/* Whether a file was added, or says the same as one that was: Triton's PTX beside a cubin does, and Warp's
 * source is not an image. */
static bool is_described(const struct pass *pass, const char *path)
{
    size_t place = 0;
    bool is = false;
    const struct described file = described_of(path, false);
    array_find(pass->described, pass->count, sizeof(file), &file, compare, &place);
    while (place > 0 && compare(&pass->described[place - 1], &file) == 0) {
        place--;
    }
    for (; !is && place < pass->count && compare(&pass->described[place], &file) == 0; place++) {
        is = pass->described[place].has_kernels || strcmp(pass->described[place].path, path) == 0;
    }
    return is;
}

static cubinet_status cannot_read(const char *path)
{
    return cbn_error(CUBINET_ERROR_IO, "'%s' cannot be read: %s", path, strerror(errno));
}

static cubinet_status take(const char *path, const struct pass *pass, struct import_list *list)
{
    struct stat about;
    bool is_one;
    bool is_there = lstat(path, &about) == 0;
    bool is_link = is_there && S_ISLNK(about.st_mode);
    if (!is_there || (is_link && stat(path, &about) != 0)) {
        /* somebody else's cache may change at any time, and links may lead nowhere */
        return errno == ENOENT || errno == ENOTDIR || errno == ELOOP ? CUBINET_OK : cannot_read(path);
    }
    if (S_ISDIR(about.st_mode)) {
        return pass->is_second && !is_link && !import_tilelang_is_copy(path)
                   ? take_folder(path, pass->depth + 1, list)
                   : CUBINET_OK;
    }
    if (!S_ISREG(about.st_mode) || about.st_size == 0) {
        return CUBINET_OK;
    }
    if (!pass->is_second) {
        return import_file(path, list, &is_one);
    }
    if (!may_have_images(path) || is_second_name(path) || is_described(pass, path)) {
        return CUBINET_OK;
    }
    return import_list_add(list, path) ? CUBINET_OK : cbn_error_memory();
}

static cubinet_status take_all(const char *folder, struct dirent **files, int count, const struct pass *pass,
                               struct import_list *list)
{
    cubinet_status status = CUBINET_OK;
    for (int i = 0; !status && i < count; i++) {
        char *path = NULL;
        const char *slash = folder[strlen(folder) - 1] == '/' ? "" : "/";
        if (files[i]->d_name[0] == '.') {
            continue;
        }
        if (asprintf(&path, "%s%s%s", folder, slash, files[i]->d_name) < 0) {
            return cbn_error_memory();
        }
        status = take(path, pass, list);
        free(path);
    }
    return status;
}

static cubinet_status take_folder(const char *path, int depth, struct import_list *list)
{
    struct dirent **files = NULL;
    size_t start = list->count;
    struct pass pass = {.depth = depth};
    int count = depth < DEEPEST ? scandir(path, &files, NULL, alphasort) : 0;
    if (count < 0) {
        return cannot_read(path);
    }
    cubinet_status status = take_all(path, files, count, &pass, list);
    if (!status) {
        status = start_second(&pass, start, list);
    }
    if (!status) {
        status = take_all(path, files, count, &pass, list);
    }
    free(pass.described);
    for (int i = 0; i < count; i++) {
        free(files[i]);
    }
    free(files);
    return status;
}

cubinet_status import_folder(const char *path, struct import_list *list)
{
    size_t before = list->count;
    cubinet_status status = take_folder(path, 0, list);
    return status || list->count > before
               ? status
               : cbn_error(
                     CUBINET_ERROR_INVALID_ARGUMENT,
                     "there is no device code in the folder '%s': neither cubins, PTX, fatbins, LTO-IR "
                     "or Tile IR by their suffixes, nor what Triton, Warp, CuPy, numba or cuda.core leave",
                     path);
}
