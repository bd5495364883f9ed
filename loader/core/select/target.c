/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/select/target.h"

#include "loader/core/support/error.h"

#include <string.h>

enum { LEAST_NUMBER = 10, GREATEST_NUMBER = 9999 };

static const struct prefix {
    cubinet_image_kind kind;
    const char *text;
} prefixes[] = {
    {CUBINET_IMAGE_CUBIN, "sm_"},    {CUBINET_IMAGE_PTX, "compute_"},   {CUBINET_IMAGE_LTOIR, "lto_"},
    {CUBINET_IMAGE_TILEIR, "tile_"}, {CUBINET_IMAGE_OPTIXIR, "optix_"},
};

static const struct prefix *prefix_of_kind(cubinet_image_kind kind)
{
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        if (prefixes[i].kind == kind) {
            return &prefixes[i];
        }
    }
    return NULL;
}

static const struct prefix *prefix_of_name(const char *name)
{
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        if (strncmp(name, prefixes[i].text, strlen(prefixes[i].text)) == 0) {
            return &prefixes[i];
        }
    }
    return NULL;
}

/* The number at `*text`, which is moved past it; 0 if there is none that a target may have. */
static int read_number(const char **text)
{
    if (**text == '0') {
        return 0;
    }
    int number = 0;
    for (; **text >= '0' && **text <= '9'; (*text)++) {
        number = number * 10 + (**text - '0');
        if (number > GREATEST_NUMBER) {
            return 0;
        }
    }
    return number >= LEAST_NUMBER ? number : 0;
}

bool cbn_target_suffix_fits(cubinet_image_kind kind, int suffix)
{
    return suffix == '\0' || (kind != CUBINET_IMAGE_TILEIR && (suffix == 'a' || suffix == 'f'));
}

bool cbn_target_read(const char *name, cubinet_target *out_target)
{
    const struct prefix *prefix = prefix_of_name(name);
    if (!prefix) {
        return false;
    }
    const char *text = name + strlen(prefix->text);
    int number = read_number(&text);
    if (!number || !cbn_target_suffix_fits(prefix->kind, text[0]) || (text[0] && text[1])) {
        return false;
    }
    *out_target = (cubinet_target){.kind = prefix->kind, .number = number, .suffix = text[0]};
    return true;
}

cubinet_status cubinet_target_parse(const char *name, cubinet_target *out_target)
{
    if (!name || !out_target) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "the target's name, or the place for it, is NULL");
    }
    if (!cbn_target_read(name, out_target)) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "'%s' is not a target; targets look like sm_90a, compute_80 and lto_75", name);
    }
    return CUBINET_OK;
}

/* Returns the end of what it wrote. Targets are named in keys of the cache, whose cost printf() would double.
 */
static char *write_number(char *at, int number)
{
    int unit = 1;
    while (number / unit >= 10) {
        unit *= 10;
    }
    for (; unit > 0; unit /= 10) {
        *at++ = (char)('0' + number / unit % 10);
    }
    return at;
}

const char *cubinet_target_name(cubinet_target target, char name[CUBINET_TARGET_NAME_SIZE])
{
    static const char invalid[] = "invalid";
    const struct prefix *prefix = prefix_of_kind(target.kind);
    if (!name) {
        return invalid;
    }
    if (prefix && target.number >= LEAST_NUMBER && target.number <= GREATEST_NUMBER &&
        cbn_target_suffix_fits(target.kind, target.suffix)) {
        char *end = write_number(stpcpy(name, prefix->text), target.number);
        const char suffix[] = {(char)target.suffix, '\0'};
        memcpy(end, suffix, sizeof(suffix));
    } else {
        memcpy(name, invalid, sizeof(invalid));
    }
    return name;
}

static int compare(int a, int b)
{
    return (a > b) - (a < b);
}

int cubinet_target_compare(cubinet_target a, cubinet_target b)
{
    if (a.kind != b.kind) {
        return compare((int)a.kind, (int)b.kind);
    }
    if (a.number != b.number) {
        return compare(a.number, b.number);
    }
    return compare(a.suffix, b.suffix);
}
