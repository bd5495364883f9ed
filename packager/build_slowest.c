/* SPDX-License-Identifier: Apache-2.0 */
#include "build_slowest.h"

#include "build_file.h"
#include "error.h"
#include "text_table.h"

#include <stdlib.h>

enum { MOST = 5, FEWEST = 3 /* than which all are on the screen */ };

cubinet_status build_slowest_print(const struct build_request *request, const struct build_plan *plan,
                                   const struct ninja_steps *steps, FILE *file)
{
    struct text_table table = {.alignment = "rl"};
    if (steps->count < FEWEST) {
        return CUBINET_OK;
    }
    fprintf(file, "Slowest of %zu steps:\n", steps->count);
    for (size_t i = 0; i < steps->count && i < MOST; i++) {
        char *text = build_file_describe(request, plan, steps->items[i].output);
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
