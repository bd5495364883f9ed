/* SPDX-License-Identifier: Apache-2.0 */
#include "cache/remote_entry.h"

#include "cache/code_cache.h"
#include "cache/compile_cache_key.h"
#include "cache/compile_manifest.h"
#include "compile/compile_result.h"
#include "image/cubin.h"
#include "loader/core/archive/cbn_archive.h"
#include "loader/link/link_obtain.h"

#include <stdlib.h>
#include <string.h>

static bool image_is_sound(const cubinet_archive *archive, uint32_t image)
{
    cubinet_image_info info = {.size = sizeof(info)};
    const void *bytes = NULL;
    bool is_sound = !cubinet_archive_get_image(archive, 0, image, &info);
    for (uint32_t i = 0; is_sound && i < info.part_count; i++) {
        is_sound = !cbn_archive_part_bytes(archive, 0, image, i, &bytes);
    }
    return is_sound;
}

static bool images_are_sound(const cubinet_archive *archive)
{
    cubinet_module_info module = {.size = sizeof(module)};
    if (cubinet_archive_get_module_count(archive) != 1 || cubinet_archive_get_module(archive, 0, &module)) {
        return false;
    }
    for (uint32_t i = 0; i < module.image_count; i++) {
        if (!image_is_sound(archive, i)) {
            return false;
        }
    }
    return true;
}

/* What is compiled or linked is one module. */
static const char *archive_problem(const void *bytes, size_t size)
{
    const cubinet_archive_options options = {.size = sizeof(options), .max_image_size = REMOTE_ENTRY_MOST};
    cubinet_archive *archive = NULL;
    bool is_sound =
        !cubinet_archive_open_memory(bytes, size, &options, &archive) && images_are_sound(archive);
    cubinet_archive_close(archive);
    return is_sound ? NULL : "what it holds is not an archive of one module that is sound";
}

static const char *result_problem(const void *payload, size_t size)
{
    char *bytes = NULL;
    struct compile_result result;
    if (!compile_result_read(payload, size, REMOTE_ENTRY_MOST, &bytes, &result)) {
        return "what it holds is not what a compile makes";
    }
    const char *problem = archive_problem(result.archive, result.archive_size);
    free(bytes);
    return problem;
}

static const char *code_problem(const void *payload, size_t size)
{
    char *bytes = NULL;
    struct compile_result result;
    struct contents contents;
    if (!compile_result_read(payload, size, REMOTE_ENTRY_MOST, &bytes, &result)) {
        return "what it holds is not what an assembler makes";
    }
    cubinet_status status = cubin_read(result.archive, result.archive_size, &contents);
    if (!status) {
        contents_free(&contents);
    }
    free(bytes);
    return status ? "what it holds is not a cubin that is sound" : NULL;
}

static const char *manifest_problem(const void *payload, size_t size)
{
    struct compile_manifest manifest = {0};
    if (!compile_manifest_read(payload, size, &manifest)) {
        return "what it holds is not a list of what compiles read";
    }
    compile_manifest_free(&manifest);
    return NULL;
}

const char *remote_entry_problem(const char *kind, const void *payload, size_t size)
{
    static const struct {
        const char *kind;
        const char *(*problem)(const void *payload, size_t size);
    } kinds[] = {
        {CBN_LINK_KIND, archive_problem},
        {COMPILE_RESULT_KIND, result_problem},
        {COMPILE_MANIFEST_KIND, manifest_problem},
        {CODE_CACHE_KIND, code_problem},
    };
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strcmp(kind, kinds[i].kind) == 0) {
            return kinds[i].problem(payload, size);
        }
    }
    return NULL;
}
