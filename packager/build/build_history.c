/* SPDX-License-Identifier: Apache-2.0 */
#include "build/build_history.h"

#include "base/path.h"
#include "build/build_steps.h"
#include "loader/core/support/error.h"

#include <stdio.h>

/* Seconds by the names of files, without folders: those are Ninja's own spelling. */
static json_t *times_of_files(const json_t *log)
{
    json_t *times = json_object();
    const char *output;
    json_t *line;
    json_object_foreach((json_t *)log, output, line)
    {
        long start = 0;
        long end = 0;
        if (sscanf(json_string_value(line), "%ld\t%ld", &start, &end) == 2 && end >= start) {
            json_object_set_new_nocheck(times, path_name(output), json_real((double)(end - start) / 1000));
        }
    }
    return times;
}

struct lists {
    const json_t *times;
    json_t *history;
};

static cubinet_status add(void *data, const char *file, const char *text)
{
    struct lists *lists = data;
    json_t *seconds = json_object_get(lists->times, file);
    int result = seconds ? json_object_set_nocheck(lists->history, text, seconds) : 0;
    return result == 0 ? CUBINET_OK : cbn_error_memory();
}

json_t *build_history(const struct build_request *request, const struct build_plan *plan, const json_t *log)
{
    struct lists lists = {times_of_files(log), json_object()};
    cubinet_status status =
        lists.times && lists.history ? build_steps_each(request, plan, add, &lists) : cbn_error_memory();
    json_decref((json_t *)lists.times);
    if (status) {
        json_decref(lists.history);
        return NULL;
    }
    return lists.history;
}

double build_history_seconds(const void *history, const char *text)
{
    const json_t *seconds = json_object_get(history, text);
    return seconds ? json_real_value(seconds) : -1;
}
