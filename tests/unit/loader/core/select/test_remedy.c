/* SPDX-License-Identifier: Apache-2.0 */
/* What helps where no image runs. */
#include "loader/core/select/remedy.h"
#include "select_cases.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUILD_FOR_9_0                                                                                        \
    "\n  To fix this, build the module for compute capability 9.0, too: add 90 to the architectures, or "    \
    "PTX "                                                                                                   \
    "of "                                                                                                    \
    "a lower one (90-virtual)"
#define LINKER(release, major)                                                                               \
    "\n  To fix this, install nvJitLink " release " or a later " major ".x, with the CUDA toolkit or from "  \
    "NVIDIA's Python package nvidia-nvjitlink"
#define ALLOW "\n  To fix this, allow the image in the policy that forbids it"
#define DRIVER(release)                                                                                      \
    "\n  To fix this, install a driver for CUDA " release " or later (nvidia-smi shows the release of "      \
    "yours)"

static void expect_help(const cubinet_image_info *images, size_t count, const cubinet_device_profile *device,
                        const cubinet_policy *policy, const char *helps)
{
    cubinet_verdict verdicts[3];
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    cubinet_images_rank(images, count, device, policy, verdicts);
    cbn_remedy_print(file, verdicts, images, count, device);
    fclose(file);
    assert_string_equal(text, helps);
    free(text);
}

static void says_what_helps(void **state)
{
    (void)state;
    static const cubinet_policy no_jit = {.size = sizeof(no_jit), .flags = CUBINET_POLICY_FORBID_JIT};
    static const cubinet_policy only_ptx = {.size = sizeof(only_ptx), .flags = CUBINET_POLICY_FORCE_PTX};
    static const cubinet_policy only_80 = {.size = sizeof(only_80), .only = "sm_80"};
    static const struct {
        const char *targets[3]; /* of the images */
        uint32_t toolkit;
        int compute;
        uint32_t driver;
        uint32_t nvjitlink;
        const cubinet_policy *policy;
        const char *helps; /* "": nothing is said */
    } cases[] = {
        {{"sm_80", "sm_103"}, 12000, 90, 13000, 0, NULL, BUILD_FOR_9_0},
        {{"sm_80", "sm_90"}, 13020, 90, 12040, 0, NULL, DRIVER("13.0")},
        {{"compute_80", "sm_80"}, 13010, 90, 13000, 0, NULL, DRIVER("13.1")},
        {{"tile_133"}, 13030, 90, 13000, 0, NULL, BUILD_FOR_9_0},
        {{"tile_133"}, 13030, 100, 13020, 0, NULL, DRIVER("13.3")},
        {{"lto_75"}, 13000, 90, 12090, 13000, NULL, DRIVER("13.0")},
        {{"lto_75", "lto_80"}, 12090, 90, 12090, 0, NULL, LINKER("12.9", "12")},
        {{"lto_75"}, 12090, 90, 12090, 12040, NULL, LINKER("12.9", "12")},
        {{"lto_75"}, 12090, 90, 13000, 13000, NULL, LINKER("12.9", "12")},
        {{"lto_75"}, 13000, 90, 13000, 0, NULL, LINKER("13.0", "13")},
        {{"compute_80", "sm_80"}, 13000, 90, 13000, 0, &no_jit, ALLOW},
        {{"sm_90", "sm_80"}, 13000, 90, 13000, 0, &only_ptx, ALLOW},
        {{"sm_90", "compute_80"}, 13000, 90, 13000, 0, &only_80, ALLOW},
        {{"sm_90", "sm_80"}, 13000, 90, 13000, 0, NULL, ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        cubinet_image_info images[3];
        size_t count = 0;
        for (; cases[i].targets[count]; count++) {
            images[count] = image_of(cases[i].targets[count], cases[i].toolkit);
        }
        const cubinet_device_profile device =
            device_of(cases[i].compute, cases[i].driver, cases[i].nvjitlink);
        expect_help(images, count, &device, cases[i].policy, cases[i].helps);
    }
}

static void asks_for_the_least(void **state)
{
    (void)state;
    const cubinet_device_profile device = device_of(90, 12040, 0);
    const cubinet_image_info images[] = {image_of("sm_90", 13010), image_of("compute_80", 12090)};
    expect_help(images, 2, &device, NULL, DRIVER("12.9"));
    const cubinet_image_info others[] = {image_of("compute_80", 13010), image_of("sm_90", 13010)};
    expect_help(others, 2, &device, NULL, DRIVER("13.0"));
}

static void asks_for_the_release_of_optix_ir(void **state)
{
    (void)state;
    const cubinet_device_profile device = device_of(90, 13000, 0);
    const cubinet_image_info image = image_of("optix_75", 13020);
    const cubinet_policy policy = {.size = sizeof(policy), .kind = CUBINET_IMAGE_OPTIXIR};
    expect_help(&image, 1, &device, &policy, DRIVER("13.2"));
}

static void knows_what_it_does_not_know(void **state)
{
    (void)state;
    const cubinet_device_profile device = device_of(90, 13000, 0);
    cubinet_image_info image = image_of("compute_80", 13000);
    image.ptx_isa = 105;
    expect_help(&image, 1, &device, NULL, "\n  To fix this, use a newer libcubinet");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_helps),
        cmocka_unit_test(asks_for_the_least),
        cmocka_unit_test(asks_for_the_release_of_optix_ir),
        cmocka_unit_test(knows_what_it_does_not_know),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
