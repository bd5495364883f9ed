/* SPDX-License-Identifier: Apache-2.0 */
/* Setting the machine up, scripts, counters, what is alive. */
#include "sim.h"
#include "sim_compute.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct sim sim;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const char *const function_names[] = {
#define SIM_NAME(name, symbol, params, args, need, since) #name,
    CBN_DRIVER_FUNCTIONS(SIM_NAME)
#undef SIM_NAME
};

static int function_id(const char *name)
{
    for (int i = 0; name && i < SIM_FUNCTION_COUNT; i++) {
        if (strcmp(function_names[i], name) == 0) {
            return i;
        }
    }
    if (name) {
        fprintf(stderr, "simdriver: no function is called %s\n", name);
        abort();
    }
    return SIM_ANY_FUNCTION;
}

/* Opt-in shared memory for each block, by compute capability (CUDA Programming Guide, technical
 * specifications). */
static int shared_optin(int capability)
{
    switch (capability) {
    case 70:
    case 72:
        return 96 << 10;
    case 75:
        return 64 << 10;
    case 80:
    case 87:
        return 163 << 10;
    case 86:
    case 88:
    case 89:
    case 120:
    case 121:
        return 99 << 10;
    default:
        return capability >= 90 ? 227 << 10 : 48 << 10;
    }
}

/* Threads and blocks of each multiprocessor, and its shared memory, by compute capability; likewise. */
static int threads_of_multiprocessor(int capability)
{
    return capability == 75 ? 1024 : (capability > 80 && capability < 90) || capability >= 110 ? 1536 : 2048;
}

static int blocks_of_multiprocessor(int capability)
{
    if (capability == 75 || (capability > 80 && capability < 89)) {
        return 16;
    }
    return capability == 89 || capability >= 110 ? 24 : 32;
}

static int shared_of_multiprocessor(int capability)
{
    int reserved = capability >= 80 ? 1 << 10 : 0;
    return capability == 61 ? 96 << 10 : capability < 70 ? 64 << 10 : shared_optin(capability) + reserved;
}

static void device_set(struct sim_device *device, int number, int major, int minor, bool is_integrated)
{
    *device = (struct sim_device){.major = major, .minor = minor, .is_integrated = is_integrated};
    device->primary = (struct CUctx_st){.device = number, .is_primary = true};
    snprintf(device->name, sizeof(device->name), "Simulated GPU %d.%d", major, minor);
    const int attributes[][2] = {
        {CBN_CU_DEVICE_MAX_THREADS_PER_BLOCK, 1024},
        {CBN_CU_DEVICE_MAX_BLOCK_DIM_X, 1024},
        {CBN_CU_DEVICE_MAX_BLOCK_DIM_Y, 1024},
        {CBN_CU_DEVICE_MAX_BLOCK_DIM_Z, 64},
        {CBN_CU_DEVICE_MAX_GRID_DIM_X, 2147483647},
        {CBN_CU_DEVICE_MAX_GRID_DIM_Y, 65535},
        {CBN_CU_DEVICE_MAX_GRID_DIM_Z, 65535},
        {CBN_CU_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK, 48 << 10},
        {CBN_CU_DEVICE_INTEGRATED, is_integrated},
        {CBN_CU_DEVICE_COMPUTE_CAPABILITY_MAJOR, major},
        {CBN_CU_DEVICE_COMPUTE_CAPABILITY_MINOR, minor},
        {CBN_CU_DEVICE_COOPERATIVE_LAUNCH, major >= 6},
        {CBN_CU_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, shared_optin(10 * major + minor)},
        {CBN_CU_DEVICE_CLUSTER_LAUNCH, major >= 9},
        {CBN_CU_DEVICE_WARP_SIZE, 32},
        {CBN_CU_DEVICE_MULTIPROCESSOR_COUNT, 132},
        {CBN_CU_DEVICE_MAX_REGISTERS_PER_BLOCK, 64 << 10},
        {CBN_CU_DEVICE_MAX_REGISTERS_PER_MULTIPROCESSOR, 64 << 10},
        {CBN_CU_DEVICE_MAX_THREADS_PER_MULTIPROCESSOR, threads_of_multiprocessor(10 * major + minor)},
        {CBN_CU_DEVICE_MAX_BLOCKS_PER_MULTIPROCESSOR, blocks_of_multiprocessor(10 * major + minor)},
        {CBN_CU_DEVICE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, shared_of_multiprocessor(10 * major + minor)},
        {CBN_CU_DEVICE_RESERVED_SHARED_MEMORY_PER_BLOCK, major >= 8 ? 1 << 10 : 0},
    };
    for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
        device->attributes[attributes[i][0]] = attributes[i][1];
    }
}

/* The lock is held. */
static bool set_devices(const char *list)
{
    int count = 0;
    struct sim_device *devices = calloc(SIMDRIVER_MAX_DEVICES, sizeof(*devices));
    while (devices && *list && count < SIMDRIVER_MAX_DEVICES) {
        int major = 0;
        int minor = 0;
        int length = 0;
        if (sscanf(list, "%d.%d%n", &major, &minor, &length) != 2 || length < 3) {
            break;
        }
        list += length;
        bool is_integrated = *list == 't';
        list += is_integrated;
        device_set(&devices[count], count, major, minor, is_integrated);
        count++;
        if (*list == ',' && list[1]) {
            list++;
        } else {
            break;
        }
    }
    bool ok = devices && !*list;
    if (ok) {
        memcpy(sim.devices, devices, sizeof(sim.devices));
        sim.device_count = count;
    }
    free(devices);
    return ok;
}

/* The lock is held. */
static void reset(void)
{
    sim_free_objects();
    sim_compute_reset();
    unsigned int epoch = sim.epoch;
    sim = (struct sim){.version = SIM_RELEASE, .epoch = epoch + 1, .next_address = 0x7f0000000000};
    set_devices("9.0");
}

static void start(void)
{
    const char *devices = getenv("SIMCUDA_DEVICES");
    const char *version = getenv("SIMCUDA_DRIVER_VERSION");
    reset();
    if (devices && !set_devices(devices)) {
        fprintf(stderr, "simdriver: SIMCUDA_DEVICES=%s is not a list of devices\n", devices);
        abort();
    }
    if (version) {
        sim.version = atoi(version);
    }
}

void sim_lock(void)
{
    pthread_once(&once, start);
    pthread_mutex_lock(&lock);
}

void sim_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

/* The result that the scripts have for this call; success if none has. */
static cbn_cu_result play_scripts(enum sim_function function)
{
    cbn_cu_result result = CBN_CU_SUCCESS;
    for (int i = 0; i < sim.script_count; i++) {
        struct sim_script *script = &sim.scripts[i];
        if (script->function != SIM_ANY_FUNCTION && script->function != (int)function) {
            continue;
        }
        script->seen++;
        if (script->seen == script->call || (script->and_after && script->seen > script->call)) {
            result = script->result;
        }
    }
    return result;
}

static bool works_before_init(enum sim_function function)
{
    return function == SIM_cuInit || function == SIM_cuDriverGetVersion || function == SIM_cuGetErrorName ||
           function == SIM_cuGetErrorString;
}

static bool is_destructor(enum sim_function function)
{
    return function == SIM_cuLibraryUnload || function == SIM_cuMemFreeAsync ||
           function == SIM_cuDevicePrimaryCtxRelease || function == SIM_cuCtxPopCurrent ||
           function == SIM_cuGraphDestroyNode;
}

/* The lock is held before and after, but not meanwhile. */
static void wait_a_while(unsigned int microseconds)
{
    const struct timespec time = {.tv_sec = microseconds / 1000000,
                                  .tv_nsec = microseconds % 1000000 * 1000L};
    sim_unlock();
    nanosleep(&time, NULL);
    sim_lock();
}

bool sim_enter(enum sim_function function, cbn_cu_result *out_result)
{
    sim_lock();
    if (sim.delays[function]) {
        wait_a_while(sim.delays[function]);
    }
    sim.calls[function]++;
    sim.all_calls++;
    if (SIM_STUB) {
        *out_result = CBN_CU_STUB_LIBRARY;
        return false;
    }
    *out_result = play_scripts(function);
    if (!sim.is_initialised && !works_before_init(function)) {
        *out_result = CBN_CU_NOT_INITIALIZED;
        return false;
    }
    return *out_result == CBN_CU_SUCCESS || is_destructor(function);
}

cbn_cu_result sim_misuse(cbn_cu_result result, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(sim.last_misuse, sizeof(sim.last_misuse), format, args);
    va_end(args);
    sim.misuses++;
    return result;
}

void simdriver_reset(void)
{
    sim_lock();
    reset();
    sim_unlock();
}

bool simdriver_set_devices(const char *list)
{
    sim_lock();
    bool ok = set_devices(list);
    sim_unlock();
    return ok;
}

void simdriver_set_version(int version)
{
    sim_lock();
    sim.version = version;
    sim_unlock();
}

void simdriver_set_attribute(int device, unsigned int attribute, int value)
{
    sim_lock();
    sim.devices[device].attributes[attribute] = value;
    sim_unlock();
}

void simdriver_fail(const char *function, unsigned int call, unsigned int result, bool and_after)
{
    int id = function_id(function);
    sim_lock();
    if (sim.script_count == SIM_MAX_SCRIPTS) {
        fprintf(stderr, "simdriver: more than %d scripts\n", SIM_MAX_SCRIPTS);
        abort();
    }
    sim.scripts[sim.script_count++] =
        (struct sim_script){.function = id, .call = call, .result = result, .and_after = and_after};
    sim_unlock();
}

void simdriver_fail_none(void)
{
    sim_lock();
    sim.script_count = 0;
    sim_unlock();
}

void simdriver_delay(const char *function, unsigned int microseconds)
{
    int id = function_id(function);
    sim_lock();
    for (int i = 0; i < SIM_FUNCTION_COUNT; i++) {
        if (id == SIM_ANY_FUNCTION || id == i) {
            sim.delays[i] = microseconds;
        }
    }
    sim_unlock();
}

unsigned int simdriver_calls(const char *function)
{
    int id = function_id(function);
    sim_lock();
    unsigned int count = id == SIM_ANY_FUNCTION ? sim.all_calls : sim.calls[id];
    sim_unlock();
    return count;
}

unsigned int simdriver_live_libraries(void)
{
    unsigned int count = 0;
    sim_lock();
    for (const struct CUlib_st *library = sim.libraries; library; library = library->next) {
        count++;
    }
    sim_unlock();
    return count;
}

unsigned int simdriver_retained_contexts(void)
{
    unsigned int count = 0;
    sim_lock();
    for (int i = 0; i < sim.device_count; i++) {
        count += sim.devices[i].primary.retained;
    }
    sim_unlock();
    return count;
}

unsigned int simdriver_misuses(void)
{
    sim_lock();
    unsigned int count = sim.misuses;
    sim_unlock();
    return count;
}

const char *simdriver_last_misuse(void)
{
    return sim.last_misuse;
}

struct simdriver_launch simdriver_last_launch(void)
{
    sim_lock();
    struct simdriver_launch launch = sim.launch;
    sim_unlock();
    return launch;
}
