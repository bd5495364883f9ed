/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/compile_place.h"

#include "compile/bundled_headers.h"
#include "loader/core/support/error.h"
#include "toolkit/ptxas.h"
#include "toolkit/tileiras.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *name_of_folder(const struct compile_arguments *arguments, const char *folder)
{
    char *name = NULL;
    for (size_t i = 0; i < arguments->path_map_count; i++) {
        const struct ptx_path_map *map = &arguments->path_maps[i];
        size_t size = strlen(map->from);
        if (strncmp(folder, map->from, size) == 0) {
            return asprintf(&name, "%s%s", map->to, folder + size) < 0 ? NULL : name;
        }
    }
    return strdup(".");
}

cubinet_status compile_place_folders(const struct compile_arguments *arguments, char **out_working_folder,
                                     char **out_pretended_folder)
{
    *out_working_folder = getcwd(NULL, 0);
    if (!*out_working_folder) {
        return cbn_error(CUBINET_ERROR_IO, "the working folder cannot be found: %s", strerror(errno));
    }
    *out_pretended_folder = name_of_folder(arguments, *out_working_folder);
    return *out_pretended_folder ? CUBINET_OK : cbn_error_memory();
}

cubinet_status compile_place_toolkit(const struct compile_arguments *arguments, struct toolkit *out_toolkit)
{
    cubinet_status status = toolkit_find(arguments->toolkit, &arguments->limits, out_toolkit);
    if (!status) {
        status = bundled_headers_add(out_toolkit, &arguments->limits, arguments->verbose);
    }
    if (!status) {
        status = device_headers_add(out_toolkit, arguments->device_headers);
    }
    if (!status) {
        const char *assembler = arguments->assembler ? arguments->assembler : "auto";
        status = ptxas_find(out_toolkit, assembler, &out_toolkit->ptxas);
    }
    if (!status && arguments->tile) {
        status = tileiras_find(out_toolkit);
    }
    return status;
}

static const char *const prefixes[] = {"NVRTC",      "NVVM_", "NV_NVVM_", "LIBNVVM_",
                                       "NVJITLINK_", "EDG_",  "LLVM_"};

static bool is_compilers(const char *variable)
{
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        if (strncmp(variable, prefixes[i], strlen(prefixes[i])) == 0) {
            return true;
        }
    }
    return false;
}

cubinet_status compile_environment_clear(bool verbose)
{
    struct cbn_text_list names = {0};
    cubinet_status status = CUBINET_OK;
    for (char **variable = environ; !status && variable && *variable; variable++) {
        if (is_compilers(*variable)) {
            status = cbn_text_list_addf(&names, "%.*s", (int)strcspn(*variable, "="), *variable);
        }
    }
    for (size_t i = 0; i < names.count; i++) {
        unsetenv(names.items[i]);
        if (verbose) {
            fprintf(stderr, "environment variable %s is ignored\n", names.items[i]);
        }
    }
    unsetenv("PWD");
    cbn_text_list_free(&names);
    return status;
}
