/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces that lie in files. */
#ifndef CBN_LINK_PIECE_FILE_H
#define CBN_LINK_PIECE_FILE_H

#include <cubinet/status.h>

#include <stddef.h>

/* Reads a whole file, which the caller frees. CUBINET_ERROR_IO, CUBINET_ERROR_LIMIT above 2 GiB. */
cubinet_status cbn_piece_file_read(const char *path, void **out_data, size_t *out_size);

#endif
