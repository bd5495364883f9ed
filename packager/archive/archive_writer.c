/* SPDX-License-Identifier: Apache-2.0 */
/* The index comes first in the file and holds the offset of everything after it, so the file is written
 * twice: once into nothing, to learn the offsets, and then in earnest. */
#include "archive/archive_writer.h"

#include "archive/draft_names.h"
#include "archive/entry_name.h"
#include "archive/index_writer.h"
#include "archive/store_images.h"
#include "archive/written_check.h"
#include "archive/zip_writer.h"
#include "base/atomic_file.h"
#include "base/name_check.h"
#include "loader/core/archive/format.h"
#include "loader/core/support/error.h"
#include "loader/core/support/text_stream.h"
#include "process/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Everything that goes into the file. */
struct layout {
    const struct draft *draft;
    struct image_plan plan;
    struct stored_image *images; /* as many as in the plan */
    struct index_places places;
    struct buffer index;
    time_t time;
};

static void layout_free(struct layout *layout)
{
    for (size_t i = 0; layout->images && i < layout->plan.count; i++) {
        stored_image_free(&layout->images[i]);
    }
    free(layout->images);
    image_plan_free(&layout->plan);
    buffer_free(&layout->index);
}

static cubinet_status check_module(const struct draft_module *module)
{
    cubinet_status status = draft_names_check(module);
    if (status) {
        return status;
    }
    if (strcmp(module->name, CBN_INDEX_ENTRY) == 0) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "a module can't be named '%s': that is the name of the archive's index",
                         module->name);
    }
    if (module->image_count == 0) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "module '%s' has no image", module->name);
    }
    for (size_t i = 0; i < module->image_count; i++) {
        if (module->images[i].size == 0) {
            return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "module '%s': the image from '%s' is empty",
                             module->name, module->images[i].origin);
        }
    }
    return CUBINET_OK;
}

static cubinet_status check_draft(const struct draft *draft)
{
    if (draft->module_count == 0) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "there is no module to write");
    }
    cubinet_status status =
        draft->archive_version ? name_check("the archive version", draft->archive_version) : CUBINET_OK;
    if (!status && draft->abi) {
        status = name_check("the ABI tag", draft->abi);
    }
    for (size_t i = 0; !status && i < draft->module_count; i++) {
        status = check_module(&draft->modules[i]);
    }
    return status;
}

static void seal_images(struct layout *layout)
{
    for (size_t i = 0; i < layout->plan.count; i++) {
        struct stored_image *image = &layout->images[i];
        size_t same = layout->plan.images[i].same_as;
        if (same == PLAN_NONE) {
            signing_seal(image->data, image->size, image->seal);
        } else {
            memcpy(image->seal, layout->images[same].seal, sizeof(image->seal));
        }
    }
}

static cubinet_status plan_images(struct layout *layout, int zstd_level)
{
    struct frame_packer *packer;
    cubinet_status status = frame_packer_new(&packer);
    if (status) {
        return status;
    }
    trace_begin("choose bases", NULL);
    status = image_plan_make(layout->draft, zstd_level, packer, &layout->plan);
    trace_end();
    frame_packer_free(packer);
    return status;
}

static cubinet_status make_images(struct layout *layout, const struct archive_writer_options *options)
{
    cubinet_status status = plan_images(layout, options->images_as ? 0 : options->zstd_level);
    if (status) {
        return status;
    }
    layout->images = calloc(layout->plan.count + 1, sizeof(*layout->images));
    if (!layout->images) {
        return cbn_error_memory();
    }
    status = options->images_as
                 ? store_images_as(&layout->plan, options->images_as, layout->images)
                 : store_images(&layout->plan, options->zstd_level, options->threads, layout->images);
    if (!status && options->key_count > 0) {
        seal_images(layout);
    }
    return status;
}

/* Both passes must agree about every place, or the index would be wrong. */
static cubinet_status settle(uint64_t *planned, uint64_t actual, bool planning)
{
    if (planning) {
        *planned = actual;
    } else if (*planned != actual) {
        return cbn_error(CUBINET_ERROR_IO,
                         "internal error: data planned for byte %llu is at byte %llu; please report this",
                         (unsigned long long)*planned, (unsigned long long)actual);
    }
    return CUBINET_OK;
}

/* A run of images in the plan: those of one module. */
struct run {
    size_t first;
    size_t end;
};

/* Writing it. */
struct entries {
    struct layout *layout;
    struct zip_writer *writer;
    bool planning;
};

/* Whether an image's bytes are written with it, and whether among the compressed ones. */
static bool is_written(const struct layout *layout, size_t place, bool compressed)
{
    return layout->plan.images[place].same_as == PLAN_NONE &&
           (layout->images[place].encoding != CUBINET_ENCODING_RAW) == compressed;
}

static cubinet_status settle_image(const struct entries *entries, size_t place, uint64_t offset)
{
    struct layout *layout = entries->layout;
    return settle(&layout->images[place].offset, offset - layout->places.index_end, entries->planning);
}

/* An entry for all that is compressed: one for each image would cost more than many an image does. */
static cubinet_status write_compressed(const struct entries *entries, const char *module, struct run run)
{
    const struct layout *layout = entries->layout;
    struct byte_span *parts = calloc(run.end - run.first + 1, sizeof(*parts));
    char *name = NULL;
    size_t count = 0;
    cubinet_status status = parts ? entry_name_packed(module, &name) : cbn_error_memory();
    for (size_t i = run.first; !status && i < run.end; i++) {
        if (is_written(layout, i, true)) {
            parts[count++] = (struct byte_span){layout->images[i].data, layout->images[i].size};
        }
    }
    uint64_t offset = 0;
    if (!status && count > 0) {
        status = zip_writer_add(entries->writer, name, parts, count, &offset);
    }
    for (size_t i = run.first; !status && i < run.end; i++) {
        if (is_written(layout, i, true)) {
            status = settle_image(entries, i, offset);
            offset += layout->images[i].size;
        }
    }
    free(name);
    free(parts);
    return status;
}

static cubinet_status write_raw(const struct entries *entries, const char *module, size_t place)
{
    const struct stored_image *image = &entries->layout->images[place];
    struct byte_span bytes = {image->data, image->size};
    char *name = NULL;
    uint64_t offset = 0;
    const struct entry_part part = {image->image->part, image->image->part_count};
    cubinet_status status = entry_name(module, image->image->target, part, image->encoding, &name);
    if (!status) {
        status = zip_writer_add(entries->writer, name, &bytes, 1, &offset);
    }
    free(name);
    return status ? status : settle_image(entries, place, offset);
}

static cubinet_status write_module(const struct entries *entries, const char *module, struct run run)
{
    struct layout *layout = entries->layout;
    cubinet_status status = write_compressed(entries, module, run);
    for (size_t i = run.first; !status && i < run.end; i++) {
        size_t same = layout->plan.images[i].same_as;
        if (same != PLAN_NONE) {
            layout->images[i].offset = layout->images[same].offset;
        } else if (is_written(layout, i, false)) {
            status = write_raw(entries, module, i);
        }
    }
    return status;
}

static cubinet_status write_images(struct layout *layout, struct zip_writer *writer, bool planning)
{
    const struct entries entries = {layout, writer, planning};
    cubinet_status status = CUBINET_OK;
    struct run run = {0};
    for (size_t i = 0; !status && i < layout->draft->module_count; i++) {
        const struct draft_module *module = &layout->draft->modules[i];
        run = (struct run){run.end, run.end + module->image_count};
        status = write_module(&entries, module->name, run);
    }
    return status;
}

/* stream: NULL to plan, which fills in the offsets and the size of the file */
static cubinet_status write_entries(struct layout *layout, FILE *stream)
{
    struct zip_writer *writer;
    cubinet_status status = zip_writer_open(stream, layout->time, &writer);
    if (status) {
        return status;
    }
    uint64_t index = 0;
    struct byte_span bytes = {layout->index.data, layout->index.size};
    status = zip_writer_add(writer, CBN_INDEX_ENTRY, &bytes, 1, &index);
    if (!status) {
        status = settle(&layout->places.index_end, index + layout->index.size, !stream);
    }
    if (!status) {
        status = write_images(layout, writer, !stream);
    }
    uint64_t size = 0;
    if (!status) {
        status = zip_writer_finish(writer, &size);
    }
    if (!status) {
        status = settle(&layout->places.archive_size, size, !stream);
    }
    zip_writer_free(writer);
    return status;
}

static cubinet_status make_index(struct layout *layout, const struct index_options *options)
{
    buffer_free(&layout->index);
    return index_write(layout->draft, layout->images, &layout->places, options, &layout->index);
}

/* Finds out where everything comes to lie, and makes the index that says so: first where the images lie
 * after it, then how long it is, and so where it ends. */
static cubinet_status plan(struct layout *layout, const struct index_options *options)
{
    cubinet_status status = write_entries(layout, NULL);
    if (!status) {
        status = make_index(layout, options);
    }
    if (!status) {
        status = write_entries(layout, NULL);
    }
    return status ? status : make_index(layout, options);
}

static cubinet_status write_bytes(struct layout *layout, char **out_data, size_t *out_size)
{
    struct cbn_text_stream stream;
    FILE *file = cbn_text_stream_open(&stream);
    if (!file) {
        return cbn_error_memory();
    }
    cubinet_status status = write_entries(layout, file);
    char *data = cbn_text_stream_close(&stream);
    if (!data) {
        return cbn_error_memory();
    }
    if (!status) {
        status = written_check(data, stream.size);
    }
    if (status) {
        free(data);
        return status;
    }
    *out_data = data;
    *out_size = stream.size;
    return CUBINET_OK;
}

/* What can't be taken back is made in memory first. */
static cubinet_status write_directly(struct layout *layout, FILE *stream)
{
    char *data = NULL;
    size_t size = 0;
    cubinet_status status = write_bytes(layout, &data, &size);
    if (!status && fwrite(data, 1, size, stream) != size) {
        status = cbn_error(CUBINET_ERROR_IO, "%s", strerror(errno));
    }
    free(data);
    return status;
}

static cubinet_status write_checked(struct layout *layout, const struct atomic_file *file)
{
    if (!file->temporary && !file->is_unnamed) {
        return write_directly(layout, file->stream);
    }
    cubinet_status status = write_entries(layout, file->stream);
    return status ? status : written_check_file(file->stream);
}

static cubinet_status write_file(struct layout *layout, const char *path, bool keep_if_equal)
{
    struct atomic_file file;
    cubinet_status status = atomic_file_open(path, &file);
    if (status) {
        return status;
    }
    status = write_checked(layout, &file);
    if (status) {
        atomic_file_discard(&file);
        return cbn_error_context(status, "cannot write '%s'", path);
    }
    return atomic_file_commit(&file, keep_if_equal ? ATOMIC_FILE_KEEP_IF_EQUAL : 0);
}

/* Everything but the writing. */
static cubinet_status lay_out(struct layout *layout, const struct archive_writer_options *options)
{
    const struct index_options index = {options->zstd_level, options->keys, options->key_count};
    cubinet_status status = zip_time(&layout->time);
    if (!status) {
        status = check_draft(layout->draft);
    }
    if (!status) {
        status = make_images(layout, options);
    }
    return status ? status : plan(layout, &index);
}

cubinet_status archive_write_file(const struct draft *draft, const struct archive_writer_options *options,
                                  const char *path)
{
    struct layout layout = {.draft = draft};
    cubinet_status status = lay_out(&layout, options);
    if (!status) {
        trace_begin("write", path);
        status = write_file(&layout, path, options->keep_if_equal);
        trace_end();
    }
    layout_free(&layout);
    return status;
}

cubinet_status archive_make(const struct draft *draft, char **out_data, size_t *out_size)
{
    struct layout layout = {.draft = draft};
    cubinet_status status = lay_out(&layout, &(struct archive_writer_options){0});
    if (!status) {
        status = write_bytes(&layout, out_data, out_size);
    }
    layout_free(&layout);
    return status;
}
