/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/select/policy.h"

#include "loader/core/select/target.h"
#include "loader/core/support/error.h"
#include "loader/core/support/sized.h"

#include <stdlib.h>
#include <string.h>

enum {
    KNOWN_FLAGS = CUBINET_POLICY_FORBID_JIT | CUBINET_POLICY_FORCE_PTX | CUBINET_POLICY_PREFER_LTOIR,
};

/* A variable's value; NULL if it is not set, empty, or not to be trusted. */
static const char *get(const char *variable)
{
    const char *value = secure_getenv(variable);
    return value && value[0] ? value : NULL;
}

static cubinet_status get_switch(const char *variable, cubinet_policy_flags flag, uint32_t *flags)
{
    const char *value = get(variable);
    if (!value) {
        return CUBINET_OK;
    }
    if (strcmp(value, "0") != 0 && strcmp(value, "1") != 0) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "the variable %s is '%s'; it can be 0 or 1",
                         variable, value);
    }
    *flags |= value[0] == '1' ? flag : 0u;
    return CUBINET_OK;
}

static cubinet_status check_target(const char *what, const char *name)
{
    cubinet_target target;
    if (name && !cbn_target_read(name, &target)) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "%s is '%s', which is not a target; targets look like sm_90a, compute_80 and lto_75",
                         what, name);
    }
    return CUBINET_OK;
}

cubinet_status cbn_policy_from_environment(cubinet_policy *out_policy)
{
    cubinet_policy policy = {.size = sizeof(policy), .only = get("CUBINET_ONLY")};
    cubinet_status status = check_target("the variable CUBINET_ONLY", policy.only);
    if (!status) {
        status = get_switch("CUBINET_FORBID_JIT", CUBINET_POLICY_FORBID_JIT, &policy.flags);
    }
    if (!status) {
        status = get_switch("CUBINET_FORCE_PTX", CUBINET_POLICY_FORCE_PTX, &policy.flags);
    }
    if (!status) {
        status = get_switch("CUBINET_PREFER_LTOIR", CUBINET_POLICY_PREFER_LTOIR, &policy.flags);
    }
    if (!status) {
        *out_policy = policy;
    }
    return status;
}

static cubinet_status check_kind(cubinet_image_kind kind)
{
    if ((int)kind < 0 || kind > CUBINET_IMAGE_OPTIXIR) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "cubinet_policy: `kind` is %d, which is not a kind of image", (int)kind);
    }
    return CUBINET_OK;
}

cubinet_status cbn_policy_read(const cubinet_policy *program, cubinet_policy *out_policy)
{
    cubinet_policy policy;
    cubinet_status status = cbn_sized_read(program, "cubinet_policy", &policy, sizeof(policy));
    if (!status) {
        status = cbn_flags_check("cubinet_policy", policy.flags, KNOWN_FLAGS, 0);
    }
    if (!status) {
        status = check_target("cubinet_policy: `only`", policy.only);
    }
    if (!status) {
        status = check_kind(policy.kind);
    }
    if (!status) {
        *out_policy = policy;
    }
    return status;
}

static cubinet_status check_loadable(const cubinet_policy *policy)
{
    if (policy->kind == CUBINET_IMAGE_OPTIXIR) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "cubinet_policy: `kind` asks for OptiX-IR, which no driver loads: choose an image "
                         "with cubinet_archive_select_image() and give its bytes to optixModuleCreate()");
    }
    return CUBINET_OK;
}

cubinet_status cbn_policy_resolve(const cubinet_policy *program, cubinet_policy *out_policy)
{
    cubinet_policy policy;
    cubinet_policy environment;
    cubinet_status status = cbn_policy_read(program, &policy);
    if (!status) {
        status = check_loadable(&policy);
    }
    if (!status) {
        status = cbn_policy_from_environment(&environment);
    }
    if (status) {
        return status;
    }
    policy.flags |= environment.flags;
    if (environment.only) {
        policy.only = environment.only;
    }
    *out_policy = policy;
    return CUBINET_OK;
}
