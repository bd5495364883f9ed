/* SPDX-License-Identifier: Apache-2.0 */
#include "command/build_outcome.h"

#include "base/colour.h"
#include "base/json_output.h"
#include "base/text_table.h"
#include "build/build_profile.h"
#include "build/build_steps.h"
#include "command/made.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

static const char *plural(size_t count, const char *one, const char *several)
{
    return count == 1 ? one : several;
}

cubinet_status build_outcome_print(const struct build_outcome *outcome)
{
    const struct build_notes *notes = &outcome->notes;
    struct made made;
    char size[SIZE_TEXT_SIZE];
    if (outcome->steps.count == 0) {
        return CUBINET_OK;
    }
    cubinet_status status = build_slowest_print(outcome->request, outcome->plan, &outcome->steps, stdout);
    if (!status) {
        status = made_count(outcome->request->archive, &made);
    }
    if (status) {
        return status;
    }
    colour_print(stdout, COLOUR_GREEN, "Made ");
    printf("%s in %.2f s: %zu %s, %zu %s, %s", outcome->request->archive, outcome->seconds, made.modules,
           plural(made.modules, "module", "modules"), made.images, plural(made.images, "image", "images"),
           size_text(made.bytes, size));
    size_t compiles = notes->hits + notes->misses;
    if (compiles > 0) {
        printf("; %zu of %zu %s from the cache", notes->hits, compiles,
               plural(compiles, "compile", "compiles"));
    }
    putchar('\n');
    return CUBINET_OK;
}

static cubinet_status add_step(const struct build_outcome *outcome, const struct ninja_step *step,
                               json_t *steps)
{
    char *text = build_step_describe(outcome->request, outcome->plan, step->output);
    if (!text) {
        return cbn_error_memory();
    }
    const char *cache = build_notes_find(&outcome->notes, step->output);
    json_array_append_new(steps, json_pack("{s:o, s:o, s:o, s:o}", "step", json_output_text(text), "output",
                                           json_output_text(step->output), "seconds",
                                           made_duration((double)step->milliseconds / 1000), "cache",
                                           cache ? json_string(cache) : json_null()));
    free(text);
    return CUBINET_OK;
}

/* The files besides the archive. */
static json_t *optional_path(const char *path)
{
    return path ? json_output_text(path) : json_null();
}

static cubinet_status fill(const struct build_outcome *outcome, json_t *document)
{
    const struct build_request *request = outcome->request;
    json_t *steps = json_array();
    json_t *warnings = json_array();
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < outcome->steps.count; i++) {
        status = add_step(outcome, &outcome->steps.items[i], steps);
    }
    for (size_t i = 0; i < outcome->warnings->count; i++) {
        json_array_append_new(warnings, json_output_text(outcome->warnings->items[i]));
    }
    json_object_set_new(document, "header", optional_path(request->header));
    json_object_set_new(document, "object", optional_path(request->object));
    json_object_set_new(document, "seconds", made_duration(outcome->seconds));
    json_object_set_new(document, "cache_hits", json_integer((json_int_t)outcome->notes.hits));
    json_object_set_new(document, "cache_misses", json_integer((json_int_t)outcome->notes.misses));
    json_object_set_new(document, "steps", steps);
    json_object_set_new(document, "warnings", warnings);
    return status;
}

cubinet_status build_outcome_print_json(const struct build_outcome *outcome)
{
    json_t *document = NULL;
    json_t *profile = NULL;
    cubinet_status status = made_json(outcome->request->archive, &document);
    if (!status) {
        status = fill(outcome, document);
    }
    if (!status && outcome->request->profile) {
        status = build_profile_json(&profile);
        json_object_set_new(document, "profile", profile);
    }
    if (status) {
        json_decref(document);
        return status;
    }
    return json_output_print(document);
}
