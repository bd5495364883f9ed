// SPDX-License-Identifier: Apache-2.0
// The types of <sys/types.h>.
#if !defined(CUBINET_HOST_POSIX_TYPES_H) && __cplusplus >= 201402L
#define CUBINET_HOST_POSIX_TYPES_H

#include "cubinet_host/c_time.h"
#include <stdint.h>

typedef long ssize_t;
typedef int pid_t;
typedef unsigned int uid_t;
typedef unsigned int gid_t;
typedef unsigned int id_t;
typedef unsigned int mode_t;
typedef long off_t;
typedef long off64_t;
typedef long loff_t;
typedef unsigned long dev_t;
typedef unsigned long ino_t;
typedef unsigned int useconds_t;
typedef long suseconds_t;
typedef long blkcnt_t;
typedef unsigned long fsblkcnt_t;
typedef unsigned long fsfilcnt_t;
typedef int key_t;
typedef char *caddr_t;
typedef unsigned int socklen_t;
#ifdef __aarch64__
typedef unsigned int nlink_t;
typedef int blksize_t;
#else
typedef unsigned long nlink_t;
typedef long blksize_t;
#endif
typedef unsigned char u_char;
typedef unsigned short u_short;
typedef unsigned int u_int;
typedef unsigned long u_long;
typedef unsigned char u_int8_t;
typedef unsigned short u_int16_t;
typedef unsigned int u_int32_t;
typedef unsigned long u_int64_t;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

_CUBINET_HOST_C_TYPE(fd_set, long, 16)
_CUBINET_HOST_C_TYPE(sigset_t, long, 16)

#endif
