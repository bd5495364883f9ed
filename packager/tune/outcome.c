/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/outcome.h"

#include <stdlib.h>

void outcome_free(struct outcome *outcome)
{
    for (size_t i = 0; i < outcome->trial_count; i++) {
        free(outcome->trials[i].reason);
    }
    free(outcome->trials);
    free(outcome->error);
    cbn_text_list_free(&outcome->kernels);
    *outcome = (struct outcome){0};
}

bool outcome_keeps_default(const struct outcome *outcome)
{
    return !outcome->error && outcome->has_default && outcome->chosen == 0;
}

double outcome_gain(const struct outcome *outcome)
{
    bool is_known = !outcome->error && outcome->has_default;
    return is_known ? outcome->trials[0].time / outcome->trials[outcome->chosen].time : 0;
}
