/* SPDX-License-Identifier: Apache-2.0 */
/* What was measured of a kernel, beside what is predicted. */
#include "base/json_output.h"
#include "loader/core/support/volume.h"
#include "show/report_parts.h"
#include "show/tuning_show.h"

#include <string.h>

/* Of the tuned block, with its own dynamic shared memory; null where no machine code tells. */
static json_t *predicted_json(const struct occupancy_case *item, const cubinet_tuning *tuning)
{
    uint64_t threads = cbn_volume(tuning->block);
    if (!item || threads == 0 || threads > item->limits.max_threads_per_block) {
        return json_null();
    }
    struct occupancy_case tuned = *item;
    tuned.dynamic_shared_bytes = tuning->dynamic_shared_bytes;
    return json_real(occupancy_at(&tuned, (uint32_t)threads).occupancy);
}

static json_t *record_json(const struct occupancy_case *item, const cubinet_tuning *tuning)
{
    struct buffer launch = {0};
    tuning_append_launch(tuning, &launch);
    return json_pack(
        "{s:o, s:I, s:[I, I, I], s:o, s:I, s:I, s:o, s:b, s:o}", "gpu", json_output_text(tuning->gpu),
        "multiprocessors", (json_int_t)tuning->multiprocessor_count, "extent", (json_int_t)tuning->extent[0],
        (json_int_t)tuning->extent[1], (json_int_t)tuning->extent[2], "launch", json_output_buffer(&launch),
        "time_ns", (json_int_t)tuning->time_ns, "noise_ns", (json_int_t)tuning->noise_ns, "untuned_time_ns",
        tuning->untuned_time_ns ? json_integer((json_int_t)tuning->untuned_time_ns) : json_null(),
        "default_stays", (tuning->flags & CUBINET_TUNING_DEFAULT) != 0, "occupancy",
        predicted_json(item, tuning));
}

cubinet_status report_tunings(const struct shown_archive *shown, const struct listing_module *module,
                              uint32_t image, const char *kernel, const struct occupancy_case *item,
                              json_t *out_kernel)
{
    uint32_t count = 0;
    json_t *array = json_array();
    cubinet_status status = cubinet_archive_get_tuning_count(shown->archive, module->number, &count);
    for (uint32_t i = 0; !status && i < count; i++) {
        cubinet_tuning tuning = {.size = sizeof(tuning)};
        status = cubinet_archive_get_tuning(shown->archive, module->number, i, &tuning);
        if (!status && tuning.image == image && strcmp(tuning.kernel, kernel) == 0) {
            json_array_append_new(array, record_json(item, &tuning));
        }
    }
    if (json_array_size(array) > 0) {
        json_object_set(out_kernel, "tunings", array);
    }
    json_decref(array);
    return status;
}
