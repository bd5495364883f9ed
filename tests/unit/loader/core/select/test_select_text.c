/* SPDX-License-Identifier: Apache-2.0 */
/* What verdicts say. */
#include "loader/core/select/select.h"
#include "select_cases.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void describe(const cubinet_image_info *image, const cubinet_device_profile *device,
                     const cubinet_policy *policy, const char *expected)
{
    cubinet_verdict verdict;
    char text[500];
    cubinet_images_rank(image, 1, device, policy, &verdict);
    size_t length = cubinet_verdict_describe(&verdict, image, device, policy, text, sizeof(text));
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
}

static void says_why_and_why_not(void **state)
{
    (void)state;
    static const struct {
        const char *target;
        uint32_t from;
        int compute;
        uint32_t driver;
        uint32_t nvjitlink;
        const char *text;
    } cases[] = {
        {"sm_90a", 13000, 90, 13000, 0,
         "sm_90a is for this device, compute capability 9.0, and its own features"},
        {"sm_100f", 13000, 103, 13000, 0,
         "sm_100f is for this device's family, compute capabilities 10.0, 10.3 and 10.7"},
        {"sm_120f", 13000, 121, 13000, 0,
         "sm_120f is for this device's family, compute capabilities 12.0 and 12.1"},
        {"sm_110f", 13000, 110, 13000, 0, "sm_110f is for this device's family, compute capability 11.0"},
        {"sm_90", 13000, 90, 13000, 0, "sm_90 is for this device's compute capability, 9.0"},
        {"sm_80", 13000, 86, 13000, 0,
         "sm_80 runs on compute capability 8.6 too: the same major, and a later minor"},
        {"lto_75", 13000, 90, 13000, 13010,
         "lto_75 can be linked for compute capability 9.0 by nvJitLink 13.1"},
        {"compute_80", 13000, 90, 13000, 0,
         "compute_80 PTX can be compiled for compute capability 9.0 by the driver"},

        {"sm_80", 12000, 90, 13000, 0,
         "sm_80 needs compute capability 8.0 or a later 8.x; this device is 9.0"},
        {"sm_103", 13000, 100, 13000, 0,
         "sm_103 needs compute capability 10.3 or a later 10.x; this device is 10.0"},
        {"sm_87", 13000, 90, 13000, 0, "sm_87 runs on compute capability 8.7 only; this device is 9.0"},
        {"sm_87", 13000, 86, 13000, 0, "sm_87 runs on compute capability 8.7 only; this device is 8.6"},
        {"sm_87", 13000, 89, 13000, 0, "sm_87 runs on compute capability 8.7 only; this device is 8.9"},
        {"sm_86", 13000, 87, 13000, 0,
         "sm_86 does not run on this device: compute capability 8.7 (Tegra) takes cubins for sm_87 only"},
        {"sm_86", 13000, 88, 13000, 0,
         "sm_86 does not run on this device: compute capability 8.8 takes cubins for sm_88 only"},
        {"sm_90a", 13000, 120, 13000, 0, "sm_90a runs on compute capability 9.0 only; this device is 12.0"},
        {"compute_100f", 13000, 120, 13000, 0,
         "compute_100f PTX runs on compute capabilities 10.0, 10.3 and 10.7 only; this device is 12.0"},
        {"sm_140f", 13000, 140, 13000, 0, "sm_140f is for a family that cubinet 0.1.0 does not know"},
        {"compute_120", 13000, 90, 13000, 0,
         "compute_120 PTX needs compute capability 12.0 or later; this device is 9.0"},
        {"lto_120", 13000, 90, 13000, 13000,
         "lto_120 needs compute capability 12.0 or later; this device is 9.0"},
        {"sm_90", 13000, 90, 12040, 0,
         "sm_90 was made by CUDA 13.0 and needs a driver for CUDA 13.0 or later; this one is for 12.4"},
        {"sm_90", 13020, 90, 12090, 0,
         "sm_90 was made by CUDA 13.2 and needs a driver for CUDA 13.0 or later; this one is for 12.9"},
        {"compute_80", 13010, 90, 13000, 0, "PTX ISA 9.1 needs a driver for CUDA 13.1; this one is for 13.0"},
        {"compute_120", 13010, 90, 13000, 0,
         "compute_120 PTX needs compute capability 12.0 or later; this device is 9.0; also, PTX ISA 9.1 "
         "needs a "
         "driver for CUDA 13.1; this one is for 13.0"},
        {"lto_75", 12090, 90, 12090, 0, "lto_75 needs nvJitLink, which is missing"},
        {"lto_75", 12090, 90, 12090, 12040, "lto_75 needs nvJitLink 12.9 or later; this one is 12.4"},
        {"lto_75", 12090, 90, 13000, 13000,
         "lto_75 needs an nvJitLink 12.x, 12.9 or later; this one is 13.0"},
        {"lto_75", 13000, 90, 13000, 12090,
         "lto_75 needs an nvJitLink 13.x, 13.0 or later; this one is 12.9"},
        {"lto_75", 13000, 90, 12090, 13000,
         "lto_75 is linked by nvJitLink 13.0, whose code needs a driver for CUDA 13.0 or later; this one is "
         "for "
         "12.9"},
        {"tile_131", 0, 100, 13010, 0, "tile_131 can be compiled for compute capability 10.0 by the driver"},
        {"tile_133", 0, 100, 13010, 0,
         "tile_133 is Tile IR 13.3, which needs a driver for CUDA 13.3; this one is for 13.1"},
        {"tile_131", 0, 90, 13020, 0,
         "tile_131 is Tile IR, which drivers compile for compute capability 9.0 since CUDA 13.3; this one is "
         "for 13.2"},
        {"tile_131", 0, 75, 13020, 0,
         "tile_131 is Tile IR, which no driver compiles for compute capability 7.5"},
        {"optix_75", 13000, 90, 13000, 0,
         "optix_75 is OptiX-IR, which optixModuleCreate() takes and the driver does not"},
        {"lto_50", 13000, 61, 13000, 13000, "nvJitLink 13.0 makes no code for compute capability 6.1"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        cubinet_image_info image = image_of(cases[i].target, cases[i].from);
        cubinet_device_profile device = device_of(cases[i].compute, cases[i].driver, cases[i].nvjitlink);
        describe(&image, &device, NULL, cases[i].text);
    }
}

static void says_what_the_policy_forbids(void **state)
{
    (void)state;
    cubinet_device_profile device = device_of(90, 13000, 13000);
    cubinet_image_info cubin = image_of("sm_90", 13000);
    cubinet_image_info ptx = image_of("compute_90", 13000);
    cubinet_image_info ltoir = image_of("lto_90", 13000);
    cubinet_policy policy = {.size = sizeof(policy), .flags = CUBINET_POLICY_FORBID_JIT};
    describe(&ptx, &device, &policy, "compute_90 must be compiled on this machine, which the policy forbids");
    describe(&ltoir, &device, &policy, "lto_90 must be linked on this machine, which the policy forbids");
    policy = (cubinet_policy){.size = sizeof(policy), .flags = CUBINET_POLICY_FORCE_PTX};
    describe(&cubin, &device, &policy, "sm_90 is not PTX, the only kind allowed");
    policy = (cubinet_policy){.size = sizeof(policy), .only = "sm_80"};
    describe(&cubin, &device, &policy, "only 'sm_80' is allowed");
    policy = (cubinet_policy){.size = sizeof(policy), .kind = CUBINET_IMAGE_OPTIXIR};
    cubinet_image_info optixir = image_of("optix_75", 13020);
    describe(&cubin, &device, &policy, "sm_90 is not of the requested kind");
    describe(
        &optixir, &device, &policy,
        "optix_75 was made by CUDA 13.2 and needs a driver for CUDA 13.2 or later; this one is for 13.0");
    optixir.toolkit = 0;
    describe(&optixir, &device, &policy,
             "optix_75 can be compiled for compute capability 9.0 by optixModuleCreate()");
}

static void says_what_it_does_not_know(void **state)
{
    (void)state;
    cubinet_device_profile device = device_of(90, 13000, 13000);
    cubinet_image_info image = image_of("compute_90", 13000);
    image.ptx_isa = 105;
    describe(&image, &device, NULL, "cubinet 0.1.0 does not know PTX ISA 10.5, nor which drivers take it");
    image.target.kind = (cubinet_image_kind)9;
    describe(&image, &device, NULL, "cubinet 0.1.0 does not know images of kind 9");

    char text[100];
    const cubinet_verdict verdict = {.match = (cubinet_match)99};
    image = image_of("sm_90", 13000);
    cubinet_verdict_describe(&verdict, &image, &device, NULL, text, sizeof(text));
    assert_string_equal(text, "sm_90");
    cubinet_verdict_describe(&(cubinet_verdict){0}, &image, &device, NULL, text, sizeof(text));
    assert_string_equal(text, "sm_90 was not judged");
}

static void says_what_has_to_be_linked_first(void **state)
{
    (void)state;
    char text[200];
    cubinet_device_profile device = device_of(90, 13000, 0);
    cubinet_image_info image = image_of("compute_80", 13000);
    const cubinet_verdict verdict = {.reasons = CUBINET_REASON_UNLINKED};
    cubinet_verdict_describe(&verdict, &image, &device, NULL, text, sizeof(text));
    assert_string_equal(text,
                        "compute_80 PTX needs functions or variables of other modules, and has to be linked "
                        "with them first");
}

static void cuts_what_has_no_room(void **state)
{
    (void)state;
    static const char whole[] = "sm_80 needs compute capability 8.0 or a later 8.x; this device is 9.0";
    cubinet_image_info image = image_of("sm_80", 12000);
    cubinet_device_profile device = device_of(90, 13000, 0);
    cubinet_verdict verdict;
    cubinet_images_rank(&image, 1, &device, NULL, &verdict);
    for (size_t capacity = 0; capacity <= sizeof(whole); capacity++) {
        char text[sizeof(whole) + 1];
        memset(text, '#', sizeof(text));
        assert_int_equal(cubinet_verdict_describe(&verdict, &image, &device, NULL, text, capacity),
                         sizeof(whole) - 1);
        if (capacity > 0) {
            assert_memory_equal(text, whole, capacity - 1);
            assert_int_equal(text[capacity - 1], '\0');
        }
        assert_int_equal(text[capacity], '#');
    }
    assert_int_equal(cubinet_verdict_describe(&verdict, &image, &device, NULL, NULL, 0), sizeof(whole) - 1);
}

/* In lists each line names its image, and once. */
static void describes_nothing(void **state)
{
    (void)state;
    const cubinet_image_info image = {.size = sizeof(image)};
    const cubinet_device_profile device = device_of(90, 13000, 0);
    const cubinet_verdict verdict = {.reasons = UINT32_MAX};
    char text[8] = "before";
    assert_int_equal(cubinet_verdict_describe(NULL, &image, &device, NULL, text, sizeof(text)), 0);
    assert_string_equal(text, "");
    strcpy(text, "before");
    assert_int_equal(cubinet_verdict_describe(&verdict, NULL, &device, NULL, text, sizeof(text)), 0);
    assert_string_equal(text, "");
    assert_true(cubinet_verdict_describe(&verdict, &image, NULL, NULL, NULL, sizeof(text)) > 0);
}

static void names_each_image_once(void **state)
{
    (void)state;
    static const char expected[] = "\n  sm_90 is for this device's compute capability, 9.0\n  sm_90: only "
                                   "'sm_80' is allowed";
    cubinet_device_profile device = device_of(90, 13000, 0);
    cubinet_image_info image = image_of("sm_90", 13000);
    const cubinet_policy policy = {.size = sizeof(policy), .only = "sm_80"};
    cubinet_verdict verdict;
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    cubinet_images_rank(&image, 1, &device, NULL, &verdict);
    cbn_verdict_print(file, &verdict, &image, &device, NULL);
    cubinet_images_rank(&image, 1, &device, &policy, &verdict);
    cbn_verdict_print(file, &verdict, &image, &device, &policy);
    fclose(file);
    assert_string_equal(text, expected);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_why_and_why_not),       cmocka_unit_test(says_what_the_policy_forbids),
        cmocka_unit_test(says_what_it_does_not_know), cmocka_unit_test(says_what_has_to_be_linked_first),
        cmocka_unit_test(cuts_what_has_no_room),      cmocka_unit_test(names_each_image_once),
        cmocka_unit_test(describes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
