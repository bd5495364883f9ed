/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning records as JSON. */
#include "archive/draft_tuning.h"
#include "base/json_output.h"
#include "show/tuning_show.h"

static json_t *sides_json(const uint32_t sides[3])
{
    return json_pack("[I, I, I]", (json_int_t)sides[0], (json_int_t)sides[1], (json_int_t)sides[2]);
}

static json_t *number_json(uint64_t number)
{
    return json_integer((json_int_t)number);
}

/* 0 is not known. */
static json_t *known_json(uint64_t number)
{
    return number ? number_json(number) : json_null();
}

static json_t *void_json(const struct listing_module *module, const cubinet_tuning *tuning)
{
    struct buffer text = {0};
    if (tuning->image != CUBINET_UNKNOWN) {
        return json_null();
    }
    tuning_append_void(module, tuning, &text);
    return json_output_buffer(&text);
}

static void set_configuration(json_t *object, const cubinet_tuning *tuning)
{
    const char *rule = grid_rule_name(tuning->grid_rule);
    json_object_set_new(object, "kernel", json_output_text(tuning->kernel));
    json_object_set_new(object, "block", sides_json(tuning->block));
    json_object_set_new(object, "cluster", sides_json(tuning->cluster));
    json_object_set_new(object, "grid_rule",
                        rule ? json_string(rule) : json_integer((json_int_t)tuning->grid_rule));
    json_object_set_new(object, "grid_value", sides_json(tuning->grid_value));
    json_object_set_new(object, "grid_limit", sides_json(tuning->grid_limit));
    json_object_set_new(object, "dynamic_shared_bytes", number_json(tuning->dynamic_shared_bytes));
    json_object_set_new(object, "cooperative", json_boolean(tuning->flags & CUBINET_TUNING_COOPERATIVE));
    json_object_set_new(object, "default_stays", json_boolean(tuning->flags & CUBINET_TUNING_DEFAULT));
}

static void set_measured(json_t *object, const cubinet_tuning *tuning)
{
    bool is_known = tuning->untuned_time_ns != 0;
    json_object_set_new(object, "time_ns", number_json(tuning->time_ns));
    json_object_set_new(object, "noise_ns", number_json(tuning->noise_ns));
    json_object_set_new(object, "untuned_time_ns", known_json(tuning->untuned_time_ns));
    json_object_set_new(object, "untuned_noise_ns",
                        is_known ? number_json(tuning->untuned_noise_ns) : json_null());
    json_object_set_new(object, "cold", json_boolean(tuning->flags & CUBINET_TUNING_COLD));
    json_object_set_new(object, "checked", json_boolean(tuning->flags & CUBINET_TUNING_CHECKED));
    json_object_set_new(object, "candidates", number_json(tuning->candidate_count));
    json_object_set_new(object, "measurements", known_json(tuning->measurement_count));
    json_object_set_new(object, "date", number_json(tuning->date));
    json_object_set_new(object, "driver", json_output_release(tuning->driver_version));
    json_object_set_new(object, "toolkit", json_output_release(tuning->toolkit));
    json_object_set_new(object, "sm_clock_mhz", known_json(tuning->sm_clock_mhz));
    json_object_set_new(object, "memory_clock_mhz", known_json(tuning->memory_clock_mhz));
}

static json_t *record_json(const struct listing_module *module, const cubinet_tuning *tuning)
{
    json_t *object = json_pack("{s:o, s:o, s:I, s:o, s:o, s:o, s:o}", "gpu", json_output_text(tuning->gpu),
                               "compute", json_sprintf("%u.%u", tuning->compute / 10, tuning->compute % 10),
                               "multiprocessors", (json_int_t)tuning->multiprocessor_count, "extent",
                               json_pack("[I, I, I]", (json_int_t)tuning->extent[0],
                                         (json_int_t)tuning->extent[1], (json_int_t)tuning->extent[2]),
                               "target", json_output_target(tuning->target), "digest",
                               json_output_digest(tuning->digest, sizeof(tuning->digest)), "void",
                               void_json(module, tuning));
    set_configuration(object, tuning);
    set_measured(object, tuning);
    return object;
}

static json_t *set_json(const cubinet_tuning *set)
{
    json_t *instances = json_array();
    for (uint32_t i = 0; i < set->instance_count; i++) {
        json_array_append_new(instances, json_output_text(set->instances[i]));
    }
    return json_pack("{s:o, s:o, s:o, s:[]}", "what", json_output_text(set->what), "default",
                     json_output_text(set->default_kernel), "instances", instances, "records");
}

cubinet_status tuning_json(const struct shown_archive *shown, const struct listing_module *module,
                           json_t **out_array)
{
    uint32_t count = 0;
    const char *last = NULL;
    json_t *array = json_array();
    json_t *set = NULL;
    cubinet_status status = cubinet_archive_get_tuning_count(shown->archive, module->number, &count);
    for (uint32_t i = 0; !status && i < count; i++) {
        cubinet_tuning tuning = {.size = sizeof(tuning)};
        status = cubinet_archive_get_tuning(shown->archive, module->number, i, &tuning);
        if (!status && tuning.what != last) { /* one string for each that was tuned */
            set = set_json(&tuning);
            json_array_append_new(array, set);
            last = tuning.what;
        }
        if (!status) {
            json_array_append_new(json_object_get(set, "records"), record_json(module, &tuning));
        }
    }
    if (status) {
        json_decref(array);
        return status;
    }
    *out_array = array;
    return CUBINET_OK;
}

static cubinet_status open_set(const cubinet_tuning *set, struct json_stream *out)
{
    json_stream_open(out, NULL, '{');
    cubinet_status status = json_stream_put(out, "what", json_output_text(set->what));
    status = status ? status : json_stream_put(out, "default", json_output_text(set->default_kernel));
    json_stream_open(out, "instances", '[');
    for (uint32_t i = 0; !status && i < set->instance_count; i++) {
        status = json_stream_put(out, NULL, json_output_text(set->instances[i]));
    }
    json_stream_close(out, ']');
    json_stream_open(out, "records", '[');
    return status;
}

static void close_set(struct json_stream *out)
{
    json_stream_close(out, ']');
    json_stream_close(out, '}');
}

cubinet_status tuning_stream(const struct shown_archive *shown, const struct listing_module *module,
                             struct json_stream *out)
{
    uint32_t count = 0;
    const char *last = NULL;
    cubinet_status status = cubinet_archive_get_tuning_count(shown->archive, module->number, &count);
    if (status || count == 0) {
        return status;
    }
    json_stream_open(out, "tunings", '[');
    for (uint32_t i = 0; !status && i < count; i++) {
        cubinet_tuning tuning = {.size = sizeof(tuning)};
        status = cubinet_archive_get_tuning(shown->archive, module->number, i, &tuning);
        if (!status && tuning.what != last) { /* one string for each that was tuned */
            if (last) {
                close_set(out);
            }
            status = open_set(&tuning, out);
            last = tuning.what;
        }
        status = status ? status : json_stream_put(out, NULL, record_json(module, &tuning));
    }
    if (last) {
        close_set(out);
    }
    json_stream_close(out, ']');
    return status;
}
