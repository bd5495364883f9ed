/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/tuning_file.h"

#include "archive/tuning_record_json.h"
#include "base/json_input.h"
#include "loader/core/support/error.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* What is put, and what is not. */
struct import {
    struct draft *draft;
    size_t put;
    size_t left_out;
};

/* `module` is NULL if the draft has none of that name. */
static cubinet_status put(struct import *import, struct draft_module *module, const cubinet_tuning *tuning)
{
    cubinet_status status = tuning_check(tuning);
    if (status) {
        return status;
    }
    status = module ? draft_put_valid_tuning(module, tuning) : CUBINET_ERROR_NOT_FOUND;
    import->put += status == CUBINET_OK;
    import->left_out += status == CUBINET_ERROR_NOT_FOUND;
    return status == CUBINET_ERROR_NOT_FOUND ? CUBINET_OK : status;
}

static cubinet_status add_records(struct import *import, struct draft_module *module, const json_t *list,
                                  const cubinet_tuning *set)
{
    size_t i;
    json_t *item;
    const size_t before = import->put;
    if (!json_is_array(list)) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "\"records\" is not an array");
    }
    json_array_foreach(list, i, item)
    {
        cubinet_tuning tuning = *set;
        tuning.instance_count = import->put == before ? set->instance_count : 0; /* which are put once */
        cubinet_status status = tuning_record_read(item, &tuning);
        if (!status) {
            status = put(import, module, &tuning);
        }
        if (status) {
            return cbn_error_context(status, "'%s', record %zu", set->what, i + 1);
        }
    }
    return CUBINET_OK;
}

/* The caller frees the array. */
static cubinet_status read_instances(const json_t *list, const char ***out_names, uint32_t *out_count)
{
    size_t i;
    json_t *item;
    const char **names = calloc(json_array_size(list) + 1, sizeof(*names));
    if (!names) {
        return cbn_error_memory();
    }
    json_array_foreach(list, i, item)
    {
        names[i] = json_string_value(item);
        if (!names[i]) {
            free(names);
            return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "\"instances\" is not an array of strings");
        }
    }
    *out_names = names;
    *out_count = (uint32_t)json_array_size(list);
    return CUBINET_OK;
}

static cubinet_status add_set(struct import *import, struct draft_module *module, const json_t *object)
{
    const char **instances = NULL;
    cubinet_tuning set = {.size = sizeof(set)};
    set.what = json_string_value(json_object_get(object, "what"));
    set.default_kernel = json_string_value(json_object_get(object, "default"));
    if (!set.what || !set.default_kernel) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "it has no \"what\" and \"default\", which are strings");
    }
    cubinet_status status =
        read_instances(json_object_get(object, "instances"), &instances, &set.instance_count);
    if (!status) {
        set.instances = instances;
        status = add_records(import, module, json_object_get(object, "records"), &set);
    }
    free(instances);
    return status;
}

static cubinet_status add_module(struct import *import, const json_t *object)
{
    size_t i;
    json_t *item;
    const char *name = json_string_value(json_object_get(object, "module"));
    const json_t *list = json_object_get(object, "tunings");
    if (!name) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "it has no \"module\", which is a string");
    }
    struct draft_module *module = draft_find_module(import->draft, name);
    json_array_foreach(list, i, item) /* none, if it was not tuned */
    {
        cubinet_status status = add_set(import, module, item);
        if (status) {
            return cbn_error_context(status, "module '%s', tuning %zu", name, i + 1);
        }
    }
    return CUBINET_OK;
}

static cubinet_status add_all(struct import *import, const json_t *document)
{
    size_t i;
    json_t *item;
    const json_t *list = json_object_get(document, "modules");
    if (!json_is_array(list)) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "it is not an object with an array \"modules\", as `cubinet inspect --json` prints");
    }
    json_array_foreach(list, i, item)
    {
        cubinet_status status = add_module(import, item);
        if (status) {
            return status;
        }
    }
    if (import->put == 0) {
        return import->left_out
                   ? cbn_error(CUBINET_ERROR_NOT_FOUND,
                               "none of its %zu tuning records is true of an image of the inputs: they were "
                               "measured with other images, so tune these",
                               import->left_out)
                   : cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "it has no tuning record");
    }
    return CUBINET_OK;
}

cubinet_status tuning_file_add(const char *path, struct draft *draft, size_t *out_left_out)
{
    json_t *document = NULL;
    struct import import = {.draft = draft};
    cubinet_status status = json_input_read(path, &document);
    if (!status) {
        status = add_all(&import, document);
        status = status ? cbn_error_context(status, "'%s'", path) : CUBINET_OK;
    }
    json_decref(document);
    if (!status) {
        *out_left_out = import.left_out;
    }
    return status;
}
