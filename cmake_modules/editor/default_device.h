/* For sources that are compiled with -default-device: what has no annotation after this is for the device, too. The
 * standard headers stay as they are, so those that such sources include come first. */
#ifndef CUBINET_EDITOR_DEFAULT_DEVICE_H
#define CUBINET_EDITOR_DEFAULT_DEVICE_H

#include "nvrtc.h"

#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>

#pragma clang force_cuda_host_device begin

#endif
