/* SPDX-License-Identifier: Apache-2.0 */
/* Cleaning the PTX that NVRTC makes, before it is assembled or filed: docs/internals/ptx-cleaning.md. */
#ifndef PTX_CLEAN_H
#define PTX_CLEAN_H

#include <cubinet/status.h>

#include <stdbool.h>
#include <stddef.h>

struct ptx_path_map {
    const char *from; /* prefix of a path as the PTX has it */
    const char *to;   /* what takes its place */
};

struct ptx_clean_options {
    /* Drop module-scope variables that nothing refers to and that are not .visible, .extern, .weak or
     * .common. */
    bool drop_unreferenced;
    const char *const *keep; /* lowered names, as in the text, that stay whatever refers to them */
    size_t keep_count;
    /* Applied to paths of .file directives, the first that fits. */
    const struct ptx_path_map *path_maps;
    size_t path_map_count;
    /* Tell addresses of shared memory by others that differ from them by a constant: ptx_offsets.h. */
    bool tell_shared_offsets;
    /* Tells this module's internal names from those of other modules that may be linked with it, and has to
     * be the same in every compile of it, for whatever architecture: the module's name. NULL is "". */
    const char *identity;
};

/* Rewrites PTX: drops what is not needed and tells shared addresses by each other (see the options), makes
 * the names of internal-linkage things independent of the process that compiled them, and maps paths.
 * Everything else stays as it was, byte for byte. Time and memory are linear in `size`. NULs at the end of
 * the text are not part of it.
 *
 * Text that can't be understood as PTX keeps all its variables, for the assembler to say what is wrong with
 * it. So the only failure is CUBINET_ERROR_OUT_OF_MEMORY.
 *
 * out_text: NUL-terminated, which the caller frees; out_size without the NUL. */
cubinet_status ptx_clean(const char *text, size_t size, const struct ptx_clean_options *options,
                         char **out_text, size_t *out_size);

/* What ptx_clean makes of a lowered name with that identity: the name itself unless it has a part that
 * depends on the process. The caller frees it. */
cubinet_status ptx_stable_name(const char *name, const char *identity, char **out_name);

#endif
