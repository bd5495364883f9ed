/* SPDX-License-Identifier: Apache-2.0 */
#include "toolkit/toolkit.h"

#include "base/buffer.h"
#include "base/own_files.h"
#include "loader/core/support/directory.h"
#include "loader/core/support/dynlib.h"
#include "loader/core/support/error.h"
#include "process/supervise.h"
#include "process/trace.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__aarch64__)
#define MULTIARCH "lib/aarch64-linux-gnu"
static const char *const target_folders[] = {"", "/targets/sbsa-linux", "/targets/aarch64-linux"};
#else
#define MULTIARCH "lib/x86_64-linux-gnu"
static const char *const target_folders[] = {"", "/targets/x86_64-linux"};
#endif
static const char *const library_folders[] = {"lib64", "lib", MULTIARCH};
/* The Python packages of CUDA 12, a folder each; those of CUDA 13 share one, named cu13. */
static const char *const package_folders[] = {"/cuda_nvrtc", "/nvjitlink", "/cuda_runtime", "/cuda_cccl",
                                              "/cuda_nvcc",  "/curand",    "/cuda_cuxxfilt"};
static const char *const root_variables[] = {"CUBINET_TOOLKIT", "CUDAToolkit_ROOT", "CUDA_HOME", "CUDA_PATH"};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A path made of pieces, for one call; too long a path is empty, and so is not found. */
struct path {
    char text[4096];
};

__attribute__((format(printf, 1, 2))) static struct path path_of(const char *format, ...)
{
    struct path path;
    va_list args;
    va_start(args, format);
    int length = vsnprintf(path.text, sizeof(path.text), format, args);
    va_end(args);
    if (length < 0 || (size_t)length >= sizeof(path.text)) {
        path.text[0] = '\0';
    }
    return path;
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

/* Why a folder could not be read, as another toolkit might be found instead; 0: all could. */
static _Thread_local int unread;

/* The highest number N for which `folder` has an entry of `prefix` and N; -1 if there is none. */
static int highest_entry(const char *folder, const char *prefix)
{
    DIR *dir = opendir(folder);
    if (!dir) {
        unread = errno == ENOMEM || errno == EMFILE || errno == ENFILE ? errno : unread;
        return -1;
    }
    int highest = -1;
    size_t prefix_size = strlen(prefix);
    for (const struct dirent *entry; (entry = cbn_next_entry(dir));) {
        const char *digits = entry->d_name + prefix_size;
        if (strncmp(entry->d_name, prefix, prefix_size) != 0 || !isdigit((unsigned char)*digits) ||
            strspn(digits, "0123456789") != strlen(digits)) {
            continue;
        }
        int number = atoi(digits);
        highest = number > highest ? number : highest;
    }
    unread = errno ? errno : unread;
    closedir(dir);
    return highest;
}

static cubinet_status set_text(char **text, const char *value)
{
    *text = strdup(value);
    return *text ? CUBINET_OK : cbn_error_memory();
}

/* Looks for a library in one folder: `prefix`N with the highest N, or exactly `major` if that is not 0. */
static struct path find_library_in(const char *folder, const char *prefix, int major)
{
    for (size_t i = 0; i < COUNT(library_folders); i++) {
        struct path libraries = path_of("%s/%s", folder, library_folders[i]);
        int number = major ? major : highest_entry(libraries.text, prefix);
        if (number >= 0) {
            struct path library = path_of("%s/%s%d", libraries.text, prefix, number);
            if (exists(library.text)) {
                return library;
            }
        }
    }
    return path_of("%s", "");
}

static struct path find_library(const char *base, const char *const *folders, size_t count,
                                const char *prefix, int major)
{
    for (size_t i = 0; i < count; i++) {
        struct path library = find_library_in(path_of("%s%s", base, folders[i]).text, prefix, major);
        if (library.text[0]) {
            return library;
        }
    }
    return path_of("%s", "");
}

static struct path find_device_runtime(const char *base, const char *const *folders, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < COUNT(library_folders); j++) {
            struct path library = path_of("%s%s/%s/libcudadevrt.a", base, folders[i], library_folders[j]);
            if (exists(library.text)) {
                return library;
            }
        }
    }
    return path_of("%s", "");
}

/* Whether all headers of a folder are CUDA's. */
enum sharing { NOT_ASKED, OWN, SHARED };

static bool is_same_folder(const char *a, const char *b)
{
    struct stat about_a;
    struct stat about_b;
    return stat(a, &about_a) == 0 && stat(b, &about_b) == 0 && about_a.st_dev == about_b.st_dev &&
           about_a.st_ino == about_b.st_ino;
}

/* Whether a header folder is not CUDA's alone: the system's, or that of a Conda environment. */
static bool is_shared(const char *include)
{
    return is_same_folder(include, "/usr/include") || is_same_folder(include, "/usr/local/include") ||
           exists(path_of("%s/../conda-meta", include).text);
}

cubinet_status toolkit_add_headers(struct toolkit *toolkit, const char *folder, bool before)
{
    size_t count = toolkit->include_count;
    char *copy = strdup(folder);
    char **includes = realloc(toolkit->includes, (count + 1) * sizeof(*includes));
    toolkit->includes = includes ? includes : toolkit->includes;
    char *sharing = realloc(toolkit->includes_sharing, count + 1);
    toolkit->includes_sharing = sharing ? sharing : toolkit->includes_sharing;
    if (!copy || !includes || !sharing) {
        free(copy);
        return cbn_error_memory();
    }
    size_t place = before ? 0 : count;
    memmove(includes + place + 1, includes + place, (count - place) * sizeof(*includes));
    memmove(sharing + place + 1, sharing + place, count - place);
    includes[place] = copy;
    sharing[place] = NOT_ASKED;
    toolkit->include_count++;
    return CUBINET_OK;
}

/* Adds a folder's headers if they are CUDA's: /usr/include, for one, often is not. */
static cubinet_status add_headers(struct toolkit *toolkit, const char *folder)
{
    static const char *const markers[] = {"cuda_runtime.h", "cuda.h", "cuda/std", "curand_kernel.h", "crt"};
    struct path include = path_of("%s/include", folder);
    struct path cccl = path_of("%s/cccl", include.text);
    for (size_t i = 0; i < COUNT(markers); i++) {
        if (!exists(path_of("%s/%s", include.text, markers[i]).text)) {
            continue;
        }
        cubinet_status status =
            exists(cccl.text) ? toolkit_add_headers(toolkit, cccl.text, false) : CUBINET_OK;
        return status ? status : toolkit_add_headers(toolkit, include.text, false);
    }
    return CUBINET_OK;
}

static int soname_major(const char *library)
{
    const char *dot = strrchr(library, '.');
    return dot ? atoi(dot + 1) : 0;
}

/* Takes NVRTC, nvJitLink and headers from folders that belong together; nothing if NVRTC is in none. */
static cubinet_status take_group(struct toolkit *toolkit, const char *base, const char *const *folders,
                                 size_t count)
{
    struct path nvrtc = find_library(base, folders, count, "libnvrtc.so.", 0);
    if (!nvrtc.text[0]) {
        return CUBINET_OK;
    }
    struct path nvjitlink = find_library(base, folders, count, "libnvJitLink.so.", soname_major(nvrtc.text));
    cubinet_status status = set_text(&toolkit->nvrtc, nvrtc.text);
    if (!status && nvjitlink.text[0]) {
        status = set_text(&toolkit->nvjitlink, nvjitlink.text);
    }
    struct path device_runtime = find_device_runtime(base, folders, count);
    if (!status && device_runtime.text[0]) {
        status = set_text(&toolkit->device_runtime, device_runtime.text);
    }
    for (size_t i = 0; !status && i < count; i++) {
        /* A toolkit's own include and that of its target are mostly one folder by two names. */
        bool same = i > 0 && toolkit->include_count > 0 && folders == target_folders;
        status = same ? CUBINET_OK : add_headers(toolkit, path_of("%s%s", base, folders[i]).text);
    }
    return status;
}

/* Looks into a folder as a toolkit's, then as one of Python packages. */
static cubinet_status take_base(struct toolkit *toolkit, const char *base)
{
    cubinet_status status = take_group(toolkit, base, target_folders, COUNT(target_folders));
    int release = status || toolkit->nvrtc ? -1 : highest_entry(base, "cu");
    if (release >= 0) {
        static const char *const itself[] = {""};
        status = take_group(toolkit, path_of("%s/cu%d", base, release).text, itself, COUNT(itself));
    }
    if (!status && !toolkit->nvrtc) {
        status = take_group(toolkit, base, package_folders, COUNT(package_folders));
    }
    return status;
}

/* Looks for a toolkit in everything that a root may be. */
static cubinet_status take_root(struct toolkit *toolkit, const char *root)
{
    cubinet_status status = take_base(toolkit, root);
    if (!status && !toolkit->nvrtc) {
        status = take_base(toolkit, path_of("%s/nvidia", root).text);
    }
    static const char *const packages[] = {"site-packages", "dist-packages"};
    int python = status || toolkit->nvrtc ? -1 : highest_entry(path_of("%s/lib", root).text, "python3.");
    for (size_t i = 0; i < COUNT(packages) && !status && !toolkit->nvrtc && python >= 0; i++) {
        status = take_base(toolkit, path_of("%s/lib/python3.%d/%s/nvidia", root, python, packages[i]).text);
    }
    if (!status && toolkit->nvrtc) {
        status = set_text(&toolkit->root, root);
    }
    return status;
}

static cubinet_status take_given(struct toolkit *toolkit, const char *root, const char *from)
{
    if (!exists(root)) {
        return cbn_error(CUBINET_ERROR_TOOLKIT, "no toolkit at %s, which %s names: the folder does not exist",
                         root, from);
    }
    cubinet_status status = take_root(toolkit, root);
    if (!status && !toolkit->nvrtc) {
        return cbn_error(
            CUBINET_ERROR_TOOLKIT,
            "no toolkit at %s, which %s names: libnvrtc.so.* is not in its lib64, lib, " MULTIARCH
            " or targets, nor in Python packages under it (cu13/lib, cuda_nvrtc/lib)",
            root, from);
    }
    return status;
}

/* The prefix of the Python that `python3` starts: …/bin/python3 without what follows the prefix. */
static struct path python_prefix(void)
{
    const char *path = getenv("PATH");
    for (const char *at = path ? path : ""; *at;) {
        size_t size = strcspn(at, ":");
        struct path python = path_of("%.*s/python3", (int)size, at);
        if (access(python.text, X_OK) == 0) {
            return path_of("%.*s/..", (int)size, at);
        }
        at += size + (at[size] == ':');
    }
    return path_of("%s", "");
}

/* Opens NVRTC by name, for the path of the file. */
static cubinet_status find_by_name(const void *unused, void *out_path)
{
    (void)unused;
    static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", NULL};
    const struct cbn_library_search search = {
        .what = "NVRTC",
        .names = names,
        .stays = true,
        .advice = "; name a toolkit with --toolkit or CUDA_HOME. There is none in /usr/local/cuda or in the "
                  "active Python environment",
    };
    struct cbn_library library;
    struct path *path = out_path;
    trace_begin("load NVRTC", NULL);
    cubinet_status status = cbn_library_open(&search, CUBINET_ERROR_TOOLKIT, &library);
    trace_end();
    if (status) {
        return status;
    }
    *path = path_of("%s", library.path);
    cbn_library_close(&library);
    return CUBINET_OK;
}

/* Takes what lies around the NVRTC that the dynamic loader finds. A child process loads it, for one that
 * crashes or never returns. */
static cubinet_status take_loaded(struct toolkit *toolkit, const struct limits *limits)
{
    struct path nvrtc = {0};
    cubinet_status status = supervise_call(limits, "NVRTC", find_by_name, NULL, &nvrtc, sizeof(nvrtc));
    if (status) {
        return status;
    }
    char *folder = strdup(nvrtc.text);
    if (!folder) {
        return cbn_error_memory();
    }
    char *slash = strrchr(folder, '/');
    if (slash) {
        *slash = '\0';
    }
    struct path nvjitlink = path_of("%s/libnvJitLink.so.%d", folder, soname_major(nvrtc.text));
    struct path device_runtime = path_of("%s/libcudadevrt.a", folder);
    bool multiarch = strlen(folder) > 9 && strcmp(folder + strlen(folder) - 9, "linux-gnu") == 0;
    struct path prefix = path_of("%s/%s", folder, multiarch ? "../.." : "..");
    free(folder);
    status = set_text(&toolkit->nvrtc, nvrtc.text);
    if (!status && exists(nvjitlink.text)) {
        status = set_text(&toolkit->nvjitlink, nvjitlink.text);
    }
    if (!status && exists(device_runtime.text)) {
        status = set_text(&toolkit->device_runtime, device_runtime.text);
    }
    return status ? status : add_headers(toolkit, prefix.text);
}

static cubinet_status search(struct toolkit *toolkit, const struct limits *limits)
{
    char *beside = own_python_packages();
    const char *virtual_env = getenv("VIRTUAL_ENV");
    const char *conda = getenv("CONDA_PREFIX");
    const char *home = getenv("HOME");
    struct path python = python_prefix();
    struct path user = path_of("%s/.local", home ? home : "");
    /* The command's own environment and one that was activated were chosen; the packages that other Pythons
     * happen to have were not. */
    const char *const roots[] = {beside, virtual_env, conda, "/usr/local/cuda", python.text, user.text};
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; i < COUNT(roots) && !status && !toolkit->nvrtc; i++) {
        status = roots[i] && roots[i][0] ? take_root(toolkit, roots[i]) : CUBINET_OK;
    }
    free(beside);
    return status || toolkit->nvrtc ? status : take_loaded(toolkit, limits);
}

static cubinet_status find(struct toolkit *toolkit, const char *root, const struct limits *limits)
{
    if (root) {
        return take_given(toolkit, root, "--toolkit");
    }
    for (size_t i = 0; i < COUNT(root_variables); i++) {
        const char *value = getenv(root_variables[i]);
        if (value && value[0]) {
            return take_given(toolkit, value, root_variables[i]);
        }
    }
    return search(toolkit, limits);
}

cubinet_status toolkit_find(const char *root, const struct limits *limits, struct toolkit *out_toolkit)
{
    struct toolkit toolkit = {0};
    trace_begin("toolkit", NULL);
    unread = 0;
    cubinet_status status = find(&toolkit, root, limits);
    if (!status && unread) {
        status = cbn_error(CUBINET_ERROR_TOOLKIT, "cannot look for a toolkit: %s", strerror(unread));
    }
    trace_end();
    if (status) {
        toolkit_free(&toolkit);
        return status;
    }
    *out_toolkit = toolkit;
    return CUBINET_OK;
}

void toolkit_free(struct toolkit *toolkit)
{
    for (size_t i = 0; i < toolkit->include_count; i++) {
        free(toolkit->includes[i]);
    }
    free(toolkit->includes);
    free(toolkit->includes_sharing);
    free(toolkit->root);
    free(toolkit->nvrtc);
    free(toolkit->nvjitlink);
    free(toolkit->device_runtime);
    free(toolkit->ptxas);
    free(toolkit->tileiras);
    free(toolkit->tile_ptxas);
    free(toolkit->tile_nvvm);
    free(toolkit->shipped_headers);
    *toolkit = (struct toolkit){0};
}

/* Asks only what is needed: a compile that the cache has needs it of no folder. */
static bool is_own(const struct toolkit *toolkit, size_t include)
{
    char unkept = NOT_ASKED;
    char *sharing = toolkit->includes_sharing ? &toolkit->includes_sharing[include] : &unkept;
    if (*sharing == NOT_ASKED) {
        *sharing = is_shared(toolkit->includes[include]) ? SHARED : OWN;
    }
    return *sharing == OWN;
}

bool toolkit_has_header(const struct toolkit *toolkit, const char *path)
{
    for (size_t i = 0; i < toolkit->include_count; i++) {
        size_t size = strlen(toolkit->includes[i]);
        if (strncmp(path, toolkit->includes[i], size) == 0 && path[size] == '/' && is_own(toolkit, i)) {
            return true;
        }
    }
    return false;
}
