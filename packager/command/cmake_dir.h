/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMAKE_DIR_H
#define CMAKE_DIR_H

#include <cubinet/status.h>

/* Prints the folder of the CMake package that the command belongs to, for -DCubinet_DIR. */
cubinet_status cmake_dir_print(void);

#endif
