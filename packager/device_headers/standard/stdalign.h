// SPDX-License-Identifier: Apache-2.0
// alignas and alignof are C++'s own.
#ifndef CUBINET_STD_STDALIGN_H
#define CUBINET_STD_STDALIGN_H

#define __alignas_is_defined 1
#define __alignof_is_defined 1

#endif
