/* SPDX-License-Identifier: Apache-2.0 */
/* Using a precompiled header in place of the headers that a compile includes first. Nothing comes out of the
 * compile that does not come out of it without one: code, messages, and what it is said to have read. */
#ifndef PCH_USE_H
#define PCH_USE_H

#include "compile/pch_record.h"
#include "loader/core/support/text_list.h"
#include "toolkit/nvrtc.h"

#include <stdbool.h>

struct pch_use {
    struct pch_record record;
    const char *file; /* one of those that were offered */
    char *data;
};

/* Finds one that fits a compile with these options among `files`, and has NVRTC set memory aside for it. If
 * there is none the result is false, and `notes` are told why. */
bool pch_use_find(const struct cbn_text_list *files, const struct nvrtc *nvrtc,
                  const struct pch_setting *setting, struct pch_use *out_use, struct buffer *notes);

/* After a compile with -use-pch=DATA: whether NVRTC used it. If so, what it says of that is taken out of the
 * log, and what it said of the headers when they were precompiled is put before the rest. */
cubinet_status pch_use_finish(const struct pch_use *use, struct nvrtc_result *result, bool *out_used);

/* Notes the headers as if this process had read them: see opened_files.h. */
void pch_use_note_inputs(const struct pch_use *use);

void pch_use_free(struct pch_use *use);

#endif
