// SPDX-License-Identifier: Apache-2.0
// noreturn is an attribute in C++.
#ifndef CUBINET_STD_STDNORETURN_H
#define CUBINET_STD_STDNORETURN_H

#define __noreturn_is_defined 1

#endif
