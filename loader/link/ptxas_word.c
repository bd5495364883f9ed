/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/link/ptxas_word.h"

#include <string.h>

enum kind { FLAG, VALUE, FILES, OPTIONS };

/* What the releases from 12.0 on document, by both names, and what reads files beside that. */
static const struct {
    const char *name;
    const char *other;
    enum kind kind;
} ptxas_options[] = {
    {"Ofast-compile", "Ofc", VALUE},
    {"allow-expensive-optimizations", NULL, VALUE},
    {"apply-controls", NULL, FILES},
    {"compile-as-tools-patch", "astoolspatch", FLAG},
    {"compile-only", "c", FLAG},
    {"compiler-annotations", "annotate", FLAG},
    {"def-load-cache", "dlcm", VALUE},
    {"def-store-cache", "dscm", VALUE},
    {"device-debug", "g", FLAG},
    {"device-function-maxrregcount", "func-maxrregcount", VALUE},
    {"device-stack-protector", NULL, VALUE},
    {"disable-optimizer-constants", "disable-optimizer-consts", FLAG},
    {"disable-warnings", "w", FLAG},
    {"dont-merge-basicblocks", "no-bb-merge", FLAG},
    {"entry", "e", VALUE},
    {"extensible-whole-program", "ewp", FLAG},
    {"fmad", NULL, VALUE},
    {"force-load-cache", "flcm", VALUE},
    {"force-store-cache", "fscm", VALUE},
    {"g-tensor-memory-access-check", "g-tmem-access-check", FLAG},
    {"generate-line-info", "lineinfo", FLAG},
    {"gno-tensor-memory-access-check", "gno-tmem-access-check", FLAG},
    {"gpu-name", "arch", VALUE},
    {"legacy-bar-warp-wide-behavior", NULL, FLAG},
    {"machine", "m", VALUE},
    {"make-errors-visible-at-exit", NULL, FLAG},
    {"maxntid", NULL, VALUE},
    {"maxrregcount", NULL, VALUE},
    {"minnctapersm", NULL, VALUE},
    {"opt-level", "O", VALUE},
    {"optimize-float-atomics", "opt-fp-atomics", FLAG},
    {"options-file", "optf", OPTIONS},
    {"override-directive-values", NULL, FLAG},
    {"position-independent-code", "pic", VALUE},
    {"preserve-relocs", NULL, FLAG},
    {"register-usage-level", "regUsageLevel", VALUE},
    {"return-at-end", "ret-end", FLAG},
    {"sanitize", NULL, VALUE},
    {"sp-bounds-check", NULL, FLAG},
    {"split-compile", NULL, VALUE},
    {"suppress-async-bulk-multicast-advisory-warning", NULL, FLAG},
    {"suppress-debug-info", NULL, FLAG},
    {"suppress-double-demote-warning", NULL, FLAG},
    {"suppress-sparse-mma-advisory-info", NULL, FLAG},
    {"suppress-stack-size-warning", NULL, FLAG},
    {"verbose", "v", FLAG},
    {"warn-on-double-precision-use", "warn-double-usage", FLAG},
    {"warn-on-local-memory-usage", "warn-lmem-usage", FLAG},
    {"warn-on-spills", "warn-spills", FLAG},
    {"warning-as-error", "Werror", FLAG},
};

/* nvJitLink's own that read nothing. */
static const char *const nvjitlink_options[] = {
    "-arch",
    "-device-stack-protector",
    "-fma",
    "-ftz",
    "-g",
    "-kernels-used",
    "-lineinfo",
    "-lto",
    "-jump-table-density",
    "-maxrregcount",
    "-no-cache",
    "-O0",
    "-O3",
    "-optimize-unused-variables",
    "-prec-div",
    "-prec-sqrt",
    "-ptx",
    "-split-compile",
    "-split-compile-extended",
    "-time",
    "-variables-used",
    "-verbose",
};

static bool is_name(const char *name, const char *text, size_t size)
{
    return name && strlen(name) == size && memcmp(name, text, size) == 0;
}

/* False if no such option is known. */
static bool find_option(const char *name, size_t size, enum kind *out_kind)
{
    for (size_t i = 0; i < sizeof(ptxas_options) / sizeof(ptxas_options[0]); i++) {
        if (is_name(ptxas_options[i].name, name, size) || is_name(ptxas_options[i].other, name, size)) {
            *out_kind = ptxas_options[i].kind;
            return true;
        }
    }
    *out_kind = FLAG; /* these have their value joined */
    return is_name("m64", name, size) || (size == 2 && name[0] == 'O' && strchr("0123", name[1]));
}

enum cbn_ptxas_word cbn_ptxas_word(struct cbn_ptxas_words *words, const char *word, const char **out_files)
{
    static const enum cbn_ptxas_word meanings[] = {
        [FLAG] = CBN_PTXAS_PLAIN,
        [VALUE] = CBN_PTXAS_PLAIN,
        [FILES] = CBN_PTXAS_FILES,
        [OPTIONS] = CBN_PTXAS_OPTIONS,
    };
    struct cbn_ptxas_words before = *words;
    *words = (struct cbn_ptxas_words){0};
    if (word[0] != '-') {
        *out_files = word; /* one more file to assemble, if nothing waits for it */
        return before.waits ? before.for_what : CBN_PTXAS_UNKNOWN;
    }
    enum kind kind = FLAG;
    const char *name = word + strspn(word, "-");
    const char *equals = strchr(name, '=');
    *out_files = equals ? equals + 1 : NULL;
    if (!find_option(name, equals ? (size_t)(equals - name) : strlen(name), &kind)) {
        return CBN_PTXAS_UNKNOWN;
    }
    if (kind != FLAG && !equals) {
        *words = (struct cbn_ptxas_words){.waits = true, .for_what = meanings[kind]};
        return CBN_PTXAS_PLAIN;
    }
    return meanings[kind];
}

bool cbn_nvjitlink_reads_nothing(const char *option)
{
    for (size_t i = 0; i < sizeof(nvjitlink_options) / sizeof(nvjitlink_options[0]); i++) {
        if (is_name(nvjitlink_options[i], option, strcspn(option, "="))) {
            return true;
        }
    }
    return false;
}

bool cbn_nvjitlink_may_read(const struct cbn_text_list *options)
{
    static const char forwarded[] = "-Xptxas=";
    struct cbn_ptxas_words words = {0};
    const char *files = NULL;
    for (size_t i = 0; i < options->count; i++) {
        const char *option = options->items[i];
        bool is_ptxas = strncmp(option, forwarded, strlen(forwarded)) == 0;
        if (is_ptxas ? cbn_ptxas_word(&words, option + strlen(forwarded), &files) != CBN_PTXAS_PLAIN
                     : !cbn_nvjitlink_reads_nothing(option)) {
            return true;
        }
    }
    return false;
}
