/* SPDX-License-Identifier: Apache-2.0 */
/* C++ as the command reads it: macros, declarations, what is the host's, and launches. After a line of `@@@`
 * comes what a compiler says of it. Lines have to stay lines. */
#include "harness.h"
#include "source/host_assertions.h"
#include "source/launch_sites.h"

#include <stdlib.h>
#include <string.h>

static size_t count_lines(const char *text)
{
    size_t count = 0;
    for (; *text; text++) {
        count += *text == '\n';
    }
    return count;
}

static void check_texts(const struct host_skip *skip)
{
    char **texts;
    if (host_skip_texts(skip, &texts)) {
        return;
    }
    for (size_t i = 0; i < skip->unit.file_count; i++) {
        /* raw strings have lines of their own, and gcc's macros are lines that #line takes back */
        bool has_raw = skip->is_gcc || strstr(skip->unit.files[i]->text, "R\"") != NULL;
        if (texts[i] && !has_raw && count_lines(texts[i]) != count_lines(skip->unit.files[i]->text)) {
            abort();
        }
        free(texts[i]);
    }
    free(texts);
}

/* Launches are sorted by line, and each is of a kernel that is declared. */
static void check_launches(const struct host_skip *skip)
{
    struct launch_sites sites = {0};
    struct cbn_text_list used = {0};
    if (!host_skip_used(skip, &used) && !launch_sites_add(skip, &sites) && !launch_sites_add(skip, &sites)) {
        launch_sites_sort(&sites);
        for (size_t i = 0; i < sites.count; i++) {
            bool is_later = i == 0 || sites.items[i - 1].line <= sites.items[i].line;
            if (!is_later || sites.items[i].kernels.count == 0) {
                abort();
            }
        }
    }
    launch_sites_free(&sites);
    cbn_text_list_free(&used);
}

static void read_unit(const char *text, const char *log)
{
    char *everywhere[] = {""};
    char *macros[] = {"__CUDACC__", "DEV=__device__", "__cplusplus=201703L"};
    const struct cbn_text_list closed = {.items = everywhere, .count = 1};
    const struct cbn_text_list defined = {.items = macros, .count = 3};
    const struct cbn_text_list none = {0};
    const char *despite = strlen(text) % 3 ? NULL : "__CUDACC__";
    const struct cxx_settings settings = {"a.cu",   text,  &none, &closed, &none,
                                          &defined, &none, NULL,  despite};
    struct host_skip skip;
    if (host_skip_read(&settings, strlen(text) % 2, &skip)) {
        return;
    }
    check_texts(&skip);
    bool learned = true;
    for (int rounds = 0; learned && rounds < 4 && !host_skip_learn(&skip, log, &learned); rounds++) {
        check_texts(&skip);
    }
    struct buffer said = {0};
    host_skip_explain(&skip, "a.cu", log, &said);
    host_skip_causes(&skip, log, &said);
    host_assertions_warn(&skip, "a.cu", &said);
    buffer_free(&said);
    check_launches(&skip);
    host_skip_has_line(&skip, "a.cu", strlen("a.cu"), 3);
    host_skip_free(&skip);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = harness_text(data, size);
    char *log = strstr(text, "\n@@@\n");
    if (log) {
        log[1] = '\0';
        log += strlen("\n@@@\n");
    }
    read_unit(text, log ? log : "");
    free(text);
    return 0;
}
