/* SPDX-License-Identifier: Apache-2.0 */
/* --base-dir: paths in the arguments of a compile that become relative, so that the same command in a copy of
 * the project elsewhere is the same compile. What comes out names files as the command line does; so a cache
 * can only be shared by copies of a project where the names are the same in each. */
#ifndef BASE_DIR_H
#define BASE_DIR_H

#include "base/response_file.h"

/* Makes the source, and the folders and files of -I, -isystem and -include, relative to the working folder
 * where they lie in the folder that --base-dir names, or else $CUBINET_BASE_DIR, and the working folder does,
 * too. */
cubinet_status base_dir_apply(struct arguments *arguments);

/* Undoes that in a depfile's paths outside of the working folder. Ninja and CMake know a file there only by
 * the name that the build files have: one that a rule makes would not count as changed under another. */
cubinet_status base_dir_restore(struct cbn_text_list *paths);

#endif
