/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of linking start from: LTO-IR compiled on the spot, archives of it whose records are written
 * by hand, and an nvJitLink that does as it is told (fake_nvjitlink.c). */
#ifndef LINK_FIXTURE_H
#define LINK_FIXTURE_H

#include <cubinet/link.h>

#include <stdbool.h>

/* cmocka's group setup: finds the toolkit's NVRTC and nvJitLink, without which no test can run. */
int link_tools_open(void **state);
int link_tools_close(void **state);

/* The toolkit's nvJitLink. */
const char *real_nvjitlink(void);

/* A piece as it was compiled; the caller frees the data. */
struct compiled {
    void *data;
    size_t size;
};

/* Compiles for "90a" or so with -rdc=true: LTO-IR, or PTX with a NUL at its end that `size` counts. */
struct compiled compile_ltoir(const char *source, const char *architecture);
struct compiled compile_ptx(const char *source, const char *architecture);
struct compiled compile_cubin(const char *source, const char *architecture); /* relocatable */

struct made_symbol {
    const char *name;
    const char *type;
    bool is_needed;
    bool is_weak;
};

/* A module with one image of LTO-IR, and what the archive records of it. */
struct made_module {
    const char *name;
    const char *architecture; /* "75" if NULL */
    const char *source;
    uint32_t floor; /* as CUDA_VERSION; the toolkit's if 0 */
    const char *kernel;
    const char *expression;
    struct made_symbol symbols[4];
    const char *ptx_target; /* if not NULL, a PTX image of the source, too, for "compute_80" or so */
};

cubinet_archive *link_archive(const struct made_module *modules, size_t count);

/* Whether this process has a library open. */
bool library_is_open(const char *path);

/* Fail the test, and say why, unless the call succeeded; or unless the text has that part. */
void expect_ok(cubinet_status status);
void expect_in(const char *text, const char *part);

/* The skeleton: a kernel that applies op(float), and what is plugged into it. */
#define APPLY_SOURCE                                                                                         \
    "extern \"C\" __device__ float op(float x);\n"                                                           \
    "__device__ int calls; __constant__ float factors[4];\n"                                                 \
    "template <class T> __global__ void apply(T *values, int count) {\n"                                     \
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"                                                   \
    "    __syncthreads();\n"                                                                                 \
    "    if (i < count) { values[i] = op(values[i]) * factors[0]; atomicAdd(&calls, 1); }\n"                 \
    "}\n"                                                                                                    \
    "template __global__ void apply<float>(float *, int);\n"
#define APPLY_KERNEL "_Z5applyIfEvPT_i"
#define TWICE_SOURCE "extern \"C\" __device__ float op(float x) { return x + x; }\n"
#define HALF_SOURCE  "extern \"C\" __device__ float op(float x) { return x / 2; }\n"

extern const struct made_module apply_module;
extern const struct made_module twice_module;
extern const struct made_module half_module; /* defines op, too */

/* What the fake nvJitLink does from now on. */
enum fake_behaviour {
    FAKE_WORKS,          /* gives the cubin that it was told */
    FAKE_REFUSES_PIECES, /* nvJitLinkAddData fails; the rest succeeds, as the real one's may */
    FAKE_MAKES_NOTHING,  /* success, and 0 bytes */
    FAKE_IS_OUTDATED,    /* the pieces are of a newer release */
    FAKE_LOGS_OUTDATED,  /* the same, told as CUDA 12 does: in the log */
};
const char *fake_nvjitlink(void);     /* its path; it is of release 13.0 */
const char *fake_old_nvjitlink(void); /* of release 12.1 */
void fake_set(enum fake_behaviour behaviour, const void *cubin, size_t size);
int fake_links(void); /* since the last fake_set() */

/* Lets call number `call` that makes something (from 1, counted from now) fail. */
void fake_fail_call(int call);

/* The options and the last that a link was started with, one by one, with spaces between. */
const char *fake_options(void);

#endif
