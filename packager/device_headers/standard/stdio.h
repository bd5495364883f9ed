// SPDX-License-Identifier: Apache-2.0
// printf() is NVRTC's own; there are no streams and files on a GPU.
#ifndef CUBINET_STD_STDIO_H
#define CUBINET_STD_STDIO_H

#include <stddef.h>

#ifndef EOF
#define EOF (-1)
#endif

// Files, whose types host code names.
#if __has_include("../host_only/cubinet_host/c_stdio.h")
#include "../host_only/cubinet_host/c_stdio.h"
#endif

#endif
