/* SPDX-License-Identifier: Apache-2.0 */
#include "build/build_environment.h"

#include "base/buffer.h"
#include "base/file.h"
#include "loader/core/support/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Where a path leads, and which file that is: a package keeps old times, and a link may be switched. */
static void write_path(struct buffer *text, const char *name, const char *path)
{
    struct stat about;
    char *real = path ? realpath(path, NULL) : NULL;
    if (real && stat(real, &about) == 0) {
        buffer_printf(text, "%s %s", name, real);
        if (S_ISREG(about.st_mode)) {
            buffer_printf(text, " %lld %lld.%09ld", (long long)about.st_size, (long long)about.st_mtim.tv_sec,
                          about.st_mtim.tv_nsec);
        }
        buffer_puts(text, "\n");
    }
    free(real);
}

cubinet_status build_environment_write(const struct build_request *request, const struct build_plan *plan)
{
    const struct toolkit *toolkit = &plan->toolkit;
    const char *date = getenv("SOURCE_DATE_EPOCH");
    struct buffer text = {0};
    write_path(&text, "toolkit", toolkit->root);
    write_path(&text, "NVRTC", toolkit->nvrtc);
    write_path(&text, "nvJitLink", toolkit->nvjitlink);
    write_path(&text, "libcudadevrt", toolkit->device_runtime);
    for (size_t i = 0; i < toolkit->include_count; i++) {
        write_path(&text, "headers", toolkit->includes[i]);
    }
    if (date) {
        buffer_printf(&text, "SOURCE_DATE_EPOCH %s\n", date);
    }
    size_t size = text.size;
    char *written = buffer_take(&text);
    char *path = NULL;
    cubinet_status status = !written || asprintf(&path, "%s/" BUILD_ENVIRONMENT_FILE, request->folder) < 0
                                ? cbn_error_memory()
                                : file_replace_if_different(path, written, size);
    free(written);
    free(path);
    return status;
}
