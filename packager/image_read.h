/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IMAGE_READ_H
#define IMAGE_READ_H

#include <cubinet/archive.h>

/* An image's raw bytes in memory of their own: digest checked, decompressed. The caller frees them. */
cubinet_status image_read(const cubinet_archive *archive, uint32_t module, uint32_t image,
                          unsigned char **out_data, size_t *out_size);

#endif
