/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/draft_put.h"

#include "loader/core/archive/cbn_archive.h"

#include <stdlib.h>
#include <string.h>

void draft_image_free(struct draft_image *image)
{
    for (size_t i = 0; i < image->use_count; i++) {
        free(image->uses[i].kernel);
        free(image->uses[i].params);
        launch_record_free(&image->uses[i].launch);
    }
    free(image->uses);
    symbol_list_free(&image->symbols);
    free(image->owned);
    cbn_archive_release(image->lender);
    free(image->origin);
    cbn_text_list_free(&image->globals);
    provenance_free(&image->provenance);
}

static void module_free(struct draft_module *module)
{
    for (size_t i = 0; i < module->image_count; i++) {
        draft_image_free(&module->images[i]);
    }
    for (size_t i = 0; i < module->kernel_count; i++) {
        free(module->kernels[i].name);
        free(module->kernels[i].expression);
    }
    for (size_t i = 0; i < module->global_count; i++) {
        free(module->globals[i].name);
        free(module->globals[i].expression);
    }
    draft_tunings_free(&module->tunings);
    free(module->images);
    free(module->kernels);
    free(module->globals);
    free(module->name);
}

void draft_drop_empty(struct draft *draft, size_t least)
{
    for (size_t i = draft->module_count; i-- > 0 && draft->module_count > least;) {
        if (draft->modules[i].image_count == 0) {
            module_free(&draft->modules[i]);
            draft->module_count--;
            memmove(draft->modules + i, draft->modules + i + 1,
                    (draft->module_count - i) * sizeof(*draft->modules));
        }
    }
}

void draft_free(struct draft *draft)
{
    for (size_t i = 0; i < draft->module_count; i++) {
        module_free(&draft->modules[i]);
    }
    free(draft->modules);
    free(draft->archive_version);
    free(draft->abi);
    property_list_free(&draft->properties);
    *draft = (struct draft){0};
}
