/* SPDX-License-Identifier: Apache-2.0 */
#include "toolkit/parts_choice.h"

#include "loader/core/support/error.h"

#include <string.h>

/* From where on parts pay, measured: docs/internals/benchmarks.md, "Parts". Starting the assembler costs as
 * much as 8 KB of PTX, and a part's file some 3 KB. */
enum {
    LEAST_PTX = 1 << 20,      /* bytes of a module's PTX */
    LEAST_PART_PTX = 1 << 15, /* bytes of a part's, on average */
};

cubinet_status parts_choice_read(const char *value, enum parts_choice *out_choice)
{
    static const struct {
        const char *name;
        enum parts_choice choice;
    } choices[] = {{"each", PARTS_EACH}, {"auto", PARTS_AUTO}, {"none", PARTS_NONE}};
    for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
        if (strcmp(value, choices[i].name) == 0) {
            *out_choice = choices[i].choice;
            return CUBINET_OK;
        }
    }
    return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "option '--parts' takes each, auto or none, not '%s'",
                     value);
}

bool parts_are_wanted(enum parts_choice choice, size_t size)
{
    return choice == PARTS_EACH || (choice == PARTS_AUTO && size >= LEAST_PTX);
}

const char *parts_find_reason(enum parts_choice choice, size_t size, size_t count)
{
    bool are_small = choice == PARTS_AUTO && size / (count + 1) < LEAST_PART_PTX;
    return are_small ? "its parts would be small; --parts each splits it" : NULL;
}
