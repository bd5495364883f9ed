/* SPDX-License-Identifier: Apache-2.0 */
#include "import/import_numba_index.h"

#include "base/file.h"
#include "base/path.h"
#include "import/import_beside.h"
#include "import/pickle.h"
#include "loader/core/support/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* An index: a pickle of numba's release, and one of a pair: the source's stamp, and a dict of names of files
 * by what they were compiled for. */
struct index {
    char *data;
    struct pickle pickle;
    const struct pickle_value *stamp;
    const struct pickle_value *files;
};

void numba_entry_free(struct numba_entry *entry)
{
    free(entry->index);
    free(entry->source);
    *entry = (struct numba_entry){0};
}

/* "kernels.saxpy-4.py311.nbi" of "kernels.saxpy-4.py311.1.nbc", and "../kernels.py". */
static cubinet_status name_files(const char *path, struct numba_entry *entry)
{
    const char *file = path_name(path);
    size_t size = path_stem_size(file);
    const char *number = memrchr(file, '.', size);
    char *index = NULL;
    char *source = NULL;
    if (asprintf(&index, "%.*s.nbi", (int)(number ? (size_t)(number - file) : size), file) < 0) {
        return cbn_error_memory();
    }
    if (asprintf(&source, "../%.*s.py", (int)strcspn(file, "."), file) < 0) {
        free(index);
        return cbn_error_memory();
    }
    entry->index = import_beside_path(path, index);
    entry->source = import_beside_path(path, source);
    free(index);
    free(source);
    return entry->index && entry->source ? CUBINET_OK : cbn_error_memory();
}

static void index_free(struct index *index)
{
    pickle_free(&index->pickle);
    free(index->data);
}

/* Leaves `files` NULL if there is no index, or it has another form. */
static cubinet_status index_read(const char *path, struct index *out)
{
    size_t size = 0;
    struct pickle release = {0};
    *out = (struct index){0};
    cubinet_status status = access(path, F_OK) == 0 ? file_read(path, &out->data, &size) : CUBINET_OK;
    if (status || !out->data) {
        return status;
    }
    status = pickle_read(out->data, size, &release);
    if (!status) {
        status = pickle_read(out->data + release.size, size - release.size, &out->pickle);
    }
    pickle_free(&release);
    const struct pickle_value *files = pickle_item(out->pickle.top, 1);
    if (files && files->kind == PICKLE_DICT) {
        out->stamp = pickle_item(out->pickle.top, 0);
        out->files = files;
    }
    return status == CUBINET_ERROR_OUT_OF_MEMORY ? status : CUBINET_OK;
}

/* numba's stamp of a source: its time in seconds, and its size. */
static bool is_outdated(const struct index *index, const char *source)
{
    static const double same = 1e-5; /* what a double leaves of nanoseconds */
    const struct pickle_value *seconds = pickle_item(index->stamp, 0);
    const struct pickle_value *size = pickle_item(index->stamp, 1);
    struct stat about;
    if (!seconds || !size || stat(source, &about) != 0) {
        return false;
    }
    double time = (double)about.st_mtim.tv_sec + 1e-9 * (double)about.st_mtim.tv_nsec;
    return size->number != (int64_t)about.st_size || !(fabs(seconds->real - time) < same);
}

/* Of (signature, GPU, release, (digest of the code, digest of the values around the function)). */
static const struct pickle_value *closure_of(const struct pickle_value *key)
{
    const struct pickle_value *last =
        key && key->item_count > 0 ? pickle_item(key, key->item_count - 1) : NULL;
    const struct pickle_value *closure = pickle_item(last, 1);
    return closure && closure->kind == PICKLE_TEXT && closure->size >= NUMBA_CLOSURE_SIZE ? closure : NULL;
}

static bool is_same(const struct pickle_value *left, const struct pickle_value *right)
{
    return left->size == right->size && memcmp(left->bytes, right->bytes, left->size) == 0;
}

static void look_up(const struct index *index, const char *file, struct numba_entry *entry)
{
    const struct pickle_value *found = NULL;
    bool differs = false;
    entry->state = NUMBA_UNLISTED;
    for (size_t i = 0; i + 1 < index->files->item_count; i += 2) {
        if (pickle_is_text(index->files->items[i + 1], file)) {
            entry->state = NUMBA_LISTED;
            found = closure_of(index->files->items[i]);
        }
    }
    for (size_t i = 0; found && i + 1 < index->files->item_count; i += 2) {
        const struct pickle_value *other = closure_of(index->files->items[i]);
        differs = differs || (other && !is_same(found, other));
    }
    if (differs) {
        memcpy(entry->closure, found->bytes, NUMBA_CLOSURE_SIZE);
    }
}

cubinet_status import_numba_index_find(const char *path, struct numba_entry *out_entry)
{
    struct index index;
    struct numba_entry entry = {.state = NUMBA_NO_INDEX};
    cubinet_status status = name_files(path, &entry);
    if (!status) {
        status = index_read(entry.index, &index);
        if (!status && index.files) {
            look_up(&index, path_name(path), &entry);
            entry.state = is_outdated(&index, entry.source) ? NUMBA_OUTDATED : entry.state;
        }
        index_free(&index);
    }
    if (status) {
        numba_entry_free(&entry);
    }
    *out_entry = entry;
    return status;
}
