// SPDX-License-Identifier: Apache-2.0
// The types of <pthread.h>, <semaphore.h> and <sched.h>. Their functions are named by bodies alone.
#if !defined(CUBINET_HOST_POSIX_THREADS_H) && __cplusplus >= 201402L
#define CUBINET_HOST_POSIX_THREADS_H

#include "cubinet_host/posix_types.h"
#include <time.h>

typedef unsigned long pthread_t;
typedef unsigned int pthread_key_t;
typedef int pthread_once_t;
typedef volatile int pthread_spinlock_t;
#ifdef __aarch64__
_CUBINET_HOST_C_TYPE(pthread_mutex_t, long, 6)
_CUBINET_HOST_C_TYPE(pthread_attr_t, long, 8)
_CUBINET_HOST_C_TYPE(pthread_mutexattr_t, int, 2)
_CUBINET_HOST_C_TYPE(pthread_condattr_t, int, 2)
_CUBINET_HOST_C_TYPE(pthread_barrierattr_t, int, 2)
#else
_CUBINET_HOST_C_TYPE(pthread_mutex_t, long, 5)
_CUBINET_HOST_C_TYPE(pthread_attr_t, long, 7)
_CUBINET_HOST_C_TYPE(pthread_mutexattr_t, int, 1)
_CUBINET_HOST_C_TYPE(pthread_condattr_t, int, 1)
_CUBINET_HOST_C_TYPE(pthread_barrierattr_t, int, 1)
#endif
_CUBINET_HOST_C_TYPE(pthread_cond_t, long, 6)
_CUBINET_HOST_C_TYPE(pthread_rwlock_t, long, 7)
_CUBINET_HOST_C_TYPE(pthread_rwlockattr_t, long, 1)
_CUBINET_HOST_C_TYPE(pthread_barrier_t, long, 4)
_CUBINET_HOST_C_TYPE(cpu_set_t, long, 16)
_CUBINET_HOST_C_TYPE(sem_t, long, 4)
struct sched_param {
    int sched_priority;
};

#define PTHREAD_MUTEX_INITIALIZER      {}
#define PTHREAD_COND_INITIALIZER       {}
#define PTHREAD_RWLOCK_INITIALIZER     {}
#define PTHREAD_ONCE_INIT              0
#define PTHREAD_CREATE_JOINABLE        0
#define PTHREAD_CREATE_DETACHED        1
#define PTHREAD_BARRIER_SERIAL_THREAD  (-1)
#define PTHREAD_MUTEX_RECURSIVE        1
#define SCHED_OTHER                    0
#define SCHED_FIFO                     1
#define SCHED_RR                       2

#endif
