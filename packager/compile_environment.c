/* SPDX-License-Identifier: Apache-2.0 */
#include "compile_environment.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const prefixes[] = {"NVRTC", "NVVM_", "NV_NVVM_", "NVJITLINK_", "EDG_", "LLVM_"};

static bool is_compilers(const char *variable)
{
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        if (strncmp(variable, prefixes[i], strlen(prefixes[i])) == 0) {
            return true;
        }
    }
    return false;
}

cubinet_status compile_environment_clear(struct string_list *out_removed)
{
    struct string_list names = {0};
    cubinet_status status = CUBINET_OK;
    for (char **variable = environ; status == CUBINET_OK && variable && *variable; variable++) {
        if (is_compilers(*variable)) {
            status = string_list_addf(&names, "%.*s", (int)strcspn(*variable, "="), *variable);
        }
    }
    for (size_t i = 0; i < names.count; i++) {
        unsetenv(names.items[i]);
    }
    unsetenv("PWD");
    if (out_removed && status == CUBINET_OK) {
        *out_removed = names;
    } else {
        string_list_free(&names);
    }
    return status;
}
