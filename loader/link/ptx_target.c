/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx_target.h"

#include "target.h"

#include <stdio.h>
#include <string.h>

/* What follows white space and comments. */
static const char *skip_blank(const char *text)
{
    for (;;) {
        text += strspn(text, " \t\r\n\v\f");
        if (strncmp(text, "//", 2) == 0) {
            text += strcspn(text, "\n");
        } else if (strncmp(text, "/*", 2) == 0) {
            const char *end = strstr(text + 2, "*/");
            text = end ? end + 2 : text + strlen(text);
        } else {
            return text;
        }
    }
}

static const char *skip_word(const char *text)
{
    return text + strcspn(text, " \t\r\n\v\f,;/");
}

/* What follows a directive's name; NULL if the text does not start with that. */
static const char *take_directive(const char *text, const char *name)
{
    const char *end = skip_word(text);
    size_t size = strlen(name);
    return (size_t)(end - text) == size && memcmp(text, name, size) == 0 ? skip_blank(end) : NULL;
}

bool cbn_ptx_target(const char *ptx, cubinet_target *out_target)
{
    const char *version = take_directive(skip_blank(ptx), ".version");
    const char *target = version ? take_directive(skip_blank(skip_word(version)), ".target") : NULL;
    char name[CUBINET_TARGET_NAME_SIZE];
    if (!target) {
        return false;
    }
    snprintf(name, sizeof(name), "%.*s", (int)(skip_word(target) - target), target);
    cubinet_target found;
    if (!cbn_target_read(name, &found)) {
        return false;
    }
    found.kind = CUBINET_IMAGE_PTX;
    *out_target = found;
    return true;
}
