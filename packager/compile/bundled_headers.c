/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/bundled_headers.h"

#include "loader/cache/cache_folder.h"
#include "loader/core/support/error.h"
#include "loader/link/library_build.h"
#include "process/supervise.h"
#include "toolkit/nvrtc.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUNDLE_RELEASE = 13030, IDENTITY_BYTES = 8 };

/* What the child needs. */
struct request {
    const char *nvrtc;
    const char *folder;
};

/* The folder that those of all releases are in; NULL if nobody says where. */
static char *make_base(void)
{
    const char *cache = secure_getenv("XDG_CACHE_HOME");
    const char *home = secure_getenv("HOME");
    char *base = NULL;
    int size = -1;
    if (cache && cache[0] == '/') {
        size = asprintf(&base, "%s/cubinet-headers", cache);
    } else if (home && home[0] == '/') {
        size = asprintf(&base, "%s/.cache/cubinet-headers", home);
    }
    return size < 0 ? NULL : base;
}

/* The release of NVRTC's library of built-ins in a folder, which has the headers; of several the newest. */
static int read_release(const char *folder)
{
    DIR *directory = opendir(folder);
    int release = 0;
    const struct dirent *entry;
    while (directory && (entry = readdir(directory))) {
        int major = 0;
        int minor = 0;
        if (sscanf(entry->d_name, "libnvrtc-builtins.so.%3d.%2d", &major, &minor) == 2) {
            int found = 1000 * major + 10 * minor;
            release = found > release ? found : release;
        }
    }
    if (directory) {
        closedir(directory);
    }
    return release;
}

static bool may_have_headers(const char *nvrtc)
{
    char real[PATH_MAX];
    char *slash = realpath(nvrtc, real) ? strrchr(real, '/') : NULL;
    if (!slash) {
        return false;
    }
    *slash = '\0';
    return read_release(real) >= BUNDLE_RELEASE;
}

/* base/nvrtc-0123456789abcdef: by what NVRTC it is. NULL: it can't be read. */
static char *name_folder(const char *base, const char *nvrtc)
{
    struct cbn_sha256 identity;
    char digits[2 * IDENTITY_BYTES + 1];
    char *folder = NULL;
    if (!cbn_library_identity_read(nvrtc, &identity)) {
        return NULL;
    }
    for (size_t i = 0; i < IDENTITY_BYTES; i++) {
        snprintf(digits + 2 * i, 3, "%02x", identity.bytes[i]);
    }
    return asprintf(&folder, "%s/nvrtc-%s", base, digits) < 0 ? NULL : folder;
}

/* NVRTC writes its note when all the rest is there. */
static bool is_complete(const char *folder)
{
    char note[PATH_MAX];
    int size = snprintf(note, sizeof(note), "%s/.nvrtc_headers_version", folder);
    return size > 0 && (size_t)size < sizeof(note) && access(note, R_OK) == 0;
}

static cubinet_status install(const void *input, void *out_done)
{
    const struct request *request = input;
    const struct cbn_library_search search = {.what = "NVRTC", .path = request->nvrtc, .stays = true};
    struct nvrtc nvrtc = {0};
    cubinet_status status = nvrtc_open(&search, &nvrtc);
    if (!status) {
        status = nvrtc_install_headers(&nvrtc, request->folder);
    }
    *(bool *)out_done = !status;
    nvrtc_close(&nvrtc);
    return status;
}

static bool unpack(const char *base, const struct request *request, const struct limits *limits, bool verbose)
{
    struct cbn_cache_folder opened;
    char *problem = NULL;
    bool done = false;
    if (cbn_cache_folder_open(base, CBN_CACHE_FOLDER_CREATE, &opened, &problem)) {
        if (verbose) {
            fprintf(stderr, "NVRTC's own headers are not used: %s\n", problem ? problem : "out of memory");
        }
        free(problem);
        return false;
    }
    cbn_cache_folder_close(&opened);
    cubinet_status status = supervise_call(limits, "NVRTC", install, request, &done, sizeof(done));
    if (verbose) {
        fprintf(stderr,
                status ? "NVRTC's own headers are not used: %s\n"
                       : "NVRTC's own headers are unpacked to %s\n",
                status ? cubinet_error_message() : request->folder);
    }
    return !status && done;
}

/* As the toolkit's own: CCCL's first. */
static cubinet_status add_folders(struct toolkit *toolkit, const char *folder)
{
    char *cccl = NULL;
    if (asprintf(&cccl, "%s/cccl", folder) < 0) {
        return cbn_error_memory();
    }
    cubinet_status status = toolkit_add_headers(toolkit, cccl, false);
    free(cccl);
    return status ? status : toolkit_add_headers(toolkit, folder, false);
}

cubinet_status bundled_headers_add(struct toolkit *toolkit, const struct limits *limits, bool verbose)
{
    if (toolkit->include_count > 0 || !may_have_headers(toolkit->nvrtc)) {
        return CUBINET_OK;
    }
    char *base = make_base();
    char *folder = base ? name_folder(base, toolkit->nvrtc) : NULL;
    const struct request request = {toolkit->nvrtc, folder};
    cubinet_status status = CUBINET_OK;
    if (folder && (is_complete(folder) || unpack(base, &request, limits, verbose))) {
        status = add_folders(toolkit, folder);
    }
    free(folder);
    free(base);
    return status;
}
