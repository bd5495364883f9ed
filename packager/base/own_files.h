/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are installed with the command, found from where it lies, so that an installation can be moved.
 */
#ifndef OWN_FILES_H
#define OWN_FILES_H

#include <cubinet/status.h>

#include <stddef.h>

/* Where one kind of files is, from the command's folder. */
struct own_files {
    const char *what;     /* for messages, up to the verb: "the headers, which are installed with it, are" */
    const char *advice;   /* for messages: what to do besides running the command from its place */
    const char *in_build; /* in a build tree */
    const char *in_installed; /* where it is installed */
};

/* The absolute path of what is there, which the caller frees. */
cubinet_status own_files_find(const struct own_files *files, char **out_path);

/* The folder of Python packages that the command is installed in as one of them, as its wheel is, or NULL;
 * the caller frees it. */
char *own_python_packages(void);

#endif
