/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/frame_packer.h"

#include "loader/core/archive/format.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* RFC 8878: a frame whose header has nothing but its content size in 8 bytes, and blocks as they are. */
enum { FRAME_CONTENT_SIZE = 0xe0, FRAME_HEADER = 13, BLOCK_HEADER = 3, BLOCK_MAX = 128 << 10 };

enum { MIN_WINDOW_LOG = 10, MAX_WINDOW_LOG = 30, LONG_WINDOW_LOG = 24 };

struct frame_packer {
    ZSTD_CCtx *context;
    void *frame; /* room for the last one */
    size_t capacity;
};

cubinet_status frame_packer_new(struct frame_packer **out_packer)
{
    struct frame_packer *packer = calloc(1, sizeof(*packer));
    if (packer) {
        packer->context = ZSTD_createCCtx();
    }
    if (!packer || !packer->context) {
        frame_packer_free(packer);
        return cbn_error_memory();
    }
    *out_packer = packer;
    return CUBINET_OK;
}

void frame_packer_free(struct frame_packer *packer)
{
    if (packer) {
        ZSTD_freeCCtx(packer->context);
        free(packer->frame);
        free(packer);
    }
}

static cubinet_status make_room(struct frame_packer *packer, size_t size)
{
    if (size <= packer->capacity) {
        return CUBINET_OK;
    }
    free(packer->frame);
    packer->frame = malloc(size);
    packer->capacity = packer->frame ? size : 0;
    return packer->frame ? CUBINET_OK : cbn_error_memory();
}

/* A window that reaches from the image's end to the base's start. */
static int window_log(size_t size)
{
    int log = MIN_WINDOW_LOG;
    while (log < MAX_WINDOW_LOG && (size_t)1 << log < size) {
        log++;
    }
    return log;
}

/* One thread; the content size in the frame. A frame alone needs no checksum, since the index has a digest of
 * it, but what comes out after another base than its own would be something else. */
static void set_parameters(struct frame_packer *packer, struct byte_span raw, struct byte_span base,
                           int level)
{
    ZSTD_CCtx *context = packer->context;
    int log = window_log(raw.size + base.size);
    ZSTD_CCtx_reset(context, ZSTD_reset_session_and_parameters);
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, log);
    if (base.data) {
        ZSTD_CCtx_refPrefix(context, base.data, base.size);
        ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
        /* What finds matches nearby forgets a base that is far back. */
        ZSTD_CCtx_setParameter(context, ZSTD_c_enableLongDistanceMatching, log >= LONG_WINDOW_LOG);
    }
}

cubinet_status frame_packer_measure(struct frame_packer *packer, struct byte_span raw, struct byte_span base,
                                    int level, size_t *out_size)
{
    cubinet_status status = make_room(packer, ZSTD_compressBound(raw.size));
    if (status) {
        return status;
    }
    set_parameters(packer, raw, base, level);
    size_t size = ZSTD_compress2(packer->context, packer->frame, packer->capacity, raw.data, raw.size);
    if (ZSTD_isError(size)) {
        return cbn_error(CUBINET_ERROR_OUT_OF_MEMORY, "cannot compress an image: %s",
                         ZSTD_getErrorName(size));
    }
    *out_size = size;
    return CUBINET_OK;
}

cubinet_status frame_packer_pack(struct frame_packer *packer, struct byte_span raw, struct byte_span base,
                                 int level, void **out_frame, size_t *out_size)
{
    size_t size;
    cubinet_status status = frame_packer_measure(packer, raw, base, level, &size);
    if (status) {
        return status;
    }
    void *frame = malloc(size);
    if (!frame) {
        return cbn_error_memory();
    }
    *out_frame = memcpy(frame, packer->frame, size);
    *out_size = size;
    return CUBINET_OK;
}

cubinet_status frame_packer_store(struct byte_span raw, void **out_frame, size_t *out_size)
{
    size_t blocks = (raw.size + BLOCK_MAX - 1) / BLOCK_MAX;
    unsigned char *frame = malloc(FRAME_HEADER + blocks * BLOCK_HEADER + raw.size);
    if (!frame) {
        return cbn_error_memory();
    }
    cbn_put32(frame, ZSTD_MAGICNUMBER);
    frame[4] = FRAME_CONTENT_SIZE;
    cbn_put64(frame + 5, raw.size);
    unsigned char *end = frame + FRAME_HEADER;
    for (size_t at = 0; at < raw.size; at += BLOCK_MAX) {
        size_t left = raw.size - at;
        size_t size = left < BLOCK_MAX ? left : BLOCK_MAX;
        cbn_put16(end, (uint16_t)(size << 3 | (size == left)));
        end[2] = (unsigned char)(size >> 13);
        memcpy(end + BLOCK_HEADER, (const unsigned char *)raw.data + at, size);
        end += BLOCK_HEADER + size;
    }
    *out_frame = frame;
    *out_size = (size_t)(end - frame);
    return CUBINET_OK;
}
