/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/select/remedy.h"

#include "loader/core/select/compat.h"
#include "loader/core/select/select.h"

#define RELEASE(release) (release) / 1000, (release) % 1000 / 10

enum {
    POLICY_REASONS = CUBINET_REASON_POLICY_JIT | CUBINET_REASON_POLICY_PTX | CUBINET_REASON_POLICY_ONLY |
                     CUBINET_REASON_POLICY_KIND,
    LINKER_REASONS = CUBINET_REASON_NO_LINKER | CUBINET_REASON_LINKER_TOO_OLD | CUBINET_REASON_LINKER_MAJOR,
    DRIVER_REASONS = CUBINET_REASON_DRIVER_TOO_OLD | CUBINET_REASON_PTX_ISA | CUBINET_REASON_TILE_VERSION,
    LIBRARY_REASONS = CUBINET_REASON_UNKNOWN_PTX_ISA | CUBINET_REASON_UNKNOWN_KIND,
};

/* The release whose driver takes an image. */
static uint32_t driver_release(uint32_t reasons, const cubinet_image_info *image,
                               const cubinet_device_profile *device)
{
    if (reasons & CUBINET_REASON_PTX_ISA) {
        return cbn_ptx_isa_release(image->ptx_isa);
    }
    if (reasons & CUBINET_REASON_TILE_VERSION) {
        return cbn_tile_version_release(image->target);
    }
    return cbn_driver_floor(image, device->nvjitlink_version);
}

/* The least of what some images need; 0 if none has these reasons alone. */
struct least {
    bool policy;
    bool library;
    uint32_t linker;
    uint32_t driver;
};

static void lower(uint32_t *least, uint32_t release)
{
    *least = *least == 0 || release < *least ? release : *least;
}

static void consider(struct least *least, uint32_t reasons, const cubinet_image_info *image,
                     const cubinet_device_profile *device)
{
    if (!(reasons & ~(uint32_t)POLICY_REASONS)) {
        least->policy = true;
    } else if (!(reasons & ~(uint32_t)LINKER_REASONS)) {
        lower(&least->linker, cbn_link_floor(image));
    } else if (!(reasons & ~(uint32_t)DRIVER_REASONS)) {
        lower(&least->driver, driver_release(reasons, image, device));
    } else if (!(reasons & ~(uint32_t)LIBRARY_REASONS)) {
        least->library = true;
    }
}

void cbn_remedy_print(FILE *file, const cubinet_verdict *verdicts, const cubinet_image_info *images,
                      size_t count, const cubinet_device_profile *device)
{
    struct least least = {0};
    int major = device->compute_major;
    int minor = device->compute_minor;
    for (size_t i = 0; i < count; i++) {
        if (!verdicts[i].reasons) {
            return;
        }
        consider(&least, verdicts[i].reasons, &images[verdicts[i].image], device);
    }
    if (least.policy) {
        fprintf(file, "\n  To fix this, allow the image in the policy that forbids it");
    } else if (least.linker) {
        fprintf(file,
                "\n  To fix this, install nvJitLink %u.%u or a later %u.x, with the CUDA toolkit or from "
                "NVIDIA's "
                "Python package nvidia-nvjitlink",
                RELEASE(least.linker), least.linker / 1000);
    } else if (least.driver) {
        fprintf(file,
                "\n  To fix this, install a driver for CUDA %u.%u or later (nvidia-smi shows the release of "
                "yours)",
                RELEASE(least.driver));
    } else if (least.library) {
        fprintf(file, "\n  To fix this, use a newer libcubinet");
    } else {
        fprintf(file,
                "\n  To fix this, build the module for compute capability %d.%d, too: add %d%d to the "
                "architectures, or PTX "
                "of a lower one (%d%d-virtual)",
                major, minor, major, minor, major, minor);
    }
}
