/* SPDX-License-Identifier: Apache-2.0 */
#include "cache/compile_inputs_now.h"

#include <limits.h>
#include <string.h>

enum { KEPT = sizeof(((struct known_folders *)0)->items) / sizeof(((struct known_folders *)0)->items[0]) };

static void keep(struct known_folders *folders, const char *path, size_t size)
{
    folders->items[folders->count % KEPT].path = path;
    folders->items[folders->count % KEPT].size = size;
    folders->count++;
}

/* Whether a known folder's path is what a path has before its slash at `slash`, or before any slash if that
 * is 0. */
static bool is_in(const struct known_folders *folders, const char *path, size_t slash)
{
    for (size_t i = 0; i < folders->count && i < KEPT; i++) {
        size_t size = folders->items[i].size;
        if ((!slash || size == slash) && strncmp(path, folders->items[i].path, size) == 0 &&
            path[size] == '/') {
            return true;
        }
    }
    return false;
}

/* Looks for the highest folder above a path that is not there. */
static void note_folders(struct input_folders *folders, const char *path)
{
    char folder[PATH_MAX];
    size_t size = strlen(path);
    if (size >= sizeof(folder)) {
        return;
    }
    memcpy(folder, path, size + 1);
    size_t absent = 0;
    for (char *slash; (slash = strrchr(folder, '/')) && slash > folder; absent = (size_t)(slash - folder)) {
        size = (size_t)(slash - folder);
        *slash = '\0';
        if (is_in(&folders->present, path, size)) {
            break;
        }
        if (!inputs_is_missing(folder)) {
            keep(&folders->present, path, size);
            break;
        }
    }
    if (absent) {
        keep(&folders->absent, path, absent);
    }
}

/* What lies in a folder that is not there is not there. */
static bool is_missing(struct input_folders *folders, const char *path)
{
    if (is_in(&folders->absent, path, 0)) {
        return true;
    }
    if (!inputs_is_missing(path)) {
        return false;
    }
    note_folders(folders, path);
    return true;
}

static enum input_state look_at_file(struct input *input, const struct cbn_file_digests *digests)
{
    struct stat about;
    struct cbn_sha256 now;
    if (stat(input->path, &about) != 0 || !cbn_file_digest(digests, input->path, &about, &now) ||
        !cbn_sha256_equal(&now, &input->digest)) {
        return INPUT_CHANGED;
    }
    input->size = about.st_size;
    input->time = inputs_nanoseconds(about.st_mtim);
    return INPUT_SAME;
}

enum input_state compile_input_now(struct input *input, const struct cbn_file_digests *digests,
                                   struct input_folders *folders)
{
    switch (input->kind) {
    case INPUT_MISSING:
        return is_missing(folders, input->path) ? INPUT_SAME : INPUT_APPEARED;
    case INPUT_FOLDER:
        return inputs_is_folder(input->path) ? INPUT_SAME : INPUT_CHANGED;
    default:
        return look_at_file(input, digests);
    }
}

const struct manifest_set *compile_inputs_match(const struct compile_manifest *manifest,
                                                const struct cbn_file_digests *digests,
                                                enum input_state *states)
{
    struct input_folders folders = {0};
    for (size_t i = 0; i < manifest->set_count; i++) {
        const struct manifest_set *set = &manifest->sets[i];
        bool same = true;
        for (size_t j = 0; same && j < set->count; j++) {
            uint32_t item = set->items[j];
            if (states[item] == INPUT_NOT_LOOKED_AT) {
                states[item] = compile_input_now(&manifest->items[item], digests, &folders);
            }
            same = states[item] == INPUT_SAME;
        }
        if (same) {
            return set;
        }
    }
    return NULL;
}

bool compile_inputs_digest(struct inputs *inputs, const struct cbn_file_digests *digests)
{
    for (size_t i = 0; i < inputs->count; i++) {
        struct input *input = &inputs->items[i];
        struct stat about;
        if (input->kind == INPUT_TOOLKIT && (stat(input->path, &about) != 0 || about.st_size != input->size ||
                                             inputs_nanoseconds(about.st_mtim) != input->time ||
                                             !cbn_file_digest(digests, input->path, &about, &input->digest) ||
                                             inputs_nanoseconds(about.st_mtim) != input->time)) {
            return false;
        }
    }
    return true;
}
