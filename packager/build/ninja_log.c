/* SPDX-License-Identifier: Apache-2.0 */
#include "build/ninja_log.h"

#include "base/array.h"
#include "base/file.h"
#include "loader/core/support/error.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A line is start, end, time of the output, its path, hash of the command: separated by tabs. The path to the
 * line, without its end; a later line takes the place of an earlier one. */
static int take_line(json_t *log, char *line)
{
    char *at = line;
    for (int field = 0; field < 3 && at; field++) {
        at = strchr(at, '\t');
        at += at ? 1 : 0;
    }
    char *end = at ? strchr(at, '\t') : NULL;
    if (!end) {
        return 0; /* the first line, or none of a version that is known */
    }
    char *output = strndup(at, (size_t)(end - at));
    int result = output ? json_object_set_new_nocheck(log, output, json_string_nocheck(line)) : -1;
    free(output);
    return result;
}

json_t *ninja_log_read(const char *folder)
{
    char *path = NULL;
    json_t *log = json_object();
    if (!log || asprintf(&path, "%s/.ninja_log", folder) < 0) {
        json_decref(log);
        return NULL;
    }
    FILE *file = NULL;
    file_open(path, &file); /* a folder without a log has no steps */
    char *line = NULL;
    size_t capacity = 0;
    int result = 0;
    while (file && result == 0 && getline(&line, &capacity, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        result = take_line(log, line);
    }
    if (file) {
        fclose(file);
    }
    free(line);
    free(path);
    if (result != 0) {
        json_decref(log);
        return NULL;
    }
    return log;
}

/* Whether a step is there already: a command with several outputs has a line for each. */
static bool is_known(const struct ninja_steps *steps, const struct ninja_step *step)
{
    for (size_t i = 0; i < steps->count; i++) {
        const struct ninja_step *other = &steps->items[i];
        if (other->start == step->start && other->milliseconds == step->milliseconds &&
            strcmp(other->command, step->command) == 0) {
            return true;
        }
    }
    return false;
}

static cubinet_status add_step(struct ninja_steps *steps, const char *output, const char *line)
{
    long end = 0;
    struct ninja_step step = {0};
    const char *command = strrchr(line, '\t');
    if (sscanf(line, "%ld\t%ld", &step.start, &end) != 2 || !command) {
        return CUBINET_OK;
    }
    step.milliseconds = end - step.start;
    snprintf(step.command, sizeof(step.command), "%s", command + 1);
    if (is_known(steps, &step)) {
        return CUBINET_OK;
    }
    struct ninja_step *items = array_grow(steps->items, steps->count, sizeof(*items));
    if (!items) {
        return cbn_error_memory();
    }
    steps->items = items;
    step.output = strdup(output);
    if (!step.output) {
        return cbn_error_memory();
    }
    items[steps->count++] = step;
    return CUBINET_OK;
}

static int compare(const void *a, const void *b)
{
    const struct ninja_step *x = a;
    const struct ninja_step *y = b;
    int by_time = (x->milliseconds < y->milliseconds) - (x->milliseconds > y->milliseconds);
    return by_time ? by_time : strcmp(x->output, y->output);
}

cubinet_status ninja_log_steps(const char *folder, const json_t *before, struct ninja_steps *out_steps)
{
    struct ninja_steps steps = {0};
    json_t *now = ninja_log_read(folder);
    cubinet_status status = now ? CUBINET_OK : cbn_error_memory();
    const char *output;
    json_t *line;
    json_object_foreach(now, output, line)
    {
        if (!status && !json_equal(line, json_object_get(before, output))) {
            status = add_step(&steps, output, json_string_value(line));
        }
    }
    json_decref(now);
    if (status) {
        ninja_steps_free(&steps);
        return status;
    }
    if (steps.count > 0) {
        qsort(steps.items, steps.count, sizeof(*steps.items), compare);
    }
    *out_steps = steps;
    return CUBINET_OK;
}

void ninja_steps_free(struct ninja_steps *steps)
{
    for (size_t i = 0; i < steps->count; i++) {
        free(steps->items[i].output);
    }
    free(steps->items);
    *steps = (struct ninja_steps){0};
}
