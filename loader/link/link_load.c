/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/link/link_load.h"

#include "loader/core/select/select.h"
#include "loader/core/support/error.h"
#include "loader/link/link_choice.h"
#include "loader/link/linker.h"

static uint32_t find_release(const cubinet_image_info *images, uint32_t image_count, cubinet_target target,
                             struct cbn_linker_need need)
{
    uint32_t release = 0;
    for (uint32_t i = image_count; i > 0; i--) {
        const cubinet_image_info *image = &images[i - 1];
        const struct cbn_linker *linker = NULL;
        bool fits = false;
        need.floor = cbn_link_floor(image);
        if (image->target.kind != CUBINET_IMAGE_LTOIR || !cbn_image_links_for(image, target) ||
            cbn_linker_find(&need, &linker, &fits)) {
            continue;
        }
        if (fits) {
            return cbn_linker_release(linker);
        }
        release = release ? release : cbn_linker_release(linker);
    }
    return release;
}

uint32_t cbn_link_load_release(const cubinet_image_info *images, uint32_t image_count, cubinet_target target,
                               const char *path, uint32_t driver)
{
    const struct cbn_linker_need need = {.path = path, .compute = target.number, .driver = driver};
    struct cbn_kept_error kept = cbn_error_keep();
    uint32_t release = find_release(images, image_count, target, need);
    cbn_error_put_back(&kept);
    return release;
}

cubinet_status cbn_link_load_plan(const cubinet_archive *archive, uint32_t module, uint32_t image,
                                  cubinet_target target, struct cbn_link_plan **out_plan)
{
    struct cbn_link_plan *plan = NULL;
    cubinet_status status = cbn_link_plan_create(target, NULL, &plan);
    if (!status) {
        status = cbn_link_plan_add_image(plan, archive, module, image);
    }
    if (!status) {
        status = cbn_link_plan_add_missing(plan, archive);
    }
    if (!status) {
        status = cbn_link_plan_check(plan);
    }
    if (status) {
        cbn_link_plan_free(plan);
        return status;
    }
    *out_plan = plan;
    return CUBINET_OK;
}
