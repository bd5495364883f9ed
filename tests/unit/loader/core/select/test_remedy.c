/* SPDX-License-Identifier: Apache-2.0 */
/* What helps where no image runs. */
#include "loader/core/select/remedy.h"
#include "select_cases.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void says_what_helps(void **state)
{
    (void)state;
    static const cubinet_policy no_jit = {.size = sizeof(no_jit), .flags = CUBINET_POLICY_FORBID_JIT};
    static const struct {
        const char *targets[3]; /* of the images */
        uint32_t toolkit;
        int compute;
        uint32_t driver;
        uint32_t nvjitlink;
        const cubinet_policy *policy;
        const char *helps; /* "": nothing is said */
    } cases[] = {
        {{"sm_80", "sm_90"},
         12000,
         75,
         13000,
         0,
         NULL,
         "\n  What helps: build the module for compute capability 7.5 too: 75 among the architectures, or "
         "PTX "
         "of a lower one (75-virtual)"},
        {{"sm_80", "sm_90"},
         13020,
         90,
         12040,
         0,
         NULL,
         "\n  What helps: install a driver for CUDA 13.0 or later (nvidia-smi shows what it is for)"},
        {{"compute_80", "sm_80"},
         13010,
         90,
         13000,
         0,
         NULL,
         "\n  What helps: install a driver for CUDA 13.1 or later (nvidia-smi shows what it is for)"},
        {{"compute_80", "sm_90"},
         13010,
         90,
         12090,
         0,
         NULL,
         "\n  What helps: install a driver for CUDA 13.0 or later (nvidia-smi shows what it is for)"},
        {{"sm_90", "compute_80"},
         13010,
         90,
         12090,
         0,
         NULL,
         "\n  What helps: install a driver for CUDA 13.0 or later (nvidia-smi shows what it is for)"},
        {{"tile_133"},
         13030,
         90,
         13000,
         0,
         NULL,
         "\n  What helps: build the module for compute capability 9.0 too: 90 among the architectures, or "
         "PTX "
         "of a lower one (90-virtual)"},
        {{"tile_133"},
         13030,
         100,
         13020,
         0,
         NULL,
         "\n  What helps: install a driver for CUDA 13.3 or later (nvidia-smi shows what it is for)"},
        {{"lto_75", "lto_80"},
         12090,
         90,
         12090,
         0,
         NULL,
         "\n  What helps: install nvJitLink 12.9 or a later 12.x, with the CUDA toolkit or from NVIDIA's "
         "Python package nvidia-nvjitlink"},
        {{"lto_75"},
         13000,
         90,
         12090,
         13000,
         NULL,
         "\n  What helps: install a driver for CUDA 13.0 or later (nvidia-smi shows what it is for)"},
        {{"compute_80", "sm_80"},
         13000,
         90,
         13000,
         0,
         &no_jit,
         "\n  What helps: allow in the policy what it forbids"},
        {{"compute_80"}, 0, 90, 13000, 0, NULL, "\n  What helps: use a newer libcubinet"},
        {{"sm_90", "sm_80"}, 13000, 90, 13000, 0, NULL, ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        cubinet_image_info images[3];
        cubinet_verdict verdicts[3];
        size_t count = 0;
        for (; cases[i].targets[count]; count++) {
            images[count] = image_of(cases[i].targets[count], cases[i].toolkit);
            images[count].ptx_isa = cases[i].toolkit ? images[count].ptx_isa : 105;
        }
        const cubinet_device_profile device =
            device_of(cases[i].compute, cases[i].driver, cases[i].nvjitlink);
        cubinet_images_rank(images, count, &device, cases[i].policy, verdicts);
        char *text = NULL;
        size_t size = 0;
        FILE *file = open_memstream(&text, &size);
        cbn_remedy_print(file, verdicts, images, count, &device);
        fclose(file);
        assert_string_equal(text, cases[i].helps);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_helps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
