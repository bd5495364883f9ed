/* SPDX-License-Identifier: Apache-2.0 */
/* Images out of fatbins, and fatbins of images. */
#ifndef FATBIN_H
#define FATBIN_H

#include "base/buffer.h"
#include "loader/link/fatbin.h"

#include <cubinet/status.h>
#include <cubinet/target.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Steps through one container after the other. Zero-initialise, then set `bytes` and `size`. */
struct fatbin_reader {
    const unsigned char *bytes;
    size_t size;
    size_t at;         /* next entry or container */
    size_t end;        /* of the container */
    size_t containers; /* that were entered */
};

/* The next image; false at the end, which is where the bytes end, and where only zeros follow the last
 * container. Zeros between containers are passed over. CUBINET_ERROR_DAMAGED, with the offset, for what is no fatbin. */
cubinet_status fatbin_next(struct fatbin_reader *reader, bool *out_found, struct cbn_fatbin_entry *out_entry);

/* An image as it was before it went into the fatbin, which the caller frees. LTO-IR is kept under a cipher of
 * NVIDIA's, so what comes out for it is a fatbin of this entry alone, which nvJitLink takes. */
cubinet_status fatbin_unpack(const struct cbn_fatbin_entry *entry, unsigned char **out_data,
                             size_t *out_size);

/* Appends a container with these images, not compressed, as cuLibraryLoadData() and the CUDA runtime take it.
 * LTO-IR can't be put in (see above), unless it came out of a fatbin, nor can Tile IR, whose entries nobody
 * was seen to load but nvFatbin's own. */
struct fatbin_image {
    cubinet_target target;
    const unsigned char *data;
    size_t size;
    uint32_t ptx_isa; /* of PTX */
};
cubinet_status fatbin_refuse_tileir(void);
cubinet_status fatbin_write(const struct fatbin_image *images, size_t count, struct buffer *out);

#endif
