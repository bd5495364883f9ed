/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/description.h"

#include "tune/read_arguments.h"
#include "tune/read_values.h"

#include <stdlib.h>

static void set_free(struct tune_set *set)
{
    free(set->name);
    free(set->module);
    for (size_t i = 0; i < set->instance_count; i++) {
        free(set->instances[i].kernel);
        expression_values_free(&set->instances[i].values);
    }
    for (size_t i = 0; i < set->argument_count; i++) {
        argument_free(&set->arguments[i]);
    }
    free(set->instances);
    free(set->extents);
    free(set->arguments);
    choices_free(&set->candidates);
    texts_free(&set->restrictions);
    free(set->default_kernel);
    choices_free(&set->own_default);
    free(set->reference_kernel);
    choices_free(&set->reference);
}

void description_free(struct tune_description *description)
{
    for (size_t i = 0; i < description->set_count; i++) {
        set_free(&description->sets[i]);
    }
    free(description->sets);
    free(description->folder);
    *description = (struct tune_description){0};
}
