/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that the library tells of an open archive, asked for as a program would. */
#ifndef WALK_H
#define WALK_H

#include <cubinet/archive.h>

/* Describes every module, image, symbol, kernel and global, finds them again by their names, and reads every
 * image. Stops the program where two answers do not fit each other. */
void walk(const cubinet_archive *archive);

#endif
