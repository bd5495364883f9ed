// SPDX-License-Identifier: Apache-2.0
// The words are C++'s own.
#ifndef CUBINET_STD_ISO646_H
#define CUBINET_STD_ISO646_H

#endif
