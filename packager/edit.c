/* SPDX-License-Identifier: Apache-2.0 */
#include "edit.h"

#include "compression.h"
#include "error.h"
#include "name_check.h"
#include "output_check.h"

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
    case EDIT_COMPRESS:
        edit->compression = value;
        return compression_parse(value, &level);
    case EDIT_WRITE_IF_DIFFERENT:
        edit->keep_if_equal = true;
        return CUBINET_OK;
    case EDIT_HELP:
        edit->help = true;
        return CUBINET_OK;
    default:
        return CUBINET_ERROR_INVALID_ARGUMENT;
    }
}

cubinet_status edit_check(const struct edit *edit)
{
    if (!edit->output) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "no output is given: -o FILE");
    }
    return output_check_name(edit->output);
}

cubinet_status edit_write(const struct edit *edit, const struct shown_archive *shown, struct draft *draft)
{
    const char *version =
        edit->archive_version ? edit->archive_version : shown->catalog.archive.archive_version;
    struct archive_writer_options options = {
        .zstd_level = compression_of(&shown->catalog),
        .keep_if_equal = edit->keep_if_equal,
    };
    cubinet_status status =
        edit->compression ? compression_parse(edit->compression, &options.zstd_level) : CUBINET_OK;
    free(draft->archive_version);
    draft->archive_version = version[0] ? strdup(version) : NULL;
    if (status == CUBINET_OK && version[0] && !draft->archive_version) {
        status = cbn_error_memory();
    }
    if (status == CUBINET_OK) {
        status = output_check(edit->output);
    }
    return status == CUBINET_OK ? archive_write_file(draft, &options, edit->output) : status;
}
