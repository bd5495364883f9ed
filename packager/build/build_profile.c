/* SPDX-License-Identifier: Apache-2.0 */
#include "build/build_profile.h"

#include "base/text_table.h"
#include "build/build_steps.h"
#include "build/profile.h"
#include "loader/core/support/error.h"
#include "process/trace_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST = 10,
    MOST_STEPS = 5,
    FEWEST_STEPS = 3, /* than which all are on the screen */
};

static const char variable[] = "CUBINET_TRACE";

cubinet_status build_profile_start(const char *folder)
{
    const char *named = getenv(variable);
    char *own = NULL;
    char *file = NULL;
    if (named && *named) {
        return CUBINET_OK;
    }
    cubinet_status status = CUBINET_OK;
    if (asprintf(&own, "%s/trace", folder) < 0 || asprintf(&file, "%s/trace/" TRACE_FILE_NAME, folder) < 0 ||
        setenv(variable, own, true) != 0) {
        status = cbn_error_memory();
    } else if (unlink(file) != 0 && errno != ENOENT) {
        status = cbn_error(CUBINET_ERROR_IO, "cannot remove the last build's trace '%s': %s", file,
                           strerror(errno));
    }
    free(own);
    free(file);
    return status;
}

static bool has_trace(const char *folder)
{
    char *file = NULL;
    if (asprintf(&file, "%s/" TRACE_FILE_NAME, folder) < 0) {
        return false;
    }
    bool has = access(file, F_OK) == 0;
    free(file);
    return has;
}

cubinet_status build_profile_print(void)
{
    const char *folder = getenv(variable);
    struct profile profile = {0};
    if (!has_trace(folder)) {
        puts("There was nothing to do, and so there is no profile.");
        return CUBINET_OK;
    }
    cubinet_status status = profile_read(folder, &profile);
    if (!status) {
        status = profile_print(&profile, MOST, stdout);
    }
    profile_free(&profile);
    if (!status) {
        printf("\nThe trace is %s/" TRACE_FILE_NAME ", for chrome://tracing and https://ui.perfetto.dev.\n",
               folder);
    }
    return status;
}

cubinet_status build_profile_json(json_t **out_profile)
{
    const char *folder = getenv(variable);
    struct profile profile = {0};
    cubinet_status status = has_trace(folder) ? profile_read(folder, &profile) : CUBINET_OK;
    if (!status) {
        *out_profile = profile_json(&profile);
    }
    profile_free(&profile);
    return status;
}

cubinet_status build_slowest_print(const struct build_request *request, const struct build_plan *plan,
                                   const struct ninja_steps *steps, FILE *file)
{
    struct text_table table = {.alignment = "rl"};
    if (steps->count < FEWEST_STEPS) {
        return CUBINET_OK;
    }
    fprintf(file, "Slowest of %zu steps:\n", steps->count);
    for (size_t i = 0; i < steps->count && i < MOST_STEPS; i++) {
        char *text = build_step_describe(request, plan, steps->items[i].output);
        if (!text) {
            buffer_free(&table.cells);
            return cbn_error_memory();
        }
        text_table_add(&table, "%.2f s", (double)steps->items[i].milliseconds / 1000);
        text_table_add(&table, "%s", text);
        free(text);
    }
    return text_table_print(&table, 2, file);
}
