/* SPDX-License-Identifier: Apache-2.0 */
#include "command/cmake_dir.h"

#include "base/own_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct own_files package = {
    "the CMake package, which is installed with the command, is",
    " (on Debian, with the package libcubinet-dev)",
    "../CubinetConfig.cmake",
    CUBINET_CMAKE_FROM_BIN "/CubinetConfig.cmake",
};

cubinet_status cmake_dir_print(void)
{
    char *file = NULL;
    cubinet_status status = own_files_find(&package, &file);
    if (!status) {
        printf("%.*s\n", (int)(strrchr(file, '/') - file), file);
    }
    free(file);
    return status;
}
