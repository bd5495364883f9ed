/* SPDX-License-Identifier: Apache-2.0 */
#include "toolkit/arch.h"

#include "base/buffer.h"
#include "loader/core/select/compat.h"
#include "loader/core/support/error.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    SUFFIX_A_FROM = 90,        /* architecture-specific features */
    SUFFIX_F_FROM = 100,       /* family-specific features */
    SUFFIX_F_RELEASE = 12090,  /* CUDA release that brought them */
    THOR_BEFORE_RENAMING = 101 /* of CUDA 12; a family of its own, 110 in CUDA 13 */
};

static cubinet_status refuse(const char *text, const char *why)
{
    return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "architecture '%s': %s", text, why);
}

static bool same_target(cubinet_target a, cubinet_target b)
{
    return cubinet_target_compare(a, b) == 0;
}

static bool same_family(int a, int b)
{
    return a / 10 == b / 10 && (a == THOR_BEFORE_RENAMING) == (b == THOR_BEFORE_RENAMING);
}

/* Whether nvcc and ptxas make `output` from PTX of `source`. */
static bool can_make(cubinet_target source, cubinet_target output)
{
    if (output.kind == CUBINET_IMAGE_PTX || output.kind == CUBINET_IMAGE_OPTIXIR) {
        return output.number == source.number && output.suffix == source.suffix;
    }
    switch (source.suffix) {
    case 'a':
        return output.number == source.number && output.suffix == 'a';
    case 'f':
        return output.number >= source.number && same_family(output.number, source.number) && output.suffix;
    default:
        return output.number >= source.number;
    }
}

static const struct arch_virtual *virtual_that_makes(const struct arch_plan *plan, cubinet_target output)
{
    for (size_t i = 0; i < plan->virtual_count; i++) {
        for (size_t j = 0; j < plan->virtuals[i].output_count; j++) {
            if (same_target(plan->virtuals[i].outputs[j], output)) {
                return &plan->virtuals[i];
            }
        }
    }
    return NULL;
}

static struct arch_virtual *find_or_add_virtual(struct arch_plan *plan, cubinet_target target)
{
    for (size_t i = 0; i < plan->virtual_count; i++) {
        if (same_target(plan->virtuals[i].target, target)) {
            return &plan->virtuals[i];
        }
    }
    struct arch_virtual *virtuals =
        realloc(plan->virtuals, (plan->virtual_count + 1) * sizeof(*plan->virtuals));
    if (!virtuals) {
        return NULL;
    }
    plan->virtuals = virtuals;
    struct arch_virtual *added = &virtuals[plan->virtual_count++];
    *added = (struct arch_virtual){.target = target};
    return added;
}

static cubinet_status add_output(struct arch_plan *plan, cubinet_target source, cubinet_target output)
{
    char source_name[CUBINET_TARGET_NAME_SIZE];
    char output_name[CUBINET_TARGET_NAME_SIZE];
    char other_name[CUBINET_TARGET_NAME_SIZE];
    cubinet_target_name(source, source_name);
    /* nvcc files sm_103 made from compute_100f as sm_103f, for its code has the family's features. */
    if (source.suffix == 'f' && output.kind == CUBINET_IMAGE_CUBIN && output.suffix == 0) {
        output.suffix = 'f';
    }
    cubinet_target_name(output, output_name);
    if (!can_make(source, output)) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "%s can't be made from %s", output_name,
                         source_name);
    }
    const struct arch_virtual *maker = virtual_that_makes(plan, output);
    if (maker) {
        return same_target(maker->target, source)
                   ? CUBINET_OK
                   : cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "%s is asked for twice: from %s and from %s",
                               output_name, cubinet_target_name(maker->target, other_name), source_name);
    }
    struct arch_virtual *virtual = find_or_add_virtual(plan, source);
    cubinet_target *outputs = virtual
                                  ? realloc(virtual->outputs, (virtual->output_count + 1) * sizeof(*outputs))
                                  : NULL;
    if (!outputs) {
        return cbn_error_memory();
    }
    virtual->outputs = outputs;
    outputs[virtual->output_count++] = output;
    return CUBINET_OK;
}

/* Reads the name of `size` bytes; `whole` is what it is part of, for messages. */
static cubinet_status read_target(const char *text, size_t size, const char *whole,
                                  cubinet_target *out_target)
{
    char name[CUBINET_TARGET_NAME_SIZE];
    if (size > 0 && size < sizeof(name)) {
        memcpy(name, text, size);
        name[size] = '\0';
        if (!cubinet_target_parse(name, out_target) && out_target->kind != CUBINET_IMAGE_TILEIR) {
            return CUBINET_OK;
        }
    }
    return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                     "architecture '%s': '%.*s' is not the name of an architecture", whole, (int)size, text);
}

/* Reads the virtual architecture that outputs are made from. nvcc takes lto_80 for compute_80 as well. */
static cubinet_status read_virtual(const char *text, size_t size, const char *whole,
                                   cubinet_target *out_target)
{
    cubinet_target target;
    cubinet_status status = read_target(text, size, whole, &target);
    if (status) {
        return status;
    }
    if (target.kind == CUBINET_IMAGE_CUBIN) {
        const char suffix[] = {(char)target.suffix, '\0'};
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "architecture '%s': 'arch' takes a virtual architecture, such as compute_%d%s, not "
                         "%.*s",
                         whole, target.number, suffix, (int)size, text);
    }
    target.kind = CUBINET_IMAGE_PTX;
    *out_target = target;
    return CUBINET_OK;
}

/* Adds the names of a list separated by commas. */
static cubinet_status add_outputs(struct arch_plan *plan, cubinet_target source, const char *list,
                                  size_t size, const char *whole)
{
    const char *end = list + size;
    for (;;) {
        const char *comma = memchr(list, ',', (size_t)(end - list));
        const char *name_end = comma ? comma : end;
        cubinet_target output;
        cubinet_status status = read_target(list, (size_t)(name_end - list), whole, &output);
        if (!status) {
            status = add_output(plan, source, output);
        }
        if (status || !comma) {
            return status;
        }
        list = comma + 1;
    }
}

struct slice {
    const char *text; /* NULL: none */
    size_t size;
};

static const char *skip_spaces(const char *at)
{
    return at + strspn(at, " \t");
}

/* Takes the value that starts at `*at`: up to a comma, or in [] or "" with commas in it. */
static cubinet_status take_value(const char **at, const char *whole, struct slice *out_value)
{
    const char *start = *at;
    char close = *start == '[' ? ']' : *start == '"' ? '"' : '\0';
    if (!close) {
        size_t size = strcspn(start, ",");
        *out_value = (struct slice){start, size};
        *at = start + size;
        return CUBINET_OK;
    }
    const char *end = strchr(start + 1, close);
    if (!end) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "architecture '%s': '%c' without its '%c'", whole,
                         *start, close);
    }
    *out_value = (struct slice){start + 1, (size_t)(end - start - 1)};
    *at = end + 1;
    return CUBINET_OK;
}

/* Splits "arch=A,code=C" in either order. */
static cubinet_status split_gencode(const char *text, struct slice *arch, struct slice *code)
{
    const char *at = skip_spaces(text);
    while (*at) {
        struct slice *value = strncmp(at, "arch=", 5) == 0   ? arch
                              : strncmp(at, "code=", 5) == 0 ? code
                                                             : NULL;
        if (!value) {
            return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                             "architecture '%s': '%s' is neither arch=… nor code=…; several codes go in "
                             "brackets: code=[sm_80,sm_86]",
                             text, at);
        }
        if (value->text) {
            return refuse(text, "arch= or code= is given twice");
        }
        at += 5;
        cubinet_status status = take_value(&at, text, value);
        if (status) {
            return status;
        }
        at = skip_spaces(at);
        if (*at == ',') {
            at = skip_spaces(at + 1);
        } else if (*at) {
            return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "architecture '%s': '%s' is too much", text, at);
        }
    }
    if (!arch->text) {
        return refuse(text, "arch= is missing, as in arch=compute_80,code=sm_80");
    }
    return code->text ? CUBINET_OK : refuse(text, "code= is missing, as in arch=compute_80,code=sm_80");
}

cubinet_status arch_add_gencode(struct arch_plan *plan, const char *text)
{
    struct slice arch = {0};
    struct slice code = {0};
    cubinet_target source;
    cubinet_status status = split_gencode(text, &arch, &code);
    if (!status) {
        status = read_virtual(arch.text, arch.size, text, &source);
    }
    return status ? status : add_outputs(plan, source, code.text, code.size, text);
}

cubinet_status arch_add_code(struct arch_plan *plan, const char *arch, const char *code)
{
    cubinet_target source;
    cubinet_status status = read_virtual(arch, strlen(arch), arch, &source);
    return status ? status : add_outputs(plan, source, code, strlen(code), code);
}

/* Adds images of one number and suffix, each made from its own virtual architecture. */
static cubinet_status add_kind(struct arch_plan *plan, cubinet_image_kind kind, int number, int suffix)
{
    cubinet_target source = {CUBINET_IMAGE_PTX, number, suffix};
    cubinet_target output = {kind, number, suffix};
    return add_output(plan, source, output);
}

static cubinet_status add_real(struct arch_plan *plan, int number)
{
    return add_kind(plan, CUBINET_IMAGE_CUBIN, number, 0);
}

static bool is_first_of_major(const struct arch_supported *supported, size_t i)
{
    return i == 0 || supported->numbers[i - 1] / 10 != supported->numbers[i] / 10;
}

/* CMake's `all` and `all-major`: every real architecture, or the first of each major, and the PTX of the
 * newest major's first. */
static cubinet_status add_all(struct arch_plan *plan, const struct arch_supported *supported, bool only_major)
{
    int newest = 0;
    for (size_t i = 0; i < supported->count; i++) {
        int number = supported->numbers[i];
        bool first_of_major = is_first_of_major(supported, i);
        cubinet_status status = first_of_major || !only_major ? add_real(plan, number) : CUBINET_OK;
        if (status) {
            return status;
        }
        newest = first_of_major ? number : newest;
    }
    return newest ? add_kind(plan, CUBINET_IMAGE_PTX, newest, 0) : CUBINET_OK;
}

/* Runs everywhere: a cubin for each major version of the discrete GPUs; PTX of the oldest, for every GPU
 * between them (those on a chip with their processor run no other's cubins); PTX of the newest, for GPUs not
 * yet made. cmake_modules/CubinetArchitectures.cmake has the same. */
static cubinet_status add_portable(struct arch_plan *plan, const struct arch_supported *supported)
{
    enum { THOR = 110 }; /* the only one on such a chip that is the first of its major version */
    cubinet_status status = CUBINET_OK;
    int newest = 0;
    for (size_t i = 0; !status && i < supported->count; i++) {
        int number = supported->numbers[i];
        if (!is_first_of_major(supported, i) || number == THOR) {
            continue;
        }
        status = add_real(plan, number);
        if (!status && newest == 0) {
            status = add_kind(plan, CUBINET_IMAGE_PTX, number, 0);
        }
        newest = number;
    }
    return !status && newest ? add_kind(plan, CUBINET_IMAGE_PTX, newest, 0) : status;
}

static cubinet_status add_native(struct arch_plan *plan, arch_native_fn native)
{
    int numbers[64];
    size_t count = 0;
    cubinet_status status = native(numbers, sizeof(numbers) / sizeof(numbers[0]), &count);
    for (size_t i = 0; !status && i < count; i++) {
        status = add_real(plan, numbers[i]);
    }
    return status;
}

/* nvcc's -arch=sm_80 means the cubin and the PTX, -arch=compute_80 the PTX, -arch=lto_80 the LTO-IR; optix_80
 * is likewise. */
static cubinet_status add_nvcc_name(struct arch_plan *plan, const char *word)
{
    cubinet_target target;
    cubinet_status status = read_target(word, strlen(word), word, &target);
    if (!status) {
        status = add_kind(plan, target.kind, target.number, target.suffix);
    }
    if (!status && target.kind == CUBINET_IMAGE_CUBIN) {
        status = add_kind(plan, CUBINET_IMAGE_PTX, target.number, target.suffix);
    }
    return status;
}

/* What stands after a number. */
static bool is_form(const char *form)
{
    return !*form || !strcmp(form, "-real") || !strcmp(form, "-virtual") || !strcmp(form, "-lto") ||
           !strcmp(form, "-optix");
}

/* `80`, `90a`, then nothing, `-real`, `-virtual`, `-lto` or `-optix`. */
static cubinet_status add_cmake_word(struct arch_plan *plan, const char *word)
{
    char name[CUBINET_TARGET_NAME_SIZE] = "sm_";
    size_t size = strcspn(word, "-");
    cubinet_target target;
    if (size == 0 || size + 4 > sizeof(name)) {
        return refuse(word,
                      "no such word; one is written as 80, 80-real, 80-virtual, 80-lto, 80-optix, 90a, all, "
                      "all-major, portable, native, sm_80 or compute_80");
    }
    memcpy(name + 3, word, size);
    name[3 + size] = '\0';
    const char *form = word + size;
    if (!is_form(form) || cubinet_target_parse(name, &target)) {
        return refuse(word,
                      "no such word; one is written as 80, 80-real, 80-virtual, 80-lto, 80-optix, 90a, all, "
                      "all-major, portable, native, sm_80 or compute_80");
    }
    cubinet_status status = CUBINET_OK;
    if (!*form || strcmp(form, "-real") == 0) {
        status = add_kind(plan, CUBINET_IMAGE_CUBIN, target.number, target.suffix);
    }
    if (!status && (!*form || strcmp(form, "-virtual") == 0)) {
        status = add_kind(plan, CUBINET_IMAGE_PTX, target.number, target.suffix);
    }
    if (!status && strcmp(form, "-lto") == 0) {
        status = add_kind(plan, CUBINET_IMAGE_LTOIR, target.number, target.suffix);
    }
    if (!status && strcmp(form, "-optix") == 0) {
        status = add_kind(plan, CUBINET_IMAGE_OPTIXIR, target.number, target.suffix);
    }
    return status;
}

static cubinet_status add_word(struct arch_plan *plan, const char *word,
                               const struct arch_supported *supported, arch_native_fn native)
{
    bool is_portable = strcmp(word, "portable") == 0;
    if (is_portable || strcmp(word, "all") == 0 || strcmp(word, "all-major") == 0) {
        if (supported->count == 0) {
            return refuse(word, "only a compiler knows what that means; write the architectures, such as "
                                "80,90a-real");
        }
        return is_portable ? add_portable(plan, supported) : add_all(plan, supported, word[3] != '\0');
    }
    if (strcmp(word, "native") == 0) {
        return add_native(plan, native);
    }
    return strchr(word, '_') ? add_nvcc_name(plan, word) : add_cmake_word(plan, word);
}

cubinet_status arch_add_words(struct arch_plan *plan, const char *text,
                              const struct arch_supported *supported, arch_native_fn native)
{
    char *words = strdup(text);
    if (!words) {
        return cbn_error_memory();
    }
    cubinet_status status = CUBINET_OK;
    size_t count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(words, ",; ", &rest); word && !status; word = strtok_r(NULL, ",; ", &rest)) {
        status = add_word(plan, word, supported, native);
        count++;
    }
    free(words);
    return !status && count == 0 ? refuse(text, "it is empty") : status;
}

static bool is_supported(const struct arch_supported *supported, int number)
{
    for (size_t i = 0; i < supported->count; i++) {
        if (supported->numbers[i] == number) {
            return true;
        }
    }
    return false;
}

static int nearest_supported(const struct arch_supported *supported, int number)
{
    int nearest = supported->numbers[0];
    for (size_t i = 1; i < supported->count; i++) {
        if (abs(supported->numbers[i] - number) < abs(nearest - number)) {
            nearest = supported->numbers[i];
        }
    }
    return nearest;
}

/* "; CUDA 12.0 to 12.9 makes it: see …", for a target of other releases than this. */
static void say_release(uint32_t release, int number, struct buffer *hint)
{
    uint32_t first;
    uint32_t end;
    if (cbn_release_targets(release, number) || !cbn_release_range(number, &first, &end)) {
        return;
    }
    if (release < first) {
        buffer_printf(hint, "; CUDA %u.%u and later make it", first / 1000, first % 1000 / 10);
    } else {
        buffer_printf(hint, "; CUDA %u is the last that makes it", end / 1000 - 1);
    }
    buffer_puts(hint, ": give that toolkit with --toolkit, or use two toolkits "
                      "(docs/guide/cmake.md#two-toolkits)");
}

static cubinet_status fail_unsupported(const struct arch_supported *supported, cubinet_target target)
{
    struct buffer text = {0};
    for (size_t i = 0; i < supported->count; i++) {
        buffer_printf(&text, "%s%d", i ? " " : "", supported->numbers[i]);
    }
    char name[CUBINET_TARGET_NAME_SIZE];
    char nearest_name[CUBINET_TARGET_NAME_SIZE];
    cubinet_target nearest = {target.kind, nearest_supported(supported, target.number), 0};
    buffer_printf(&text, "; the nearest is %s", cubinet_target_name(nearest, nearest_name));
    say_release((uint32_t)supported->version, target.number, &text);
    cbn_error(CUBINET_ERROR_TOOLKIT, "NVRTC of CUDA %d.%d can't make %s; it makes %s",
              supported->version / 1000, supported->version % 1000 / 10, cubinet_target_name(target, name),
              text.data ? text.data : "nothing");
    buffer_free(&text);
    return CUBINET_ERROR_TOOLKIT;
}

static cubinet_status check_target(const struct arch_supported *supported, cubinet_target target)
{
    char name[CUBINET_TARGET_NAME_SIZE];
    cubinet_target_name(target, name);
    if (supported->count > 0 && !is_supported(supported, target.number)) {
        return fail_unsupported(supported, target);
    }
    if (target.suffix == 'a' && target.number < SUFFIX_A_FROM) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "there is no %s: suffix a exists from compute capability 9.0; write %.*s", name,
                         (int)strlen(name) - 1, name);
    }
    if (target.suffix == 'f' && target.number < SUFFIX_F_FROM) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "there is no %s: suffix f exists from compute capability 10.0; write %.*s", name,
                         (int)strlen(name) - 1, name);
    }
    if (target.suffix == 'f' && supported->version < SUFFIX_F_RELEASE) {
        return cbn_error(CUBINET_ERROR_TOOLKIT, "%s needs CUDA 12.9 or later; this NVRTC is %d.%d", name,
                         supported->version / 1000, supported->version % 1000 / 10);
    }
    return CUBINET_OK;
}

cubinet_status arch_check(const struct arch_plan *plan, const struct arch_supported *supported)
{
    if (plan->virtual_count == 0) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "no architecture is given: write --arch 80 or --gencode arch=compute_80,code=sm_80");
    }
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < plan->virtual_count; i++) {
        const struct arch_virtual *virtual = &plan->virtuals[i];
        status = check_target(supported, virtual->target);
        for (size_t j = 0; !status && j < virtual->output_count; j++) {
            status = check_target(supported, virtual->outputs[j]);
        }
    }
    return status;
}

/* Keeps the outputs of one kind, in place. */
static void filter_outputs(struct arch_virtual *virtual, cubinet_image_kind kind)
{
    size_t kept = 0;
    for (size_t i = 0; i < virtual->output_count; i++) {
        if (virtual->outputs[i].kind == kind) {
            virtual->outputs[kept++] = virtual->outputs[i];
        }
    }
    virtual->output_count = kept;
}

cubinet_status arch_keep_only(struct arch_plan *plan, cubinet_image_kind kind)
{
    size_t kept = 0;
    bool had_any = plan->virtual_count > 0;
    for (size_t i = 0; i < plan->virtual_count; i++) {
        struct arch_virtual virtual = plan->virtuals[i];
        filter_outputs(&virtual, kind);
        if (virtual.output_count == 0 && kind != CUBINET_IMAGE_CUBIN) {
            virtual.outputs[0] = virtual.target; /* it had an output, so there is room for one */
            virtual.outputs[0].kind = kind;
            virtual.output_count = 1;
        }
        if (virtual.output_count > 0) {
            plan->virtuals[kept++] = virtual;
        } else {
            free(virtual.outputs);
        }
    }
    plan->virtual_count = kept;
    if (had_any && kept == 0) {
        return cbn_error(
            CUBINET_ERROR_INVALID_ARGUMENT,
            "option '-cubin' needs a real architecture, such as -arch=sm_80: you asked only for PTX");
    }
    return CUBINET_OK;
}

bool arch_makes(const struct arch_virtual *virtual, cubinet_image_kind kind)
{
    for (size_t i = 0; i < virtual->output_count; i++) {
        if (virtual->outputs[i].kind == kind) {
            return true;
        }
    }
    return false;
}

bool arch_plan_makes(const struct arch_plan *plan, cubinet_image_kind kind)
{
    for (size_t i = 0; i < plan->virtual_count; i++) {
        if (arch_makes(&plan->virtuals[i], kind)) {
            return true;
        }
    }
    return false;
}

char *arch_plan_text(const struct arch_plan *plan)
{
    struct buffer text = {0};
    for (size_t i = 0; i < plan->virtual_count; i++) {
        const struct arch_virtual *virtual = &plan->virtuals[i];
        for (size_t j = 0; j < virtual->output_count; j++) {
            char name[CUBINET_TARGET_NAME_SIZE];
            buffer_printf(&text, "%s%s", text.size > 0 ? ", " : "",
                          cubinet_target_name(virtual->outputs[j], name));
        }
    }
    return buffer_take(&text);
}

void arch_plan_free(struct arch_plan *plan)
{
    for (size_t i = 0; i < plan->virtual_count; i++) {
        free(plan->virtuals[i].outputs);
    }
    free(plan->virtuals);
    *plan = (struct arch_plan){0};
}
