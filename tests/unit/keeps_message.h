/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that succeed leave the thread's message as it was, at the same place: a program may hold its text.
 * Every test program's calls are compiled to be watched for that: CMakeLists.txt makes, of the public
 * headers, a macro for each function that returns a status. */
#ifndef KEEPS_MESSAGE_H
#define KEEPS_MESSAGE_H

#include <cubinet/status.h>

/* Notes the calling thread's message before a call. */
void keeps_message_note(void);

/* Ends the program if the call succeeded and the message is another. Returns the status. */
cubinet_status keeps_message_check(cubinet_status status, const char *call, const char *file, int line);

#define KEEPS_MESSAGE(call) (keeps_message_note(), keeps_message_check(call, #call, __FILE__, __LINE__))

#endif
