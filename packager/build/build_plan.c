/* SPDX-License-Identifier: Apache-2.0 */
#include "build/build_plan.h"

#include "compile/compile_plan.h"
#include "loader/core/support/error.h"
#include "toolkit/nvrtc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static cubinet_status plan_images(const struct build_request *request, struct build_plan *plan)
{
    const struct cbn_library_search search = {.what = "NVRTC", .path = plan->toolkit.nvrtc, .stays = true};
    const struct compile_plan_request wanted = {
        .gencodes = &request->gencodes,
        .archs = &request->archs,
        .code = request->code,
        .fragment = request->has_fragments,
    };
    struct nvrtc nvrtc = {0};
    cubinet_status status = nvrtc_open(&search, &nvrtc);
    if (!status) {
        status = compile_plan_make(&wanted, &nvrtc, &plan->images);
    }
    nvrtc_close(&nvrtc);
    return status;
}

cubinet_status build_plan_make(const struct build_request *request, struct build_plan *plan)
{
    plan->command = realpath("/proc/self/exe", NULL);
    if (!plan->command) {
        return cbn_error(CUBINET_ERROR_IO, "the path of this command cannot be found: %s", strerror(errno));
    }
    cubinet_status status = toolkit_find(request->toolkit, &plan->toolkit);
    return status ? status : plan_images(request, plan);
}

void build_plan_free(struct build_plan *plan)
{
    toolkit_free(&plan->toolkit);
    arch_plan_free(&plan->images);
    free(plan->command);
    *plan = (struct build_plan){0};
}
