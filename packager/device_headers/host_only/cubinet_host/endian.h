// SPDX-License-Identifier: Apache-2.0
// The order of bytes, of GPUs and of the hosts that have them.
#ifndef CUBINET_HOST_ENDIAN_H
#define CUBINET_HOST_ENDIAN_H

#define __LITTLE_ENDIAN    1234
#define __BIG_ENDIAN       4321
#define __PDP_ENDIAN       3412
#define __BYTE_ORDER       __LITTLE_ENDIAN
#define __FLOAT_WORD_ORDER __LITTLE_ENDIAN
#define LITTLE_ENDIAN      __LITTLE_ENDIAN
#define BIG_ENDIAN         __BIG_ENDIAN
#define PDP_ENDIAN         __PDP_ENDIAN
#define BYTE_ORDER         __BYTE_ORDER

#endif
