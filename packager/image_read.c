/* SPDX-License-Identifier: Apache-2.0 */
#include "image_read.h"

#include "cbn_archive.h"

cubinet_status image_read(const cubinet_archive *archive, uint32_t module, uint32_t image,
                          unsigned char **out_data, size_t *out_size)
{
    struct cbn_image_bytes bytes;
    cubinet_status status = cbn_archive_take_image(archive, module, image, true, &bytes);
    if (status == CUBINET_OK) {
        *out_data = bytes.owned;
        *out_size = bytes.size;
    }
    return status;
}
