/* SPDX-License-Identifier: Apache-2.0 */
/* Keeping the times and sizes of source files from the assembler.
 *
 * With line information, nvJitLink looks up each file that a .file directive of the PTX names, and writes its
 * time and size into the cubin, so that the same files give other bytes after a copy. It writes zeros for a
 * file that it does not find (and takes what the directive says of time and size only then). It asks stat(),
 * of nothing else, and the command exports its own (hidden_files.c), which can answer that there is no file.
 */
#ifndef HIDDEN_FILES_H
#define HIDDEN_FILES_H

#include <stdbool.h>

/* Makes stat() find no file in this process, or find them again. Several threads may: it finds them when the
 * last one does not hide them any more. */
void hidden_files_hide(bool hide);

#endif
