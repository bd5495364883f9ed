/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a build: the files that they make, and what they are called. */
#ifndef BUILD_STEPS_H
#define BUILD_STEPS_H

#include "base/buffer.h"
#include "build/build_plan.h"
#include "build/build_request.h"

/* What the files of precompiled headers in the build folder start with; the virtual architecture follows. */
#define BUILD_PCH_PREFIX "pch."

/* Appends the path of what is made of a module, or of a piece of one, for one virtual architecture. */
void build_step_file(struct buffer *file, const char *folder, const char *module,
                     const struct arch_virtual *virtual);

/* The module that a source's own compile makes: the piece, if it is one of several sources. */
const char *build_step_module(const struct build_source *source);

/* LTO-IR of the virtual architecture, which is what pieces are linked from. */
const char *build_step_piece(const struct arch_virtual *virtual, char text[CUBINET_TARGET_NAME_SIZE]);

/* Appends what is made from a virtual architecture. */
void build_step_targets(struct buffer *file, const struct arch_virtual *virtual, const char *separator);

/* Append what a step is called: "Compiling scale for sm_80, compute_80" and "Linking shapes for sm_80". */
void build_step_compile(struct buffer *text, const struct build_source *source,
                        const struct arch_virtual *virtual);
void build_step_link(struct buffer *text, const char *module, const struct arch_virtual *virtual);

/* What the step that makes a file is called on Ninja's status line: "Compiling scale for sm_80, sm_86". The
 * caller frees it; NULL if memory is out. What is not known is "Making FILE". */
char *build_step_describe(const struct build_request *request, const struct build_plan *plan,
                          const char *file);

/* Takes each step that may be run, by the name of its file without folders and by what it is called. Texts
 * are gone after the call. A failure ends it. */
typedef cubinet_status (*build_step_fn)(void *data, const char *file, const char *text);
cubinet_status build_steps_each(const struct build_request *request, const struct build_plan *plan,
                                build_step_fn take, void *data);

#endif
