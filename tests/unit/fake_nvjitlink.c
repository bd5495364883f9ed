/* SPDX-License-Identifier: Apache-2.0 */
/* An nvJitLink that does as tests tell it. FAKE_OLD: one of release 12.1, without plain names. The
 * environment variable FAKE_NVJITLINK has it end badly: "abort", "overflow" (of its stack) or "hang". */
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#ifdef FAKE_OLD
#define NAME(name) __##name##_12_1
#else
#define NAME(name) name
#endif

enum { SUCCESS = 0, INVALID_INPUT = 3, INTERNAL = 6, OUTDATED_LIBRARY = 14 };
enum { WORKS = 0, REFUSES_PIECES = 1, MAKES_NOTHING = 2, IS_OUTDATED = 3, LOGS_OUTDATED = 4 };

/* How long a link takes, so that threads meet at it. */
enum { LINK_MICROSECONDS = 20000 };

/* What the real one may use of a thread's stack: nearly all of the 8 MiB that it is given. */
enum { STACK_BYTES = 7 << 20 };

static const char remark[] = "ptxas info : first\nptxas info : second\n";

static int behaviour;
static int calls_until_failure; /* 0: none fails */
static const void *cubin;
static size_t cubin_size;
static atomic_int links;
static char options[1024];

EXPORT void fake_fail_call(int call);
EXPORT void fake_control(int new_behaviour, const void *new_cubin, size_t size);
EXPORT int fake_count(void);
EXPORT const char *fake_last_options(void);

void fake_control(int new_behaviour, const void *new_cubin, size_t size)
{
    behaviour = new_behaviour;
    cubin = new_cubin;
    cubin_size = size;
    atomic_store(&links, 0);
}

void fake_fail_call(int call)
{
    calls_until_failure = call;
}

/* The result of a call that would otherwise succeed. */
static int result(void)
{
    if (calls_until_failure > 0 && --calls_until_failure == 0) {
        calls_until_failure = -1;
        return INTERNAL;
    }
    return SUCCESS;
}

int fake_count(void)
{
    return atomic_load(&links);
}

const char *fake_last_options(void)
{
    return options;
}

#define DEFINE(name, ...)                                                                                    \
    EXPORT int NAME(name)(__VA_ARGS__);                                                                      \
    int NAME(name)(__VA_ARGS__)

DEFINE(nvJitLinkCreate, void **handle, uint32_t count, const char **given)
{
    options[0] = '\0';
    for (uint32_t i = 0; i < count; i++) {
        size_t used = strlen(options);
        snprintf(options + used, sizeof(options) - used, "%s%s", i ? " " : "", given[i]);
    }
    *handle = options;
    return result();
}

DEFINE(nvJitLinkDestroy, void **handle)
{
    *handle = NULL;
    return SUCCESS;
}

DEFINE(nvJitLinkAddData, void *handle, int type, const void *data, size_t size, const char *name)
{
    (void)handle, (void)type, (void)data, (void)size, (void)name;
    return behaviour == REFUSES_PIECES  ? INVALID_INPUT
           : behaviour == IS_OUTDATED   ? OUTDATED_LIBRARY
           : behaviour == LOGS_OUTDATED ? INTERNAL
                                        : result();
}

static void use_stack(void)
{
    volatile char bytes[STACK_BYTES];
    for (size_t i = 0; i < sizeof(bytes); i += 1024) {
        bytes[i] = 1;
    }
}

/* Without end, as far as the compiler can tell. */
static int overflow(volatile int *depth)
{
    volatile char bytes[1024];
    bytes[0] = (char)++*depth;
    return *depth > 0 ? overflow(depth) + bytes[0] : 0;
}

static void end_badly(const char *how)
{
    volatile int depth = 0;
    if (strcmp(how, "abort") == 0) {
        abort();
    } else if (strcmp(how, "overflow") == 0) {
        overflow(&depth);
    }
    for (;;) {
        pause();
    }
}

DEFINE(nvJitLinkComplete, void *handle)
{
    (void)handle;
    const char *bad_end = getenv("FAKE_NVJITLINK");
    if (bad_end) {
        end_badly(bad_end);
    }
    use_stack();
    atomic_fetch_add(&links, 1);
    usleep(LINK_MICROSECONDS);
    return result();
}

DEFINE(nvJitLinkGetLinkedCubinSize, void *handle, size_t *size)
{
    (void)handle;
    *size = behaviour == WORKS ? cubin_size : 0;
    return result();
}

DEFINE(nvJitLinkGetLinkedCubin, void *handle, void *out)
{
    (void)handle;
    memcpy(out, cubin, cubin_size);
    return result();
}

DEFINE(nvJitLinkGetLinkedPtxSize, void *handle, size_t *size)
{
    (void)handle;
    *size = 0;
    return INVALID_INPUT;
}

DEFINE(nvJitLinkGetLinkedPtx, void *handle, char *ptx)
{
    (void)handle, (void)ptx;
    return INVALID_INPUT;
}

static const char *error_log(void)
{
    return behaviour == REFUSES_PIECES  ? "no such piece"
           : behaviour == LOGS_OUTDATED ? "ERROR 4, may need newer version of nvJitLink library"
                                        : NULL;
}

DEFINE(nvJitLinkGetErrorLogSize, void *handle, size_t *size)
{
    (void)handle;
    *size = error_log() ? strlen(error_log()) + 1 : 0;
    return SUCCESS;
}

DEFINE(nvJitLinkGetErrorLog, void *handle, char *log)
{
    (void)handle;
    memcpy(log, error_log(), strlen(error_log()) + 1);
    return SUCCESS;
}

DEFINE(nvJitLinkGetInfoLogSize, void *handle, size_t *size)
{
    (void)handle;
    *size = sizeof(remark);
    return SUCCESS;
}

DEFINE(nvJitLinkGetInfoLog, void *handle, char *log)
{
    (void)handle;
    memcpy(log, remark, sizeof(remark));
    return SUCCESS;
}

#ifndef FAKE_OLD
EXPORT int nvJitLinkVersion(unsigned int *major, unsigned int *minor);
EXPORT int __nvJitLinkCreate_13_0(void **handle, uint32_t count, const char **given);

int nvJitLinkVersion(unsigned int *major, unsigned int *minor)
{
    *major = 13;
    *minor = 0;
    return SUCCESS;
}

/* The real ones have their functions under such names, too, which tell the release. */
int __nvJitLinkCreate_13_0(void **handle, uint32_t count, const char **given)
{
    return nvJitLinkCreate(handle, count, given);
}
#endif
