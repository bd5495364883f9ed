/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/base_choice.h"

#include "archive/similar.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

/* Finding bases compresses each image many times, so it does that fast: what is smaller at a low level is
 * nearly always smaller at a high one. */
enum { TRIAL_LEVEL = 3 };

/* A base in another module costs a look at that module's part of the index, so it has to save more. */
enum { OUTSIDE_BIAS = 16 /* a 16th of the size */ };

/* Images of one module that an image is tried after, at most. There are seldom more, and in the order of
 * targets the nearest are most alike. */
enum { NEAREST = 16 };

/* How much larger than the image a base may be: so many times, and so many bytes in any case. */
enum { LARGER_MOST = 16, LARGER_ALWAYS = 16 << 10 };

/* What is known of an image that has been planned. Sizes are those of trials. */
struct choice {
    size_t alone; /* of its frame without a base */
    size_t best;  /* of its frame as it is planned */
    size_t saved; /* what images of other modules would have saved if it had no base and were theirs */
};

struct planner {
    struct image_plan *plan;
    struct frame_packer *packer;
    int level;
    struct choice *choices; /* as many as in the plan */
    struct similar roots;   /* images without a base that have been planned, by their place in the plan */
    struct similar others;  /* those that had one when they were planned */
};

/* The images of one kind in one module; of images of parts, the parts with the same first kernel. Sizes of
 * frames are those of trials. */
struct group {
    size_t *members; /* in the plan */
    size_t count;
    struct sketch *sketches;
    size_t *best;  /* size of each member's frame as it is planned so far */
    size_t *bases; /* that it has then, in the plan; PLAN_NONE */
    size_t *alone; /* size of each member's frame without a base */
    size_t *pairs; /* size of member i's frame after member j: pairs[i * count + j]; SIZE_MAX: not tried */
};

static struct byte_span bytes_of(const struct planner *planner, size_t place)
{
    const struct draft_image *image = planner->plan->images[place].image;
    return (struct byte_span){image->data, image->size};
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

/* An image that is compared with others of its module, which are those of the same `first`. */
struct member {
    const struct planned_image *planned;
    size_t place; /* in the plan */
    size_t first; /* the place of the first of them */
};

/* Images that are compared with each other are equal. Parts of one image are too many for that: only those
 * with the same first kernel are. */
static int compare_likeness(const struct member *a, const struct member *b)
{
    const struct draft_image *left = a->planned->image;
    const struct draft_image *right = b->planned->image;
    int order = (left->part_count > 1) - (right->part_count > 1);
    return order || left->part_count == 1 ? order : strcmp(left->uses[0].kernel, right->uses[0].kernel);
}

static int compare_places(const struct member *a, const struct member *b)
{
    return (a->place > b->place) - (a->place < b->place);
}

static int compare_alike(const void *a, const void *b)
{
    int order = compare_likeness(a, b);
    return order ? order : compare_places(a, b);
}

static int compare_groups(const void *a, const void *b)
{
    const struct member *left = a;
    const struct member *right = b;
    int order = (left->first > right->first) - (left->first < right->first);
    return order ? order : compare_places(left, right);
}

/* Brings those that are compared with each other together, in the order of the first of each. */
static void order_groups(struct member *members, size_t count)
{
    qsort(members, count, sizeof(*members), compare_alike);
    for (size_t i = 0; i < count; i++) {
        bool starts = i == 0 || compare_likeness(&members[i - 1], &members[i]) != 0;
        members[i].first = starts ? members[i].place : members[i - 1].first;
    }
    qsort(members, count, sizeof(*members), compare_groups);
}

/* Of `count` images that are compared with each other. */
static cubinet_status group_create(const struct member *members, size_t count, struct group *out_group)
{
    struct group group = {.members = calloc(count, sizeof(*group.members))};
    for (size_t i = 0; group.members && i < count; i++) {
        if (members[i].planned->same_as == PLAN_NONE) {
            group.members[group.count++] = members[i].place;
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
    memset(group.pairs, 0xff, group.count * group.count * sizeof(*group.pairs));
    return CUBINET_OK;
}

static cubinet_status try_base(const struct planner *planner, size_t place, size_t base, size_t *out_size)
{
    int level = planner->level < TRIAL_LEVEL ? planner->level : TRIAL_LEVEL;
    struct byte_span prefix = base == PLAN_NONE ? (struct byte_span){0} : bytes_of(planner, base);
    return frame_packer_measure(planner->packer, bytes_of(planner, place), prefix, level, out_size);
}

/* Older readers refuse modules with images of parts, and read the others without them. A base that is much
 * larger than the image takes longer to try, and to decompress whenever the image is read, than it is worth.
 */
static bool can_be_base(const struct planner *planner, size_t base, size_t place)
{
    const struct planned_image *images = planner->plan->images;
    return (images[place].with_parts || !images[base].with_parts) &&
           images[base].image->size <= LARGER_ALWAYS + images[place].image->size * LARGER_MOST;
}

/* Tries a member alone, and after images of other modules that look similar. */
static cubinet_status try_outside(const struct planner *planner, struct group *group, size_t member)
{
    size_t place = group->members[member];
    struct byte_span bytes = bytes_of(planner, place);
    group->sketches[member] =
        sketch_make(planner->plan->images[place].image->target.kind, bytes.data, bytes.size);
    uint32_t found[SIMILAR_MAX];
    size_t count = similar_find(&planner->roots, &group->sketches[member], found);
    cubinet_status status = try_base(planner, place, PLAN_NONE, &group->alone[member]);
    group->best[member] = group->alone[member];
    group->bases[member] = PLAN_NONE;
    for (size_t i = 0; !status && i < count; i++) {
        size_t size = 0;
        if (!can_be_base(planner, found[i], place)) {
            continue;
        }
        status = try_base(planner, place, found[i], &size);
        size += size / OUTSIDE_BIAS;
        if (!status && size < group->best[member]) {
            group->best[member] = size;
            group->bases[member] = found[i];
        }
    }
    return status;
}

/* Tries a member after the nearest others. */
static cubinet_status try_inside(const struct planner *planner, struct group *group, size_t member)
{
    cubinet_status status = CUBINET_OK;
    size_t last = group->count > NEAREST + 1 ? group->count - NEAREST - 1 : 0; /* where they start at most */
    size_t first = member > NEAREST / 2 ? member - NEAREST / 2 : 0;
    first = first < last ? first : last;
    for (size_t i = first; !status && i < group->count && i <= first + NEAREST; i++) {
        if (i != member && can_be_base(planner, group->members[i], group->members[member])) {
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
    for (size_t i = 0; !status && i < group->count; i++) {
        status = try_outside(planner, group, i);
        if (!status) {
            status = try_inside(planner, group, i);
        }
    }
    bool *is_root = calloc(group->count + 1, sizeof(*is_root));
    if (!is_root) {
        return cbn_error_memory();
    }
    while (!status && add_root(group, is_root)) {
    }
    free(is_root);
    return status;
}

/* Takes the base from an image, for others to have it as theirs from now on. */
static cubinet_status make_root(struct planner *planner, uint32_t place)
{
    struct byte_span bytes = bytes_of(planner, place);
    struct planned_image *image = &planner->plan->images[place];
    struct sketch sketch = sketch_make(image->image->target.kind, bytes.data, bytes.size);
    image->base = PLAN_NONE;
    planner->choices[place].best = planner->choices[place].alone;
    return similar_add(&planner->roots, &sketch, place);
}

/* An image of an archive of many similar modules may be compressed best after its like in another module,
 * which has a base itself because in its own module that was best. What that would save is counted, and once
 * it is more than a base costs, there is one more. */
static cubinet_status try_other(struct planner *planner, struct group *group, size_t member, uint32_t other)
{
    struct choice *choice = &planner->choices[other];
    size_t size = 0;
    if (planner->plan->images[other].base == PLAN_NONE ||
        !can_be_base(planner, other, group->members[member])) {
        return CUBINET_OK;
    }
    cubinet_status status = try_base(planner, group->members[member], other, &size);
    size += size / OUTSIDE_BIAS;
    if (status || size >= group->best[member]) {
        return status;
    }
    choice->saved += group->best[member] - size;
    if (choice->saved <= choice->alone - choice->best) {
        return CUBINET_OK;
    }
    group->best[member] = size;
    group->bases[member] = other;
    return make_root(planner, other);
}

static cubinet_status try_others(struct planner *planner, struct group *group, size_t member)
{
    uint32_t found[SIMILAR_MAX];
    size_t count = similar_find(&planner->others, &group->sketches[member], found);
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < count; i++) {
        status = try_other(planner, group, member, found[i]);
    }
    return status;
}

/* Writes a member's base into the plan, and offers it to later modules. */
static cubinet_status settle(struct planner *planner, struct group *group, size_t member)
{
    size_t place = group->members[member];
    cubinet_status status = CUBINET_OK;
    bool has_base = group->bases[member] != PLAN_NONE;
    if (has_base) {
        status = try_others(planner, group, member);
    }
    planner->plan->images[place].base = group->bases[member];
    planner->choices[place] = (struct choice){.alone = group->alone[member], .best = group->best[member]};
    if (status || place > UINT32_MAX) {
        return status;
    }
    return similar_add(has_base ? &planner->others : &planner->roots, &group->sketches[member],
                       (uint32_t)place);
}

static cubinet_status settle_group(struct planner *planner, struct group *group)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < group->count; i++) {
        status = settle(planner, group, i);
    }
    return status;
}

static cubinet_status plan_group(struct planner *planner, const struct member *members, size_t count)
{
    struct group group;
    cubinet_status status = group_create(members, count, &group);
    if (!status) {
        status = choose_bases(planner, &group);
    }
    if (!status) {
        status = settle_group(planner, &group);
    }
    group_free(&group);
    return status;
}

/* The images of a kind in one module. */
static cubinet_status plan_kind(struct planner *planner, size_t first, size_t end, cubinet_image_kind kind)
{
    size_t count = 0;
    struct member *members = calloc(end - first, sizeof(*members));
    cubinet_status status = members ? CUBINET_OK : cbn_error_memory();
    for (size_t i = first; !status && i < end; i++) {
        if (planner->plan->images[i].image->target.kind == kind) {
            members[count++] = (struct member){&planner->plan->images[i], i, 0};
        }
    }
    if (count > 0) {
        order_groups(members, count);
    }
    for (size_t i = 0, next; !status && i < count; i = next) {
        for (next = i + 1; next < count && members[next].first == members[i].first; next++) {
        }
        status = plan_group(planner, members + i, next - i);
    }
    free(members);
    return status;
}

static cubinet_status plan_bases(struct planner *planner)
{
    static const cubinet_image_kind kinds[] = {CUBINET_IMAGE_CUBIN, CUBINET_IMAGE_PTX, CUBINET_IMAGE_TILEIR};
    const struct image_plan *plan = planner->plan;
    cubinet_status status = CUBINET_OK;
    for (size_t first = 0, end; !status && first < plan->count; first = end) {
        end = first;
        while (end < plan->count && plan->images[end].module == plan->images[first].module) {
            end++;
        }
        for (size_t i = 0; !status && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
            status = plan_kind(planner, first, end, kinds[i]);
        }
    }
    return status;
}

cubinet_status base_choice_make(struct image_plan *plan, int zstd_level, struct frame_packer *packer)
{
    struct planner planner = {
        .plan = plan,
        .packer = packer,
        .level = zstd_level,
        .choices = calloc(plan->count + 1, sizeof(*planner.choices)),
    };
    cubinet_status status = planner.choices ? plan_bases(&planner) : cbn_error_memory();
    free(planner.choices);
    similar_free(&planner.roots);
    similar_free(&planner.others);
    return status;
}
