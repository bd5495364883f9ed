/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/compile_depfile.h"

#include "base/depfile.h"
#include "base/response_file.h"
#include "compile/base_dir.h"
#include "loader/core/support/error.h"
#include "toolkit/toolkit_release.h"

#include <stdlib.h>
#include <string.h>

static bool is_in_folder(const char *path, const char *folder)
{
    size_t size = strlen(folder);
    while (size > 1 && folder[size - 1] == '/') {
        size--;
    }
    return strncmp(path, folder, size) == 0 && (path[size] == '/' || path[size] == '\0');
}

/* Whether a path is the toolkit's library, was found by way of -isystem, or is a folder: the toolkit's, or
 * one in which a header was looked for in vain. */
static bool is_no_user_file(const struct compile_depfile *depfile, const struct cbn_text_list *releases,
                            const char *path)
{
    const struct toolkit *toolkit = depfile->toolkit;
    const struct cbn_text_list *folders = &depfile->arguments->system_folders;
    const char *const files[] = {toolkit->nvrtc,    toolkit->nvjitlink,  toolkit->ptxas,
                                 toolkit->tileiras, toolkit->tile_ptxas, toolkit->tile_nvvm};
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        if (files[i] && strcmp(path, files[i]) == 0) {
            return true;
        }
    }
    if (inputs_is_folder(path) || cbn_text_list_has(releases, path)) {
        return true;
    }
    for (size_t i = 0; i < folders->count; i++) {
        if (is_in_folder(path, folders->items[i])) {
            return true;
        }
    }
    return false;
}

/* What -MMD and -MM leave out. */
static cubinet_status keep_user_files(const struct compile_depfile *depfile, struct cbn_text_list *paths)
{
    struct cbn_text_list kept = {0};
    struct cbn_text_list releases = {0};
    const char *nvjitlink = depfile->toolkit->nvjitlink;
    cubinet_status status = toolkit_release_add(depfile->toolkit->nvrtc, &releases);
    if (!status && nvjitlink) {
        status = toolkit_release_add(nvjitlink, &releases);
    }
    for (size_t i = 0; !status && i < paths->count; i++) {
        if (i == 0 || !is_no_user_file(depfile, &releases, paths->items[i])) { /* the source is first */
            status = cbn_text_list_add(&kept, paths->items[i]);
        }
    }
    cbn_text_list_free(&releases);
    if (status) {
        cbn_text_list_free(&kept);
        return status;
    }
    cbn_text_list_free(paths);
    *paths = kept;
    return CUBINET_OK;
}

/* Whether a path is that of a header of -include in the working folder, where NVRTC looks for it first. */
static bool is_preincluded(const struct compile_arguments *arguments, const char *path)
{
    static const char option[] = "-include=";
    const char *name = strncmp(path, "./", 2) == 0 ? path + 2 : path;
    for (size_t i = 0; i < arguments->nvrtc_options.count; i++) {
        const char *text = arguments->nvrtc_options.items[i];
        if (strncmp(text, option, strlen(option)) == 0 && strcmp(text + strlen(option), name) == 0) {
            return true;
        }
    }
    return false;
}

/* The working folder changes with every build, which is not to depend on it for the sake of headers that are
 * included before the source and found elsewhere. The items stay the inputs'; the caller frees the array. */
static cubinet_status leave_out_preincluded(const struct compile_arguments *arguments,
                                            const struct inputs *inputs, struct inputs *out_kept)
{
    struct inputs kept = {.items = calloc(inputs->count + 1, sizeof(*kept.items))};
    if (!kept.items) {
        return cbn_error_memory();
    }
    for (size_t i = 0; i < inputs->count; i++) {
        const struct input *input = &inputs->items[i];
        if (input->kind != INPUT_MISSING || !is_preincluded(arguments, input->path)) {
            kept.items[kept.count++] = *input;
        }
    }
    *out_kept = kept;
    return CUBINET_OK;
}

static cubinet_status find_paths(const struct compile_depfile *depfile, const struct inputs *inputs,
                                 struct cbn_text_list *out_paths)
{
    const struct compile_arguments *arguments = depfile->arguments;
    char *written[] = {arguments->output, arguments->depfile};
    const struct cbn_text_list written_paths = {.items = written, .count = arguments->depfile ? 2 : 1};
    struct cbn_text_list paths = {0};
    struct inputs kept = {0};
    cubinet_status status = leave_out_preincluded(arguments, inputs, &kept);
    if (!status) {
        status = inputs_dependencies(&kept, depfile->toolkit, &written_paths, &paths);
    }
    free(kept.items);
    if (!status) {
        status = arguments_add_files(&paths);
    }
    if (!status && arguments->user_files_alone) {
        status = keep_user_files(depfile, &paths);
    }
    if (!status) {
        status = base_dir_restore(&paths);
    }
    if (!status) {
        status = depfile_make_writable(&paths, depfile->working_folder, depfile->link_folder);
    }
    if (status) {
        cbn_text_list_free(&paths);
        return status;
    }
    *out_paths = paths;
    return CUBINET_OK;
}

cubinet_status compile_depfile_write(const struct compile_depfile *depfile, const struct inputs *inputs)
{
    const struct compile_arguments *arguments = depfile->arguments;
    struct cbn_text_list paths = {0};
    cubinet_status status = find_paths(depfile, inputs, &paths);
    if (!status) {
        const struct depfile rule = {
            .target = arguments->target,
            .paths = (const char *const *)paths.items,
            .path_count = paths.count,
            .phony = arguments->phony,
        };
        status = depfile_write(&rule, arguments->depfile);
    }
    cbn_text_list_free(&paths);
    return status;
}
