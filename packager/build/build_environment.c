/* SPDX-License-Identifier: Apache-2.0 */
#include "build/build_environment.h"

#include "base/buffer.h"
#include "base/file.h"
#include "loader/core/support/error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void write_file(struct buffer *text, const char *name, const char *real, const struct stat *about)
{
    buffer_printf(text, "%s %s", name, real);
    if (S_ISREG(about->st_mode)) {
        buffer_printf(text, " %lld %lld.%09ld", (long long)about->st_size, (long long)about->st_mtim.tv_sec,
                      about->st_mtim.tv_nsec);
    }
    buffer_puts(text, "\n");
}

/* Where a path leads, and which file that is: a package keeps old times, and a link may be switched. */
static cubinet_status write_path(struct buffer *text, const char *name, const char *path)
{
    struct stat about;
    char *real = path ? realpath(path, NULL) : NULL;
    bool is_there = real && stat(real, &about) == 0;
    cubinet_status status = CUBINET_OK;
    if (is_there) {
        write_file(text, name, real, &about);
    } else if (path && errno != ENOENT && errno != ENOTDIR) {
        status = cbn_error(errno == ENOMEM ? CUBINET_ERROR_OUT_OF_MEMORY : CUBINET_ERROR_IO,
                           "cannot look at '%s': %s", path, strerror(errno));
    }
    free(real);
    return status;
}

static cubinet_status write_toolkit(struct buffer *text, const struct toolkit *toolkit)
{
    const char *const files[][2] = {
        {"toolkit", toolkit->root},
        {"NVRTC", toolkit->nvrtc},
        {"nvJitLink", toolkit->nvjitlink},
        {"libcudadevrt", toolkit->device_runtime},
    };
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < sizeof(files) / sizeof(files[0]); i++) {
        status = write_path(text, files[i][0], files[i][1]);
    }
    for (size_t i = 0; !status && i < toolkit->include_count; i++) {
        status = write_path(text, "headers", toolkit->includes[i]);
    }
    return status;
}

cubinet_status build_environment_write(const struct build_request *request, const struct build_plan *plan)
{
    const char *date = getenv("SOURCE_DATE_EPOCH");
    struct buffer text = {0};
    cubinet_status status = write_toolkit(&text, &plan->toolkit);
    if (status) {
        buffer_free(&text);
        return status;
    }
    if (date) {
        buffer_printf(&text, "SOURCE_DATE_EPOCH %s\n", date);
    }
    size_t size = text.size;
    char *written = buffer_take(&text);
    char *path = NULL;
    status = !written || asprintf(&path, "%s/" BUILD_ENVIRONMENT_FILE, request->folder) < 0
                 ? cbn_error_memory()
                 : file_replace_if_different(path, written, size);
    free(written);
    free(path);
    return status;
}
