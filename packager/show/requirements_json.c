/* SPDX-License-Identifier: Apache-2.0 */
#include "show/requirements_output.h"

#include "base/json_output.h"
#include "loader/core/support/error.h"
#include "show/coverage.h"

#include <stdlib.h>

static json_t *linkers_json(uint32_t from, uint32_t before)
{
    return from ? json_pack("{s:o, s:o}", "from", json_output_release(from), "before",
                            json_output_release(before))
                : json_null();
}

static json_t *how_json(unsigned how)
{
    json_t *array = json_array();
    if (how & REQUIREMENTS_NATIVE) {
        json_array_append_new(array, json_string("native"));
    }
    if (how & REQUIREMENTS_LINK) {
        json_array_append_new(array, json_string("link"));
    }
    if (how & REQUIREMENTS_JIT) {
        json_array_append_new(array, json_string("jit"));
    }
    return array;
}

/* Of a module the image and how it fits, of the archive how its modules get to run. */
static json_t *step_json(const struct requirements_linkers *linkers, const struct requirements_step *step)
{
    const struct requirements_choice *choice = step->choice;
    json_t *json = json_pack("{s:o, s:o}", "driver", json_output_release(step->driver), "nvjitlink",
                             linkers_json(linkers->from, linkers->before));
    if (choice->target.kind) {
        json_object_set_new(json, "target", json_output_target(choice->target));
        json_object_set_new(json, "match", json_string(coverage_match_name(choice->match)));
    }
    json_object_set_new(json, "how", how_json(choice->how));
    return json;
}

static json_t *device_json(const struct requirements_table *table, size_t device)
{
    json_t *runs = json_array();
    struct requirements_linkers linkers;
    for (size_t range = 0; requirements_next_linkers(table, device, &range, &linkers);) {
        struct requirements_step step;
        for (size_t place = 0; requirements_next_step(table, device, linkers.first, &place, &step);) {
            json_array_append_new(runs, step_json(&linkers, &step));
        }
    }
    return runs;
}

/* "devices", and "later" for GPUs that are still to come. */
static json_t *table_json(const struct requirements_table *table)
{
    const struct requirements_grid *grid = table->grid;
    json_t *devices = json_array();
    for (size_t device = 0; device + 1 < grid->compute_count; device++) {
        int compute = grid->computes[device];
        json_array_append_new(devices, json_pack("{s:o, s:o}", "device",
                                                 json_sprintf("%d.%d", compute / 10, compute % 10), "runs",
                                                 device_json(table, device)));
    }
    return json_pack("{s:o, s:o}", "devices", devices, "later", device_json(table, grid->compute_count - 1));
}

/* Keeps a group's part of the document, in the order of groups. */
static cubinet_status take_group(void *data, const struct requirements_group *group, uint32_t number,
                                 const struct requirements_table *table)
{
    (void)group;
    (void)number;
    json_array_append_new(data, table_json(table));
    return CUBINET_OK;
}

static json_t *modules_json(const struct listing *listing, const struct requirements_walk *walk,
                            const json_t *groups)
{
    json_t *modules = json_array();
    for (uint32_t i = 0; i < listing->module_count; i++) {
        json_t *module = json_pack("{s:o}", "module", json_output_text(listing->modules[i].name));
        json_object_update(module, json_array_get(groups, walk->group_of[i]));
        json_array_append_new(modules, module);
    }
    return modules;
}

static json_t *texts_json(const struct cbn_text_list *texts)
{
    json_t *array = json_array();
    for (size_t i = 0; i < texts->count; i++) {
        json_array_append_new(array, json_output_text(texts->items[i]));
    }
    return array;
}

static json_t *terms_json(const struct requirements_terms *terms, const char *name)
{
    return terms->terms.count == 0 ? json_null()
                                   : json_pack("{s:o, s:o}", name, texts_json(&terms->terms), "except",
                                               texts_json(&terms->except));
}

static json_t *archive_json(const struct requirements_whole *whole)
{
    json_t *archive = table_json(&whole->table);
    json_object_set_new(archive, "driver", json_output_release(whole->driver));
    json_object_set_new(archive, "needs_nvjitlink", json_boolean(whole->needs_linker));
    json_object_set_new(archive, "nvjitlink", linkers_json(whole->linker_from, whole->linker_before));
    return archive;
}

static cubinet_status print_document(const struct listing *listing, const struct requirements_walk *walk,
                                     const json_t *groups)
{
    struct requirements_terms conda = {0};
    struct requirements_terms wheel = {0};
    cubinet_status status = requirements_conda(&walk->whole, &conda);
    if (!status) {
        status = requirements_wheel(&walk->whole, &wheel);
    }
    if (!status) {
        status = json_output_print(
            json_pack("{s:o, s:o, s:o, s:o}", "modules", modules_json(listing, walk, groups), "archive",
                      archive_json(&walk->whole), "conda", terms_json(&conda, "depends"), "wheel_variant",
                      terms_json(&wheel, "properties")));
    }
    requirements_terms_free(&conda);
    requirements_terms_free(&wheel);
    return status;
}

cubinet_status requirements_print_json(const struct shown_archive *shown)
{
    struct requirements_walk walk;
    json_t *groups = json_array();
    cubinet_status status = requirements_walk_make(&shown->listing, take_group, groups, &walk);
    if (!status) {
        status = print_document(&shown->listing, &walk, groups);
        requirements_walk_free(&walk);
    }
    json_decref(groups);
    return status;
}
