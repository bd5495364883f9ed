/* SPDX-License-Identifier: Apache-2.0 */
/* What is to be linked: pieces, a target and options. Everything that can be known without nvJitLink is
 * checked before nvJitLink is asked; no driver is needed.
 *
 * The order: create, add pieces, check, then run (or take the key and look into a cache). A plan is used by
 * one thread at a time. */
#ifndef CBN_LINK_PLAN_H
#define CBN_LINK_PLAN_H

#include "loader/link/nvjitlink.h"

#include <cubinet/archive.h>
#include <cubinet/link.h>

struct cbn_link_plan;

/* target: a cubin's. With suffix 0 the plan takes the one that its pieces need.
 * options: copied as far as they are about the code: not where nvJitLink or a cache is; NULL: the defaults */
cubinet_status cbn_link_plan_create(cubinet_target target, const cubinet_link_options *options,
                                    struct cbn_link_plan **out_plan);

/* NULL is allowed. */
void cbn_link_plan_free(struct cbn_link_plan *plan);

/* Adds an image of an archive's module, which is read only when the plan is run: the archive must stay open
 * until then. */
cubinet_status cbn_link_plan_add_image(struct cbn_link_plan *plan, const cubinet_archive *archive,
                                       uint32_t module, uint32_t image);

/* As cbn_link_plan_add_image(), of the image of the module that links best for the target: LTO-IR of the
 * highest architecture, else PTX, else a cubin. CUBINET_ERROR_NO_IMAGE if none fits: the message names every
 * image. */
cubinet_status cbn_link_plan_add_module(struct cbn_link_plan *plan, const cubinet_archive *archive,
                                        uint32_t module);

/* Adds a piece that lies in memory, and copies it. `name` is for messages; NULL: "piece N". */
cubinet_status cbn_link_plan_add_data(struct cbn_link_plan *plan, cubinet_piece_kind kind, const void *data,
                                      size_t size, const char *name);

/* Adds from an archive the modules that define symbols which the pieces need and none of them defines, until
 * nothing is missing or the archive has no more. CUBINET_ERROR_LINK if several modules define one. */
cubinet_status cbn_link_plan_add_missing(struct cbn_link_plan *plan, const cubinet_archive *archive);

/* What a plan was before pieces for it were looked for, and it was checked. */
struct cbn_link_plan_mark {
    size_t piece_count;
    cubinet_target target;
};

struct cbn_link_plan_mark cbn_link_plan_mark(const struct cbn_link_plan *plan);

/* Makes the plan what it was then. */
void cbn_link_plan_go_back(struct cbn_link_plan *plan, const struct cbn_link_plan_mark *mark);

/* Compares the pieces with each other and with the target: suffixes, and the symbols that are known of them.
 * CUBINET_ERROR_LINK for a symbol that is missing or defined twice, CUBINET_ERROR_NO_IMAGE for a piece that
 * the target does not take. To be called after the last piece was added, before the functions below. */
cubinet_status cbn_link_plan_check(struct cbn_link_plan *plan);

/* The target with the suffix that the pieces need. */
cubinet_target cbn_link_plan_target(const struct cbn_link_plan *plan);

/* The release of the oldest nvJitLink that links the pieces (of the same major), as CUDA_VERSION; 0 if no
 * piece tells. */
uint32_t cbn_link_plan_floor(const struct cbn_link_plan *plan);

/* CUBINET_ERROR_TOOLKIT if an nvJitLink of that release can't link the pieces; the message says which piece
 * needs what. `library` is its path. */
cubinet_status cbn_link_plan_check_nvjitlink(const struct cbn_link_plan *plan, uint32_t release,
                                             const char *library);

/* The bytes of the pieces as they are linked. */
uint64_t cbn_link_plan_bytes(const struct cbn_link_plan *plan);

/* Whether all pieces are LTO-IR, of which alone PTX can be linked. */
bool cbn_link_plan_is_ltoir(const struct cbn_link_plan *plan);

/* Links. A failure is CUBINET_ERROR_LINK with nvJitLink's words in the message, CUBINET_ERROR_TOOLKIT, or
 * that of reading a piece. On success the caller frees the result: a cubin with every kernel that is recorded
 * of the pieces (or was asked for), and at least one. */
cubinet_status cbn_link_plan_run(const struct cbn_link_plan *plan, const struct cbn_nvjitlink *nvjitlink,
                                 struct cbn_link_result *out_result);

/* What cbn_link_plan_run() checks of its result, of one that was made otherwise: CUBINET_ERROR_LINK unless it
 * has those kernels. `has_kernel` is asked for lowered names. */
cubinet_status cbn_link_plan_check_made(const struct cbn_link_plan *plan,
                                        bool (*has_kernel)(const void *made, const char *name),
                                        const void *made);

/* As cbn_link_plan_run(), but to PTX for the plan's architecture, which later GPUs run too. LTO-IR alone can
 * be linked so. That there is a kernel in it is for the caller to look at. */
cubinet_status cbn_link_plan_run_to_ptx(const struct cbn_link_plan *plan,
                                        const struct cbn_nvjitlink *nvjitlink,
                                        struct cbn_link_result *out_result);

#endif
