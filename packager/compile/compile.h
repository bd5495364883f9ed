/* SPDX-License-Identifier: Apache-2.0 */
/* One source, compiled for every virtual architecture that was asked for, into a module of a draft: NVRTC
 * makes PTX, the PTX is cleaned, ptxas or nvJitLink assembles it for each real architecture. */
#ifndef COMPILE_H
#define COMPILE_H

#include "compile/compile_work.h"

/* Compiles into the module of `work`, in which the caller filled in what comes before `text`. What the
 * compilers had to say goes into the messages, on success and on failure, in gcc's form; what they are told,
 * too, if `verbose`. */
cubinet_status compile_source(struct compile_work *work);

#endif
