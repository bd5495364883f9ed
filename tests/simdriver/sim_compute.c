/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that has contents, streams, events, and kernels that take time and write results: what `cubinet
 * tune` asks cubinet_driver_get_proc_address() for. Time is simulated: nothing waits.
 *
 * What a launch takes follows from its configuration, by a model that $SIMCUDA_TIMES has: numbers by name,
 * such as "fixed=2000;element=0.1;best=128;noise=0.01;seed=3":
 *
 *     fixed, element, block   nanoseconds of a launch, of each 4 bytes of its first array, of each block
 *     best, slope             the threads of the fastest block; what is added for each factor of 2 from it
 *     kernel_LETTER           a factor for kernels whose names end in that letter
 *     noise, seed             the largest random share, and where the random numbers start
 *     wrong, crash, exit, hang  threads of a block with wrong results, or after which waiting fails, ends the
 *                             process, or never ends
 *     hang_blocks             only with more blocks than these
 *
 * A launch fills its first array with the same numbers whatever its configuration, unless it is a wrong one.
 */
#include "sim_compute.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_BLOCKS = 256 };

struct stored {
    unsigned char *data;
    size_t bytes;
    bool is_right; /* a launch wrote it, and nobody else since */
};

static struct {
    struct stored stored[MOST_BLOCKS];
    double now; /* nanoseconds */
    uint64_t random;
    unsigned int launches;
    bool is_dead;  /* waiting fails from now on */
    bool is_stuck; /* waiting never ends */
    char *model;   /* NULL: $SIMCUDA_TIMES */
} compute;

struct sim_event {
    double time;
};

static double model_number(const char *name, double fallback)
{
    const char *text = compute.model ? compute.model : getenv("SIMCUDA_TIMES");
    size_t length = strlen(name);
    for (; text && *text; text = strchr(text, ';') ? strchr(text, ';') + 1 : NULL) {
        if (strncmp(text, name, length) == 0 && text[length] == '=') {
            return strtod(text + length + 1, NULL);
        }
    }
    return fallback;
}

void sim_compute_reset(void)
{
    for (int i = 0; i < MOST_BLOCKS; i++) {
        free(compute.stored[i].data);
    }
    free(compute.model);
    memset(&compute, 0, sizeof(compute));
}

void simdriver_set_times(const char *model)
{
    sim_lock();
    free(compute.model);
    compute.model = strdup(model);
    compute.random = 0;
    sim_unlock();
}

static struct stored *find_stored(CUdeviceptr address, size_t bytes)
{
    for (int i = 0; i < MOST_BLOCKS; i++) {
        struct stored *stored = &compute.stored[i];
        CUdeviceptr start = (CUdeviceptr)(uintptr_t)stored->data;
        if (stored->data && address >= start && address + bytes <= start + stored->bytes) {
            return stored;
        }
    }
    return NULL;
}

static double random_share(void)
{
    if (compute.random == 0) {
        compute.random = (uint64_t)model_number("seed", 1) * 0x9e3779b97f4a7c15;
    }
    uint64_t bits = compute.random += 0x9e3779b97f4a7c15;
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
    return (double)((bits ^ bits >> 31) >> 11) * 0x1p-53;
}

static double time_of(const struct simdriver_launch *launch, size_t elements)
{
    unsigned int threads = launch->block[0] * launch->block[1] * launch->block[2];
    double blocks = (double)launch->grid[0] * launch->grid[1] * launch->grid[2];
    double best = model_number("best", 256);
    size_t length = strlen(launch->kernel);
    char name[] = "kernel_?";
    name[sizeof(name) - 2] = length ? launch->kernel[length - 1] : '?';
    double time = (double)elements * model_number("element", 0.01) *
                  (1 + model_number("slope", 0.2) * fabs(log2(threads / best)));
    time = (time + blocks * model_number("block", 0)) * model_number(name, 1);
    time += model_number("fixed", 2000);
    return time * (1 + model_number("noise", 0) * random_share());
}

/* What is there already is not written again: tests launch often. */
static void write_results(struct stored *stored, bool is_wrong)
{
    for (size_t i = 0; !stored->is_right && i < stored->bytes / sizeof(float); i++) {
        float number = (float)(i % 97) / 2;
        memcpy(stored->data + i * sizeof(float), &number, sizeof(number));
    }
    if (is_wrong && stored->bytes >= 8 * sizeof(float)) {
        float number = -1;
        memcpy(stored->data + 7 * sizeof(float), &number, sizeof(number));
    }
    stored->is_right = !is_wrong;
}

void sim_compute_launch(const struct simdriver_launch *launch)
{
    unsigned int threads = launch->block[0] * launch->block[1] * launch->block[2];
    struct stored *first = NULL;
    for (unsigned int i = 0; i < launch->arg_count && !first; i++) {
        CUdeviceptr address = 0;
        if (launch->arg_sizes[i] == sizeof(address)) {
            memcpy(&address, launch->args[i], sizeof(address));
            first = find_stored(address, 1);
        }
    }
    compute.launches++;
    compute.now += time_of(launch, first ? first->bytes / sizeof(float) : 0);
    if (first) {
        write_results(first, threads == (unsigned int)model_number("wrong", 0));
    }
    compute.is_dead |= threads == (unsigned int)model_number("crash", 0);
    compute.is_stuck |= threads == (unsigned int)model_number("hang", 0) &&
                        launch->grid[0] > (unsigned int)model_number("hang_blocks", 0);
    if (threads == (unsigned int)model_number("exit", 0)) {
        raise(SIGKILL);
    }
}

static cbn_cu_result mem_alloc(CUdeviceptr *address, size_t bytes)
{
    cbn_cu_result result = CBN_CU_OUT_OF_MEMORY;
    sim_lock();
    for (int i = 0; i < MOST_BLOCKS && result != CBN_CU_SUCCESS; i++) {
        struct stored *stored = &compute.stored[i];
        if (!stored->data && bytes < (size_t)1 << 32) {
            stored->data = calloc(1, bytes);
            stored->bytes = bytes;
            *address = (CUdeviceptr)(uintptr_t)stored->data;
            result = stored->data ? CBN_CU_SUCCESS : CBN_CU_OUT_OF_MEMORY;
        }
    }
    sim_unlock();
    return result;
}

static cbn_cu_result mem_free(CUdeviceptr address)
{
    cbn_cu_result result = CBN_CU_SUCCESS;
    sim_lock();
    struct stored *stored = find_stored(address, 0);
    if (stored) {
        free(stored->data);
        *stored = (struct stored){0};
    } else {
        result = sim_misuse(CBN_CU_INVALID_VALUE, "memory that is not allocated is freed");
    }
    sim_unlock();
    return result;
}

/* Both sides of a copy, of which the host's is not looked at. */
static cbn_cu_result copy(void *to, const void *from, CUdeviceptr checked, size_t bytes)
{
    cbn_cu_result result = CBN_CU_SUCCESS;
    sim_lock();
    if (compute.is_dead) {
        result = CBN_CU_ILLEGAL_ADDRESS;
    } else if (!find_stored(checked, bytes)) {
        result = sim_misuse(CBN_CU_INVALID_VALUE, "a copy outside of memory that is allocated");
    } else {
        memcpy(to, from, bytes);
    }
    sim_unlock();
    return result;
}

static void touch(CUdeviceptr address)
{
    sim_lock();
    struct stored *stored = find_stored(address, 0);
    if (stored) {
        stored->is_right = false;
    }
    sim_unlock();
}

static cbn_cu_result mem_copy_in(CUdeviceptr to, const void *from, size_t bytes)
{
    touch(to);
    return copy((void *)(uintptr_t)to, from, to, bytes);
}

static cbn_cu_result mem_copy_out(void *to, CUdeviceptr from, size_t bytes)
{
    return copy(to, (const void *)(uintptr_t)from, from, bytes);
}

static cbn_cu_result mem_copy_async(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    (void)stream;
    touch(to);
    return copy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, to, bytes);
}

static cbn_cu_result mem_set_async(CUdeviceptr to, unsigned char value, size_t bytes, CUstream stream)
{
    (void)value; /* it is the caches that are meant */
    (void)stream;
    sim_lock();
    bool is_inside = find_stored(to, bytes) != NULL;
    compute.now += (double)bytes / 2000;
    cbn_cu_result result =
        is_inside ? CBN_CU_SUCCESS : sim_misuse(CBN_CU_INVALID_VALUE, "memory that is not allocated is set");
    sim_unlock();
    return result;
}

static cbn_cu_result stream_create(CUstream *stream, unsigned int flags)
{
    (void)flags;
    *stream = (CUstream)&compute;
    return CBN_CU_SUCCESS;
}

static cbn_cu_result stream_wait(CUstream stream)
{
    (void)stream;
    while (compute.is_stuck) {
        pause();
    }
    return compute.is_dead ? CBN_CU_ILLEGAL_ADDRESS : CBN_CU_SUCCESS;
}

static cbn_cu_result event_create(struct sim_event **event, unsigned int flags)
{
    (void)flags;
    static struct sim_event events[MOST_BLOCKS];
    static unsigned int next;
    *event = &events[next++ % MOST_BLOCKS];
    return CBN_CU_SUCCESS;
}

static cbn_cu_result event_record(struct sim_event *event, CUstream stream)
{
    (void)stream;
    sim_lock();
    event->time = compute.now;
    sim_unlock();
    return CBN_CU_SUCCESS;
}

static cbn_cu_result event_elapsed(float *milliseconds, const struct sim_event *start,
                                   const struct sim_event *end)
{
    *milliseconds = (float)((end->time - start->time) / 1e6);
    return compute.is_dead ? CBN_CU_ILLEGAL_ADDRESS : CBN_CU_SUCCESS;
}

static const struct compute_entry {
    const char *name;
    void (*function)(void);
} entries[] = {
    {"cuMemAlloc", (void (*)(void))mem_alloc},
    {"cuMemFree", (void (*)(void))mem_free},
    {"cuMemcpyHtoD", (void (*)(void))mem_copy_in},
    {"cuMemcpyDtoH", (void (*)(void))mem_copy_out},
    {"cuMemcpyDtoDAsync", (void (*)(void))mem_copy_async},
    {"cuMemsetD8Async", (void (*)(void))mem_set_async},
    {"cuStreamCreate", (void (*)(void))stream_create},
    {"cuStreamSynchronize", (void (*)(void))stream_wait},
    {"cuEventCreate", (void (*)(void))event_create},
    {"cuEventRecord", (void (*)(void))event_record},
    {"cuEventElapsedTime", (void (*)(void))event_elapsed},
};

bool sim_compute_find(const char *name, void **function)
{
    for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
        if (strcmp(entries[i].name, name) == 0) {
            memcpy(function, &entries[i].function, sizeof(*function));
            return true;
        }
    }
    return false;
}
