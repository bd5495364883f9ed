/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts as sentences. */
#include "loader/core/select/compat.h"
#include "loader/core/select/select.h"

#include <cubinet/version.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A sentence in the making: like snprintf(), it counts on where there is no room. */
struct sentence {
    char *text;
    size_t capacity;
    size_t length;
};

/* What a sentence is about. */
struct subject {
    const cubinet_image_info *image;
    struct cbn_selection selection;
    char target[CUBINET_TARGET_NAME_SIZE];
};

__attribute__((format(printf, 2, 3))) static void say(struct sentence *sentence, const char *format, ...)
{
    size_t room = sentence->length < sentence->capacity ? sentence->capacity - sentence->length : 0;
    va_list args;
    va_start(args, format);
    int length = vsnprintf(room ? sentence->text + sentence->length : NULL, room, format, args);
    va_end(args);
    if (length > 0) {
        sentence->length += (size_t)length;
    }
}

/* "9.0" from a target's number, "13.0" from a release: arguments for "%d.%d". */
#define COMPUTE(number)  (number) / 10, (number) % 10
#define RELEASE(release) (int)((release) / 1000), (int)((release) % 1000 / 10)

/* "compute_80 PTX": what a target's name does not say by itself. */
static void say_target(struct sentence *sentence, const struct subject *subject)
{
    say(sentence, "%s%s", subject->target, subject->image->target.kind == CUBINET_IMAGE_PTX ? " PTX" : "");
}

static void say_device(struct sentence *sentence, const struct subject *subject)
{
    say(sentence, "; this device is %d.%d", COMPUTE(subject->selection.compute));
}

static void say_binary(struct sentence *sentence, const struct subject *subject)
{
    int number = subject->image->target.number;
    if (cbn_compute_stands_alone(number)) {
        say(sentence, "%s runs on compute capability %d.%d only", subject->target, COMPUTE(number));
    } else {
        say(sentence, "%s needs compute capability %d.%d or a later %d.x", subject->target, COMPUTE(number),
            number / 10);
    }
    say_device(sentence, subject);
}

static void say_tegra(struct sentence *sentence, const struct subject *subject)
{
    int number = subject->image->target.number;
    int compute = subject->selection.compute;
    if (cbn_compute_stands_alone(number)) {
        say(sentence, "%s runs on compute capability %d.%d only", subject->target, COMPUTE(number));
        say_device(sentence, subject);
    } else {
        say(sentence,
            "%s does not run on this device: compute capability %d.%d%s takes cubins for sm_%d only",
            subject->target, COMPUTE(compute),
            subject->selection.device.flags & CUBINET_DEVICE_TEGRA ? " (Tegra)" : "", compute);
    }
}

static void say_arch_specific(struct sentence *sentence, const struct subject *subject)
{
    say_target(sentence, subject);
    say(sentence, " runs on compute capability %d.%d only", COMPUTE(subject->image->target.number));
    say_device(sentence, subject);
}

/* "compute capabilities 10.0, 10.3 and 10.7" */
static void say_members(struct sentence *sentence, const int *members)
{
    say(sentence, members[1] ? "compute capabilities " : "compute capability ");
    for (const int *member = members; *member; member++) {
        const char *separator = member == members ? "" : member[1] ? ", " : " and ";
        say(sentence, "%s%d.%d", separator, COMPUTE(*member));
    }
}

static void say_family(struct sentence *sentence, const struct subject *subject)
{
    const int *members = cbn_family(subject->image->target.number);
    say_target(sentence, subject);
    if (!members) {
        say(sentence, " is for a family that cubinet %s does not know", cubinet_version());
        return;
    }
    say(sentence, " runs on ");
    say_members(sentence, members);
    say(sentence, " only");
    say_device(sentence, subject);
}

static void say_newer_target(struct sentence *sentence, const struct subject *subject)
{
    say_target(sentence, subject);
    say(sentence, " needs compute capability %d.%d or later", COMPUTE(subject->image->target.number));
    say_device(sentence, subject);
}

uint32_t cbn_driver_floor(const cubinet_image_info *image, uint32_t nvjitlink_version)
{
    uint32_t maker = image->target.kind == CUBINET_IMAGE_LTOIR ? nvjitlink_version : image->toolkit;
    return image->target.kind == CUBINET_IMAGE_OPTIXIR ? maker : maker / 1000 * 1000;
}

static void say_driver(struct sentence *sentence, const struct subject *subject)
{
    bool is_linked = subject->image->target.kind == CUBINET_IMAGE_LTOIR;
    uint32_t maker = is_linked ? subject->selection.device.nvjitlink_version : subject->image->toolkit;
    uint32_t least = cbn_driver_floor(subject->image, subject->selection.device.nvjitlink_version);
    say(sentence, is_linked ? "%s is linked by nvJitLink %d.%d, whose code" : "%s was made by CUDA %d.%d and",
        subject->target, RELEASE(maker));
    say(sentence, " needs a driver for CUDA %d.%d or later; this one is for %d.%d", RELEASE(least),
        RELEASE(subject->selection.device.driver_version));
}

static void say_isa(struct sentence *sentence, const struct subject *subject)
{
    int isa = (int)subject->image->ptx_isa;
    say(sentence, "PTX ISA %d.%d needs a driver for CUDA %d.%d; this one is for %d.%d", COMPUTE(isa),
        RELEASE(cbn_ptx_isa_release(subject->image->ptx_isa)),
        RELEASE(subject->selection.device.driver_version));
}

static void say_unknown_isa(struct sentence *sentence, const struct subject *subject)
{
    int isa = (int)(subject->image->ptx_isa & 0xffff);
    say(sentence, "cubinet %s does not know PTX ISA %d.%d, nor which drivers take it", cubinet_version(),
        COMPUTE(isa));
}

static void say_tile_version(struct sentence *sentence, const struct subject *subject)
{
    say(sentence, "%s is Tile IR %d.%d, which needs a driver for CUDA %d.%d; this one is for %d.%d",
        subject->target, COMPUTE(subject->image->target.number),
        RELEASE(cbn_tile_version_release(subject->image->target)),
        RELEASE(subject->selection.device.driver_version));
}

static void say_tile_device(struct sentence *sentence, const struct subject *subject)
{
    int compute = subject->selection.compute;
    uint32_t since = cbn_tile_release(compute);
    if (!since) {
        say(sentence, "%s is Tile IR, which no driver compiles for compute capability %d.%d", subject->target,
            COMPUTE(compute));
        return;
    }
    say(sentence,
        "%s is Tile IR, which drivers compile for compute capability %d.%d since CUDA %d.%d; this one is "
        "for %d.%d",
        subject->target, COMPUTE(compute), RELEASE(since), RELEASE(subject->selection.device.driver_version));
}

static void say_not_loaded(struct sentence *sentence, const struct subject *subject)
{
    say(sentence, "%s is OptiX-IR, which optixModuleCreate() takes and the driver does not", subject->target);
}

static void say_no_linker(struct sentence *sentence, const struct subject *subject)
{
    say(sentence, "%s needs nvJitLink, which is missing", subject->target);
}

static void say_linker_too_old(struct sentence *sentence, const struct subject *subject)
{
    say(sentence, "%s needs nvJitLink %d.%d or later; this one is %d.%d", subject->target,
        RELEASE(cbn_link_floor(subject->image)), RELEASE(subject->selection.device.nvjitlink_version));
}

static void say_linker_major(struct sentence *sentence, const struct subject *subject)
{
    uint32_t floor = cbn_link_floor(subject->image);
    say(sentence, "%s needs an nvJitLink %d.x, %d.%d or later; this one is %d.%d", subject->target,
        (int)(floor / 1000), RELEASE(floor), RELEASE(subject->selection.device.nvjitlink_version));
}

static void say_linker_finished(struct sentence *sentence, const struct subject *subject)
{
    say(sentence, "nvJitLink %d.%d makes no code for compute capability %d.%d",
        RELEASE(subject->selection.device.nvjitlink_version), COMPUTE(subject->selection.compute));
}

static void say_policy_jit(struct sentence *sentence, const struct subject *subject)
{
    bool is_linked = subject->image->target.kind == CUBINET_IMAGE_LTOIR;
    say(sentence, "%s must be %s on this machine, which the policy forbids", subject->target,
        is_linked ? "linked" : "compiled");
}

static void say_policy_ptx(struct sentence *sentence, const struct subject *subject)
{
    say(sentence, "%s is not PTX, the only kind allowed", subject->target);
}

static void say_policy_kind(struct sentence *sentence, const struct subject *subject)
{
    say(sentence, "%s is not of the requested kind", subject->target);
}

static void say_policy_only(struct sentence *sentence, const struct subject *subject)
{
    say(sentence, "only '%s' is allowed", subject->selection.policy.only);
}

static void say_unlinked(struct sentence *sentence, const struct subject *subject)
{
    say_target(sentence, subject);
    say(sentence, " needs functions or variables of other modules, and has to be linked with them first");
}

static void say_unknown_kind(struct sentence *sentence, const struct subject *subject)
{
    say(sentence, "cubinet %s does not know images of kind %d", cubinet_version(),
        (int)subject->image->target.kind);
}

static const struct explanation {
    uint32_t reasons; /* any of these */
    void (*say)(struct sentence *sentence, const struct subject *subject);
} explanations[] = {
    {CUBINET_REASON_OTHER_MAJOR | CUBINET_REASON_NEWER_MINOR, say_binary},
    {CUBINET_REASON_TEGRA, say_tegra},
    {CUBINET_REASON_ARCH_SPECIFIC, say_arch_specific},
    {CUBINET_REASON_FAMILY_SPECIFIC, say_family},
    {CUBINET_REASON_NEWER_TARGET, say_newer_target},
    {CUBINET_REASON_DRIVER_TOO_OLD, say_driver},
    {CUBINET_REASON_PTX_ISA, say_isa},
    {CUBINET_REASON_UNKNOWN_PTX_ISA, say_unknown_isa},
    {CUBINET_REASON_TILE_VERSION, say_tile_version},
    {CUBINET_REASON_TILE_DEVICE, say_tile_device},
    {CUBINET_REASON_NOT_LOADED, say_not_loaded},
    {CUBINET_REASON_NO_LINKER, say_no_linker},
    {CUBINET_REASON_LINKER_TOO_OLD, say_linker_too_old},
    {CUBINET_REASON_LINKER_MAJOR, say_linker_major},
    {CUBINET_REASON_LINKER_FINISHED, say_linker_finished},
    {CUBINET_REASON_POLICY_JIT, say_policy_jit},
    {CUBINET_REASON_POLICY_PTX, say_policy_ptx},
    {CUBINET_REASON_POLICY_KIND, say_policy_kind},
    {CUBINET_REASON_POLICY_ONLY, say_policy_only},
    {CUBINET_REASON_UNKNOWN_KIND, say_unknown_kind},
    {CUBINET_REASON_UNLINKED, say_unlinked},
};

static void say_reasons(struct sentence *sentence, const struct subject *subject, uint32_t reasons)
{
    /* One sentence says both. */
    if ((reasons & CUBINET_REASON_NEWER_MINOR) && cbn_compute_stands_alone(subject->image->target.number)) {
        reasons &= ~(uint32_t)CUBINET_REASON_TEGRA;
    }
    const char *separator = "";
    for (size_t i = 0; i < sizeof(explanations) / sizeof(explanations[0]); i++) {
        if (reasons & explanations[i].reasons) {
            say(sentence, "%s", separator);
            explanations[i].say(sentence, subject);
            separator = "; also, ";
        }
    }
}

static void say_match(struct sentence *sentence, const struct subject *subject, cubinet_match match)
{
    int compute = subject->selection.compute;
    say_target(sentence, subject);
    switch (match) {
    case CUBINET_MATCH_NONE:
        say(sentence, " was not judged");
        break;
    case CUBINET_MATCH_ARCH_SPECIFIC:
        say(sentence, " is for this device, compute capability %d.%d, and its own features",
            COMPUTE(compute));
        break;
    case CUBINET_MATCH_FAMILY_SPECIFIC:
        say(sentence, " is for this device's family, ");
        say_members(sentence, cbn_family(subject->image->target.number));
        break;
    case CUBINET_MATCH_EXACT:
        say(sentence, " is for this device's compute capability, %d.%d", COMPUTE(compute));
        break;
    case CUBINET_MATCH_SAME_MAJOR:
        say(sentence, " runs on compute capability %d.%d too: the same major, and a later minor",
            COMPUTE(compute));
        break;
    case CUBINET_MATCH_LINK:
        say(sentence, " can be linked for compute capability %d.%d by nvJitLink %d.%d", COMPUTE(compute),
            RELEASE(subject->selection.device.nvjitlink_version));
        break;
    case CUBINET_MATCH_TILE:
    case CUBINET_MATCH_JIT:
        say(sentence, " can be compiled for compute capability %d.%d by the driver", COMPUTE(compute));
        break;
    case CUBINET_MATCH_OPTIX:
        say(sentence, " can be compiled for compute capability %d.%d by optixModuleCreate()",
            COMPUTE(compute));
        break;
    }
}

size_t cubinet_verdict_describe(const cubinet_verdict *verdict, const cubinet_image_info *image,
                                const cubinet_device_profile *device, const cubinet_policy *policy,
                                char *text, size_t capacity)
{
    struct sentence sentence = {.text = text, .capacity = text ? capacity : 0};
    if (!verdict || !image) {
        say(&sentence, "%s", "");
        return 0;
    }
    struct subject subject = {.image = image, .selection = cbn_selection(device, policy)};
    cubinet_target_name(image->target, subject.target);
    if (verdict->reasons) {
        say_reasons(&sentence, &subject, verdict->reasons);
    } else {
        say_match(&sentence, &subject, verdict->match);
    }
    return sentence.length;
}

void cbn_verdict_print(FILE *file, const cubinet_verdict *verdict, const cubinet_image_info *image,
                       const cubinet_device_profile *device, const cubinet_policy *policy)
{
    char target[CUBINET_TARGET_NAME_SIZE];
    char reason[512];
    cubinet_target_name(image->target, target);
    cubinet_verdict_describe(verdict, image, device, policy, reason, sizeof(reason));
    bool is_named = strncmp(reason, target, strlen(target)) == 0;
    fprintf(file, "\n  %s%s%s", is_named ? "" : target, is_named ? "" : ": ", reason);
}
