/* SPDX-License-Identifier: Apache-2.0 */
/* What the compiler takes for its working folder.
 *
 * NVRTC writes the working folder into debug information and LTO-IR, so that two compiles of the same files
 * in two folders would differ. It asks getcwd(), and the command exports its own (working_folder.c), which
 * can answer something else while a compile runs. Files are found all the same: the compiler opens them by
 * the paths that it was given. */
#ifndef WORKING_FOLDER_H
#define WORKING_FOLDER_H

/* Makes getcwd() answer `name` in this process, which must live until the next call; NULL: the truth. */
void working_folder_pretend(const char *name);

#endif
