/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/store_images.h"

#include "loader/core/archive/cbn_archive.h"
#include "loader/core/support/error.h"
#include "process/threads.h"
#include "process/trace.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    WORTH_A_THREAD = 1 << 18, /* bytes of images, which take some 0.1 s at a high level */
    MOST_THREADS = 128,
};

/* An image to store. */
struct piece {
    size_t place; /* in the plan */
    size_t size;
};

/* What the threads share. */
struct storing {
    const struct image_plan *plan;
    int level;
    struct piece
        *pieces; /* the largest first, so that no thread is left with one while the others are done */
    size_t count;
    atomic_size_t started;
    struct stored_image *images;
};

/* A thread beside the process's own. */
struct worker {
    struct storing *storing;
    pthread_t thread;
    size_t id; /* to be given back */
    cubinet_status status;
    char *error; /* the message is the thread's */
};

static int compare_pieces(const void *a, const void *b)
{
    const struct piece *left = a;
    const struct piece *right = b;
    if (left->size != right->size) {
        return left->size < right->size ? 1 : -1;
    }
    return (left->place > right->place) - (left->place < right->place);
}

static cubinet_status list_pieces(struct storing *storing, uint64_t *out_bytes)
{
    const struct image_plan *plan = storing->plan;
    *out_bytes = 0;
    storing->pieces = calloc(plan->count + 1, sizeof(*storing->pieces));
    if (!storing->pieces) {
        return cbn_error_memory();
    }
    for (size_t i = 0; i < plan->count; i++) {
        if (plan->images[i].same_as == PLAN_NONE) {
            storing->pieces[storing->count++] = (struct piece){i, plan->images[i].image->size};
            *out_bytes += plan->images[i].image->size;
        }
    }
    qsort(storing->pieces, storing->count, sizeof(*storing->pieces), compare_pieces);
    return CUBINET_OK;
}

/* Stores one piece after the other until none is left, here or in another thread. */
static cubinet_status store_pieces(struct storing *storing)
{
    struct frame_packer *packer;
    cubinet_status status = frame_packer_new(&packer);
    size_t started;
    if (status) {
        return status;
    }
    trace_begin("store images", NULL);
    while (!status && (started = atomic_fetch_add(&storing->started, 1)) < storing->count) {
        size_t place = storing->pieces[started].place;
        status = stored_image_make(storing->plan, place, packer, storing->level, &storing->images[place]);
    }
    trace_end();
    if (status) {
        atomic_store(&storing->started, storing->count); /* the others need not go on */
    }
    frame_packer_free(packer);
    return status;
}

static void *work(void *data)
{
    struct worker *worker = data;
    worker->status = store_pieces(worker->storing);
    worker->error = worker->status ? strdup(cubinet_error_message()) : NULL;
    threads_give_back(&worker->id, 1);
    return NULL;
}

/* Takes over the first failure of the workers. */
static cubinet_status join(struct worker *workers, size_t count)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; i < count; i++) {
        pthread_join(workers[i].thread, NULL);
        if (!status && workers[i].status) {
            status =
                workers[i].error ? cbn_error(workers[i].status, "%s", workers[i].error) : cbn_error_memory();
        }
        free(workers[i].error);
    }
    return status;
}

static cubinet_status run(struct storing *storing, size_t wanted)
{
    struct worker workers[MOST_THREADS];
    size_t ids[MOST_THREADS];
    size_t taken = threads_take(wanted, ids);
    size_t running = 0;
    for (; running < taken; running++) {
        workers[running] = (struct worker){.storing = storing, .id = ids[running]};
        if (!threads_begin(&workers[running].thread, work, &workers[running])) {
            break;
        }
    }
    threads_give_back(ids + running, taken - running);
    cubinet_status status = store_pieces(storing);
    cubinet_status others = join(workers, running);
    return status ? status : others;
}

/* Another image's bytes, in its entry; what is known of the image stays its own. */
static struct stored_image stored_as(const struct stored_image *other, const struct draft_image *image)
{
    struct stored_image stored = *other;
    stored.image = image;
    stored.frame = NULL;
    return stored;
}

static void share_same(const struct image_plan *plan, struct stored_image *images)
{
    for (size_t i = 0; i < plan->count; i++) {
        size_t same = plan->images[i].same_as;
        if (same != PLAN_NONE) {
            images[i] = stored_as(&images[same], plan->images[i].image);
        }
    }
}

/* How many threads there is work for, beside the process's own. */
static size_t threads_for(const struct storing *storing, uint64_t bytes)
{
    uint64_t most = storing->level == 0 ? 0 : bytes / WORTH_A_THREAD;
    most = most < storing->count ? most : storing->count;
    most = most > 0 ? most - 1 : 0;
    return most < MOST_THREADS ? (size_t)most : MOST_THREADS;
}

cubinet_status store_images(const struct image_plan *plan, int zstd_level, uint32_t threads,
                            struct stored_image *images)
{
    struct storing storing = {.plan = plan, .level = zstd_level, .images = images};
    uint64_t bytes;
    cubinet_status status = list_pieces(&storing, &bytes);
    if (!status) {
        size_t wanted = threads_for(&storing, bytes);
        if (wanted > 0) {
            threads_start(threads, true);
        }
        status = run(&storing, wanted);
    }
    if (!status) {
        share_same(plan, images);
    }
    free(storing.pieces);
    return status;
}

static cubinet_status take_stored(const cubinet_archive *archive, const struct planned_image *planned,
                                  struct stored_image *out_stored)
{
    cubinet_part_info info = {.size = sizeof(info)};
    uint32_t part = planned->image->part;
    const void *bytes = NULL;
    cubinet_status status = cubinet_archive_get_part(archive, planned->module, planned->number, part, &info);
    if (!status) {
        status = cbn_archive_part_bytes(archive, planned->module, planned->number, part, &bytes);
    }
    if (status) {
        return status;
    }
    *out_stored = (struct stored_image){
        .image = planned->image,
        .encoding = info.encoding,
        .base_module = info.base_module,
        .base_image = info.base_image,
        .base_part = info.base_part,
        .data = bytes,
        .size = (size_t)info.stored_size,
    };
    memcpy(out_stored->digest.bytes, info.digest, sizeof(info.digest));
    return CUBINET_OK;
}

cubinet_status store_images_as(const struct image_plan *plan, const cubinet_archive *archive,
                               struct stored_image *images)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < plan->count; i++) {
        if (plan->images[i].same_as == PLAN_NONE) {
            status = take_stored(archive, &plan->images[i], &images[i]);
        }
    }
    if (!status) {
        share_same(plan, images);
    }
    return status;
}
