/* SPDX-License-Identifier: Apache-2.0 */
/* The `cubinet` of an environment's bin folder. The command itself is in the Python package, with the files
 * that it needs beside it; this one finds it there and becomes it, without a start of Python. */
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where Python packages are, from the bin folder: of an environment, of Debian's pip, and of pip install
 * --target. A prefix may serve several releases of Python; the package of this launcher's version is the one
 * it came with. */
static const char *const places[] = {
    "../lib/python3.*/site-packages",
    "../lib64/python3.*/site-packages",
    "../local/lib/python3.*/dist-packages",
    "../lib/python3.*/dist-packages",
    "..",
};

static const char version_folder[] = "cubinet-" CUBINET_WHEEL_VERSION ".dist-info";

/* The command in the first folder of Python packages that has this version of Cubinet; false: none has. */
static int find_in(const char *folders, char command[PATH_MAX])
{
    char pattern[4 * PATH_MAX];
    glob_t found = {0};
    int is_found = 0;
    snprintf(pattern, sizeof(pattern), "%s/%s", folders, version_folder);
    if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc && !is_found; i++) {
            const char *path = found.gl_pathv[i];
            int length = (int)(strlen(path) - strlen(version_folder));
            int size = snprintf(command, PATH_MAX, "%.*scubinet/bin/cubinet", length, path);
            is_found = size < PATH_MAX && access(command, X_OK) == 0;
        }
    }
    globfree(&found);
    return is_found;
}

/* A folder's name as a pattern that only it matches. */
static void write_literally(const char *text, char pattern[2 * PATH_MAX])
{
    for (; *text; text++) {
        if (strchr("*?[]\\", *text)) {
            *pattern++ = '\\';
        }
        *pattern++ = *text;
    }
    *pattern = '\0';
}

int main(int argc, char **argv)
{
    char self[PATH_MAX];
    ssize_t size = readlink("/proc/self/exe", self, sizeof(self) - 1);
    self[size > 0 ? size : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (!slash) {
        fprintf(stderr, "cubinet: error: cannot tell where the command is: /proc/self/exe cannot be read\n");
        return 1;
    }
    *slash = '\0';
    char folder[2 * PATH_MAX];
    write_literally(self, folder);
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        char folders[3 * PATH_MAX];
        char command[PATH_MAX];
        snprintf(folders, sizeof(folders), "%s/%s", folder, places[i]);
        if (find_in(folders, command)) {
            execv(command, argv);
            fprintf(stderr, "cubinet: error: cannot start '%s': %s\n", command, strerror(errno));
            return 1;
        }
    }
    (void)argc;
    fprintf(stderr,
            "cubinet: error: there is no Python package cubinet %s near '%s' (in %s and other usual places): "
            "reinstall it, "
            "or run 'python -m cubinet'\n",
            CUBINET_WHEEL_VERSION, self, places[0]);
    return 1;
}
