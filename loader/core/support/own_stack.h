/* SPDX-License-Identifier: Apache-2.0 */
/* Running what needs a large stack, whatever the caller's thread has. */
#ifndef CBN_OWN_STACK_H
#define CBN_OWN_STACK_H

#include <cubinet/status.h>

/* Calls work(user) in a thread of its own, whose stack is as large as a program's first thread usually has,
 * and waits for it. The message of a failure becomes the caller's. CUBINET_ERROR_OUT_OF_MEMORY, without the
 * call, if the system gives no thread. */
cubinet_status cbn_run_on_own_stack(cubinet_status (*work)(void *user), void *user);

#endif
