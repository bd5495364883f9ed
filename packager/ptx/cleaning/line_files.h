/* SPDX-License-Identifier: Apache-2.0 */
/* Keeping the times and sizes of source files from ptxas, as hidden_files.h does from nvJitLink.
 *
 * ptxas looks up each file that a .file directive names and writes its time and size into the line table,
 * zeros if there is none. So it is given names that no file has, of the same length: the first character is
 * another one, and put back in the line table. */
#ifndef LINE_FILES_H
#define LINE_FILES_H

#include <cubinet/status.h>

#include <stddef.h>

struct line_files {
    char first[32]; /* the character that a control character stands for; NUL: none */
};

/* Renames the files in a text of PTX. */
void line_files_hide(char *ptx, size_t size, struct line_files *out_files);

/* Gives the files in the line table of a cubin their names back. CUBINET_ERROR_LINK if the table is not of a
 * form that is known. */
cubinet_status line_files_show(const struct line_files *files, unsigned char *cubin, size_t size);

#endif
