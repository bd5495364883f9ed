/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/pch_use.h"

#include "compile/pch_make.h"
#include "compile/pch_nvrtc.h"
#include "interpose/opened_files.h"
#include "loader/core/support/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pch_use_free(struct pch_use *use)
{
    pch_record_free(&use->record);
    free(use->data);
    *use = (struct pch_use){0};
}

/* Whether the data can be given to this NVRTC. */
static bool is_usable(const struct pch_use *use, const struct nvrtc *nvrtc, struct buffer *why)
{
    const struct pch_record *record = &use->record;
    size_t heap = 0;
    if (record->reason) {
        buffer_printf(why, "there is none: %s", record->reason);
    } else if (nvrtc->version < PCH_RELEASE || pch_nvrtc_address(nvrtc) != record->library) {
        buffer_puts(why, "NVRTC lies at another address than when it was made");
    } else if (!pch_data_is(use->data, &record->data)) {
        buffer_puts(why, "its data is damaged or of another one");
    } else if (pch_nvrtc_set_heap(nvrtc, record->heap_size, &heap) || heap != record->heap_size) {
        buffer_puts(why, "NVRTC sets no memory aside for it");
    } else {
        return true;
    }
    return false;
}

static bool try_one(const char *file, const struct nvrtc *nvrtc, const struct pch_setting *setting,
                    struct pch_use *use, struct buffer *why)
{
    use->file = file;
    if (asprintf(&use->data, "%s%s", file, PCH_DATA_SUFFIX) < 0) {
        use->data = NULL;
        buffer_puts(why, "memory is out");
        return false;
    }
    opened_files_pause(true); /* what comes out of the compile does not depend on any of this */
    bool fits = pch_record_read(file, &use->record, why) && pch_record_fits(&use->record, setting, why) &&
                is_usable(use, nvrtc, why);
    opened_files_pause(false);
    return fits;
}

bool pch_use_find(const struct cbn_text_list *files, const struct nvrtc *nvrtc,
                  const struct pch_setting *setting, struct pch_use *out_use, struct buffer *notes)
{
    for (size_t i = 0; i < files->count; i++) {
        struct pch_use use = {0};
        struct buffer why = {0};
        bool fits = try_one(files->items[i], nvrtc, setting, &use, &why);
        if (!fits) {
            buffer_printf(notes, "precompiled header %s is not used: %s\n", files->items[i],
                          why.data ? why.data : "");
            pch_use_free(&use);
        }
        buffer_free(&why);
        if (fits) {
            *out_use = use;
            return true;
        }
    }
    return false;
}

cubinet_status pch_use_finish(const struct pch_use *use, struct nvrtc_result *result, bool *out_used)
{
    static const char message[] = ": using precompiled header file ";
    char *said = result->log ? strstr(result->log, message) : NULL;
    opened_files_remove(use->data);
    *out_used = said != NULL;
    if (!said) {
        return CUBINET_OK;
    }
    char *start = said;
    while (start > result->log && start[-1] != '\n') {
        start--;
    }
    const char *rest = said + strcspn(said, "\n");
    struct buffer log = {0};
    buffer_append(&log, result->log, (size_t)(start - result->log));
    buffer_puts(&log, use->record.messages);
    buffer_puts(&log, rest + (*rest == '\n'));
    char *text = buffer_take(&log);
    if (!text) {
        return cbn_error_memory();
    }
    free(result->log);
    result->log = text;
    return CUBINET_OK;
}

void pch_use_note_inputs(const struct pch_use *use)
{
    for (size_t i = 0; i < use->record.inputs.count; i++) {
        const struct input *input = &use->record.inputs.items[i];
        opened_files_add(input->path, input->kind == INPUT_MISSING);
    }
}
