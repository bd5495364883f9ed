// SPDX-License-Identifier: Apache-2.0
// What all containers bring with them.
#ifndef CUBINET_HOST_CONTAINERS_H
#define CUBINET_HOST_CONTAINERS_H

#include "cubinet_host/config.h"
#include "cubinet_std/allocator.h"
#include "cubinet_std/hash.h"
#include "cubinet_std/min_max.h"
#include "cubinet_std/operations.h"
#include "cubinet_std/reverse_iterator.h"
#include <initializer_list>
#include <utility>

#endif
