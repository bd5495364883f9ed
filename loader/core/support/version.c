/* SPDX-License-Identifier: Apache-2.0 */
#include <cubinet/version.h>

const char *cubinet_version(void)
{
    return CUBINET_VERSION_STRING;
}
