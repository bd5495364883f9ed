/* SPDX-License-Identifier: Apache-2.0 */
#include "test_cxx_other.h"

#include <cubinet/cubinet.hpp>

cubinet_status other_open_status(const char *path)
{
#ifdef CUBINET_NO_EXCEPTIONS
    return cubinet::archive::open(path).status();
#else
    try {
        cubinet::archive::open(path);
        return CUBINET_OK;
    } catch (const cubinet::error &error) {
        return error.status();
    }
#endif
}
