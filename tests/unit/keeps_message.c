/* SPDX-License-Identifier: Apache-2.0 */
#include "keeps_message.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMPARED = 64 }; /* threads of some tests have small stacks, which it is a part of */

static _Thread_local struct {
    const char *place;
    char text[COMPARED];
} noted;

void keeps_message_note(void)
{
    noted.place = cubinet_error_message();
    snprintf(noted.text, sizeof(noted.text), "%s", noted.place);
}

cubinet_status keeps_message_check(cubinet_status status, const char *call, const char *file, int line)
{
    const char *now = cubinet_error_message();
    bool is_kept = now == noted.place && strncmp(now, noted.text, sizeof(noted.text) - 1) == 0;
    if (!status && !is_kept) {
        fprintf(stderr, "%s:%d: %s succeeded and changed the message from '%s' to '%s'\n", file, line, call,
                noted.text, now);
        abort();
    }
    return status;
}
