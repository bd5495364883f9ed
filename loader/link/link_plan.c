/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of a link: its pieces, and what is known of them before nvJitLink is asked. */
#include "loader/link/link_plan.h"

#include "loader/core/select/compat.h"
#include "loader/core/select/select.h"
#include "loader/core/support/error.h"
#include "loader/link/link_choice.h"
#include "loader/link/link_plan_parts.h"
#include "loader/link/link_symbols.h"
#include "loader/link/link_undefined.h"

#include <stdlib.h>
#include <string.h>

/* The least suffix with the features of both. */
static int join_suffixes(int a, int b)
{
    return a == 'a' || b == 'a' ? 'a' : a == 'f' || b == 'f' ? 'f' : 0;
}

cubinet_status cbn_link_plan_create(cubinet_target target, const cubinet_link_options *options,
                                    struct cbn_link_plan **out_plan)
{
    if (target.kind != CUBINET_IMAGE_CUBIN) {
        char name[CUBINET_TARGET_NAME_SIZE];
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "%s is not what a link is made for: that is sm_…",
                         cubinet_target_name(target, name));
    }
    struct cbn_link_plan *plan = calloc(1, sizeof(*plan));
    if (!plan) {
        return cbn_error_memory();
    }
    plan->target = target;
    cubinet_status status = cbn_link_settings_read(options, &plan->settings);
    if (status) {
        free(plan);
        return status;
    }
    plan->target.suffix = join_suffixes(target.suffix, plan->settings.suffix);
    *out_plan = plan;
    return CUBINET_OK;
}

void cbn_link_plan_free(struct cbn_link_plan *plan)
{
    if (!plan) {
        return;
    }
    for (size_t i = 0; i < plan->piece_count; i++) {
        cbn_piece_free(&plan->pieces[i]);
    }
    free(plan->pieces);
    cbn_link_settings_free(&plan->settings);
    free(plan);
}

/* Takes a piece over, also on failure. */
static cubinet_status add(struct cbn_link_plan *plan, struct cbn_piece *piece)
{
    struct cbn_piece *pieces = reallocarray(plan->pieces, plan->piece_count + 1, sizeof(*pieces));
    if (!pieces) {
        cbn_piece_free(piece);
        return cbn_error_memory();
    }
    plan->pieces = pieces;
    pieces[plan->piece_count++] = *piece;
    return CUBINET_OK;
}

cubinet_status cbn_link_plan_add_image(struct cbn_link_plan *plan, const cubinet_archive *archive,
                                       uint32_t module, uint32_t image)
{
    struct cbn_piece piece;
    cubinet_status status = cbn_piece_from_archive(archive, module, image, &piece);
    return status ? status : add(plan, &piece);
}

cubinet_status cbn_link_plan_add_module(struct cbn_link_plan *plan, const cubinet_archive *archive,
                                        uint32_t module)
{
    uint32_t image = 0;
    cubinet_status status = cbn_link_choose_image(archive, module, plan->target, &image);
    return status ? status : cbn_link_plan_add_image(plan, archive, module, image);
}

cubinet_status cbn_link_plan_add_data(struct cbn_link_plan *plan, cubinet_piece_kind kind, const void *data,
                                      size_t size, const char *name)
{
    struct cbn_piece piece;
    cubinet_status status = cbn_piece_from_memory(kind, data, size, name, plan->piece_count + 1, &piece);
    return status ? status : add(plan, &piece);
}

struct cbn_link_plan_mark cbn_link_plan_mark(const struct cbn_link_plan *plan)
{
    return (struct cbn_link_plan_mark){.piece_count = plan->piece_count, .target = plan->target};
}

void cbn_link_plan_go_back(struct cbn_link_plan *plan, const struct cbn_link_plan_mark *mark)
{
    while (plan->piece_count > mark->piece_count) {
        cbn_piece_free(&plan->pieces[--plan->piece_count]);
    }
    plan->target = mark->target;
}

static cubinet_status check_target(const struct cbn_piece *piece, cubinet_target target)
{
    char name[CUBINET_TARGET_NAME_SIZE];
    if (piece->info.target.number == 0) {
        return CUBINET_OK; /* only nvJitLink can tell */
    }
    cubinet_image_info info = piece->info;
    info.size = sizeof(info);
    if (cbn_image_links_for(&info, target)) {
        return CUBINET_OK;
    }
    char reason[512];
    cbn_link_describe(&info, target, reason, sizeof(reason));
    target.suffix = 0;
    return cbn_error(CUBINET_ERROR_NO_IMAGE, "%s can't be linked for %s: %s", piece->name,
                     cubinet_target_name(target, name), reason);
}

cubinet_status cbn_link_plan_check(struct cbn_link_plan *plan)
{
    if (plan->piece_count == 0) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "a link without pieces: nothing was added to it");
    }
    for (size_t i = 0; i < plan->piece_count; i++) {
        cubinet_status status = check_target(&plan->pieces[i], plan->target);
        if (status) {
            return status;
        }
        plan->target.suffix = join_suffixes(plan->target.suffix, plan->pieces[i].info.target.suffix);
    }
    const char *missing;
    cubinet_status status = cbn_symbols_check(plan->pieces, plan->piece_count, &missing);
    if (missing) {
        cbn_link_hint_at(plan, status, missing);
    }
    return status;
}

cubinet_target cbn_link_plan_target(const struct cbn_link_plan *plan)
{
    return plan->target;
}

uint64_t cbn_link_plan_bytes(const struct cbn_link_plan *plan)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < plan->piece_count; i++) {
        const struct cbn_piece *piece = &plan->pieces[i];
        bytes += piece->archive ? piece->info.raw_size : piece->size;
    }
    return bytes;
}

/* The oldest nvJitLink that takes a piece; 0 if that is not known. */
static uint32_t floor_of(const struct cbn_piece *piece)
{
    switch (piece->type) {
    case NVJITLINK_INPUT_LTOIR:
        return piece->archive ? cbn_link_floor(&piece->info) : 0;
    case NVJITLINK_INPUT_PTX:
        return piece->info.ptx_isa ? cbn_ptx_isa_release(piece->info.ptx_isa) : 0;
    default:
        return 0;
    }
}

uint32_t cbn_link_plan_floor(const struct cbn_link_plan *plan)
{
    uint32_t floor = 0;
    for (size_t i = 0; i < plan->piece_count; i++) {
        uint32_t of_piece = floor_of(&plan->pieces[i]);
        floor = of_piece > floor ? of_piece : floor;
    }
    return floor;
}

#define RELEASE(release) (int)((release) / 1000), (int)((release) % 1000 / 10)

cubinet_status cbn_link_plan_check_nvjitlink(const struct cbn_link_plan *plan, uint32_t release,
                                             const char *library)
{
    for (size_t i = 0; i < plan->piece_count; i++) {
        const struct cbn_piece *piece = &plan->pieces[i];
        uint32_t floor = floor_of(piece);
        bool is_other_major = piece->type == NVJITLINK_INPUT_LTOIR && floor && floor / 1000 != release / 1000;
        if (is_other_major || release < floor) {
            return cbn_error(CUBINET_ERROR_TOOLKIT,
                             "%s needs nvJitLink %d.%d or a later %d.x; %s is %d.%d. Install a newer one "
                             "(a CUDA toolkit or the nvidia-nvjitlink package) and name it by "
                             "CUBINET_NVJITLINK",
                             piece->name, RELEASE(floor), (int)(floor / 1000), library, RELEASE(release));
        }
    }
    if (!cbn_release_targets(release, plan->target.number)) {
        char name[CUBINET_TARGET_NAME_SIZE];
        return cbn_error(CUBINET_ERROR_TOOLKIT, "nvJitLink %d.%d (%s) makes no code for %s", RELEASE(release),
                         library, cubinet_target_name(plan->target, name));
    }
    return CUBINET_OK;
}
