/* SPDX-License-Identifier: Apache-2.0 */
#include "image_plan.h"

#include "digest.h"
#include "error.h"
#include "similar.h"

#include <stdlib.h>
#include <string.h>

/* Finding bases compresses each image many times, so it does that fast: what is smaller at a low level is
 * nearly always smaller at a high one. */
enum { TRIAL_LEVEL = 3 };

/* A base in another module costs a look at that module's part of the index, so it has to save more. */
enum { OUTSIDE_BIAS = 16 /* a 16th of the size */ };

struct planner {
    struct image_plan *plan;
    struct frame_packer *packer;
    int level;
    struct similar roots; /* images without a base that have been planned, by their place in the plan */
};

/* The images of one kind in one module. Sizes of frames are those of trials. */
struct group {
    size_t *members; /* in the plan */
    size_t count;
    struct sketch *sketches;
    size_t *best;  /* size of each member's frame as it is planned so far */
    size_t *bases; /* that it has then, in the plan; PLAN_NONE */
    size_t *alone; /* size of each member's frame without a base */
    size_t *pairs; /* size of member i's frame after member j: pairs[i * count + j] */
};

bool image_plan_compresses(const struct draft_image *image)
{
    return image->target.kind != CUBINET_IMAGE_LTOIR;
}

static struct span bytes_of(const struct planner *planner, size_t place)
{
    const struct draft_image *image = planner->plan->images[place].image;
    return (struct span){image->data, image->size};
}

static cubinet_status list_images(const struct draft *draft, struct image_plan *plan)
{
    size_t count = 0;
    for (size_t i = 0; i < draft->module_count; i++) {
        count += draft->modules[i].image_count;
    }
    plan->images = calloc(count + 1, sizeof(*plan->images));
    if (!plan->images) {
        return cbn_error_memory();
    }
    for (size_t i = 0; i < draft->module_count; i++) {
        for (size_t j = 0; j < draft->modules[i].image_count; j++) {
            plan->images[plan->count++] = (struct planned_image){.image = &draft->modules[i].images[j],
                                                                 .module = (uint32_t)i,
                                                                 .number = (uint32_t)j,
                                                                 .same_as = PLAN_NONE,
                                                                 .base = PLAN_NONE};
        }
    }
    return CUBINET_OK;
}

/* An image by its bytes, and where it is. */
struct fingerprint {
    struct cbn_digest digest;
    size_t place;
};

static int compare_fingerprints(const void *a, const void *b)
{
    const struct fingerprint *left = a;
    const struct fingerprint *right = b;
    int order = memcmp(&left->digest, &right->digest, sizeof(left->digest));
    return order ? order : (left->place > right->place) - (left->place < right->place);
}

/* Not between kinds, since a zip entry's name tells the kind. */
static bool is_same(const struct draft_image *a, const struct draft_image *b)
{
    return a->target.kind == b->target.kind && a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

static cubinet_status find_same(struct image_plan *plan)
{
    struct fingerprint *prints = calloc(plan->count + 1, sizeof(*prints));
    if (!prints) {
        return cbn_error_memory();
    }
    for (size_t i = 0; i < plan->count; i++) {
        const struct draft_image *image = plan->images[i].image;
        prints[i] = (struct fingerprint){cbn_digest(image->data, image->size), i};
    }
    qsort(prints, plan->count, sizeof(*prints), compare_fingerprints);
    for (size_t i = 1, first = 0; i < plan->count; i++) {
        struct planned_image *image = &plan->images[prints[i].place];
        if (memcmp(&prints[i].digest, &prints[first].digest, sizeof(prints[i].digest)) != 0) {
            first = i;
        } else if (is_same(image->image, plan->images[prints[first].place].image)) {
            image->same_as = prints[first].place;
        }
    }
    free(prints);
    return CUBINET_OK;
}

static void group_free(struct group *group)
{
    free(group->members);
    free(group->sketches);
    free(group->best);
    free(group->bases);
    free(group->alone);
    free(group->pairs);
}

static cubinet_status group_create(const struct planner *planner, size_t first, size_t end,
                                   cubinet_image_kind kind, struct group *out_group)
{
    size_t room = end - first;
    struct group group = {.members = calloc(room, sizeof(*group.members))};
    for (size_t i = first; group.members && i < end; i++) {
        const struct planned_image *image = &planner->plan->images[i];
        if (image->image->target.kind == kind && image->same_as == PLAN_NONE) {
            group.members[group.count++] = i;
        }
    }
    group.sketches = calloc(group.count + 1, sizeof(*group.sketches));
    group.best = calloc(group.count + 1, sizeof(*group.best));
    group.bases = calloc(group.count + 1, sizeof(*group.bases));
    group.alone = calloc(group.count + 1, sizeof(*group.alone));
    group.pairs = calloc(group.count * group.count + 1, sizeof(*group.pairs));
    *out_group = group;
    if (!group.members || !group.sketches || !group.best || !group.bases || !group.alone || !group.pairs) {
        return cbn_error_memory();
    }
    return CUBINET_OK;
}

static cubinet_status try_base(const struct planner *planner, size_t place, size_t base, size_t *out_size)
{
    int level = planner->level < TRIAL_LEVEL ? planner->level : TRIAL_LEVEL;
    struct span prefix = base == PLAN_NONE ? (struct span){0} : bytes_of(planner, base);
    return frame_packer_measure(planner->packer, bytes_of(planner, place), prefix, level, out_size);
}

/* Tries a member alone, and after images of other modules that look similar. */
static cubinet_status try_outside(const struct planner *planner, struct group *group, size_t member)
{
    size_t place = group->members[member];
    struct span bytes = bytes_of(planner, place);
    group->sketches[member] =
        sketch_make(planner->plan->images[place].image->target.kind, bytes.data, bytes.size);
    uint32_t found[SIMILAR_MAX];
    size_t count = similar_find(&planner->roots, &group->sketches[member], found);
    cubinet_status status = try_base(planner, place, PLAN_NONE, &group->alone[member]);
    group->best[member] = group->alone[member];
    group->bases[member] = PLAN_NONE;
    for (size_t i = 0; status == CUBINET_OK && i < count; i++) {
        size_t size = 0;
        status = try_base(planner, place, found[i], &size);
        size += size / OUTSIDE_BIAS;
        if (status == CUBINET_OK && size < group->best[member]) {
            group->best[member] = size;
            group->bases[member] = found[i];
        }
    }
    return status;
}

/* Tries a member after each of the others. */
static cubinet_status try_inside(const struct planner *planner, struct group *group, size_t member)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; status == CUBINET_OK && i < group->count; i++) {
        if (i != member) {
            status = try_base(planner, group->members[member], group->members[i],
                              &group->pairs[member * group->count + i]);
        }
    }
    return status;
}

/* Whether a member gets smaller if `root` has no base and others may have it as theirs. A root keeps none. */
static bool follows(const struct group *group, const bool *is_root, size_t member, size_t root)
{
    return !is_root[member] && group->pairs[member * group->count + root] < group->best[member];
}

/* What the group's frames would have in all if `root` were one more root. */
static size_t total_with(const struct group *group, const bool *is_root, size_t root)
{
    size_t total = group->alone[root];
    for (size_t i = 0; i < group->count; i++) {
        if (i != root) {
            total +=
                follows(group, is_root, i, root) ? group->pairs[i * group->count + root] : group->best[i];
        }
    }
    return total;
}

/* Makes one more member a root: the one that saves most. False if none saves anything. */
static bool add_root(struct group *group, bool *is_root)
{
    size_t least = 0;
    size_t root = PLAN_NONE;
    for (size_t i = 0; i < group->count; i++) {
        least += group->best[i];
    }
    for (size_t i = 0; i < group->count; i++) {
        size_t total = is_root[i] ? SIZE_MAX : total_with(group, is_root, i);
        if (total < least) {
            least = total;
            root = i;
        }
    }
    if (root == PLAN_NONE) {
        return false;
    }
    is_root[root] = true;
    group->best[root] = group->alone[root];
    group->bases[root] = PLAN_NONE;
    for (size_t i = 0; i < group->count; i++) {
        if (follows(group, is_root, i, root)) {
            group->best[i] = group->pairs[i * group->count + root];
            group->bases[i] = group->members[root];
        }
    }
    return true;
}

static cubinet_status choose_bases(const struct planner *planner, struct group *group)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; status == CUBINET_OK && i < group->count; i++) {
        status = try_outside(planner, group, i);
        if (status == CUBINET_OK) {
            status = try_inside(planner, group, i);
        }
    }
    bool *is_root = calloc(group->count + 1, sizeof(*is_root));
    if (!is_root) {
        return cbn_error_memory();
    }
    while (status == CUBINET_OK && add_root(group, is_root)) {
    }
    free(is_root);
    return status;
}

/* Writes the group's bases into the plan, and offers those without one to later modules. */
static cubinet_status settle(struct planner *planner, const struct group *group)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; status == CUBINET_OK && i < group->count; i++) {
        size_t place = group->members[i];
        planner->plan->images[place].base = group->bases[i];
        if (group->bases[i] == PLAN_NONE && place <= UINT32_MAX) {
            status = similar_add(&planner->roots, &group->sketches[i], (uint32_t)place);
        }
    }
    return status;
}

static cubinet_status plan_group(struct planner *planner, size_t first, size_t end, cubinet_image_kind kind)
{
    struct group group;
    cubinet_status status = group_create(planner, first, end, kind, &group);
    if (status == CUBINET_OK) {
        status = choose_bases(planner, &group);
    }
    if (status == CUBINET_OK) {
        status = settle(planner, &group);
    }
    group_free(&group);
    return status;
}

static cubinet_status plan_bases(struct planner *planner)
{
    const struct image_plan *plan = planner->plan;
    cubinet_status status = CUBINET_OK;
    for (size_t first = 0, end; status == CUBINET_OK && first < plan->count; first = end) {
        end = first;
        while (end < plan->count && plan->images[end].module == plan->images[first].module) {
            end++;
        }
        status = plan_group(planner, first, end, CUBINET_IMAGE_CUBIN);
        if (status == CUBINET_OK) {
            status = plan_group(planner, first, end, CUBINET_IMAGE_PTX);
        }
    }
    return status;
}

cubinet_status image_plan_make(const struct draft *draft, int zstd_level, struct frame_packer *packer,
                               struct image_plan *out_plan)
{
    struct image_plan plan = {0};
    struct planner planner = {.plan = &plan, .packer = packer, .level = zstd_level};
    cubinet_status status = list_images(draft, &plan);
    if (status == CUBINET_OK) {
        status = find_same(&plan);
    }
    if (status == CUBINET_OK && zstd_level > 0) {
        status = plan_bases(&planner);
    }
    similar_free(&planner.roots);
    if (status) {
        image_plan_free(&plan);
        return status;
    }
    *out_plan = plan;
    return CUBINET_OK;
}

void image_plan_free(struct image_plan *plan)
{
    free(plan->images);
    *plan = (struct image_plan){0};
}
