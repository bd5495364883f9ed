/* SPDX-License-Identifier: Apache-2.0 */
#include "command/edit.h"

#include "archive/compression.h"
#include "archive/output_check.h"
#include "base/name_check.h"
#include "loader/core/support/error.h"
#include "origin/signing_keys.h"

#include <stdlib.h>
#include <string.h>

cubinet_status edit_take(struct edit *edit, int id, const char *value)
{
    int level;
    switch (id) {
    case EDIT_OUTPUT:
        edit->output = value;
        return CUBINET_OK;
    case EDIT_ARCHIVE_VERSION:
        edit->archive_version = value;
        return name_check("the archive version", value);
    case EDIT_ABI:
        edit->abi = value;
        return name_check("the ABI tag", value);
    case EDIT_SET:
        return property_list_set(&edit->properties, value);
    case EDIT_LICENSE:
        return property_list_set_license(&edit->properties, value);
    case EDIT_SIGN:
        return cbn_text_list_add(&edit->sign_paths, value);
    case EDIT_COMPRESS:
        edit->compression = value;
        return compression_parse(value, &level);
    case EDIT_THREADS:
        return compression_threads(value, &edit->threads);
    case EDIT_WRITE_IF_DIFFERENT:
        edit->keep_if_equal = true;
        return CUBINET_OK;
    default:
        return CUBINET_ERROR_INVALID_ARGUMENT;
    }
}

cubinet_status edit_check(const struct edit *edit, const char *archive, struct outputs *outputs)
{
    outputs_write(outputs, "the output", edit->output);
    outputs_edit(outputs, "the archive", archive, edit->output);
    outputs_read_all(outputs, "the secret key", &edit->sign_paths);
    cubinet_status status = outputs_check(outputs);
    if (!edit->output) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "no output is given: -o FILE");
    }
    return status ? status : output_check_name(edit->output);
}

void edit_free(struct edit *edit)
{
    cbn_text_list_free(&edit->sign_paths);
    property_list_free(&edit->properties);
}

/* Takes over a text in place of another; "" is none. */
static cubinet_status set(char **place, const char *text)
{
    free(*place);
    *place = text[0] ? strdup(text) : NULL;
    return *place || !text[0] ? CUBINET_OK : cbn_error_memory();
}

static cubinet_status describe(const struct edit *edit, const struct shown_archive *shown,
                               struct draft *draft)
{
    const cubinet_archive_info *info = &shown->listing.archive;
    cubinet_status status =
        set(&draft->archive_version, edit->archive_version ? edit->archive_version : info->archive_version);
    if (!status) {
        status = set(&draft->abi, edit->abi ? edit->abi : info->abi);
    }
    if (!status) {
        status = property_list_add(&draft->properties, &edit->properties);
    }
    return status ? status : property_list_keep(&draft->properties, shown->archive, shown->path);
}

static cubinet_status write_draft(const struct edit *edit, const struct shown_archive *shown,
                                  const struct signing_keys *keys, const struct draft *draft)
{
    struct archive_writer_options options = {
        .keys = keys->items,
        .key_count = keys->count,
        .zstd_level = compression_of(&shown->listing),
        .threads = edit->threads,
        .keep_if_equal = edit->keep_if_equal,
    };
    if (edit->keep_images && !edit->compression) {
        options.images_as = shown->archive;
    }
    if (edit->compression) {
        compression_parse(edit->compression, &options.zstd_level); /* it was read before */
    }
    return archive_write_file(draft, &options, edit->output);
}

cubinet_status edit_find_modules(const struct shown_archive *shown, const struct cbn_text_list *names)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < names->count; i++) {
        uint32_t module;
        status = cubinet_archive_find_module(shown->archive, names->items[i], &module);
    }
    return status;
}

cubinet_status edit_keep(const struct shown_archive *shown, edit_mark_fn mark, const void *user,
                         struct draft *draft)
{
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; !status && i < shown->listing.module_count; i++) {
        const struct listing_module *module = &shown->listing.modules[i];
        bool *kept = calloc((size_t)module->image_count + 1, sizeof(*kept));
        status = kept ? mark(user, shown, module, kept) : cbn_error_memory();
        if (!status) {
            status = draft_add_archive_images(draft, shown->archive, module->number, kept, shown->path);
        }
        free(kept);
    }
    return status;
}

cubinet_status edit_write(const struct edit *edit, const struct shown_archive *shown, struct draft *draft)
{
    uint32_t signatures = shown->listing.archive.signature_count;
    struct signing_keys keys = {0};
    cubinet_status status = describe(edit, shown, draft);
    if (!status) {
        status = output_check(edit->output);
    }
    if (!status) {
        status = signing_keys_read(&edit->sign_paths, &keys);
    }
    if (!status) {
        status = write_draft(edit, shown, &keys, draft);
    }
    if (!status && signatures > 0 && keys.count == 0) {
        signing_keys_warn(shown->path, edit->output);
    }
    signing_keys_forget(&keys);
    return status;
}
