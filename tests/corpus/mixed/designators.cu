// Initializers that name members, which gcc's dialect has before C++20: in device code and in the host's.
#include <cstdio>
#include <stdbool.h>

struct range { int first, last; };
struct shape {
    struct range rows, columns;
    float scale;
    _Bool is_open;
};

__device__ const struct range whole = {.first = 0, .last = 7};

__global__ void area(struct shape *out)
{
    static_assert(__cplusplus == 201703L, "the dialect that was asked for");
    struct range rows = {.first = whole.first + 1, .last = whole.last};
    *out = {.rows = rows, .columns = {.first = 2, .last = 4}, .scale = 0.5f, .is_open = true};
}

static float size_of(struct range range)
{
    return range.last - range.first + 1;
}

int main()
{
    struct shape *shape, expected = {.rows = {.first = 1, .last = 7}, .scale = 0.5f};
    cudaMallocManaged(&shape, sizeof(*shape));
    area<<<1, 1>>>(shape);
    bool right = cudaDeviceSynchronize() == cudaSuccess && size_of(shape->rows) == size_of(expected.rows) &&
                 shape->columns.last == 4 && shape->scale == expected.scale && shape->is_open;
    printf("%s\n", right ? "right" : "wrong");
    return right ? 0 : 1;
}
