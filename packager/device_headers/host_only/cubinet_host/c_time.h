// SPDX-License-Identifier: Apache-2.0
// The time of day.
#if !defined(CUBINET_HOST_C_TIME_H) && __cplusplus >= 201402L
#define CUBINET_HOST_C_TIME_H

#include "functions.h"

typedef long long time_t; // as libcu++ has it
typedef int clockid_t;
typedef void *timer_t;
struct timespec {
    time_t tv_sec;
    long tv_nsec;
};
struct timeval {
    time_t tv_sec;
    long tv_usec;
};
struct tm {
    int tm_sec;
    int tm_min;
    int tm_hour;
    int tm_mday;
    int tm_mon;
    int tm_year;
    int tm_wday;
    int tm_yday;
    int tm_isdst;
    long tm_gmtoff;
    const char *tm_zone;
};
namespace std
{
using ::time_t;
using ::timespec;
using ::tm;
} // namespace std

#define CLOCKS_PER_SEC           1000000
#define CLOCK_REALTIME           0
#define CLOCK_MONOTONIC          1
#define CLOCK_PROCESS_CPUTIME_ID 2
#define CLOCK_MONOTONIC_RAW      4
#define TIME_UTC                 1

_CUBINET_HOST_C_FUNCTION(asctime)
_CUBINET_HOST_C_FUNCTION(ctime)
_CUBINET_HOST_C_FUNCTION(difftime)
_CUBINET_HOST_C_FUNCTION(gmtime)
_CUBINET_HOST_C_FUNCTION(localtime)
_CUBINET_HOST_C_FUNCTION(mktime)
_CUBINET_HOST_C_FUNCTION(strftime)
_CUBINET_HOST_C_FUNCTION(time)
_CUBINET_HOST_C_FUNCTION(timespec_get)
_CUBINET_HOST_FUNCTION(clock_getres)
_CUBINET_HOST_FUNCTION(clock_gettime)
_CUBINET_HOST_FUNCTION(clock_settime)
_CUBINET_HOST_FUNCTION(gmtime_r)
_CUBINET_HOST_FUNCTION(localtime_r)
_CUBINET_HOST_FUNCTION(nanosleep)
_CUBINET_HOST_FUNCTION(strptime)
_CUBINET_HOST_FUNCTION(timegm)

#endif
