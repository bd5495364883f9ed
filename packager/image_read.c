/* SPDX-License-Identifier: Apache-2.0 */
#include "image_read.h"

#include "cbn_archive.h"
#include "error.h"

#include <stdlib.h>

cubinet_status image_read(const cubinet_archive *archive, uint32_t module, uint32_t image,
                          unsigned char **out_data, size_t *out_size)
{
    cubinet_image_info info = {.size = sizeof(info)};
    cubinet_status status = cubinet_archive_get_image(archive, module, image, &info);
    if (status == CUBINET_OK) {
        status = cbn_archive_check_image_size(archive, module, image);
    }
    if (status) {
        return status;
    }
    size_t size = (size_t)info.raw_size;
    unsigned char *data = size == info.raw_size ? malloc(size) : NULL;
    if (!data) {
        return cbn_error_memory();
    }
    status = cubinet_archive_read_image(archive, module, image, data, size);
    if (status) {
        free(data);
        return status;
    }
    *out_data = data;
    *out_size = size;
    return CUBINET_OK;
}
