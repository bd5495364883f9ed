/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_CXX_OTHER_H
#define TEST_CXX_OTHER_H

#include <cubinet/status.h>

/* What opening an archive comes to, in a source that is compiled without exceptions where test_cxx.cpp has
 * them, and with them where it has none. */
cubinet_status other_open_status(const char *path);

#endif
