/* SPDX-License-Identifier: Apache-2.0 */
#include "toolkit/default_device.h"

#include <string.h>

/* How NVRTC's errors about functions and variables without annotation start. */
static const char *const starts[] = {
    "): error: A function without execution space annotations",
    "): error: A namespace scope variable without memory space annotations",
    "): error: A class static data member with non-const type is considered a host variable",
};

static bool is_in_folder(const char *path, const struct cbn_text_list *folders)
{
    for (size_t i = 0; i < folders->count; i++) {
        size_t size = strlen(folders->items[i]);
        if (strncmp(path, folders->items[i], size) == 0 && path[size] == '/') {
            return true;
        }
    }
    return false;
}

static bool has_error(const char *log, const char *start, const struct cbn_text_list *folders)
{
    for (const char *found = log; (found = strstr(found, start)); found++) {
        const char *line = found;
        while (line > log && line[-1] != '\n') {
            line--;
        }
        if (is_in_folder(line, folders)) {
            return true;
        }
    }
    return false;
}

bool default_device_is_needed(const char *log, const struct cbn_text_list *folders,
                              const struct cbn_text_list *options)
{
    if (cbn_text_list_has(options, "-default-device")) {
        return false;
    }
    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
        if (has_error(log, starts[i], folders)) {
            return true;
        }
    }
    return false;
}
