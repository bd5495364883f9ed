// SPDX-License-Identifier: Apache-2.0
// bool, true and false are C++'s own.
#ifndef CUBINET_STD_STDBOOL_H
#define CUBINET_STD_STDBOOL_H

#define _Bool bool // as gcc has it for C++
#define __bool_true_false_are_defined 1

#endif
