/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that are told from others of the same name by their parameters: `scale<float>(float *, int)`, as
 * demanglers print them. NVRTC's name expressions have a cast to the type for that. */
#ifndef OVERLOAD_H
#define OVERLOAD_H

#include <cubinet/status.h>

/* The cast, `static_cast<void (*)(float *, int)>(scale<float>)`, which the caller frees; a copy of any other
 * expression. */
cubinet_status overload_cast(const char *expression, char **out_expression);

#endif
