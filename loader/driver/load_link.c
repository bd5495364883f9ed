/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/driver/load_link.h"

#include "loader/core/support/error.h"
#include "loader/driver/record.h"
#include "loader/link/link_load.h"

cubinet_target cbn_device_target(const struct cbn_device *device)
{
    return (cubinet_target){
        .kind = CUBINET_IMAGE_CUBIN,
        .number = 10 * device->compute_major + device->compute_minor,
    };
}

/* Selection's reason says that there is none; where it was looked for is for the log. */
static void log_no_linker(const struct cbn_load_request *request, const struct cubinet_module *module)
{
    const struct cbn_linker_need need = {.path = request->place.nvjitlink,
                                         .compute = cbn_device_target(module->device).number};
    const struct cbn_linker *linker = NULL;
    bool fits = false;
    struct cbn_kept_error kept = cbn_error_keep();
    if (cbn_linker_find(&need, &linker, &fits)) {
        cbn_driver_log(module->driver, CUBINET_LOG_WARNING, "module '%s': its LTO-IR is not linked: %s",
                       request->module.name, cubinet_error_message());
    }
    cbn_error_put_back(&kept);
}

uint32_t cbn_load_linker_release(const struct cbn_load_request *request, const struct cubinet_module *module,
                                 const cubinet_image_info *images, uint32_t image_count)
{
    uint32_t release = cbn_link_load_release(images, image_count, cbn_device_target(module->device),
                                             request->place.nvjitlink, (uint32_t)module->driver->version);
    if (release == 0) {
        log_no_linker(request, module);
    }
    return release;
}

void cbn_load_log_link(const cubinet_driver *driver, const char *module, const struct cbn_link_plan *plan,
                       const struct cbn_link_story *story)
{
    static const char *const sources[] = {
        [CBN_CACHE_MADE] = "linked",
        [CBN_CACHE_MEMORY] = "taken from memory, as linked",
        [CBN_CACHE_DISK] = "taken from the cache, as linked",
        [CBN_CACHE_SHARED] = "taken from the shared cache, as linked",
        [CBN_CACHE_REMOTE] = "taken from the cache on other machines, as linked",
    };
    char target[CUBINET_TARGET_NAME_SIZE];
    uint32_t release = cbn_linker_release(story->linker);
    cbn_driver_log(driver, CUBINET_LOG_INFO, "module '%s': %s for %s by nvJitLink %u.%u (%s)", module,
                   sources[story->source], cubinet_target_name(cbn_link_plan_target(plan), target),
                   (unsigned)(release / 1000), (unsigned)(release % 1000 / 10),
                   cbn_linker_path(story->linker));
}

cubinet_status cbn_load_link(const struct cbn_load_request *request, const struct cubinet_module *module,
                             uint32_t image, cubinet_archive **out_archive)
{
    struct cbn_link_plan *plan = NULL;
    struct cbn_link_story story;
    struct cbn_link_place place = request->place;
    place.driver = (uint32_t)module->driver->version;
    place.log = module->driver->log;
    place.log_user = module->driver->log_user;
    cubinet_status status =
        cbn_link_load_plan(request->archive, request->index, image, cbn_device_target(module->device), &plan);
    if (!status) {
        status = cbn_link_obtain(plan, request->module.name, &place, &story, out_archive);
    }
    if (!status) {
        cbn_load_log_link(module->driver, request->module.name, plan, &story);
        cbn_record_link(module->driver, module->device, plan);
    }
    cbn_link_plan_free(plan);
    return status;
}
