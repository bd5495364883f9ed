/* SPDX-License-Identifier: Apache-2.0 */
/* Who has the lock that one waited for in vain, for messages. */
#ifndef LOCK_HOLDER_H
#define LOCK_HOLDER_H

enum { LOCK_HOLDER_SIZE = 128 };

/* Describes a process that has a lock on the file or folder, a stopped one if there is one: "process 12
 * (ninja), which is stopped (kill -CONT 12 lets it go on)". Those of other users can't be seen. */
const char *lock_holder(int fd, char text[LOCK_HOLDER_SIZE]);

#endif
