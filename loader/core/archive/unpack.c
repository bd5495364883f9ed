/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/archive/unpack.h"

#include "loader/core/support/error.h"

#include <stdatomic.h>
#include <zstd.h>

#define GIB ((uint64_t)1 << 30)

/* More than zstd saves on code, less than a frame made to exhaust memory asks for. */
enum { DEFAULT_RATIO = 64 };

uint64_t cbn_frame_limit(uint64_t set, uint64_t stored_size)
{
    if (set > 0) {
        return set;
    }
    uint64_t by_ratio = stored_size > UINT64_MAX / DEFAULT_RATIO ? UINT64_MAX : stored_size * DEFAULT_RATIO;
    return by_ratio > GIB ? by_ratio : GIB;
}

cubinet_status cbn_frame_check(const struct cbn_frame *frame, uint64_t limit)
{
    if (frame->raw_size > limit) {
        return cbn_error(CUBINET_ERROR_LIMIT, "%zu bytes, and the limit is %llu", frame->raw_size,
                         (unsigned long long)limit);
    }
    if (ZSTD_getFrameContentSize(frame->bytes, frame->size) != frame->raw_size) {
        return cbn_error(CUBINET_ERROR_DAMAGED, "its zstd frame has another size than the index says");
    }
    return CUBINET_OK;
}

/* The frame's content size is known, so zstd decompresses straight into `out` and takes no memory for a
 * window, whatever the frame asks for. */
static cubinet_status unpack(ZSTD_DCtx *context, const struct cbn_frame *frame, void *out)
{
    if (frame->prefix) {
        ZSTD_DCtx_refPrefix(context, frame->prefix, frame->prefix_size);
    }
    size_t size = ZSTD_decompressDCtx(context, out, frame->raw_size, frame->bytes, frame->size);
    if (ZSTD_isError(size)) {
        return cbn_error(CUBINET_ERROR_DAMAGED, "%s", ZSTD_getErrorName(size));
    }
    return size == frame->raw_size ? CUBINET_OK
                                   : cbn_error(CUBINET_ERROR_DAMAGED, "its zstd frame ends early");
}

/* Puts a context where the next frame finds it, if there is none. */
static void keep(struct cbn_unpack_spare *spare, ZSTD_DCtx *context)
{
    void *none = NULL;
    if (!atomic_compare_exchange_strong(&spare->context, &none, context)) {
        ZSTD_freeDCtx(context);
    }
}

cubinet_status cbn_frame_unpack(struct cbn_unpack_spare *spare, const struct cbn_frame *frame, void *out)
{
    if (ZSTD_findFrameCompressedSize(frame->bytes, frame->size) != frame->size) {
        return cbn_error(CUBINET_ERROR_DAMAGED, "it is not one zstd frame");
    }
    ZSTD_DCtx *context = atomic_exchange(&spare->context, NULL);
    if (!context) {
        context = ZSTD_createDCtx();
    }
    if (!context) {
        return cbn_error_memory();
    }
    cubinet_status status = unpack(context, frame, out);
    /* A prefix counts for one frame, but one that failed may not have used it up. */
    ZSTD_DCtx_reset(context, ZSTD_reset_session_and_parameters);
    keep(spare, context);
    return status;
}

void cbn_unpack_spare_free(struct cbn_unpack_spare *spare)
{
    ZSTD_freeDCtx(atomic_exchange(&spare->context, NULL));
}
