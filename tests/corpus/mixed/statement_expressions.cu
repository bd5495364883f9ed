// Statement expressions, gcc's: in macros of a header, within each other, in device code and in the host's.
#include <cstdio>

#define LARGER(x, y)                \
    ({                              \
        __typeof__(x) __x = (x);    \
        __typeof__(y) __y = (y);    \
        __x > __y ? __x : __y;      \
    })
#define CLAMPED(x, low, high) LARGER(low, -LARGER(-(x), -(high)))
#define CHECKED(call)                                         \
    ({                                                        \
        cudaError_t status = (call);                          \
        if (status != cudaSuccess)                            \
            fprintf(stderr, "%s\n", cudaGetErrorString(status)); \
        status;                                               \
    })

static __device__ int table[4];

__global__ void clamp(float *numbers, int count)
{
    int i = threadIdx.x;
    if (i < count) {
        numbers[i] = CLAMPED(numbers[i], 1.5f, 2.5f);
    }
    ({
        if (i == 0) {
            table[0] = ({ int sum = 0; for (int j = 0; j < count; j++) sum += j; sum; });
            table[1] = ({ int kind = 1; switch (count) { case 0: kind = 2; break; default: kind = 3; } kind; });
            table[2] = ({ int j = 0; again: if (++j < count) goto again; j; });
        }
    });
    numbers[count] = LARGER(table[0], count);
}

int main()
{
    float *numbers;
    if (CHECKED(cudaMallocManaged(&numbers, 5 * sizeof(float))) != cudaSuccess)
        return 1;
    for (int i = 0; i < 4; i++)
        numbers[i] = LARGER(i, 1);
    clamp<<<1, 4>>>(numbers, 4);
    bool right = CHECKED(cudaDeviceSynchronize()) == cudaSuccess && numbers[0] == 1.5f && numbers[2] == 2 && numbers[3] == 2.5f &&
                 numbers[4] == 6;
    printf("%s\n", right ? "right" : "wrong");
    return right ? 0 : 1;
}
