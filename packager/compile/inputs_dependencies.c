/* SPDX-License-Identifier: Apache-2.0 */
/* From what a compile read to what a depfile says. */
#include "compile/inputs.h"

#include "loader/core/support/error.h"
#include "toolkit/toolkit_release.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The names by which the toolkit's headers were included: "cub/cub.cuh". Sorted. */
struct names {
    const char **items; /* into the inputs' paths */
    size_t count;
};

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static cubinet_status collect_names(const struct inputs *inputs, const struct toolkit *toolkit,
                                    struct names *names)
{
    names->items = calloc(inputs->count + 1, sizeof(*names->items));
    if (!names->items) {
        return cbn_error_memory();
    }
    for (size_t i = 0; i < inputs->count; i++) {
        const struct input *input = &inputs->items[i];
        for (size_t j = 0; input->kind == INPUT_TOOLKIT && j < toolkit->include_count; j++) {
            size_t size = strlen(toolkit->includes[j]);
            if (strncmp(input->path, toolkit->includes[j], size) == 0 && input->path[size] == '/') {
                names->items[names->count++] = input->path + size + 1;
                break;
            }
        }
    }
    qsort(names->items, names->count, sizeof(*names->items), compare);
    return CUBINET_OK;
}

/* Whether a path ends with one of the names: then it was looked for on the way to a header of the toolkit. */
static bool leads_to_toolkit(const struct names *names, const char *path)
{
    for (const char *part = path; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (bsearch(&part, names->items, names->count, sizeof(*names->items), compare)) {
            return true;
        }
    }
    return false;
}

/* The folder in which the first missing part of a path would appear, which the caller frees. */
static char *folder_of(const char *missing)
{
    char *folder = strdup(missing);
    for (char *slash; folder && (slash = strrchr(folder, '/'));) {
        slash[slash == folder] = '\0';
        if (slash == folder || inputs_is_folder(folder)) {
            return folder;
        }
    }
    free(folder);
    return strdup(".");
}

static bool same_folder(const char *a, const char *b)
{
    struct stat about_a;
    struct stat about_b;
    return stat(a, &about_a) == 0 && stat(b, &about_b) == 0 && about_a.st_dev == about_b.st_dev &&
           about_a.st_ino == about_b.st_ino;
}

/* Whether each build changes a folder: Ninja keeps files of its own in the working folder. */
static bool is_busy(const char *folder, const struct cbn_text_list *written)
{
    if (same_folder(folder, ".")) {
        return true;
    }
    for (size_t i = 0; i < written->count; i++) {
        char *other = folder_of(written->items[i]);
        bool same = other && same_folder(folder, other);
        free(other);
        if (same) {
            return true;
        }
    }
    return false;
}

static cubinet_status add_folders(const struct inputs *inputs, const struct toolkit *toolkit,
                                  const struct cbn_text_list *written, struct cbn_text_list *folders)
{
    struct names names = {0};
    cubinet_status status = collect_names(inputs, toolkit, &names);
    for (size_t i = 0; !status && i < inputs->count; i++) {
        const struct input *input = &inputs->items[i];
        if (input->kind != INPUT_MISSING || toolkit_has_header(toolkit, input->path)) {
            continue;
        }
        char *folder = folder_of(input->path);
        if (!folder) {
            status = cbn_error_memory();
        } else if (!leads_to_toolkit(&names, input->path) || !is_busy(folder, written)) {
            status = cbn_text_list_add_once(folders, folder);
        }
        free(folder);
    }
    free(names.items);
    return status;
}

/* The toolkit's libraries and folders stand for its headers. */
static cubinet_status add_toolkit(const struct toolkit *toolkit, struct cbn_text_list *paths)
{
    cubinet_status status = cbn_text_list_add_once(paths, toolkit->nvrtc);
    if (!status) {
        status = toolkit_release_add(toolkit->nvrtc, paths);
    }
    if (!status && toolkit->nvjitlink) {
        status = cbn_text_list_add_once(paths, toolkit->nvjitlink);
    }
    if (!status && toolkit->nvjitlink) {
        status = toolkit_release_add(toolkit->nvjitlink, paths);
    }
    const char *const programs[] = {toolkit->ptxas, toolkit->tileiras, toolkit->tile_ptxas,
                                    toolkit->tile_nvvm};
    for (size_t i = 0; !status && i < sizeof(programs) / sizeof(programs[0]); i++) {
        status = programs[i] ? cbn_text_list_add_once(paths, programs[i]) : CUBINET_OK;
    }
    for (size_t i = 0; !status && i < toolkit->include_count; i++) {
        status = cbn_text_list_add_once(paths, toolkit->includes[i]);
    }
    return status;
}

cubinet_status inputs_dependencies(const struct inputs *inputs, const struct toolkit *toolkit,
                                   const struct cbn_text_list *written, struct cbn_text_list *out_paths)
{
    struct cbn_text_list paths = {0};
    struct cbn_text_list others = {0};
    cubinet_status status = add_folders(inputs, toolkit, written, &others);
    if (!status) {
        status = add_toolkit(toolkit, &others);
    }
    for (size_t i = 0; !status && i < inputs->count; i++) {
        const struct input *input = &inputs->items[i];
        if (input->kind == INPUT_FILE || input->kind == INPUT_FOLDER) {
            status = cbn_text_list_add(&paths, input->path);
        }
    }
    for (size_t i = 0; !status && i < others.count; i++) {
        status = cbn_text_list_add(&paths, others.items[i]);
    }
    cbn_text_list_free(&others);
    if (status) {
        cbn_text_list_free(&paths);
        return status;
    }
    *out_paths = paths;
    return CUBINET_OK;
}
