/* SPDX-License-Identifier: Apache-2.0 */
/* Selection: rules, order, policy. */
#include "allocations.h"
#include "select_cases.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE 0

/* One image on one device. */
struct rule {
    const char *target;
    uint32_t from;
    int compute;
    uint32_t driver;
    uint32_t nvjitlink;
    cubinet_match match;
    uint32_t reasons;
};

static const struct rule rules[] = {
    /* Cubins: the same major, and no lower minor. */
    {"sm_80", 12000, 80, 12000, NONE, CUBINET_MATCH_EXACT, 0},
    {"sm_80", 12000, 86, 12000, NONE, CUBINET_MATCH_SAME_MAJOR, 0},
    {"sm_80", 12000, 89, 12000, NONE, CUBINET_MATCH_SAME_MAJOR, 0},
    {"sm_86", 12000, 80, 12000, NONE, CUBINET_MATCH_NONE, CUBINET_REASON_NEWER_MINOR},
    {"sm_80", 12000, 90, 12000, NONE, CUBINET_MATCH_NONE, CUBINET_REASON_OTHER_MAJOR},
    {"sm_90", 12000, 89, 12000, NONE, CUBINET_MATCH_NONE, CUBINET_REASON_OTHER_MAJOR},
    {"sm_70", 12000, 75, 13000, NONE, CUBINET_MATCH_SAME_MAJOR, 0},
    {"sm_120", 13000, 121, 13000, NONE, CUBINET_MATCH_SAME_MAJOR, 0},
    {"sm_100", 13000, 120, 13000, NONE, CUBINET_MATCH_NONE, CUBINET_REASON_OTHER_MAJOR},
    {"sm_90", 12000, 95, 13000, NONE, CUBINET_MATCH_SAME_MAJOR, 0}, /* yet to come */
    /* Tegra parts, and 8.8, are alone. */
    {"sm_87", 12000, 87, 12000, NONE, CUBINET_MATCH_EXACT, 0},
    {"sm_80", 12000, 87, 12000, NONE, CUBINET_MATCH_NONE, CUBINET_REASON_TEGRA},
    {"sm_87", 12000, 89, 12000, NONE, CUBINET_MATCH_NONE, CUBINET_REASON_TEGRA},
    {"sm_87", 12000, 86, 12000, NONE, CUBINET_MATCH_NONE, CUBINET_REASON_TEGRA | CUBINET_REASON_NEWER_MINOR},
    {"sm_87", 13000, 88, 13000, NONE, CUBINET_MATCH_NONE, CUBINET_REASON_TEGRA},
    {"sm_86", 13000, 88, 13000, NONE, CUBINET_MATCH_NONE, CUBINET_REASON_TEGRA},
    {"sm_88", 13000, 89, 13000, NONE, CUBINET_MATCH_NONE, CUBINET_REASON_TEGRA},
    {"sm_70", 12000, 72, 12000, NONE, CUBINET_MATCH_NONE, CUBINET_REASON_TEGRA},
    {"sm_72", 12000, 75, 12000, NONE, CUBINET_MATCH_NONE, CUBINET_REASON_TEGRA},
    {"sm_110", 13000, 110, 13000, NONE, CUBINET_MATCH_EXACT, 0},
    {"sm_101", 12080, 103, 12090, NONE, CUBINET_MATCH_NONE, CUBINET_REASON_TEGRA},
    /* Suffixes. */
    {"sm_90a", 12000, 90, 12000, NONE, CUBINET_MATCH_ARCH_SPECIFIC, 0},
    {"sm_100a", 12080, 103, 12090, NONE, CUBINET_MATCH_NONE, CUBINET_REASON_ARCH_SPECIFIC},
    {"sm_90a", 12000, 100, 12080, NONE, CUBINET_MATCH_NONE, CUBINET_REASON_ARCH_SPECIFIC},
    {"compute_90a", 12000, 90, 12000, NONE, CUBINET_MATCH_JIT, 0},
    {"compute_90a", 12000, 100, 13000, NONE, CUBINET_MATCH_NONE, CUBINET_REASON_ARCH_SPECIFIC},
    {"lto_90a", 12000, 100, 12080, 12080, CUBINET_MATCH_NONE, CUBINET_REASON_ARCH_SPECIFIC},
    {"sm_100f", 12090, 100, 12090, NONE, CUBINET_MATCH_FAMILY_SPECIFIC, 0},
    {"sm_100f", 12090, 103, 12090, NONE, CUBINET_MATCH_FAMILY_SPECIFIC, 0},
    {"sm_100f", 12090, 107, 13040, NONE, CUBINET_MATCH_FAMILY_SPECIFIC, 0},
    {"sm_100f", 12090, 101, 12090, NONE, CUBINET_MATCH_NONE, CUBINET_REASON_FAMILY_SPECIFIC},
    {"sm_100f", 13000, 110, 13000, NONE, CUBINET_MATCH_NONE, CUBINET_REASON_FAMILY_SPECIFIC},
    {"sm_103f", 12090, 100, 12090, NONE, CUBINET_MATCH_NONE, CUBINET_REASON_FAMILY_SPECIFIC},
    {"sm_103f", 13000, 107, 13040, NONE, CUBINET_MATCH_FAMILY_SPECIFIC, 0},
    {"sm_120f", 12090, 121, 12090, NONE, CUBINET_MATCH_FAMILY_SPECIFIC, 0},
    {"sm_121f", 12090, 120, 12090, NONE, CUBINET_MATCH_NONE, CUBINET_REASON_FAMILY_SPECIFIC},
    {"compute_120f", 12090, 121, 12090, NONE, CUBINET_MATCH_JIT, 0},
    {"compute_100f", 12090, 120, 12090, NONE, CUBINET_MATCH_NONE, CUBINET_REASON_FAMILY_SPECIFIC},
    {"sm_140f", 13000, 140, 13000, NONE, CUBINET_MATCH_NONE, CUBINET_REASON_FAMILY_SPECIFIC},
    /* Drivers for cubins: by CUDA major. */
    {"sm_90", 12090, 90, 12000, NONE, CUBINET_MATCH_EXACT, 0},
    {"sm_90", 13000, 90, 12090, NONE, CUBINET_MATCH_NONE, CUBINET_REASON_DRIVER_TOO_OLD},
    {"sm_90", 13040, 90, 13000, NONE, CUBINET_MATCH_EXACT, 0},
    {"sm_90", 12000, 90, 13040, NONE, CUBINET_MATCH_EXACT, 0},
    {"sm_90", 14000, 90, 0, NONE, CUBINET_MATCH_EXACT, 0},
    {"sm_90", 0, 90, 12000, NONE, CUBINET_MATCH_EXACT, 0},
    {"sm_80", 13000, 90, 12000, NONE, CUBINET_MATCH_NONE,
     CUBINET_REASON_OTHER_MAJOR | CUBINET_REASON_DRIVER_TOO_OLD},
    /* PTX: target and ISA. */
    {"compute_80", 12000, 80, 12000, NONE, CUBINET_MATCH_JIT, 0},
    {"compute_80", 12000, 121, 13040, NONE, CUBINET_MATCH_JIT, 0},
    {"compute_87", 12000, 89, 12000, NONE, CUBINET_MATCH_JIT, 0},
    {"compute_120", 13000, 90, 13000, NONE, CUBINET_MATCH_NONE, CUBINET_REASON_NEWER_TARGET},
    {"compute_80", 12010, 80, 12000, NONE, CUBINET_MATCH_NONE, CUBINET_REASON_PTX_ISA},
    {"compute_80", 12060, 80, 12050, NONE, CUBINET_MATCH_JIT, 0}, /* 12.6 writes 12.5's ISA */
    {"compute_80", 12070, 80, 12060, NONE, CUBINET_MATCH_NONE, CUBINET_REASON_PTX_ISA},
    {"compute_80", 13000, 80, 12090, NONE, CUBINET_MATCH_NONE, CUBINET_REASON_PTX_ISA},
    {"compute_80", 13040, 80, 13030, NONE, CUBINET_MATCH_NONE, CUBINET_REASON_PTX_ISA},
    {"compute_80", 13040, 80, 13040, NONE, CUBINET_MATCH_JIT, 0},
    {"compute_80", 11080, 80, 12000, NONE, CUBINET_MATCH_JIT, 0},
    {"compute_90", 13010, 80, 13000, NONE, CUBINET_MATCH_NONE,
     CUBINET_REASON_NEWER_TARGET | CUBINET_REASON_PTX_ISA},
    /* LTO-IR: target, and the linker's floor, major, device and driver. */
    {"lto_75", 12040, 90, 12040, 12040, CUBINET_MATCH_LINK, 0},
    {"lto_75", 12040, 90, 12000, 12090, CUBINET_MATCH_LINK, 0},
    {"lto_75", 12040, 90, 12040, NONE, CUBINET_MATCH_NONE, CUBINET_REASON_NO_LINKER},
    {"lto_75", 12040, 90, 12040, 12030, CUBINET_MATCH_NONE, CUBINET_REASON_LINKER_TOO_OLD},
    {"lto_75", 12040, 90, 13000, 13000, CUBINET_MATCH_NONE, CUBINET_REASON_LINKER_MAJOR},
    {"lto_75", 13000, 90, 13000, 12090, CUBINET_MATCH_NONE, CUBINET_REASON_LINKER_MAJOR},
    {"lto_100", 13000, 90, 13000, 13000, CUBINET_MATCH_NONE, CUBINET_REASON_NEWER_TARGET},
    {"lto_75", 13000, 90, 12040, 13000, CUBINET_MATCH_NONE, CUBINET_REASON_DRIVER_TOO_OLD},
    {"lto_75", 12000, 100, 13000, 12070, CUBINET_MATCH_NONE, CUBINET_REASON_LINKER_FINISHED},
    {"lto_75", 12000, 100, 13000, 12080, CUBINET_MATCH_LINK, 0},
    {"lto_50", 13000, 61, 13000, 13000, CUBINET_MATCH_NONE, CUBINET_REASON_LINKER_FINISHED},
    {"lto_75", 0, 90, 13000, 13000, CUBINET_MATCH_LINK, 0},
    /* Tile IR: the driver's release against the bytecode's version, and against the device. */
    {"tile_131", 0, 100, 13010, NONE, CUBINET_MATCH_TILE, 0},
    {"tile_131", 0, 100, 13050, NONE, CUBINET_MATCH_TILE, 0},
    {"tile_131", 0, 120, 14000, NONE, CUBINET_MATCH_TILE, 0},
    {"tile_131", 0, 100, 13000, NONE, CUBINET_MATCH_NONE,
     CUBINET_REASON_TILE_VERSION | CUBINET_REASON_TILE_DEVICE},
    {"tile_133", 0, 100, 13020, NONE, CUBINET_MATCH_NONE, CUBINET_REASON_TILE_VERSION},
    {"tile_131", 0, 80, 13010, NONE, CUBINET_MATCH_NONE, CUBINET_REASON_TILE_DEVICE},
    {"tile_131", 0, 80, 13020, NONE, CUBINET_MATCH_TILE, 0},
    {"tile_131", 0, 87, 13020, NONE, CUBINET_MATCH_TILE, 0},
    {"tile_132", 0, 90, 13020, NONE, CUBINET_MATCH_NONE, CUBINET_REASON_TILE_DEVICE},
    {"tile_132", 0, 90, 13030, NONE, CUBINET_MATCH_TILE, 0},
    {"tile_131", 0, 107, 13030, NONE, CUBINET_MATCH_NONE, CUBINET_REASON_TILE_DEVICE},
    {"tile_131", 0, 75, 13050, NONE, CUBINET_MATCH_NONE, CUBINET_REASON_TILE_DEVICE},
    {"tile_131", 0, 75, 0, NONE, CUBINET_MATCH_NONE, CUBINET_REASON_TILE_DEVICE},
    {"tile_135", 0, 80, 0, NONE, CUBINET_MATCH_TILE, 0},
    {"tile_135", 0, 140, 14020, NONE, CUBINET_MATCH_TILE, 0}, /* yet to come */
    /* OptiX-IR is not for the driver. */
    {"optix_75", 13000, 90, 13000, NONE, CUBINET_MATCH_NONE, CUBINET_REASON_NOT_LOADED},
    {"optix_100", 13000, 90, 12090, NONE, CUBINET_MATCH_NONE,
     CUBINET_REASON_NOT_LOADED | CUBINET_REASON_NEWER_TARGET | CUBINET_REASON_DRIVER_TOO_OLD},
};

static void follows_each_rule(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rules); i++) {
        const struct rule *rule = &rules[i];
        cubinet_image_info image = image_of(rule->target, rule->from);
        cubinet_device_profile device = device_of(rule->compute, rule->driver, rule->nvjitlink);
        cubinet_verdict verdict;
        size_t candidates = cubinet_images_rank(&image, 1, &device, NULL, &verdict);
        if (verdict.match != rule->match || verdict.reasons != rule->reasons ||
            candidates != (rule->match != CUBINET_MATCH_NONE)) {
            fail_msg("%s on %d, driver %u, nvJitLink %u: match %d, reasons %#x", rule->target, rule->compute,
                     rule->driver, rule->nvjitlink, verdict.match, verdict.reasons);
        }
    }
}

static void knows_no_ptx_isa_to_come(void **state)
{
    (void)state;
    cubinet_image_info image = image_of("compute_80", 13000);
    cubinet_device_profile device = device_of(90, 13000, NONE);
    cubinet_verdict verdict;
    const uint32_t unknown[] = {0, 1, 79, 89, 96, 100, UINT32_MAX};
    for (size_t i = 0; i < COUNT(unknown); i++) {
        image.ptx_isa = unknown[i];
        device.driver_version = 13000;
        assert_int_equal(cubinet_images_rank(&image, 1, &device, NULL, &verdict), 0);
        assert_int_equal(verdict.reasons, CUBINET_REASON_UNKNOWN_PTX_ISA);
        device.driver_version = 0;
        assert_int_equal(cubinet_images_rank(&image, 1, &device, NULL, &verdict), 1);
    }
}

/* Names of the images of a ranking, best first, up to the last candidate. */
static void rank(const char *const *targets, size_t count, const cubinet_device_profile *device,
                 const cubinet_policy *policy, char *text, size_t capacity)
{
    cubinet_image_info images[40];
    cubinet_verdict verdicts[40];
    assert_true(count <= COUNT(images));
    for (size_t i = 0; i < count; i++) {
        images[i] = image_of(targets[i], 12090);
    }
    size_t candidates = cubinet_images_rank(images, count, device, policy, verdicts);
    text[0] = '\0';
    for (size_t i = 0; i < candidates; i++) {
        char name[CUBINET_TARGET_NAME_SIZE];
        size_t length = strlen(text);
        snprintf(text + length, capacity - length, "%s%s", i ? " " : "",
                 cubinet_target_name(images[verdicts[i].image].target, name));
    }
}

static void ranks_tile_ir_between_linking_and_ptx(void **state)
{
    (void)state;
    static const char *const targets[] = {"sm_90",    "sm_100",   "compute_90", "compute_100a", "lto_90",
                                          "tile_131", "tile_133", "tile_135",   "optix_90"};
    char text[1000];
    cubinet_policy policy = {.size = sizeof(policy)};
    cubinet_device_profile device = device_of(100, 13030, 12090);
    rank(targets, COUNT(targets), &device, NULL, text, sizeof(text));
    assert_string_equal(text, "sm_100 lto_90 tile_133 tile_131 compute_100a compute_90");
    policy.kind = CUBINET_IMAGE_TILEIR;
    rank(targets, COUNT(targets), &device, &policy, text, sizeof(text));
    assert_string_equal(text, "tile_133 tile_131");
    policy = (cubinet_policy){.size = sizeof(policy), .flags = CUBINET_POLICY_FORCE_PTX};
    rank(targets, COUNT(targets), &device, &policy, text, sizeof(text));
    assert_string_equal(text, "compute_100a compute_90");
    policy = (cubinet_policy){.size = sizeof(policy), .flags = CUBINET_POLICY_FORBID_JIT};
    rank(targets, COUNT(targets), &device, &policy, text, sizeof(text));
    assert_string_equal(text, "sm_100");
    policy = (cubinet_policy){.size = sizeof(policy), .only = "tile_131"};
    rank(targets, COUNT(targets), &device, &policy, text, sizeof(text));
    assert_string_equal(text, "tile_131");
}

static void gives_optix_ir_to_whom_asks(void **state)
{
    (void)state;
    static const char *const targets[] = {"sm_90",    "compute_50", "optix_50",
                                          "optix_75", "optix_90",   "optix_90a"};
    char text[1000];
    cubinet_policy policy = {.size = sizeof(policy), .kind = CUBINET_IMAGE_OPTIXIR};
    cubinet_device_profile device = device_of(90, 12090, NONE);
    rank(targets, COUNT(targets), &device, &policy, text, sizeof(text));
    assert_string_equal(text, "optix_90a optix_90 optix_75 optix_50");
    device = device_of(89, 12090, NONE);
    rank(targets, COUNT(targets), &device, &policy, text, sizeof(text));
    assert_string_equal(text, "optix_75 optix_50");
    device = device_of(89, 12080, NONE); /* they are made by 12.9 */
    rank(targets, COUNT(targets), &device, &policy, text, sizeof(text));
    assert_string_equal(text, "");
    device = device_of(89, 12090, NONE);
    policy.only = "optix_50";
    rank(targets, COUNT(targets), &device, &policy, text, sizeof(text));
    assert_string_equal(text, "optix_50");
    policy = (cubinet_policy){.size = sizeof(policy), .only = "optix_50"};
    rank(targets, COUNT(targets), &device, &policy, text, sizeof(text));
    assert_string_equal(text, "");
}

static const char *const many[] = {
    "sm_80",       "sm_86",       "sm_89",        "sm_90",       "sm_90a",       "sm_100",       "sm_100a",
    "sm_100f",     "sm_103",      "sm_103a",      "sm_103f",     "sm_120",       "compute_50",   "compute_90",
    "compute_90a", "compute_100", "compute_100f", "compute_103", "compute_103a", "compute_103f", "lto_75",
    "lto_90a",     "lto_100",     "lto_100f",     "lto_103",     "lto_103f",
};

static void ranks_from_most_to_least_specific(void **state)
{
    (void)state;
    char text[1000];
    cubinet_device_profile device = device_of(103, 12090, 12090);
    rank(many, COUNT(many), &device, NULL, text, sizeof(text));
    assert_string_equal(text, "sm_103a sm_103f sm_100f sm_103 sm_100 "
                              "lto_103f lto_100f lto_103 lto_100 lto_75 "
                              "compute_103a compute_103f compute_100f compute_103 compute_100 compute_90 "
                              "compute_50");
    device = device_of(89, 12090, NONE);
    rank(many, COUNT(many), &device, NULL, text, sizeof(text));
    assert_string_equal(text, "sm_89 sm_86 sm_80 compute_50");
    device = device_of(90, 12080, 12090);
    rank(many, COUNT(many), &device, NULL, text, sizeof(text));
    assert_string_equal(text, "sm_90a sm_90 lto_90a lto_75");
}

static void follows_the_policy(void **state)
{
    (void)state;
    char text[1000];
    cubinet_device_profile device = device_of(90, 12090, 12090);
    cubinet_policy policy = {.size = sizeof(policy)};
    rank(many, COUNT(many), &device, &policy, text, sizeof(text));
    assert_string_equal(text, "sm_90a sm_90 lto_90a lto_75 compute_90a compute_90 compute_50");
    policy.flags |= CUBINET_POLICY_FORBID_JIT;
    rank(many, COUNT(many), &device, &policy, text, sizeof(text));
    assert_string_equal(text, "sm_90a sm_90");
    policy.flags |= CUBINET_POLICY_FORCE_PTX;
    rank(many, COUNT(many), &device, &policy, text, sizeof(text));
    assert_string_equal(text, "");
    policy.flags &= ~(uint32_t)CUBINET_POLICY_FORBID_JIT;
    rank(many, COUNT(many), &device, &policy, text, sizeof(text));
    assert_string_equal(text, "compute_90a compute_90 compute_50");
    policy.flags &= ~(uint32_t)CUBINET_POLICY_FORCE_PTX;
    policy.flags |= CUBINET_POLICY_PREFER_LTOIR;
    rank(many, COUNT(many), &device, &policy, text, sizeof(text));
    assert_string_equal(text, "lto_90a lto_75 sm_90a sm_90 compute_90a compute_90 compute_50");
    policy.only = "sm_90";
    rank(many, COUNT(many), &device, &policy, text, sizeof(text));
    assert_string_equal(text, "sm_90");
    policy.only = "sm_80"; /* pinning bends no rule */
    rank(many, COUNT(many), &device, &policy, text, sizeof(text));
    assert_string_equal(text, "");
    policy.only = "ninety";
    rank(many, COUNT(many), &device, &policy, text, sizeof(text));
    assert_string_equal(text, "");
}

static void lists_the_others_in_order(void **state)
{
    (void)state;
    cubinet_image_info images[] = {image_of("lto_100", 13000), image_of("compute_120", 13000),
                                   image_of("sm_90", 13000),   image_of("sm_100a", 13000),
                                   image_of("sm_100", 13000),  image_of("sm_80", 13000)};
    cubinet_device_profile device = device_of(90, 13000, NONE);
    cubinet_verdict verdicts[COUNT(images)];
    assert_int_equal(cubinet_images_rank(images, COUNT(images), &device, NULL, verdicts), 1);
    const uint32_t expected[] = {2, 5, 4, 3, 1, 0};
    for (size_t i = 0; i < COUNT(expected); i++) {
        assert_int_equal(verdicts[i].image, expected[i]);
        assert_int_equal(verdicts[i].match == CUBINET_MATCH_NONE, i > 0);
        assert_int_equal(verdicts[i].reasons == 0, i == 0);
    }
}

static void passes_over_unknown_kinds(void **state)
{
    (void)state;
    cubinet_image_info image = image_of("sm_90", 13000);
    image.target.kind = (cubinet_image_kind)9;
    cubinet_device_profile device = device_of(90, 13000, 13000);
    cubinet_policy policy = {.size = sizeof(policy), .flags = CUBINET_POLICY_FORCE_PTX, .only = "sm_90"};
    cubinet_verdict verdict;
    assert_int_equal(cubinet_images_rank(&image, 1, &device, &policy, &verdict), 0);
    assert_int_equal(verdict.reasons, CUBINET_REASON_UNKNOWN_KIND);
}

/* Programs of other versions: longer images, shorter devices and policies. */
static void honours_sizes(void **state)
{
    (void)state;
    struct {
        cubinet_image_info image;
        unsigned char more[24];
    } images[3];
    memset(images, 0xee, sizeof(images));
    const char *const targets[] = {"sm_80", "compute_90", "sm_90"};
    for (size_t i = 0; i < COUNT(images); i++) {
        images[i].image = image_of(targets[i], 12000);
        images[i].image.size = sizeof(images[i]);
    }
    cubinet_device_profile device = device_of(90, 99999, 99999);
    device.size = offsetof(cubinet_device_profile, driver_version);
    cubinet_policy policy = {.size = offsetof(cubinet_policy, only), .only = "not read"};
    cubinet_verdict verdicts[COUNT(images)];
    assert_int_equal(cubinet_images_rank(&images[0].image, COUNT(images), &device, &policy, verdicts), 2);
    assert_int_equal(verdicts[0].image, 2);
    assert_int_equal(verdicts[1].image, 1);
    assert_int_equal(verdicts[2].image, 0);

    images[0].image.size = SIZE_MAX / 2;
    assert_int_equal(cubinet_images_rank(&images[0].image, COUNT(images), &device, NULL, verdicts), 0);
    images[0].image.size = 8;
    assert_int_equal(cubinet_images_rank(&images[0].image, COUNT(images), &device, NULL, verdicts), 0);
    assert_int_equal(verdicts[2].image, 2);
    assert_int_equal(verdicts[2].reasons, CUBINET_REASON_UNKNOWN_KIND);
    assert_int_equal(cubinet_images_rank(NULL, 0, &device, NULL, NULL), 0);

    size_t least = offsetof(cubinet_image_info, base_image) + sizeof(uint32_t);
    images[2].image.size = least;
    assert_int_equal(cubinet_images_rank(&images[2].image, 1, &device, NULL, verdicts), 1);
    images[2].image.size = least - 1;
    assert_int_equal(cubinet_images_rank(&images[2].image, 1, &device, NULL, verdicts), 0);
}

/* The same numbers in every run. */
static uint32_t random_state = 12345;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 1664525 + 1013904223;
    return (uint32_t)(((uint64_t)random_state * limit) >> 32);
}

static const uint32_t releases[] = {12000, 12010, 12020, 12030, 12040, 12050, 12060, 12070,
                                    12080, 12090, 13000, 13010, 13020, 13030, 13040, 13050};

static uint32_t random_release(void)
{
    return releases[random_below(COUNT(releases))];
}

static cubinet_image_info random_image(void)
{
    static const char *const prefixes[] = {"sm_", "compute_", "lto_"};
    static const char *const suffixes[] = {"", "", "a", "f"};
    size_t computes = 0;
    while (all_computes[computes]) {
        computes++;
    }
    int number = all_computes[random_below((uint32_t)computes)];
    const char *suffix = suffixes[random_below(4)];
    if (number < 90 || (number == 90 && suffix[0] == 'f')) {
        suffix = "";
    }
    char name[CUBINET_TARGET_NAME_SIZE];
    snprintf(name, sizeof(name), "%s%d%s", prefixes[random_below(3)], number, suffix);
    cubinet_image_info image = image_of(name, random_release());
    image.digest[0] = (uint8_t)random_below(256);
    return image;
}

static cubinet_device_profile random_device(void)
{
    size_t computes = 0;
    while (all_computes[computes]) {
        computes++;
    }
    return device_of(all_computes[random_below((uint32_t)computes)], random_release(),
                     random_below(4) ? random_release() : NONE);
}

enum { ROUNDS = 3000, IMAGES = 24 };

static void chosen_images_break_no_rule(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        cubinet_image_info images[IMAGES];
        cubinet_verdict verdicts[IMAGES];
        for (size_t i = 0; i < IMAGES; i++) {
            images[i] = random_image();
        }
        cubinet_device_profile device = random_device();
        size_t candidates = cubinet_images_rank(images, IMAGES, &device, NULL, verdicts);
        uint32_t seen = 0;
        for (size_t i = 0; i < IMAGES; i++) {
            const cubinet_image_info *image = &images[verdicts[i].image];
            seen |= (uint32_t)1 << verdicts[i].image;
            assert_int_equal(verdicts[i].match != CUBINET_MATCH_NONE, i < candidates);
            assert_int_equal(verdicts[i].reasons == 0, i < candidates);
            if (may_run(image, &device) != (i < candidates)) {
                char name[CUBINET_TARGET_NAME_SIZE];
                fail_msg("%s from %u on %d.%d, driver %u, nvJitLink %u: reasons %#x",
                         cubinet_target_name(image->target, name), image->toolkit, device.compute_major,
                         device.compute_minor, device.driver_version, device.nvjitlink_version,
                         verdicts[i].reasons);
            }
        }
        assert_int_equal(seen, ((uint32_t)1 << IMAGES) - 1);
    }
}

/* Of images of one target, which a module does not have, each member decides if those before it are equal:
 * the larger toolkit, ISA and floor, and then the smaller image. */
static void tells_images_of_one_target_apart(void **state)
{
    (void)state;
    const cubinet_device_profile device = {.size = sizeof(device), .compute_major = 9};
    const cubinet_image_info image = {.size = sizeof(image),
                                      .target = {.kind = CUBINET_IMAGE_CUBIN, .number = 90},
                                      .toolkit = 12000,
                                      .ptx_isa = 80,
                                      .link_floor = 12000,
                                      .stored_size = 100};
    cubinet_image_info images[8] = {image, image, image, image, image, image, image, image};
    images[1].stored_size--;
    images[2].stored_size--;
    images[2].digest[0]++;
    images[3].link_floor++;
    images[4].link_floor++;
    images[4].stored_size--;
    images[5].ptx_isa++;
    images[5].link_floor--;
    images[6].toolkit++;
    images[6].ptx_isa--;
    images[6].stored_size++;
    static const uint32_t order[] = {6, 5, 4, 3, 1, 2, 0, 7};
    cubinet_verdict verdicts[COUNT(images)];
    assert_int_equal(cubinet_images_rank(images, COUNT(images), &device, NULL, verdicts), COUNT(images));
    for (size_t i = 0; i < COUNT(order); i++) {
        assert_int_equal(verdicts[i].image, order[i]);
    }
}

/* `size` is the distance between elements, so of the only one it may be anything that is large enough. */
static void takes_any_distance_that_fits(void **state)
{
    (void)state;
    const cubinet_device_profile device = {.size = sizeof(device), .compute_major = 9};
    cubinet_image_info image = {.size = SIZE_MAX, .target = {.kind = CUBINET_IMAGE_CUBIN, .number = 90}};
    cubinet_verdict verdicts[3] = {{0}, {0}, {.image = 77}};
    assert_int_equal(cubinet_images_rank(&image, 1, &device, NULL, verdicts), 1);
    assert_int_equal(cubinet_images_rank(&image, 2, &device, NULL, verdicts), 0);
    assert_int_equal(verdicts[0].reasons, CUBINET_REASON_UNKNOWN_KIND);
    assert_int_equal(verdicts[1].reasons, CUBINET_REASON_UNKNOWN_KIND);
    assert_int_equal(verdicts[2].image, 77);
    image.size = 1;
    assert_int_equal(cubinet_images_rank(&image, 2, &device, NULL, verdicts), 0);
    assert_int_equal(verdicts[2].image, 77); /* nothing is written after the last */
}

static int same_image(const cubinet_image_info *a, const cubinet_image_info *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

static void order_in_the_array_has_no_influence(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        cubinet_image_info images[IMAGES], shuffled[IMAGES];
        cubinet_verdict first[IMAGES], second[IMAGES];
        memset(images, 0, sizeof(images));
        for (size_t i = 0; i < IMAGES; i++) {
            images[i] = random_image();
        }
        memcpy(shuffled, images, sizeof(images));
        for (size_t i = IMAGES - 1; i > 0; i--) {
            size_t other = random_below((uint32_t)i + 1);
            cubinet_image_info swapped = shuffled[i];
            shuffled[i] = shuffled[other];
            shuffled[other] = swapped;
        }
        cubinet_device_profile device = random_device();
        cubinet_policy policy = {.size = sizeof(policy),
                                 .flags = random_below(2) ? CUBINET_POLICY_PREFER_LTOIR : 0};
        size_t candidates = cubinet_images_rank(images, IMAGES, &device, &policy, first);
        assert_int_equal(cubinet_images_rank(shuffled, IMAGES, &device, &policy, second), candidates);
        for (size_t i = 0; i < IMAGES; i++) {
            assert_true(same_image(&images[first[i].image], &shuffled[second[i].image]));
            assert_int_equal(first[i].reasons, second[i].reasons);
        }
    }
}

/* What is chosen with one image more is what was chosen before, or that image, and then it beats the other
 * when there are only the two. */
static void another_image_never_makes_the_choice_worse(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        cubinet_image_info images[IMAGES];
        cubinet_verdict before[IMAGES], after[IMAGES], duel[2];
        for (size_t i = 0; i < IMAGES; i++) {
            images[i] = random_image();
        }
        size_t count = 1 + random_below(IMAGES - 1);
        cubinet_device_profile device = random_device();
        size_t candidates = cubinet_images_rank(images, count, &device, NULL, before);
        size_t more = cubinet_images_rank(images, count + 1, &device, NULL, after);
        assert_true(more == candidates || more == candidates + 1);
        if (candidates > 0 && after[0].image != before[0].image) {
            assert_int_equal(after[0].image, count);
            cubinet_image_info both[] = {images[before[0].image], images[count]};
            assert_int_equal(cubinet_images_rank(both, 2, &device, NULL, duel), 2);
            assert_int_equal(duel[0].image, 1);
        }
    }
}

static void sorts_thousands(void **state)
{
    (void)state;
    enum { THOUSANDS = 30000 };
    cubinet_image_info *images = calloc(THOUSANDS, sizeof(*images));
    cubinet_verdict *verdicts = calloc(THOUSANDS, sizeof(*verdicts));
    for (int i = 0; i < THOUSANDS; i++) {
        images[i] = image_of("compute_10", 12000);
        images[i].target.number = 10 + i % 9990;
    }
    cubinet_device_profile device = device_of(99999, 13000, NONE);
    assert_int_equal(cubinet_images_rank(images, THOUSANDS, &device, NULL, verdicts), THOUSANDS);
    for (int i = 1; i < THOUSANDS; i++) {
        assert_true(images[verdicts[i].image].target.number <= images[verdicts[i - 1].image].target.number);
    }
    free(images);
    free(verdicts);
}

static void allocates_nothing(void **state)
{
    (void)state;
    allocations_watch(0);
    cubinet_image_info *images = calloc(IMAGES, sizeof(*images));
    assert_non_null(images);
    assert_int_equal(allocations_made(), 1); /* they are counted */
    cubinet_verdict verdicts[IMAGES];
    char text[256];
    for (size_t i = 0; i < IMAGES; i++) {
        images[i] = random_image();
    }
    const cubinet_policy policy = {.size = sizeof(policy), .only = "sm_90"};
    for (int round = 0; round < 100; round++) {
        cubinet_device_profile device = random_device();
        cubinet_images_rank(images, IMAGES, &device, round % 2 ? &policy : NULL, verdicts);
        cubinet_verdict_describe(&verdicts[0], &images[verdicts[0].image], &device, NULL, text, sizeof(text));
    }
    assert_int_equal(allocations_stop(), 1);
    free(images);
}

/* PTX for one architecture may use more than PTX for its family. */
static void ranks_ptx_of_an_architecture_before_its_familys(void **state)
{
    (void)state;
    const cubinet_image_info images[] = {image_of("compute_100", 12090), image_of("compute_100f", 12090),
                                         image_of("compute_100a", 12090)};
    cubinet_device_profile device = device_of(100, 13000, 0);
    cubinet_verdict verdicts[COUNT(images)];
    assert_int_equal(cubinet_images_rank(images, COUNT(images), &device, NULL, verdicts), COUNT(images));
    for (uint32_t i = 0; i < COUNT(images); i++) {
        assert_int_equal(verdicts[i].image, COUNT(images) - 1 - i);
    }
}

/* Only nvJitLink brings an image together with others. */
static void wants_what_needs_others_linked_first(void **state)
{
    (void)state;
    static const struct {
        const char *target;
        cubinet_match match;
        uint32_t reasons;
    } cases[] = {
        {"sm_90", CUBINET_MATCH_NONE, CUBINET_REASON_UNLINKED},
        {"sm_80", CUBINET_MATCH_NONE, CUBINET_REASON_UNLINKED | CUBINET_REASON_OTHER_MAJOR},
        {"compute_80", CUBINET_MATCH_NONE, CUBINET_REASON_UNLINKED},
        {"lto_80", CUBINET_MATCH_LINK, 0},
    };
    cubinet_device_profile device = device_of(90, 13000, 13000);
    for (size_t i = 0; i < COUNT(cases); i++) {
        cubinet_image_info image = image_of(cases[i].target, 13000);
        cubinet_verdict verdict;
        image.needed_count = 1;
        cubinet_images_rank(&image, 1, &device, NULL, &verdict);
        assert_int_equal(verdict.match, cases[i].match);
        assert_int_equal(verdict.reasons, cases[i].reasons);
    }
}

static void takes_nothing(void **state)
{
    (void)state;
    const cubinet_image_info image = {.size = sizeof(image)};
    const cubinet_device_profile device = device_of(90, 13000, 0);
    cubinet_verdict verdict;
    assert_int_equal(cubinet_images_rank(NULL, 1, &device, NULL, &verdict), 0);
    assert_int_equal(cubinet_images_rank(&image, 1, &device, NULL, NULL), 0);
    assert_int_equal(cubinet_images_rank(&image, 1, NULL, NULL, &verdict), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_each_rule),
        cmocka_unit_test(knows_no_ptx_isa_to_come),
        cmocka_unit_test(ranks_from_most_to_least_specific),
        cmocka_unit_test(ranks_tile_ir_between_linking_and_ptx),
        cmocka_unit_test(gives_optix_ir_to_whom_asks),
        cmocka_unit_test(follows_the_policy),
        cmocka_unit_test(ranks_ptx_of_an_architecture_before_its_familys),
        cmocka_unit_test(wants_what_needs_others_linked_first),
        cmocka_unit_test(lists_the_others_in_order),
        cmocka_unit_test(passes_over_unknown_kinds),
        cmocka_unit_test(honours_sizes),
        cmocka_unit_test(tells_images_of_one_target_apart),
        cmocka_unit_test(takes_any_distance_that_fits),
        cmocka_unit_test(chosen_images_break_no_rule),
        cmocka_unit_test(order_in_the_array_has_no_influence),
        cmocka_unit_test(another_image_never_makes_the_choice_worse),
        cmocka_unit_test(sorts_thousands),
        cmocka_unit_test(allocates_nothing),
        cmocka_unit_test(takes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
