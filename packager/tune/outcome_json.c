/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/outcome.h"

#include "base/json_output.h"
#include "loader/core/support/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const states[TRIAL_STATE_COUNT] = {
    [TRIAL_TIMED] = "timed",     [TRIAL_REFUSED] = "refused", [TRIAL_WRONG] = "wrong",
    [TRIAL_CRASHED] = "crashed", [TRIAL_HUNG] = "hung",
};

static json_t *sides_to_json(const uint32_t sides[3])
{
    return json_pack("[i,i,i]", (int)sides[0], (int)sides[1], (int)sides[2]);
}

static json_t *extent_to_json(const struct tune_extent *extent)
{
    return json_pack("[I,I,I]", (json_int_t)extent->sides[0], (json_int_t)extent->sides[1],
                     (json_int_t)extent->sides[2]);
}

static json_t *trial_to_json(const struct trial *trial, const struct tune_set *set)
{
    const struct candidate *candidate = &trial->candidate;
    json_t *object = json_pack(
        "{s:s, s:o, s:i, s:o, s:o, s:o, s:I, s:o, s:s}", "kernel", set->instances[candidate->instance].kernel,
        "block", sides_to_json(candidate->block), "grid_rule", (int)candidate->grid_rule, "grid_value",
        sides_to_json(candidate->grid_value), "grid_limit", sides_to_json(candidate->grid_limit), "cluster",
        sides_to_json(candidate->cluster), "dynamic_shared_bytes", (json_int_t)candidate->shared, "grid",
        sides_to_json(candidate->grid), "state", states[trial->state]);
    if (object && trial->state == TRIAL_TIMED) {
        json_object_set_new(object, "time_ns", json_real(trial->time));
        json_object_set_new(object, "noise_ns", json_real(trial->noise));
        json_object_set_new(object, "rounds", json_integer(trial->used));
    }
    if (object && trial->reason) {
        json_object_set_new(object, "reason", json_output_text(trial->reason));
    }
    return object;
}

static json_t *trials_to_json(const struct outcome *outcome, const struct tune_set *set)
{
    json_t *list = json_array();
    for (size_t i = 0; i < outcome->trial_count; i++) {
        json_array_append_new(list, trial_to_json(&outcome->trials[i], set));
    }
    return list;
}

static json_t *kernels_to_json(const struct outcome *outcome)
{
    json_t *list = json_array();
    for (size_t i = 0; i < outcome->kernels.count; i++) {
        json_array_append_new(list, json_output_text(outcome->kernels.items[i]));
    }
    return list;
}

static json_t *to_json(const struct outcome *outcome, const struct tune_description *description)
{
    const struct tune_set *set = &description->sets[outcome->set];
    json_t *object = json_pack(
        "{s:s, s:i, s:i, s:o, s:o, s:i, s:i, s:i}", "set", set->name, "set_number", (int)outcome->set,
        "extent_number", (int)outcome->extent, "extent", extent_to_json(&set->extents[outcome->extent]),
        "gpu", json_output_text(outcome->gpu), "compute", (int)outcome->compute, "multiprocessors",
        (int)outcome->multiprocessors, "driver", (int)outcome->driver_version);
    if (!object) {
        return NULL;
    }
    json_object_set_new(object, "seconds", json_real(outcome->seconds));
    if (outcome->error) {
        json_object_set_new(object, "error", json_output_text(outcome->error));
        return object;
    }
    json_t *rest = json_pack(
        "{s:s, s:o, s:i, s:o, s:o, s:i, s:b, s:i, s:i, s:i, s:b, s:b, s:I}", "target", outcome->target,
        "digest", json_output_digest(outcome->digest, sizeof(outcome->digest)), "toolkit",
        (int)outcome->toolkit, "kernels", kernels_to_json(outcome), "trials", trials_to_json(outcome, set),
        "chosen", (int)outcome->chosen, "has_default", outcome->has_default, "rounds", (int)outcome->rounds,
        "sm_clock_mhz", (int)outcome->sm_clock, "memory_clock_mhz", (int)outcome->memory_clock, "cold",
        outcome->is_cold, "checked", outcome->is_checked, "date", (json_int_t)outcome->date);
    if (!rest) {
        json_decref(object);
        return NULL;
    }
    json_object_update(object, rest);
    json_decref(rest);
    return object;
}

json_t *outcome_to_json(const struct outcome *outcome, const struct tune_description *description)
{
    json_t *object = to_json(outcome, description);
    if (json_output_is_lost()) {
        json_decref(object);
        return NULL;
    }
    return object;
}

static uint32_t number_of(const json_t *object, const char *key)
{
    return (uint32_t)json_integer_value(json_object_get(object, key));
}

static void sides_from_json(const json_t *object, const char *key, uint32_t sides[3])
{
    const json_t *list = json_object_get(object, key);
    for (size_t i = 0; i < 3; i++) {
        sides[i] = (uint32_t)json_integer_value(json_array_get(list, i));
    }
}

static bool digest_from_json(const json_t *value, unsigned char digest[16])
{
    const char *text = json_string_value(value);
    bool is_good = text && strlen(text) == 32;
    for (size_t i = 0; is_good && i < 16; i++) {
        unsigned byte = 0;
        is_good = sscanf(text + 2 * i, "%2x", &byte) == 1;
        digest[i] = (unsigned char)byte;
    }
    return is_good;
}

static char *copy_text(const char *text)
{
    char *copy = strdup(text);
    if (!copy) {
        json_output_lost();
    }
    return copy;
}

static bool trial_from_json(const json_t *object, const struct tune_set *set, struct trial *trial)
{
    const char *kernel = json_string_value(json_object_get(object, "kernel"));
    const char *state = json_string_value(json_object_get(object, "state"));
    const char *reason = json_string_value(json_object_get(object, "reason"));
    struct candidate *candidate = &trial->candidate;
    bool is_found = false;
    for (uint32_t i = 0; kernel && !is_found && i < set->instance_count; i++) {
        candidate->instance = i;
        is_found = strcmp(set->instances[i].kernel, kernel) == 0;
    }
    int known = 0;
    while (state && known < TRIAL_STATE_COUNT && strcmp(states[known], state) != 0) {
        known++;
    }
    trial->state = (enum trial_state)known;
    sides_from_json(object, "block", candidate->block);
    candidate->grid_rule = number_of(object, "grid_rule");
    sides_from_json(object, "grid_value", candidate->grid_value);
    sides_from_json(object, "grid_limit", candidate->grid_limit);
    sides_from_json(object, "cluster", candidate->cluster);
    sides_from_json(object, "grid", candidate->grid);
    candidate->shared = number_of(object, "dynamic_shared_bytes");
    trial->time = json_number_value(json_object_get(object, "time_ns"));
    trial->noise = json_number_value(json_object_get(object, "noise_ns"));
    trial->used = number_of(object, "rounds");
    trial->reason = reason ? copy_text(reason) : NULL;
    return is_found && state && known < TRIAL_STATE_COUNT;
}

static bool choice_from_json(const json_t *object, const struct tune_set *set, struct outcome *outcome)
{
    const char *target = json_string_value(json_object_get(object, "target"));
    const json_t *trials = json_object_get(object, "trials");
    const json_t *kernels = json_object_get(object, "kernels");
    size_t count = json_array_size(trials);
    outcome->trials = calloc(count + 1, sizeof(*outcome->trials));
    bool is_good = outcome->trials && target && strlen(target) < sizeof(outcome->target) &&
                   digest_from_json(json_object_get(object, "digest"), outcome->digest) &&
                   json_array_size(kernels) == set->instance_count;
    for (size_t i = 0; is_good && i < count; i++) {
        is_good = trial_from_json(json_array_get(trials, i), set, &outcome->trials[outcome->trial_count++]);
    }
    for (size_t i = 0; is_good && i < set->instance_count; i++) {
        const char *name = json_string_value(json_array_get(kernels, i));
        is_good = name && cbn_text_list_add(&outcome->kernels, name) == CUBINET_OK;
    }
    if (!outcome->trials || outcome->kernels.failed) {
        json_output_lost();
    }
    outcome->chosen = number_of(object, "chosen");
    if (!is_good || outcome->chosen >= count || outcome->trials[outcome->chosen].state != TRIAL_TIMED) {
        return false;
    }
    strcpy(outcome->target, target);
    outcome->toolkit = number_of(object, "toolkit");
    outcome->has_default = json_is_true(json_object_get(object, "has_default"));
    outcome->rounds = number_of(object, "rounds");
    outcome->sm_clock = number_of(object, "sm_clock_mhz");
    outcome->memory_clock = number_of(object, "memory_clock_mhz");
    outcome->is_cold = json_is_true(json_object_get(object, "cold"));
    outcome->is_checked = json_is_true(json_object_get(object, "checked"));
    outcome->date = (uint64_t)json_integer_value(json_object_get(object, "date"));
    return true;
}

static bool from_json(const json_t *object, const struct tune_description *description,
                      struct outcome *outcome)
{
    const char *gpu = json_string_value(json_object_get(object, "gpu"));
    const char *error = json_string_value(json_object_get(object, "error"));
    outcome->set = number_of(object, "set_number");
    outcome->extent = number_of(object, "extent_number");
    if (!gpu || outcome->set >= description->set_count ||
        outcome->extent >= description->sets[outcome->set].extent_count) {
        return false;
    }
    snprintf(outcome->gpu, sizeof(outcome->gpu), "%s", gpu);
    outcome->compute = number_of(object, "compute");
    outcome->multiprocessors = number_of(object, "multiprocessors");
    outcome->driver_version = number_of(object, "driver");
    outcome->seconds = json_number_value(json_object_get(object, "seconds"));
    if (error) {
        outcome->error = copy_text(error);
        return outcome->error != NULL;
    }
    return choice_from_json(object, &description->sets[outcome->set], outcome);
}

cubinet_status outcome_from_json(const json_t *object, const struct tune_description *description,
                                 struct outcome *out_outcome)
{
    struct outcome outcome = {0};
    bool is_good = from_json(object, description, &outcome);
    if (!is_good || json_output_is_lost()) {
        outcome_free(&outcome);
        return json_output_is_lost()
                   ? cbn_error_memory()
                   : cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "it is not a measurement of this description");
    }
    *out_outcome = outcome;
    return CUBINET_OK;
}
