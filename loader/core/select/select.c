/* SPDX-License-Identifier: Apache-2.0 */
/* Which image a device gets: docs/reference/selection.md. */
#include "loader/core/select/select.h"

#include "loader/core/select/compat.h"
#include "loader/core/select/target.h"

#include <string.h>

/* The least that an array's element may have: the members that the first version of the library knew. */
enum { LEAST_STRIDE = offsetof(cubinet_image_info, base_image) + sizeof(uint32_t) };

/* Copies what a caller's struct has of the members known here, which are 0 before. */
static void take(const void *given, void *known, size_t known_size)
{
    if (given) {
        size_t size = 0;
        memcpy(&size, given, sizeof(size));
        memcpy(known, given, size < known_size ? size : known_size);
    }
}

struct cbn_selection cbn_selection(const cubinet_device_profile *device, const cubinet_policy *policy)
{
    struct cbn_selection selection = {0};
    take(device, &selection.device, sizeof(selection.device));
    take(policy, &selection.policy, sizeof(selection.policy));
    selection.compute = selection.device.compute_major * 10 + selection.device.compute_minor;
    if (selection.policy.only) {
        /* A name that is none stays kind 0, which no image has. */
        cbn_target_read(selection.policy.only, &selection.only);
    }
    return selection;
}

static bool in_family(int family, int compute)
{
    for (const int *member = cbn_family(family); member && *member; member++) {
        if (*member == compute) {
            return true;
        }
    }
    return false;
}

/* Suffixes bind PTX and LTO-IR as they bind cubins. */
static uint32_t check_suffix(const struct cbn_selection *selection, cubinet_target target)
{
    if (target.suffix == 'f') {
        return in_family(target.number, selection->compute) ? 0 : CUBINET_REASON_FAMILY_SPECIFIC;
    }
    return target.number == selection->compute ? 0 : CUBINET_REASON_ARCH_SPECIFIC;
}

static uint32_t check_binary(const struct cbn_selection *selection, cubinet_target target)
{
    if (target.number == selection->compute) {
        return 0;
    }
    if (target.number / 10 != selection->device.compute_major) {
        return CUBINET_REASON_OTHER_MAJOR;
    }
    uint32_t reasons = target.number > selection->compute ? CUBINET_REASON_NEWER_MINOR : 0;
    if ((selection->device.flags & CUBINET_DEVICE_TEGRA) || cbn_compute_stands_alone(selection->compute) ||
        cbn_compute_stands_alone(target.number)) {
        reasons |= CUBINET_REASON_TEGRA;
    }
    return reasons;
}

/* Tile IR of X.Y is that of CUDA X.Y. */
static uint32_t check_tile(const struct cbn_selection *selection, cubinet_target target)
{
    uint32_t driver = selection->device.driver_version;
    uint32_t since = cbn_tile_release(selection->compute);
    uint32_t reasons = driver && driver < cbn_tile_version_release(target) ? CUBINET_REASON_TILE_VERSION : 0;
    if (!since || (driver && driver < since)) {
        reasons |= CUBINET_REASON_TILE_DEVICE;
    }
    return reasons;
}

/* A driver loads what toolkits of its own CUDA major and of older ones made. */
static uint32_t check_maker(const struct cbn_selection *selection, uint32_t maker)
{
    uint32_t driver = selection->device.driver_version;
    return driver && maker / 1000 > driver / 1000 ? CUBINET_REASON_DRIVER_TOO_OLD : 0;
}

static uint32_t check_cubin(const struct cbn_selection *selection, const cubinet_image_info *image)
{
    uint32_t reasons = image->target.suffix ? check_suffix(selection, image->target)
                                            : check_binary(selection, image->target);
    return reasons | check_maker(selection, image->toolkit);
}

static uint32_t check_virtual(const struct cbn_selection *selection, cubinet_target target)
{
    if (target.suffix) {
        return check_suffix(selection, target);
    }
    return target.number > selection->compute ? CUBINET_REASON_NEWER_TARGET : 0;
}

static uint32_t check_isa(const struct cbn_selection *selection, uint32_t isa)
{
    uint32_t driver = selection->device.driver_version;
    uint32_t release = cbn_ptx_isa_release(isa);
    if (!driver) {
        return 0;
    }
    if (!release) {
        return CUBINET_REASON_UNKNOWN_PTX_ISA;
    }
    return driver < release ? CUBINET_REASON_PTX_ISA : 0;
}

/* The driver has a part of the compiler that made it, so a later minor counts here, too. */
static uint32_t check_optix_maker(const struct cbn_selection *selection, uint32_t maker)
{
    uint32_t driver = selection->device.driver_version;
    return driver && driver < maker ? CUBINET_REASON_DRIVER_TOO_OLD : 0;
}

static uint32_t check_optix(const struct cbn_selection *selection, const cubinet_image_info *image)
{
    bool is_wanted = selection->policy.kind == CUBINET_IMAGE_OPTIXIR;
    return check_virtual(selection, image->target) | check_optix_maker(selection, image->toolkit) |
           (is_wanted ? 0 : CUBINET_REASON_NOT_LOADED);
}

uint32_t cbn_tile_version_release(cubinet_target target)
{
    return (uint32_t)(target.number / 10 * 1000 + target.number % 10 * 10);
}

uint32_t cbn_link_floor(const cubinet_image_info *image)
{
    return image->link_floor ? image->link_floor : image->toolkit;
}

static uint32_t check_linker(const struct cbn_selection *selection, const cubinet_image_info *image)
{
    uint32_t linker = selection->device.nvjitlink_version;
    uint32_t floor = cbn_link_floor(image);
    if (!linker) {
        return CUBINET_REASON_NO_LINKER;
    }
    /* What it links is a cubin that it made. */
    uint32_t reasons = check_maker(selection, linker);
    if (!cbn_release_targets(linker, selection->compute)) {
        reasons |= CUBINET_REASON_LINKER_FINISHED;
    }
    if (floor && floor / 1000 != linker / 1000) {
        reasons |= CUBINET_REASON_LINKER_MAJOR;
    } else if (linker < floor) {
        reasons |= CUBINET_REASON_LINKER_TOO_OLD;
    }
    return reasons;
}

static uint32_t check_policy(const struct cbn_selection *selection, cubinet_target target)
{
    const cubinet_policy *policy = &selection->policy;
    uint32_t reasons = 0;
    if ((policy->flags & CUBINET_POLICY_FORBID_JIT) && target.kind != CUBINET_IMAGE_CUBIN) {
        reasons |= CUBINET_REASON_POLICY_JIT;
    }
    if ((policy->flags & CUBINET_POLICY_FORCE_PTX) && target.kind != CUBINET_IMAGE_PTX) {
        reasons |= CUBINET_REASON_POLICY_PTX;
    }
    if (policy->kind && target.kind != policy->kind) {
        reasons |= CUBINET_REASON_POLICY_KIND;
    }
    if (policy->only && cubinet_target_compare(target, selection->only) != 0) {
        reasons |= CUBINET_REASON_POLICY_ONLY;
    }
    return reasons;
}

/* The driver can't bring an image together with others. */
static uint32_t check_needs(const cubinet_image_info *image)
{
    return image->needed_count > 0 ? CUBINET_REASON_UNLINKED : 0;
}

static uint32_t check_image(const struct cbn_selection *selection, const cubinet_image_info *image)
{
    switch (image->target.kind) {
    case CUBINET_IMAGE_CUBIN:
        return check_cubin(selection, image) | check_needs(image);
    case CUBINET_IMAGE_PTX:
        return check_virtual(selection, image->target) | check_isa(selection, image->ptx_isa) |
               check_needs(image);
    case CUBINET_IMAGE_LTOIR:
        return check_virtual(selection, image->target) | check_linker(selection, image);
    case CUBINET_IMAGE_TILEIR:
        return check_tile(selection, image->target);
    case CUBINET_IMAGE_OPTIXIR:
        return check_optix(selection, image);
    }
    return CUBINET_REASON_UNKNOWN_KIND;
}

static cubinet_match match_cubin(const struct cbn_selection *selection, cubinet_target target)
{
    switch (target.suffix) {
    case 'a':
        return CUBINET_MATCH_ARCH_SPECIFIC;
    case 'f':
        return CUBINET_MATCH_FAMILY_SPECIFIC;
    default:
        return target.number == selection->compute ? CUBINET_MATCH_EXACT : CUBINET_MATCH_SAME_MAJOR;
    }
}

static cubinet_match match_candidate(const struct cbn_selection *selection, cubinet_target target)
{
    static const cubinet_match matches[] = {
        [CUBINET_IMAGE_PTX] = CUBINET_MATCH_JIT,
        [CUBINET_IMAGE_LTOIR] = CUBINET_MATCH_LINK,
        [CUBINET_IMAGE_TILEIR] = CUBINET_MATCH_TILE,
        [CUBINET_IMAGE_OPTIXIR] = CUBINET_MATCH_OPTIX,
    };
    /* Images of unknown kinds are not candidates. */
    return target.kind == CUBINET_IMAGE_CUBIN ? match_cubin(selection, target) : matches[target.kind];
}

static cubinet_verdict judge(const struct cbn_selection *selection, const cubinet_image_info *image,
                             uint32_t number)
{
    cubinet_verdict verdict = {.image = number};
    verdict.reasons = check_image(selection, image);
    if (verdict.reasons != CUBINET_REASON_UNKNOWN_KIND) {
        verdict.reasons |= check_policy(selection, image->target);
    }
    if (!verdict.reasons) {
        verdict.match = match_candidate(selection, image->target);
    }
    return verdict;
}

/* Images of different targets in their order: candidates by match, then the most specific suffix, then the
 * highest number; the others as cubinet_target_compare(). */
static uint64_t order_key(const struct cbn_selection *selection, const cubinet_verdict *verdict,
                          cubinet_target target)
{
    enum { OTHERS = 15 };
    uint64_t number = (uint64_t)target.number & 0xffffffff;
    if (verdict->match == CUBINET_MATCH_NONE) {
        return (uint64_t)OTHERS << 60 | ((uint64_t)target.kind & 0xff) << 50 | number << 8 |
               (uint64_t)(unsigned char)target.suffix;
    }
    uint64_t rank = (uint64_t)verdict->match;
    if ((selection->policy.flags & CUBINET_POLICY_PREFER_LTOIR) && verdict->match == CUBINET_MATCH_LINK) {
        rank = 0;
    }
    uint64_t suffix = target.suffix == 'a' ? 0 : target.suffix == 'f' ? 1 : 2;
    return rank << 60 | suffix << 58 | (UINT32_MAX - number);
}

/* The array being ordered. */
struct ranking {
    const struct cbn_selection *selection;
    const unsigned char *images;
    size_t stride;
    cubinet_verdict *verdicts;
};

static const cubinet_image_info *image_at(const struct ranking *ranking, uint32_t number)
{
    return (const cubinet_image_info *)(const void *)(ranking->images + number * ranking->stride);
}

static int compare64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* Images of one target, which a module does not have: by what they say, so that their order in the array has
 * no influence; the newer toolkit first. */
static int break_tie(const cubinet_image_info *a, const cubinet_image_info *b)
{
    int order = compare64(b->toolkit, a->toolkit);
    if (!order) {
        order = compare64(b->ptx_isa, a->ptx_isa);
    }
    if (!order) {
        order = compare64(b->link_floor, a->link_floor);
    }
    if (!order) {
        order = compare64(a->stored_size, b->stored_size);
    }
    return order ? order : memcmp(a->digest, b->digest, sizeof(a->digest));
}

/* Whether a verdict, whose key is given, stands before another. */
static bool is_before(const struct ranking *ranking, const cubinet_verdict *verdict, uint64_t key,
                      const cubinet_verdict *other)
{
    const cubinet_image_info *image = image_at(ranking, verdict->image);
    const cubinet_image_info *other_image = image_at(ranking, other->image);
    uint64_t other_key = order_key(ranking->selection, other, other_image->target);
    if (key != other_key) {
        return key < other_key;
    }
    int order = break_tie(image, other_image);
    return order ? order < 0 : verdict->image < other->image;
}

/* Puts every `gap`-th verdict in order. */
static void sort_with_gap(const struct ranking *ranking, size_t count, size_t gap)
{
    cubinet_verdict *verdicts = ranking->verdicts;
    for (size_t i = gap; i < count; i++) {
        cubinet_verdict verdict = verdicts[i];
        uint64_t key = order_key(ranking->selection, &verdict, image_at(ranking, verdict.image)->target);
        size_t place = i;
        while (place >= gap && is_before(ranking, &verdict, key, &verdicts[place - gap])) {
            verdicts[place] = verdicts[place - gap];
            place -= gap;
        }
        verdicts[place] = verdict;
    }
}

/* Shell's sort: in place, quick for a handful, and not quadratic for what a hostile archive may hold. */
static void sort(const struct ranking *ranking, size_t count)
{
    size_t gap = 1;
    while (gap < count / 3) {
        gap = gap * 3 + 1;
    }
    for (; gap > 0; gap /= 3) {
        sort_with_gap(ranking, count, gap);
    }
}

/* For an array whose elements cannot be told apart: their `size` is not set. */
static size_t judge_none(size_t count, cubinet_verdict *verdicts)
{
    for (size_t i = 0; i < count; i++) {
        verdicts[i] = (cubinet_verdict){.image = (uint32_t)i, .reasons = CUBINET_REASON_UNKNOWN_KIND};
    }
    return 0;
}

size_t cubinet_images_rank(const cubinet_image_info *images, size_t count,
                           const cubinet_device_profile *device, const cubinet_policy *policy,
                           cubinet_verdict *out_verdicts)
{
    if (count == 0 || !images || !out_verdicts) {
        return 0;
    }
    size_t stride = images->size;
    if (stride < LEAST_STRIDE || stride > SIZE_MAX / count) {
        return judge_none(count, out_verdicts);
    }
    struct cbn_selection selection = cbn_selection(device, policy);
    struct ranking ranking = {&selection, (const unsigned char *)images, stride, out_verdicts};
    size_t candidates = 0;
    for (size_t i = 0; i < count; i++) {
        out_verdicts[i] = judge(&selection, image_at(&ranking, (uint32_t)i), (uint32_t)i);
        candidates += out_verdicts[i].match != CUBINET_MATCH_NONE;
    }
    sort(&ranking, count);
    return candidates;
}
