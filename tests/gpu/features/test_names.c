/* SPDX-License-Identifier: Apache-2.0 */
/* Several kernels of one file, found by every kind of name that they can have. */
#include "feature_test.h"

#include <stdio.h>

enum { RESULTS = 9 };

static void launch(struct feature *feature, const char *name, CUdeviceptr out, const cubinet_arg *second)
{
    const cubinet_arg args[] = {CUBINET_ARG(out), second ? *second : (cubinet_arg){0}};
    feature_launch(feature, name, (cubinet_launch_config){.grid = {1}, .block = {1}}, args, second ? 2 : 1);
}

static void test(struct feature *feature)
{
    static const int expected[RESULTS] = {1, 2, 3, 9, 5, 6, 7, 14, 52};
    int found[RESULTS];
    int three = 3;
    float four_and_a_half = 4.5F;
    int holder = 50;
    char function = 0; /* an empty struct has one byte */
    CUdeviceptr out = feature_upload(feature, NULL, sizeof(found));
    launch(feature, "plain", out, NULL);
    launch(feature, "_Z7mangledPi", out, NULL);
    launch(feature, "mangled", out, NULL); /* by what people call them, too */
    launch(feature, "overloaded(int*, float)", out, &(cubinet_arg)CUBINET_ARG(four_and_a_half));
    launch(feature, "_Z10overloadedPii", out, &(cubinet_arg)CUBINET_ARG(three));
    launch(feature, "_Z10overloadedPif", out, &(cubinet_arg)CUBINET_ARG(four_and_a_half));
    launch(feature, "outer::inner::nested", out, NULL);
    launch(feature, "outer :: unnamed", out, NULL);
    launch(feature, "hidden", out, NULL);
    launch(feature, "apply<doubled, 7>", out, &(cubinet_arg)CUBINET_ARG(function));
    launch(feature, "variadic<holder,int,float>", out, &(cubinet_arg)CUBINET_ARG(holder));
    feature_download(feature, found, out, sizeof(found));
    for (size_t i = 0; i < RESULTS; i++) {
        feature_near(found[i], expected[i], 0, "result", i);
    }
    feature_free(feature, out);
}

int main(int argc, char **argv)
{
    GPU_TRUE(argc == 2);
    return feature_run(argv[1], "names", test);
}
