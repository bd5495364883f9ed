/* SPDX-License-Identifier: Apache-2.0 */
#include "cache/compile_cache_key.h"

#include "cache/toolkit_identity.h"
#include "compile/compile_options.h"
#include "compile/nvcc_options.h"
#include "loader/core/support/text.h"
#include "loader/link/library_build.h"

#include <cubinet/version.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Options that do not affect what is made, or whose effect is in the key already: the module's
 * name, the toolkit's parts, the maps of paths. Whatever is not listed here counts. */
static bool is_neutral(int id)
{
    switch (id) {
    case ID_OUTPUT:
    case ID_OUTPUT_FOLDER:
    case ID_MODULE:
    case ID_PCH:
    case ID_TOOLKIT:
    case ID_ASSEMBLER:
    case ID_THREADS:
    case ID_PREFIX_MAP:
    case ID_DEPFILE:
    case ID_USER_DEPFILE:
    case ID_DEPFILE_PATH:
    case ID_DEPFILE_TARGET:
    case ID_DEPFILE_PHONY:
    case ID_WRITE_IF_DIFFERENT:
    case ID_CACHE:
    case ID_NO_CACHE:
    case ID_BASE_DIR:
    case ID_REMOTE_CACHE:
    case ID_TIMEOUT:
    case ID_MEMORY_LIMIT:
    case ID_JSON:
    case ID_VERBOSE:
        return true;
    default:
        return id >= NVCC_OPTION_FIRST;
    }
}

/* The first name of an option that has several: "--device-debug" for -G. */
static void name_option(int id, char name[64])
{
    const struct option *option = compile_options;
    while (option->id != id) {
        option++;
    }
    snprintf(name, 64, "--%s", option->name);
}

static void add_options(const struct compile_cache_request *request, struct cbn_cache_key *key)
{
    struct option_reader reader = {
        .options = compile_options,
        .more = nvcc_options,
        .argc = request->argc,
        .argv = (char **)request->argv,
        .skips_unknown = nvcc_forwards_unknown(request->argc, request->argv),
    };
    for (int id; (id = option_next(&reader)) != OPTION_END && id != OPTION_ERROR;) {
        char name[64];
        if (id >= 0 && !is_neutral(id)) {
            name_option(id, name);
            cbn_cache_key_add_text(key, name, reader.value);
        }
    }
}

/* Whether the compile records where lines come from: then paths are in what it makes, as they are mapped. */
static bool records_paths(const struct compile_arguments *arguments)
{
    for (size_t i = 0; i < arguments->nvrtc_options.count; i++) {
        const char *option =
            arguments->nvrtc_options.items[i] + strspn(arguments->nvrtc_options.items[i], "-");
        if (cbn_starts_with(option, "lineinfo") || cbn_starts_with(option, "generate-line-info") ||
            cbn_starts_with(option, "G") || cbn_starts_with(option, "device-debug")) {
            return true;
        }
    }
    return arguments->debug;
}

static bool any_starts_with(char *const *paths, size_t count, const char *folder)
{
    for (size_t i = 0; i < count; i++) {
        if (cbn_starts_with(paths[i], folder)) {
            return true;
        }
    }
    return false;
}

/* Whether a path that the command line or the toolkit names starts with a folder's. */
static bool is_named(const struct compile_cache_request *request, const char *folder)
{
    const struct compile_arguments *arguments = request->arguments;
    for (size_t i = 0; i < arguments->nvrtc_options.count; i++) {
        const char *slash = strchr(arguments->nvrtc_options.items[i], '/');
        if (slash && cbn_starts_with(slash, folder)) {
            return true;
        }
    }
    return cbn_starts_with(arguments->source, folder) ||
           any_starts_with(request->toolkit->includes, request->toolkit->include_count, folder);
}

/* Adds what paths become where they are recorded. The name of a folder that no path starts with decides
 * nothing, and is left out, so that a copy of it elsewhere shares what was made. */
static void add_path_map(const struct compile_cache_request *request, const char *from, const char *to,
                         struct cbn_cache_key *key)
{
    bool counts = records_paths(request->arguments) && is_named(request, from);
    cbn_cache_key_add_text(key, "folder that is mapped", counts ? from : NULL);
    cbn_cache_key_add_text(key, "and what to", to);
}

static void add_path_maps(const struct compile_cache_request *request, struct cbn_cache_key *key)
{
    const struct compile_arguments *arguments = request->arguments;
    for (size_t i = 0; i < arguments->path_map_count; i++) {
        add_path_map(request, arguments->path_maps[i].from, arguments->path_maps[i].to, key);
    }
    add_path_map(request, request->working_folder, request->pretended_folder, key);
}

bool compile_cache_key_covers(const struct compile_cache_request *request, const struct inputs *inputs)
{
    const struct compile_arguments *arguments = request->arguments;
    if (!records_paths(arguments)) {
        return true;
    }
    for (size_t i = 0; i <= arguments->path_map_count; i++) {
        const char *from =
            i < arguments->path_map_count ? arguments->path_maps[i].from : request->working_folder;
        for (size_t j = 0; !is_named(request, from) && j < inputs->count; j++) {
            if (cbn_starts_with(inputs->items[j].path, from)) {
                return false; /* a source includes it by its whole path */
            }
        }
    }
    return true;
}

/* Which ptxas there is, is told with the toolkit. One that was found assembles only if it is of NVRTC's
 * release, and one that was asked for in any case. */
static void add_assembler(const char *assembler, struct cbn_cache_key *key)
{
    bool is_ptxas = assembler && strcmp(assembler, "nvjitlink") != 0;
    cbn_cache_key_add_text(key, "--assembler", is_ptxas ? "ptxas" : assembler);
}

static bool add_command(struct cbn_cache_key *key)
{
    struct cbn_sha256 build;
    if (!cbn_library_identity_read("/proc/self/exe", &build)) {
        return false;
    }
    cbn_cache_key_add_text(key, "version of Cubinet", CUBINET_VERSION_STRING);
    cbn_cache_key_add_bytes(key, "build of Cubinet", build.bytes, sizeof(build.bytes));
    return true;
}

bool compile_cache_key(const struct compile_cache_request *request, const struct cbn_file_digests *digests,
                       struct cbn_cache_key *out_key, struct cbn_sha256 *out_source)
{
    struct stat about;
    const char *source = request->arguments->source;
    cbn_cache_key_start(out_key, COMPILE_MANIFEST_KIND);
    if (stat(source, &about) != 0 || !cbn_file_digest(digests, source, &about, out_source)) {
        return false;
    }
    cbn_cache_key_add_text(out_key, "source", source);
    cbn_cache_key_add_bytes(out_key, "contents of the source", out_source->bytes, sizeof(out_source->bytes));
    cbn_cache_key_add_text(out_key, "module", request->arguments->module);
    cbn_cache_key_add_text(out_key, "assembler", request->arguments->assembler ? "chosen" : "found");
    add_options(request, out_key);
    add_path_maps(request, out_key);
    add_assembler(request->arguments->assembler, out_key);
    cbn_cache_key_add_text(out_key, "SOURCE_DATE_EPOCH", getenv("SOURCE_DATE_EPOCH"));
    return add_command(out_key) && toolkit_identity_add(request->toolkit, digests, out_key) &&
           !cbn_cache_key_finish(out_key);
}

static void add_input(struct cbn_cache_key *list, const struct input *input)
{
    if (input->kind == INPUT_FOLDER || input->kind == INPUT_MISSING) {
        cbn_cache_key_add_text(list, input->kind == INPUT_FOLDER ? "folder" : "missing", input->path);
    } else {
        cbn_cache_key_add_text(list, "file", input->path);
        cbn_cache_key_add_bytes(list, "contents", input->digest.bytes, sizeof(input->digest.bytes));
    }
}

bool compile_cache_result_key(const struct cbn_cache_key *first, const struct inputs *inputs,
                              struct cbn_cache_key *out_key)
{
    struct cbn_cache_key list;
    cbn_cache_key_start(out_key, COMPILE_RESULT_KIND);
    cbn_cache_key_start(&list, COMPILE_RESULT_KIND);
    for (size_t i = 0; i < inputs->count; i++) {
        add_input(&list, &inputs->items[i]);
    }
    bool is_ok = !cbn_cache_key_finish(&list);
    if (is_ok) {
        cbn_cache_key_add_bytes(out_key, "key of the manifest", first->bytes, first->size);
        struct cbn_sha256 digest = cbn_sha256(list.bytes, list.size);
        cbn_cache_key_add_bytes(out_key, "inputs", digest.bytes, sizeof(digest.bytes));
        is_ok = !cbn_cache_key_finish(out_key);
    }
    cbn_cache_key_free(&list);
    return is_ok;
}
