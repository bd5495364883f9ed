/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products by tensor cores, of 16-bit floats of both kinds and of 8-bit integers. */
#include "feature_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { M = 48, N = 32, K = 64 };

/* Small integers, which both kinds of 16-bit floats hold exactly: the product is exact, too. */
static int left[M][K];
static int right[N][K];

static int product(size_t row, size_t column)
{
    int sum = 0;
    for (size_t i = 0; i < K; i++) {
        sum += left[row][i] * right[column][i];
    }
    return sum;
}

static uint32_t bits_of(float value)
{
    uint32_t bits = 0;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static uint16_t to_bfloat16(int value)
{
    return (uint16_t)(bits_of((float)value) >> 16);
}

/* The exponent has another bias; the numbers here are 0 or from 1 to 16 in size, with few bits. */
static uint16_t to_half(int value)
{
    uint32_t bits = bits_of((float)value);
    uint32_t exponent = (bits >> 23 & 0xff) - 127 + 15;
    return value == 0 ? 0 : (uint16_t)((bits >> 16 & 0x8000U) | exponent << 10 | (bits >> 13 & 0x3ffU));
}

static CUdeviceptr upload_as(struct feature *feature, const int *values, size_t count,
                             uint16_t (*convert)(int))
{
    uint16_t *converted = calloc(count, sizeof(*converted));
    GPU_TRUE(converted != NULL);
    for (size_t i = 0; i < count; i++) {
        converted[i] = convert(values[i]);
    }
    CUdeviceptr memory = feature_upload(feature, converted, count * sizeof(*converted));
    free(converted);
    return memory;
}

static void test_floats(struct feature *feature, const char *kernel, uint16_t (*convert)(int))
{
    float found[M][N];
    int m = M;
    int n = N;
    int k = K;
    CUdeviceptr a = upload_as(feature, &left[0][0], M * K, convert);
    CUdeviceptr b = upload_as(feature, &right[0][0], N * K, convert);
    CUdeviceptr c = feature_upload(feature, NULL, sizeof(found));
    const cubinet_arg args[] = {CUBINET_ARG(a), CUBINET_ARG(b), CUBINET_ARG(c),
                                CUBINET_ARG(m), CUBINET_ARG(n), CUBINET_ARG(k)};
    feature_launch(feature, kernel, (cubinet_launch_config){.grid = {N / 16, M / 16}, .block = {32}}, args,
                   6);
    feature_download(feature, found, c, sizeof(found));
    for (size_t i = 0; i < M * N; i++) {
        feature_near((double)found[i / N][i % N], product(i / N, i % N), 0, kernel, i);
    }
    feature_free(feature, c);
    feature_free(feature, b);
    feature_free(feature, a);
}

static void test_integers(struct feature *feature)
{
    signed char a_bytes[M * K];
    signed char b_bytes[N * K];
    int found[M][N];
    int n = N;
    int k = K;
    for (size_t i = 0; i < M * K; i++) {
        a_bytes[i] = (signed char)left[i / K][i % K];
    }
    for (size_t i = 0; i < N * K; i++) {
        b_bytes[i] = (signed char)right[i / K][i % K];
    }
    CUdeviceptr a = feature_upload(feature, a_bytes, sizeof(a_bytes));
    CUdeviceptr b = feature_upload(feature, b_bytes, sizeof(b_bytes));
    CUdeviceptr c = feature_upload(feature, NULL, sizeof(found));
    const cubinet_arg args[] = {CUBINET_ARG(a), CUBINET_ARG(b), CUBINET_ARG(c), CUBINET_ARG(n),
                                CUBINET_ARG(k)};
    feature_launch(feature, "multiply_integers",
                   (cubinet_launch_config){.grid = {N / 16, M / 16}, .block = {32}}, args, 5);
    feature_download(feature, found, c, sizeof(found));
    for (size_t i = 0; i < M * N; i++) {
        feature_near(found[i / N][i % N], product(i / N, i % N), 0, "multiply_integers", i);
    }
    feature_free(feature, c);
    feature_free(feature, b);
    feature_free(feature, a);
}

static void test(struct feature *feature)
{
    unsigned state = 3;
    for (size_t i = 0; i < M * K; i++) {
        left[i / K][i % K] = (int)(feature_random(&state) % 33) - 16;
    }
    for (size_t i = 0; i < N * K; i++) {
        right[i / K][i % K] = (int)(feature_random(&state) % 33) - 16;
    }
    test_floats(feature, "multiply<__half>", to_half);
    test_floats(feature, "multiply<__nv_bfloat16>", to_bfloat16);
    test_integers(feature);
}

int main(int argc, char **argv)
{
    GPU_TRUE(argc == 2);
    return feature_run(argv[1], "tensor", test);
}
