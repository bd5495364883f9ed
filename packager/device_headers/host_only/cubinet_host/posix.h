// SPDX-License-Identifier: Apache-2.0
// Files, processes, signals and sockets.
#if !defined(CUBINET_HOST_POSIX_H) && __cplusplus >= 201402L
#define CUBINET_HOST_POSIX_H

#include "cubinet_host/posix_types.h"
#include <time.h>

struct iovec {
    void *iov_base;
    size_t iov_len;
};
struct stat {
    dev_t st_dev;
    ino_t st_ino;
#ifdef __aarch64__
    mode_t st_mode;
    nlink_t st_nlink;
#else
    nlink_t st_nlink;
    mode_t st_mode;
#endif
    uid_t st_uid;
    gid_t st_gid;
    int __more;
    dev_t st_rdev;
    off_t st_size;
    blksize_t st_blksize;
    blkcnt_t st_blocks;
    timespec st_atim;
    timespec st_mtim;
    timespec st_ctim;
#ifdef __aarch64__
    int __last[2];
#else
    long __last[3];
#endif
};
struct timezone {
    int tz_minuteswest;
    int tz_dsttime;
};
struct rusage {
    timeval ru_utime;
    timeval ru_stime;
    long ru_maxrss;
    long __more[13];
};
struct rlimit {
    unsigned long rlim_cur;
    unsigned long rlim_max;
};
struct dirent {
    ino_t d_ino;
    off_t d_off;
    unsigned short d_reclen;
    unsigned char d_type;
    char d_name[256];
};
typedef struct __dirstream DIR;
struct sockaddr {
    unsigned short sa_family;
    char sa_data[14];
};
struct sockaddr_in;
struct sockaddr_un;
struct utsname;
struct sysinfo;
struct ifaddrs;
struct addrinfo;
struct hostent;
struct pollfd {
    int fd;
    short events;
    short revents;
};

_CUBINET_HOST_C_TYPE(siginfo_t, long, 16)
_CUBINET_HOST_C_TYPE(stack_t, long, 3)
typedef int sig_atomic_t;
typedef void (*sighandler_t)(int);
union sigval {
    int sival_int;
    void *sival_ptr;
};
struct sigaction {
    sighandler_t sa_handler;
    long __more[18];
};
namespace std
{
using ::sig_atomic_t;
} // namespace std

#define O_RDONLY       0
#define O_WRONLY       1
#define O_RDWR         2
#define O_CREAT        64
#define O_EXCL         128
#define O_TRUNC        512
#define O_APPEND       1024
#define PROT_NONE      0
#define PROT_READ      1
#define PROT_WRITE     2
#define MAP_SHARED     1
#define MAP_PRIVATE    2
#define MAP_ANONYMOUS  32
#define MAP_FAILED     (reinterpret_cast<void *>(-1))
#define STDIN_FILENO   0
#define STDOUT_FILENO  1
#define STDERR_FILENO  2
#define _SC_PAGESIZE   30
#define RTLD_LAZY      1
#define RTLD_NOW       2
#define RTLD_GLOBAL    256
#define SIGINT         2
#define SIGABRT        6
#define SIGKILL        9
#define SIGSEGV        11
#define SIGALRM        14
#define SIGTERM        15
#define SIG_DFL        (reinterpret_cast<sighandler_t>(0))
#define SIG_IGN        (reinterpret_cast<sighandler_t>(1))

_CUBINET_HOST_FUNCTION(access)
_CUBINET_HOST_FUNCTION(close)
_CUBINET_HOST_FUNCTION(dlclose)
_CUBINET_HOST_FUNCTION(dlerror)
_CUBINET_HOST_FUNCTION(dlopen)
_CUBINET_HOST_FUNCTION(dlsym)
_CUBINET_HOST_FUNCTION(fork)
_CUBINET_HOST_FUNCTION(getopt)
_CUBINET_HOST_FUNCTION(getopt_long)
_CUBINET_HOST_FUNCTION(getpid)
_CUBINET_HOST_FUNCTION(gettimeofday)
_CUBINET_HOST_FUNCTION(isatty)
_CUBINET_HOST_FUNCTION(lseek)
_CUBINET_HOST_FUNCTION(mkdir)
_CUBINET_HOST_FUNCTION(mmap)
_CUBINET_HOST_FUNCTION(munmap)
_CUBINET_HOST_FUNCTION(open)
_CUBINET_HOST_FUNCTION(read)
_CUBINET_HOST_FUNCTION(sleep)
_CUBINET_HOST_FUNCTION(sysconf)
_CUBINET_HOST_FUNCTION(unlink)
_CUBINET_HOST_FUNCTION(usleep)
_CUBINET_HOST_FUNCTION(write)

#endif
