/* SPDX-License-Identifier: Apache-2.0 */
#include "show/explain.h"

#include "base/json_output.h"
#include "show/explain_tunings.h"

#include <stdlib.h>

static json_t *verdict_json(const struct explain *explain, const struct listing_module *module,
                            const struct ranking *ranking, uint32_t place,
                            const cubinet_device_profile *profile)
{
    const cubinet_verdict *verdict = &ranking->verdicts[place];
    const char *word = place >= ranking->candidates ? "refused" : place > 0 ? "candidate" : "chosen";
    char *reason = explain_reason(explain, module, verdict, profile);
    if (!reason) {
        json_output_lost();
    }
    json_t *json =
        json_pack("{s:o, s:s, s:o}", "target", json_output_target(module->images[verdict->image].target),
                  "verdict", word, "reason", reason ? json_output_text(reason) : NULL);
    free(reason);
    return json;
}

static json_t *chosen_json(const struct listing_module *module, const struct ranking *ranking)
{
    return ranking->candidates ? json_output_target(module->images[ranking->verdicts[0].image].target)
                               : json_null();
}

static cubinet_status module_json(const struct explain *explain, const struct listing_module *module,
                                  size_t device, json_t *out_modules)
{
    cubinet_device_profile profile = explain_profile(explain, module, device);
    struct ranking ranking = {0};
    cubinet_status status = ranking_make(module, &profile, explain->policy, &ranking);
    if (status) {
        return status;
    }
    json_t *images = json_array();
    for (uint32_t i = 0; i < module->image_count; i++) {
        json_array_append_new(images, verdict_json(explain, module, &ranking, i, &profile));
    }
    json_t *tunings = NULL;
    json_t *object = json_pack("{s:o, s:o, s:o, s:o}", "module", json_output_text(module->name), "device",
                               json_sprintf("%d.%d", profile.compute_major, profile.compute_minor), "chosen",
                               chosen_json(module, &ranking), "images", images);
    status = explain_tunings_json(explain, module, &ranking, &profile, &tunings);
    if (json_array_size(tunings) > 0) {
        json_object_set(object, "tunings", tunings);
    }
    json_decref(tunings);
    json_array_append_new(out_modules, object);
    ranking_free(&ranking);
    return status;
}

cubinet_status explain_print_json(const struct explain *explain)
{
    const struct listing *listing = &explain->shown->listing;
    json_t *modules = json_array();
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; i < listing->module_count; i++) {
        for (size_t j = 0; !status && j < explain->device_count; j++) {
            status = module_json(explain, &listing->modules[i], j, modules);
        }
    }
    if (status) {
        json_decref(modules);
        return status;
    }
    return json_output_print(json_pack("{s:o}", "modules", modules));
}
