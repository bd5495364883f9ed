/* SPDX-License-Identifier: Apache-2.0 */
#include "build/build_plan.h"

#include "base/command.h"
#include "build/build_modules.h"
#include "compile/compile_plan.h"
#include "loader/core/support/error.h"
#include "toolkit/nvrtc_ask.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static cubinet_status plan_images(const struct build_request *request, struct build_plan *plan, int *out_exit)
{
    const struct compile_plan_request wanted = {
        .gencodes = &request->gencodes,
        .archs = &request->archs,
        .code = request->code,
        .fragment = request->has_fragments,
    };
    struct nvrtc_answer answer;
    *out_exit = nvrtc_ask(plan->toolkit.nvrtc, &request->limits, request->archive, &answer);
    if (*out_exit != EXIT_OK) {
        return CUBINET_OK;
    }
    const struct arch_supported supported = {answer.numbers, answer.count, answer.version};
    cubinet_status status = compile_plan_make(&wanted, &supported, &plan->images);
    return status ? status : build_modules_check_plan(request, &plan->images);
}

cubinet_status build_plan_make(const struct build_request *request, struct build_plan *plan, int *out_exit)
{
    plan->command = realpath("/proc/self/exe", NULL);
    if (!plan->command) {
        return cbn_error(CUBINET_ERROR_IO, "the path of this command cannot be found: %s", strerror(errno));
    }
    cubinet_status status = toolkit_find(request->toolkit, &request->limits, &plan->toolkit);
    return status ? status : plan_images(request, plan, out_exit);
}

void build_plan_free(struct build_plan *plan)
{
    toolkit_free(&plan->toolkit);
    arch_plan_free(&plan->images);
    free(plan->command);
    *plan = (struct build_plan){0};
}
