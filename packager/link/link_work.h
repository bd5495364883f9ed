/* SPDX-License-Identifier: Apache-2.0 */
/* A link under way: what the links for all its targets share, and their steps. */
#ifndef LINK_WORK_H
#define LINK_WORK_H

#include "link/link_module.h"
#include "link/link_runtime.h"
#include "loader/core/support/text_list.h"
#include "loader/link/link_plan.h"

/* What linking for one target needs. */
struct link_work {
    const struct link_request *request;
    const char *nvjitlink; /* path of the only one to be used, or NULL */
    struct draft_module *module;
    struct cbn_text_list variables; /* that stay: the request's, and those that pieces were asked for */
    struct link_runtime runtime;
    struct buffer *messages;
};

/* The checked plan of all pieces, with options and variables to keep in place of the request's. The caller
 * frees it. */
cubinet_status link_work_plan(const struct link_work *work, cubinet_target target,
                              const cubinet_link_options *given, const struct cbn_text_list *variables,
                              struct cbn_link_plan **out_plan);

/* An nvJitLink that can run the plan. */
cubinet_status link_work_linker(const struct link_work *work, const struct cbn_link_plan *plan,
                                const struct cbn_nvjitlink **out_nvjitlink);

/* Runs the plan, to PTX or machine code. The caller frees the result. */
cubinet_status link_work_run(const struct link_work *work, const struct cbn_link_plan *plan,
                             const struct cbn_nvjitlink *nvjitlink, bool to_ptx,
                             struct cbn_link_result *out_result);

/* Adds nvJitLink's warnings to the messages. */
void link_work_report(const struct link_work *work, const char *log, cubinet_target target);

/* What is in a result, which has to have a kernel. The caller frees the contents. */
cubinet_status link_work_contents(const struct cbn_link_result *result, cubinet_target target,
                                  struct contents *out_contents);

#endif
