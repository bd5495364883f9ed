/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/description.h"

#include "base/file.h"
#include "base/json_input.h"
#include "loader/core/support/error.h"
#include "loader/core/support/sha256.h"
#include "tune/place.h"
#include "tune/read_arguments.h"
#include "tune/read_instances.h"
#include "tune/read_values.h"

#include <stdlib.h>
#include <string.h>

static const char *const set_members[] = {"name",    "module",    "kernel",     "instances",    "for",
                                          "extents", "arguments", "candidates", "restrictions", "cooperative",
                                          "default", "check",     NULL};
static const char *const choice_members[] = {"block",
                                             "elements_per_thread",
                                             "elements_per_block",
                                             "tile",
                                             "grid",
                                             "grid_limit",
                                             "cluster",
                                             "dynamic_shared_bytes",
                                             NULL};
static const char *const launch_members[] = {"kernel",
                                             "block",
                                             "elements_per_thread",
                                             "elements_per_block",
                                             "tile",
                                             "grid",
                                             "grid_limit",
                                             "cluster",
                                             "dynamic_shared_bytes",
                                             NULL};
static const char *const check_members[] = {"reference", "absolute", "relative", NULL};

static cubinet_status copy_text(const struct place *place, const json_t *value, char **out_text)
{
    const char *text = NULL;
    cubinet_status status = place_text(place, value, &text);
    if (!status) {
        *out_text = strdup(text);
        status = *out_text ? CUBINET_OK : cbn_error_memory();
    }
    return status;
}

static size_t count_sides(const json_t *value)
{
    return json_is_array(value) ? json_array_size(value) : 1;
}

static cubinet_status read_extents(const struct place *place, const json_t *list, struct tune_set *set)
{
    size_t i;
    json_t *item;
    cubinet_status status = CUBINET_OK;
    if (!json_is_array(list) || json_array_size(list) == 0) {
        return place_fail(place, list, "an array of at least one extent, such as [1000, [64, 64]]");
    }
    set->extents = calloc(json_array_size(list), sizeof(*set->extents));
    if (!set->extents) {
        return cbn_error_memory();
    }
    json_array_foreach(list, i, item)
    {
        const struct place at = {.parent = place, .index = i};
        status = status ? status : place_sides(&at, item, (uint64_t)1 << 48, set->extents[i].sides);
        set->extent_count++;
        if (!status && i > 0 && count_sides(item) != set->dimensions) {
            status = place_fail(&at, item, "as many sides as the first extent has");
        }
        set->dimensions = (uint32_t)count_sides(item);
        for (size_t j = 0; !status && j < i; j++) {
            if (memcmp(&set->extents[j], &set->extents[i], sizeof(set->extents[i])) == 0) {
                status = place_fail(&at, item, "an extent that is not among those before it");
            }
        }
    }
    return status;
}

static cubinet_status read_restrictions(const struct place *place, const json_t *list, struct tune_set *set)
{
    struct expression_values names = {0};
    cubinet_status status = names_add(&names, NAMES_ALL, &set->instances[0]);
    if (!status) {
        status = read_values(place, list, &names, &set->restrictions);
    }
    expression_values_free(&names);
    return status;
}

/* A launch that is chosen in the description: "default", or the "reference" of a check. */
static cubinet_status read_launch(const struct place *place, const json_t *object, struct tune_set *set,
                                  char **out_kernel, struct tune_choices *out_choices)
{
    const struct place kernel = {.parent = place, .key = "kernel"};
    const json_t *named = json_object_get(object, "kernel");
    const struct tune_instance *instance = &set->instances[0];
    cubinet_status status = place_members(place, object, launch_members);
    if (!status && named) {
        status = copy_text(&kernel, named, out_kernel);
    }
    for (size_t i = 0; !status && *out_kernel && i < set->instance_count; i++) {
        if (strcmp(set->instances[i].kernel, *out_kernel) == 0) {
            instance = &set->instances[i];
        }
    }
    return status ? status : read_choices(place, object, false, instance, out_choices);
}

static cubinet_status read_default(const struct place *place, const json_t *object, struct tune_set *set)
{
    const struct place kernel = {.parent = place, .key = "kernel"};
    cubinet_status status = read_launch(place, object, set, &set->default_kernel, &set->own_default);
    bool found = !set->default_kernel;
    for (size_t i = 0; !found && i < set->instance_count; i++) {
        found = strcmp(set->instances[i].kernel, set->default_kernel) == 0;
    }
    if (!status && !found) {
        status = place_fail(&kernel, json_object_get(object, "kernel"), "one of the set's instances");
    }
    set->has_default = true;
    return status;
}

static cubinet_status read_tolerance(const struct place *parent, const json_t *object, const char *key,
                                     double *out_number)
{
    const struct place place = {.parent = parent, .key = key};
    const json_t *value = json_object_get(object, key);
    cubinet_status status = value ? place_real(&place, value, out_number) : CUBINET_OK;
    return !status && *out_number < 0 ? place_fail(&place, value, "a number from 0 on") : status;
}

static cubinet_status read_check(const struct place *place, const json_t *object, struct tune_set *set)
{
    const struct place reference = {.parent = place, .key = "reference"};
    const json_t *launch = json_object_get(object, "reference");
    cubinet_status status = place_members(place, object, check_members);
    if (!status) {
        status = read_tolerance(place, object, "absolute", &set->absolute);
    }
    if (!status) {
        status = read_tolerance(place, object, "relative", &set->relative);
    }
    if (!status && launch) {
        set->has_reference = true;
        status = read_launch(&reference, launch, set, &set->reference_kernel, &set->reference);
    }
    return status;
}

static cubinet_status read_candidates(const struct place *place, const json_t *object, struct tune_set *set)
{
    cubinet_status status = place_members(place, object, choice_members);
    return status ? status : read_choices(place, object, true, &set->instances[0], &set->candidates);
}

typedef cubinet_status (*read_fn)(const struct place *place, const json_t *value, struct tune_set *set);

static cubinet_status read_optional(const struct place *parent, const json_t *object, const char *key,
                                    read_fn read, struct tune_set *set)
{
    const struct place place = {.parent = parent, .key = key};
    const json_t *value = json_object_get(object, key);
    return value ? read(&place, value, set) : CUBINET_OK;
}

static cubinet_status read_needed(const struct place *parent, const json_t *object, const char *key,
                                  read_fn read, struct tune_set *set)
{
    const struct place place = {.parent = parent, .key = key};
    return read(&place, json_object_get(object, key), set);
}

static cubinet_status read_name(const struct place *place, const json_t *value, struct tune_set *set)
{
    return copy_text(place, value, &set->name);
}

static cubinet_status read_module(const struct place *place, const json_t *value, struct tune_set *set)
{
    return copy_text(place, value, &set->module);
}

static cubinet_status read_cooperative(const struct place *place, const json_t *value, struct tune_set *set)
{
    return place_flag(place, value, &set->is_cooperative);
}

static cubinet_status read_set(const struct place *place, const json_t *object, struct tune_set *set)
{
    cubinet_status status = place_members(place, object, set_members);
    status = status ? status : read_optional(place, object, "name", read_name, set);
    status = status ? status : read_optional(place, object, "module", read_module, set);
    status = status ? status : read_optional(place, object, "cooperative", read_cooperative, set);
    status = status ? status : read_instances(place, object, set);
    status = status ? status : read_needed(place, object, "extents", read_extents, set);
    status = status ? status : read_needed(place, object, "arguments", read_arguments, set);
    status = status ? status : read_needed(place, object, "candidates", read_candidates, set);
    status = status ? status : read_optional(place, object, "restrictions", read_restrictions, set);
    status = status ? status : read_optional(place, object, "default", read_default, set);
    return status ? status : read_optional(place, object, "check", read_check, set);
}

static cubinet_status read_sets(const json_t *document, struct tune_description *description)
{
    static const char *const names[] = {"sets", NULL};
    size_t i;
    json_t *item;
    const struct place sets = {.key = "sets"};
    json_t *list = json_object_get(document, "sets");
    cubinet_status status = place_members(NULL, document, names);
    if (!status && (!json_is_array(list) || json_array_size(list) == 0)) {
        status = place_fail(&sets, list, "an array of at least one object");
    }
    description->sets = status ? NULL : calloc(json_array_size(list), sizeof(*description->sets));
    if (!description->sets) {
        return status ? status : cbn_error_memory();
    }
    json_array_foreach(list, i, item)
    {
        const struct place at = {.parent = &sets, .index = i};
        if (!status) {
            status = read_set(&at, item, &description->sets[description->set_count++]);
        }
    }
    return status;
}

static cubinet_status find_folder(const char *path, char **out_folder)
{
    const char *slash = strrchr(path, '/');
    *out_folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("");
    return *out_folder ? CUBINET_OK : cbn_error_memory();
}

cubinet_status description_read(const char *path, struct tune_description *out_description)
{
    char *text;
    size_t size;
    struct tune_description description = {0};
    cubinet_status status = file_read(path, &text, &size);
    if (status) {
        return status;
    }
    struct cbn_sha256 digest = cbn_sha256(text, size);
    memcpy(description.digest, digest.bytes, sizeof(description.digest));
    json_t *document = NULL;
    status = json_input_parse(path, text, size, &document);
    if (!status) {
        status = read_sets(document, &description);
        status = status ? cbn_error_context(status, "'%s'", path) : find_folder(path, &description.folder);
    }
    json_decref(document);
    free(text);
    if (status) {
        description_free(&description);
        return status;
    }
    *out_description = description;
    return CUBINET_OK;
}
