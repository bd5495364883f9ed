/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The version of libcubinet. CMakeLists.txt reads it from here. */
#ifndef CUBINET_VERSION_H
#define CUBINET_VERSION_H

#include <cubinet/export.h>

#define CUBINET_VERSION_MAJOR  0
#define CUBINET_VERSION_MINOR  1
#define CUBINET_VERSION_PATCH  0
#define CUBINET_VERSION_STRING "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/** The version of the library that is running, such as "0.1.0"; the macros are those compiled against.
 * Static.
 * @since 0.1 */
CUBINET_API const char *cubinet_version(void);

#ifdef __cplusplus
}
#endif

#endif
