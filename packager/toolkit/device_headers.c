/* SPDX-License-Identifier: Apache-2.0 */
#include "toolkit/device_headers.h"

#include "base/own_files.h"
#include "interpose/hidden_headers.h"
#include "loader/core/support/error.h"
#include "toolkit/host_headers.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The folder that all of them are in. Without them nearly nothing would compile, and with messages about
 * headers that the source has every right to include. */
static const struct own_files folder_of_headers = {
    "the headers for device code, which are installed with the command, are",
    "; --std-headers=none compiles without them",
    "device_headers",
    CUBINET_DEVICE_HEADERS_FROM_BIN,
};

static const char *const kind_names[] = {
    [DEVICE_HEADERS_STRICT] = "strict", [DEVICE_HEADERS_LENIENT] = "lenient", [DEVICE_HEADERS_NONE] = "none"};

/* Which package has a header of CUDA's, by how its name starts. */
static const struct {
    const char *start;
    const char *package;
} packages[] = {
    {"curand", "cuRAND (the package nvidia-curand)"},
    {"cub/", "CCCL (nvidia-cuda-cccl)"},
    {"thrust/", "CCCL (nvidia-cuda-cccl)"},
    {"cuda/", "CCCL (nvidia-cuda-cccl)"},
    {"nv/", "CCCL (nvidia-cuda-cccl)"},
    {"mma.h", "CUDA's compiler (nvidia-cuda-crt, nvidia-cuda-nvcc-cu12 for CUDA 12)"},
    {"crt/", "CUDA's compiler (nvidia-cuda-crt, nvidia-cuda-nvcc-cu12 for CUDA 12)"},
    {"cooperative_groups", "the CUDA runtime (nvidia-cuda-runtime)"},
    {"cuda_", "the CUDA runtime (nvidia-cuda-runtime)"},
    {"cuda.h", "the CUDA runtime (nvidia-cuda-runtime)"},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

cubinet_status device_headers_read(const char *text, enum device_headers *out_kind)
{
    for (size_t i = 0; i < COUNT(kind_names); i++) {
        if (strcmp(text, kind_names[i]) == 0) {
            *out_kind = (enum device_headers)i;
            return CUBINET_OK;
        }
    }
    return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                     "option '--std-headers' takes lenient, strict or none, not '%s'", text);
}

static cubinet_status add_folder(struct toolkit *toolkit, const char *folder, const char *name, bool before)
{
    char path[2 * PATH_MAX];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return toolkit_add_headers(toolkit, path, before);
}

cubinet_status device_headers_add(struct toolkit *toolkit, enum device_headers kind)
{
    char *folder = NULL;
    cubinet_status status =
        kind == DEVICE_HEADERS_NONE ? CUBINET_OK : own_files_find(&folder_of_headers, &folder);
    if (!folder) {
        return status;
    }
    status = add_folder(toolkit, folder, "cuda", true);
    if (!status) {
        status = add_folder(toolkit, folder, "standard", false);
    }
    if (!status && kind == DEVICE_HEADERS_LENIENT) {
        status = add_folder(toolkit, folder, "host_only", false);
    }
    if (!status) {
        status = add_folder(toolkit, folder, "toolkit_only", false);
    }
    if (!status) {
        toolkit->shipped_headers = folder;
        folder = NULL;
    }
    free(folder);
    return status;
}

static bool is_for_host(const char *name)
{
    return host_headers_instead(name) != NULL;
}

void device_headers_hide(const struct toolkit *toolkit)
{
    if (toolkit->shipped_headers) {
        hidden_headers_start(&(struct hidden_headers){
            .shipped = toolkit->shipped_headers,
            .includes = toolkit->includes,
            .include_count = toolkit->include_count,
            .is_hosts = is_for_host,
        });
    }
}

static const char *package_of(const char *name)
{
    for (size_t i = 0; i < COUNT(packages); i++) {
        if (strncmp(name, packages[i].start, strlen(packages[i].start)) == 0) {
            return packages[i].package;
        }
    }
    return NULL;
}

/* Whether there is a standard header of that name. */
static bool is_standard(const char *folder, const char *name)
{
    char path[2 * PATH_MAX];
    snprintf(path, sizeof(path), "%s/standard/%s", folder, name);
    return access(path, F_OK) == 0;
}

/* Says why a standard header was not found, if it is one. */
static void explain_standard(const char *name, const char *place, int place_size, enum device_headers kind,
                             struct buffer *notes)
{
    char *folder = NULL;
    own_files_find(&folder_of_headers, &folder); /* the compile has failed, and this is a note */
    if (folder && kind == DEVICE_HEADERS_NONE && is_standard(folder, name)) {
        buffer_printf(notes, "%.*snote: <%s> is there without --std-headers=none\n", place_size, place, name);
    }
    free(folder);
}

/* `place`: path and line of the message, as in "a.cu:3: ". */
static bool explain_one(const char *name, const char *place, size_t place_size, enum device_headers kind,
                        struct buffer *notes)
{
    const char *instead = host_headers_instead(name);
    const char *package = package_of(name);
    int size = (int)place_size;
    if (instead) {
        buffer_printf(notes,
                      "%.*snote: <%s> is for host code: %s. If only host code of this file needs it, "
                      "leave out --std-headers=strict: its types are there then\n",
                      size, place, name, instead);
    } else if (package) {
        buffer_printf(notes, "%.*snote: <%s> is of %s, which this toolkit lacks\n", size, place, name,
                      package);
    } else {
        explain_standard(name, place, size, kind, notes);
    }
    return instead != NULL;
}

bool device_headers_explain(const char *messages, enum device_headers kind, struct buffer *notes)
{
    static const char missing[] = "error: cannot open source file \"";
    bool is_hosts = false;
    for (const char *at = messages; (at = strstr(at, missing)); at++) {
        const char *start = at;
        while (start > messages && start[-1] != '\n') {
            start--;
        }
        size_t place_size = (size_t)(at - start);
        if (place_size >= strlen("fatal ") &&
            strncmp(at - strlen("fatal "), "fatal ", strlen("fatal ")) == 0) {
            place_size -= strlen("fatal ");
        }
        const char *quoted = at + strlen(missing);
        char *name = strndup(quoted, strcspn(quoted, "\"\n"));
        if (!name) {
            notes->failed = true;
            return is_hosts;
        }
        is_hosts |= explain_one(name, start, place_size, kind, notes);
        free(name);
    }
    return is_hosts;
}
