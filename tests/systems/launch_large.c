/* SPDX-License-Identifier: Apache-2.0 */
/* Launches one kernel of another system's by libcubinet and compares its result: usage launch ROW, or without
 * a row all names. A row is a process, since a launch that fails may end the context. */
#include <cubinet/arguments.h>
#include <cubinet/cubinet.h>

#include "driver_calls.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct driver_calls cuda;
static cubinet_driver *driver;
static cubinet_module *module;
static const char *row;

static void check(cubinet_status status, const char *call)
{
    if (status) {
        printf("%-22s FAILED: %s: %s: %s\n", row, call, cubinet_status_name(status), cubinet_error_message());
        exit(1);
    }
}
#define OK(call) check(call, #call)

static void cu(int result, const char *call)
{
    if (result) {
        printf("%-22s FAILED: %s: CUresult %d\n", row, call, result);
        exit(1);
    }
}
#define CU(call) cu(call, #call)

static cubinet_kernel *load(const char *file, const char *name, const char *kernel_name)
{
    cubinet_archive *archive = NULL;
    cubinet_kernel *kernel = NULL;
    OK(cubinet_archive_open(file, NULL, &archive));
    OK(cubinet_driver_open(NULL, &driver));
    OK(cubinet_module_load(driver, archive, name, 0, NULL, &module));
    OK(cubinet_module_find_kernel(module, kernel_name, &kernel));
    OK(driver_calls_get(driver, &cuda));
    CU(cuda.cuCtxSetCurrent(cubinet_module_get_context(module)));
    return kernel;
}

static CUdeviceptr to_device(const void *data, size_t size)
{
    CUdeviceptr address = 0;
    CU(cuda.cuMemAlloc(&address, size));
    CU(cuda.cuMemcpyHtoD(address, data, size));
    return address;
}

/* Where results go: filled with NaN. */
static CUdeviceptr results(size_t count)
{
    float *fill = malloc(count * sizeof(float));
    memset(fill, 0xff, count * sizeof(float));
    CUdeviceptr address = to_device(fill, count * sizeof(float));
    free(fill);
    return address;
}

static int end(CUdeviceptr address, const float *expected, size_t count, double tolerance)
{
    float *got = malloc(count * sizeof(float));
    size_t wrong = 0, first = 0;
    CU(cuda.cuCtxSynchronize());
    CU(cuda.cuMemcpyDtoH(got, address, count * sizeof(float)));
    for (size_t i = 0; i < count; i++) {
        if (!(fabs((double)got[i] - (double)expected[i]) <= tolerance * (1 + fabs((double)expected[i])))) {
            first = wrong++ ? first : i;
        }
    }
    if (wrong) {
        printf("%-22s WRONG: %zu of %zu, first [%zu]: %g, not %g\n", row, wrong, count, first,
               (double)got[first], (double)expected[first]);
    } else {
        printf("%-22s right: %zu values\n", row, count);
    }
    return wrong != 0;
}

static void refused(cubinet_status status, const char *what)
{
    if (status == CUBINET_OK) {
        printf("%-22s FAILED: a launch %s was not refused\n", row, what);
        exit(1);
    }
    printf("%-22s refused %s: %s\n", row, what, cubinet_error_message());
}

enum { N = 1024 };
static float x[1 << 20], y[1 << 20], out[1 << 20];

static void fill(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        x[i] = (float)(i % 97);
        y[i] = (float)(i % 13) * 0.5f;
        out[i] = x[i] + y[i];
    }
}

static uint16_t half_of(int small) /* 0 to 15 */
{
    int exponent = 0;
    if (small == 0) {
        return 0;
    }
    while (small >> (exponent + 1)) {
        exponent++;
    }
    return (uint16_t)((exponent + 15) << 10 | ((small << (10 - exponent)) & 0x3ff));
}

/* a is rows by k, b is k by columns, both of small integers. */
static void fill_matrices(uint16_t *a, uint16_t *b, int rows, int columns, int k)
{
    for (int i = 0; i < rows * k; i++) {
        a[i] = half_of(i % 7);
    }
    for (int i = 0; i < k * columns; i++) {
        b[i] = half_of(i % 5);
    }
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
            float total = 0;
            for (int l = 0; l < k; l++) {
                total += (float)((i * k + l) % 7) * (float)((l * columns + j) % 5);
            }
            out[i * columns + j] = total;
        }
    }
}

static uint16_t a16[256 * 256], b16[256 * 256];

static int triton_add(void)
{
    cubinet_kernel *kernel = load("triton_aot.cubinet", "add_kernel", "add_kernel");
    int32_t n = 5000;
    fill((size_t)n);
    CUdeviceptr dx = to_device(x, sizeof(float) * 5000), dy = to_device(y, sizeof(float) * 5000),
                dz = results(5000);
    cubinet_arg args[] = {CUBINET_ARG(dx), CUBINET_ARG(dy), CUBINET_ARG(dz), CUBINET_ARG(n)};
    cubinet_launch_config config = {.size = sizeof(config), .grid = {5}};
    OK(cubinet_kernel_launch(kernel, &config, args, 4));
    return end(dz, out, 5000, 0);
}

static int triton_matmul(void)
{
    cubinet_kernel *kernel = load("triton_aot.cubinet", "matmul", "matmul");
    int32_t k = 128;
    fill_matrices(a16, b16, 64, 64, k);
    CUdeviceptr a = to_device(a16, sizeof(a16)), b = to_device(b16, sizeof(b16)), c = results(64 * 64);
    cubinet_arg args[] = {CUBINET_ARG(a), CUBINET_ARG(b), CUBINET_ARG(c), CUBINET_ARG(k)};
    cubinet_launch_config config = {.size = sizeof(config), .grid = {1}};
    OK(cubinet_kernel_launch(kernel, &config, args, 4));
    return end(c, out, 64 * 64, 0);
}

static cubinet_warp_array warp_array(CUdeviceptr data, int dimensions, const int *shape)
{
    cubinet_warp_array array = cubinet_warp_dense(data, sizeof(float), shape[0], 0);
    int stride = sizeof(float);
    array.dimensions = dimensions;
    for (int i = dimensions - 1; i >= 0; i--) {
        array.shape[i] = shape[i];
        array.strides[i] = stride;
        stride *= shape[i];
    }
    return array;
}

/* Kernels that write their coordinates, of one to four dimensions: the extent is all that is given.
 * `as_argument`: the bounds are an argument, as where the archive knows nothing of them. */
static int warp_dims(int dimensions, int as_argument)
{
    static const char *const names[] = {"line", "plane", "space", "hyper"};
    static const int shape[] = {11, 7, 5, 3}; /* the first of one dimension: 1000 */
    int sides[4] = {dimensions == 1 ? 1000 : shape[0], shape[1], shape[2], shape[3]};
    size_t count = 1;
    cubinet_kernel *kernel = load("warp.cubinet", "__main__", names[dimensions - 1]);
    cubinet_launch_config config = {.size = sizeof(config)};
    cubinet_warp_bounds2 two =
        cubinet_warp_bounds((uint32_t)sides[0], dimensions > 1 ? (uint32_t)sides[1] : 0, 1);
    cubinet_warp_bounds4 four = {.per_coord = 1};
    for (int i = 0; i < dimensions; i++) {
        count *= (size_t)sides[i];
        config.extent[i] = as_argument ? 0 : (uint32_t)sides[i];
        four.shape[i] = (uint32_t)sides[i];
    }
    four.size = count;
    for (size_t i = 0; i < count; i++) {
        size_t rest = i;
        double value = 0, weight = 1;
        for (int j = dimensions - 1; j >= 0; j--) {
            value += weight * (double)(rest % (size_t)sides[j]);
            weight *= 100;
            rest /= (size_t)sides[j];
        }
        out[i] = (float)(dimensions == 1 ? 2.5 * (double)i : value);
    }
    CUdeviceptr d = results(count);
    cubinet_warp_array array = warp_array(d, dimensions, sides);
    float a = 2.5f;
    cubinet_arg bounds = dimensions > 2 ? (cubinet_arg)CUBINET_ARG(four) : (cubinet_arg)CUBINET_ARG(two);
    cubinet_arg args[] = {bounds, CUBINET_ARG(a), CUBINET_ARG(array)};
    if (dimensions > 1) {
        args[1] = args[2];
    }
    size_t args_count = dimensions > 1 ? 2 : 3;
    if (as_argument) {
        config.grid[0] = (uint32_t)((count + 255) / 256);
        OK(cubinet_kernel_launch(kernel, &config, args, args_count));
    } else {
        OK(cubinet_kernel_launch(kernel, &config, args + 1, args_count - 1));
    }
    return end(d, out, count, 0);
}

static int warp_tiles(void)
{
    enum { TILES = 37 };
    cubinet_kernel *kernel = load("warp.cubinet", "__main__", "tile_sum");
    static const int shape[] = {TILES, 256}, line[] = {TILES};
    fill(TILES * 256);
    for (int i = 0; i < TILES; i++) {
        out[i] = 0;
        for (int j = 0; j < 256; j++) {
            out[i] += x[i * 256 + j];
        }
    }
    CUdeviceptr dx = to_device(x, sizeof(float) * TILES * 256), d = results(TILES);
    cubinet_warp_array from = warp_array(dx, 2, shape), to = warp_array(d, 1, line);
    cubinet_arg args[] = {CUBINET_ARG(from), CUBINET_ARG(to)};
    cubinet_launch_config config = {.size = sizeof(config), .extent = {TILES}, .threads_per_element = 256};
    OK(cubinet_kernel_launch(kernel, &config, args, 2));
    return end(d, out, TILES, 0);
}

/* A tensor of CUTLASS's with one dynamic side. */
struct cute_tensor {
    uint64_t data;
    int32_t shape;
    int32_t padding;
};

static int cute_reverse(const char *file, const char *name, int bytes_are_known)
{
    cubinet_kernel *kernel = load(file, name, "reverse");
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        out[i] = (float)(i / 128 * 128 + 127 - i % 128 + 1); /* and the int8 that the kernel adds */
    }
    struct cute_tensor from = {to_device(x, sizeof(float) * N), N, 0};
    struct cute_tensor to = {results(N), N, 0};
    cubinet_arg args[] = {CUBINET_ARG(from), CUBINET_ARG(to)};
    cubinet_launch_config config = {.size = sizeof(config), .grid = {N / 128}};
    if (!bytes_are_known) {
        refused(cubinet_kernel_launch(kernel, &config, args, 2), "without a block or bytes");
        config.block[0] = 128;
        refused(cubinet_kernel_launch(kernel, &config, args, 2), "without dynamic shared memory");
        config.dynamic_shared_bytes = 1536;
    }
    OK(cubinet_kernel_launch(kernel, &config, args, 2));
    return end(to.data, out, N, 0);
}

static int cute_add(void)
{
    cubinet_kernel *kernel = load("cute_add.cubinet", "add", "add");
    int32_t n = 1000;
    fill(1000);
    struct cute_tensor a = {to_device(x, 4000), n, 0}, b = {to_device(y, 4000), n, 0},
                       c = {results(1000), n, 0};
    cubinet_arg args[] = {CUBINET_ARG(a), CUBINET_ARG(b), CUBINET_ARG(c), CUBINET_ARG(n)};
    cubinet_launch_config config = {.size = sizeof(config), .grid = {4}, .block = {256}};
    OK(cubinet_kernel_launch(kernel, &config, args, 4));
    return end(c.data, out, 1000, 0);
}

static int tilelang_add(void)
{
    cubinet_kernel *kernel = load("tilelang.cubinet", "add_kernel", "add_kernel");
    int32_t n = 2560;
    fill(2560);
    CUdeviceptr a = to_device(x, 4 * 2560), b = to_device(y, 4 * 2560), c = results(2560);
    cubinet_arg args[] = {CUBINET_ARG(a), CUBINET_ARG(b), CUBINET_ARG(c), CUBINET_ARG(n)};
    cubinet_launch_config config = {.size = sizeof(config), .grid = {10}};
    OK(cubinet_kernel_launch(kernel, &config, args, 4));
    return end(c, out, 2560, 0);
}

static int tilelang_gemm(void)
{
    cubinet_kernel *kernel = load("tilelang.cubinet", "gemm_kernel", "gemm_kernel");
    fill_matrices(a16, b16, 256, 256, 256);
    CUdeviceptr a = to_device(a16, sizeof(a16)), b = to_device(b16, sizeof(b16)), c = results(256 * 256);
    cubinet_arg args[] = {CUBINET_ARG(a), CUBINET_ARG(b), CUBINET_ARG(c)};
    cubinet_launch_config config = {.size = sizeof(config), .grid = {2, 2}};
    OK(cubinet_kernel_launch(kernel, &config, args, 3));
    return end(c, out, 256 * 256, 0);
}

typedef struct {
    _Alignas(128) uint64_t words[16];
} tensor_map;

typedef int encode_tiled(tensor_map *, int, uint32_t, void *, const uint64_t *, const uint64_t *,
                         const uint32_t *, const uint32_t *, int, int, int, int);

static void encode(tensor_map *map, CUdeviceptr data, uint32_t wide, uint32_t high, int swizzle)
{
    encode_tiled *call = NULL;
    const uint64_t shape[] = {256, 256}, strides[] = {512};
    const uint32_t box[] = {wide, high}, steps[] = {1, 1};
    OK(cubinet_driver_get_proc_address(driver, "cuTensorMapEncodeTiled", (void **)&call));
    CU(call(map, 6, 2, (void *)data, shape, strides, box, steps, 0, swizzle, 2, 0));
}

static int tilelang_tma(void)
{
    cubinet_kernel *kernel = load("tilelang_tma.cubinet", "gemm_kernel", "gemm_kernel");
    tensor_map a_desc, b_desc;
    fill_matrices(a16, b16, 256, 256, 256);
    CUdeviceptr a = to_device(a16, sizeof(a16)), b = to_device(b16, sizeof(b16)), c = results(256 * 256);
    encode(&a_desc, a, 32, 128, 2);
    encode(&b_desc, b, 64, 32, 3);
    cubinet_arg args[] = {CUBINET_ARG(a_desc), CUBINET_ARG(b_desc), CUBINET_ARG(c)};
    cubinet_launch_config config = {.size = sizeof(config), .grid = {2, 2}};
    OK(cubinet_kernel_launch(kernel, &config, args, 3));
    return end(c, out, 256 * 256, 0);
}

static int cutile_add(void)
{
    cubinet_kernel *kernel = load("cutile.cubinet", "vector_add", "vector_add");
    int32_t n = 4096, stride = 1;
    fill(4096);
    CUdeviceptr a = to_device(x, 4 * 4096), b = to_device(y, 4 * 4096), c = results(4096);
    cubinet_arg args[] = {CUBINET_ARG(a), CUBINET_ARG(n), CUBINET_ARG(stride),
                          CUBINET_ARG(b), CUBINET_ARG(n), CUBINET_ARG(stride),
                          CUBINET_ARG(c), CUBINET_ARG(n), CUBINET_ARG(stride)};
    cubinet_launch_config config = {.size = sizeof(config), .grid = {16}, .block = {1}};
    OK(cubinet_kernel_launch(kernel, &config, args, 9));
    return end(c, out, 4096, 0);
}

static int xla_add(void)
{
    cubinet_kernel *kernel = load("xla.cubinet", "jit_f", "add_kernel");
    fill(N);
    CUdeviceptr a = to_device(x, 4 * N), b = to_device(y, 4 * N), c = results(N);
    cubinet_arg args[] = {CUBINET_ARG(a), CUBINET_ARG(b), CUBINET_ARG(c)};
    cubinet_launch_config config = {.size = sizeof(config), .grid = {8}};
    OK(cubinet_kernel_launch(kernel, &config, args, 3));
    return end(c, out, N, 0);
}

static int xla_matmul(void)
{
    cubinet_kernel *kernel = load("xla.cubinet", "jit_f", "matmul");
    fill_matrices(a16, b16, 128, 128, 128);
    CUdeviceptr a = to_device(a16, sizeof(a16)), b = to_device(b16, sizeof(b16)), c = results(128 * 128);
    cubinet_arg args[] = {CUBINET_ARG(a), CUBINET_ARG(b), CUBINET_ARG(c)};
    cubinet_launch_config config = {.size = sizeof(config), .grid = {2, 2}};
    OK(cubinet_kernel_launch(kernel, &config, args, 3));
    return end(c, out, 128 * 128, 1e-3);
}

static int xla_softmax(void)
{
    cubinet_kernel *kernel = load("xla.cubinet", "jit_f", "triton_softmax_2");
    for (int i = 0; i < 128; i++) {
        double total = 0;
        for (int j = 0; j < 128; j++) {
            x[i * 128 + j] = (float)((i * 31 + j * 17) % 23) * 0.25f;
            total += exp((double)x[i * 128 + j]);
        }
        for (int j = 0; j < 128; j++) {
            out[i * 128 + j] = (float)(exp((double)x[i * 128 + j]) / total);
        }
    }
    CUdeviceptr a = to_device(x, 4 * 128 * 128), c = results(128 * 128);
    cubinet_arg args[] = {CUBINET_ARG(a), CUBINET_ARG(c)};
    cubinet_launch_config config = {.size = sizeof(config), .grid = {128}};
    OK(cubinet_kernel_launch(kernel, &config, args, 2));
    return end(c, out, 128 * 128, 1e-5);
}

static int warp_1(void)
{
    return warp_dims(1, 0);
}
static int warp_2(void)
{
    return warp_dims(2, 0);
}
static int warp_3(void)
{
    return warp_dims(3, 0);
}
static int warp_4(void)
{
    return warp_dims(4, 0);
}
static int warp_2_arg(void)
{
    return warp_dims(2, 1);
}
static int warp_4_arg(void)
{
    return warp_dims(4, 1);
}
static int cute_known(void)
{
    return cute_reverse("cute.cubinet", "reverse", 1);
}
static int cute_object(void)
{
    return cute_reverse("cute_object.cubinet", "reverse", 0);
}

static const struct {
    const char *name;
    int (*run)(void);
} rows[] = {
    {"triton-aot-add", triton_add},
    {"triton-aot-matmul", triton_matmul},
    {"warp-line", warp_1},
    {"warp-plane", warp_2},
    {"warp-space", warp_3},
    {"warp-hyper", warp_4},
    {"warp-plane-argument", warp_2_arg},
    {"warp-hyper-argument", warp_4_arg},
    {"warp-tile-sum", warp_tiles},
    {"cute-add", cute_add},
    {"cute-reverse", cute_known},
    {"cute-reverse-object", cute_object},
    {"tilelang-add", tilelang_add},
    {"tilelang-gemm", tilelang_gemm},
    {"tilelang-gemm-tma", tilelang_tma},
    {"cutile-vector-add", cutile_add},
    {"xla-pallas-add", xla_add},
    {"xla-pallas-matmul", xla_matmul},
    {"xla-softmax", xla_softmax},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (argc < 2) {
            puts(rows[i].name);
        } else if (strcmp(argv[1], rows[i].name) == 0) {
            row = rows[i].name;
            return rows[i].run();
        }
    }
    return argc < 2 ? 0 : 2;
}
