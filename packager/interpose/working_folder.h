/* SPDX-License-Identifier: Apache-2.0 */
/* What the compiler takes for its working folder.
 *
 * NVRTC writes the working folder into debug information and LTO-IR, so that two compiles of the same files
 * in two folders would differ. It asks getcwd(), and the command exports its own (working_folder.c), which
 * can answer something else while a compile runs. Files are found all the same: the compiler opens them by
 * the paths that it was given or, after CUDA 13.0, looks for some in what it takes for its working folder,
 * whose name is then taken off again. */
#ifndef WORKING_FOLDER_H
#define WORKING_FOLDER_H

/* Makes getcwd() answer `name` in this process, which must live until the next call; NULL: the truth. */
void working_folder_pretend(const char *name);

/* The path by which a file that NVRTC asks for is found: a part of `path`, after the name of an absolute
 * folder that getcwd() answers, or all of it. */
const char *working_folder_path(const char *path);

#endif
