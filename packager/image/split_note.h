/* SPDX-License-Identifier: Apache-2.0 */
/* ptxas makes the same code over any number of threads (-split-compile), and notes the number in the cubin.
 */
#ifndef SPLIT_NOTE_H
#define SPLIT_NOTE_H

#include <cubinet/status.h>

#include <stddef.h>

/* The most threads that a note is made alike for. */
enum { SPLIT_NOTE_MOST_THREADS = 9 };

/* Makes the note say one thread, so that cubins are alike whatever was free when they were made. */
cubinet_status split_note_clear(unsigned char *cubin, size_t size);

#endif
