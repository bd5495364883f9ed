/* SPDX-License-Identifier: Apache-2.0 */
#include "show/explain.h"

#include <stdlib.h>

cubinet_device_profile explain_profile(const struct explain *explain, const struct listing_module *module,
                                       size_t device)
{
    cubinet_device_profile profile = explain->devices[device].profile;
    if (explain->assume_linker) {
        int compute = profile.compute_major * 10 + profile.compute_minor;
        profile.nvjitlink_version = coverage_device(module, compute).nvjitlink_version;
    }
    return profile;
}

char *explain_reason(const struct explain *explain, const struct listing_module *module,
                     const cubinet_verdict *verdict, const cubinet_device_profile *device)
{
    const cubinet_image_info *image = &module->images[verdict->image];
    size_t size = cubinet_verdict_describe(verdict, image, device, explain->policy, NULL, 0) + 1;
    char *text = malloc(size);
    if (text) {
        cubinet_verdict_describe(verdict, image, device, explain->policy, text, size);
    }
    return text;
}
