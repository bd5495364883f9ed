/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/written_check.h"

#include "archive/image_budget.h"
#include "loader/core/support/error.h"

#include <cubinet/archive.h>

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* Asking for a module has its block checked, and with it each of its rows. */
static cubinet_status check_modules(const cubinet_archive *archive)
{
    cubinet_status status = CUBINET_OK;
    uint32_t count = cubinet_archive_get_module_count(archive);
    for (uint32_t i = 0; !status && i < count; i++) {
        cubinet_module_info info = {.size = sizeof(info)};
        status = cubinet_archive_get_module(archive, i, &info);
    }
    return status;
}

cubinet_status written_check(const void *data, size_t size)
{
    cubinet_archive *archive = NULL;
    cubinet_status status = cubinet_archive_open_memory(data, size, NULL, &archive);
    if (!status) {
        status = check_modules(archive);
    }
    if (!status) {
        status = image_budget_check_written(archive);
    }
    cubinet_archive_close(archive);
    return !status || status == CUBINET_ERROR_OUT_OF_MEMORY
               ? status
               : cbn_error(CUBINET_ERROR_DAMAGED, "no reader would take it: %s", cubinet_error_message());
}

cubinet_status written_check_file(FILE *stream)
{
    struct stat about;
    if (fflush(stream) != 0 || fstat(fileno(stream), &about) != 0) {
        return cbn_error(CUBINET_ERROR_IO, "%s", strerror(errno));
    }
    size_t size = (size_t)about.st_size;
    void *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fileno(stream), 0);
    if (data == MAP_FAILED) {
        return cbn_error(CUBINET_ERROR_IO, "it cannot be read back: %s", strerror(errno));
    }
    cubinet_status status = written_check(data, size);
    munmap(data, size);
    return status;
}
