/* SPDX-License-Identifier: Apache-2.0 */
/* Texture and surface objects that the program makes and kernels take as parameters. */
#include "feature_test.h"

#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 64, HEIGHT = 48, TEXELS = 100 };

static float image[HEIGHT][WIDTH];

static CUarray make_array(struct feature *feature, const void *data)
{
    const CUDA_ARRAY3D_DESCRIPTOR shape = {
        .Width = WIDTH,
        .Height = HEIGHT,
        .Format = CU_AD_FORMAT_FLOAT,
        .NumChannels = 1,
        .Flags = CUDA_ARRAY3D_SURFACE_LDST,
    };
    CUarray array = NULL;
    GPU_DRIVER(FEATURE_CALL(feature, cuArray3DCreate)(&array, &shape));
    const CUDA_MEMCPY2D copy = {
        .srcMemoryType = CU_MEMORYTYPE_HOST,
        .srcHost = data,
        .srcPitch = WIDTH * sizeof(float),
        .dstMemoryType = CU_MEMORYTYPE_ARRAY,
        .dstArray = array,
        .WidthInBytes = WIDTH * sizeof(float),
        .Height = HEIGHT,
    };
    GPU_DRIVER(FEATURE_CALL(feature, cuMemcpy2D)(&copy));
    return array;
}

static void read_array(struct feature *feature, CUarray array, void *data)
{
    const CUDA_MEMCPY2D copy = {
        .srcMemoryType = CU_MEMORYTYPE_ARRAY,
        .srcArray = array,
        .dstMemoryType = CU_MEMORYTYPE_HOST,
        .dstHost = data,
        .dstPitch = WIDTH * sizeof(float),
        .WidthInBytes = WIDTH * sizeof(float),
        .Height = HEIGHT,
    };
    GPU_DRIVER(FEATURE_CALL(feature, cuMemcpy2D)(&copy));
}

static const cubinet_launch_config image_config = {.grid = {(WIDTH + 15) / 16, (HEIGHT + 15) / 16},
                                                   .block = {16, 16}};

/* Half-way between two texels, a linear filter gives their mean, by weights of 8 bits; beyond the edge there
 * is the last. */
static void test_sampling(struct feature *feature, CUarray array)
{
    static float found[HEIGHT][WIDTH];
    int width = WIDTH;
    int height = HEIGHT;
    const CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = array};
    const CUDA_TEXTURE_DESC how = {
        .addressMode = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP},
        .filterMode = CU_TR_FILTER_MODE_LINEAR,
        .flags = CU_TRSF_NORMALIZED_COORDINATES,
    };
    CUtexObject texture = 0;
    GPU_DRIVER(FEATURE_CALL(feature, cuTexObjectCreate)(&texture, &resource, &how, NULL));
    CUdeviceptr out = feature_upload(feature, NULL, sizeof(found));
    const cubinet_arg args[] = {CUBINET_ARG(texture), CUBINET_ARG(out), CUBINET_ARG(width),
                                CUBINET_ARG(height)};
    feature_launch(feature, "sample", image_config, args, 4);
    feature_download(feature, found, out, sizeof(found));
    for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
        size_t x = i % WIDTH;
        size_t y = i / WIDTH;
        double next = (double)image[y][x + 1 < WIDTH ? x + 1 : x];
        feature_near((double)found[y][x], ((double)image[y][x] + next) / 2, 0.15, "sample", i);
    }
    feature_free(feature, out);
    GPU_DRIVER(FEATURE_CALL(feature, cuTexObjectDestroy)(texture));
}

static void test_surfaces(struct feature *feature, CUarray in)
{
    static float found[HEIGHT][WIDTH];
    int width = WIDTH;
    int height = HEIGHT;
    CUarray out = make_array(feature, found);
    CUsurfObject surfaces[2] = {0};
    const CUDA_RESOURCE_DESC resources[2] = {
        {.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = in},
        {.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = out},
    };
    for (size_t i = 0; i < 2; i++) {
        GPU_DRIVER(FEATURE_CALL(feature, cuSurfObjectCreate)(&surfaces[i], &resources[i]));
    }
    const cubinet_arg args[] = {CUBINET_ARG(surfaces[0]), CUBINET_ARG(surfaces[1]), CUBINET_ARG(width),
                                CUBINET_ARG(height)};
    feature_launch(feature, "flip", image_config, args, 4);
    read_array(feature, out, found);
    for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
        feature_near((double)found[i / WIDTH][i % WIDTH],
                     (double)image[HEIGHT - 1 - i / WIDTH][i % WIDTH] + 1, 0, "flip", i);
    }
    for (size_t i = 0; i < 2; i++) {
        GPU_DRIVER(FEATURE_CALL(feature, cuSurfObjectDestroy)(surfaces[i]));
    }
    GPU_DRIVER(FEATURE_CALL(feature, cuArrayDestroy)(out));
}

static void test_linear_memory(struct feature *feature)
{
    float texels[TEXELS][4];
    int where[TEXELS];
    float found[TEXELS];
    int count = TEXELS;
    for (int i = 0; i < TEXELS; i++) {
        where[i] = i * 37 % TEXELS;
        for (int j = 0; j < 4; j++) {
            texels[i][j] = (float)(i + j);
        }
    }
    CUdeviceptr memory = feature_upload(feature, texels, sizeof(texels));
    CUdeviceptr indices = feature_upload(feature, where, sizeof(where));
    CUdeviceptr out = feature_upload(feature, NULL, sizeof(found));
    const CUDA_RESOURCE_DESC resource = {
        .resType = CU_RESOURCE_TYPE_LINEAR,
        .res.linear = {.devPtr = memory,
                       .format = CU_AD_FORMAT_FLOAT,
                       .numChannels = 4,
                       .sizeInBytes = sizeof(texels)},
    };
    const CUDA_TEXTURE_DESC how = {.filterMode = CU_TR_FILTER_MODE_POINT};
    CUtexObject texture = 0;
    GPU_DRIVER(FEATURE_CALL(feature, cuTexObjectCreate)(&texture, &resource, &how, NULL));
    const cubinet_arg args[] = {CUBINET_ARG(texture), CUBINET_ARG(indices), CUBINET_ARG(out),
                                CUBINET_ARG(count)};
    feature_launch(feature, "gather", (cubinet_launch_config){.grid = {1}, .block = {128}}, args, 4);
    feature_download(feature, found, out, sizeof(found));
    for (size_t i = 0; i < TEXELS; i++) {
        double first = where[i];
        double expected = first + 10 * (first + 1) + 100 * (first + 2) + 1000 * (first + 3);
        feature_near((double)found[i], expected, 0, "gather", i);
    }
    GPU_DRIVER(FEATURE_CALL(feature, cuTexObjectDestroy)(texture));
    feature_free(feature, out);
    feature_free(feature, indices);
    feature_free(feature, memory);
}

static void test(struct feature *feature)
{
    for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
        image[i / WIDTH][i % WIDTH] = (float)(i * i % 1009) / 64;
    }
    CUarray array = make_array(feature, image);
    test_sampling(feature, array);
    test_surfaces(feature, array);
    GPU_DRIVER(FEATURE_CALL(feature, cuArrayDestroy)(array));
    test_linear_memory(feature);
}

int main(int argc, char **argv)
{
    GPU_TRUE(argc == 2);
    return feature_run(argv[1], "textures", test);
}
