/* SPDX-License-Identifier: Apache-2.0 */
/* The address of a remote cache, as users give it. */
#ifndef REMOTE_ADDRESS_H
#define REMOTE_ADDRESS_H

#include <cubinet/status.h>

/* CUBINET_ERROR_INVALID_ARGUMENT if a text is neither the address of a remote cache nor "". The message
 * says that it is `from`, and shows no secrets. */
cubinet_status remote_address_check(const char *from, const char *url);

#endif
