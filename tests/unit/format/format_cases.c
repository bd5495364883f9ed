/* SPDX-License-Identifier: Apache-2.0 */
#include "format_cases.h"

#include "unit.h"

static const struct format_cases *const parts[] = {
    &format_zip_cases,       &format_index_cases,    &format_set_cases,    &format_root_cases,
    &format_block_cases,     &format_resource_cases, &format_launch_cases, &format_piece_cases,
    &format_signature_cases, &format_part_cases,     &format_tuning_cases,
};

const struct format_case *format_case_at(size_t number)
{
    for (size_t i = 0; i < COUNT(parts); i++) {
        if (number < parts[i]->count) {
            return &parts[i]->cases[number];
        }
        number -= parts[i]->count;
    }
    return NULL;
}
