/* SPDX-License-Identifier: Apache-2.0 */
/* OptiX-IR, which NVRTC writes under a cipher: what programs are in it, nobody but optixModuleCreate() can
 * tell. */
#include "compile_work.h"

#include "error.h"

#include <stdlib.h>
#include <string.h>

static cubinet_status file_copy(const struct compile_work *work, cubinet_target target,
                                const struct nvrtc_result *result)
{
    unsigned char *data = malloc(result->size);
    if (!data) {
        return cbn_error_memory();
    }
    memcpy(data, result->image, result->size);
    return compile_file_image(work, target, data, result->size, NULL, work->tools->nvrtc.version);
}

cubinet_status compile_optixir(struct compile_work *work, const struct arch_virtual *virtual)
{
    /* Relocatable, since nothing in the source itself calls OptiX's callable programs. */
    const struct compile_pass pass = {
        .target = virtual->target, .text = work->text, .makes = CUBINET_IMAGE_OPTIXIR, .relocatable = true};
    struct nvrtc_result result = {0};
    cubinet_status status = compile_front_end(work, &pass, &result);
    for (size_t i = 0; status == CUBINET_OK && i < virtual->output_count; i++) {
        if (virtual->outputs[i].kind == CUBINET_IMAGE_OPTIXIR) {
            status = file_copy(work, virtual->outputs[i], &result);
        }
    }
    nvrtc_result_free(&result);
    return status;
}
