/* SPDX-License-Identifier: Apache-2.0 */
/* Traces summed up: who includes whom, and whose time it was. */
#include "unit.h"

#include "build/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/cubinet-test-XXXXXX";

static int make_file(void **state)
{
    (void)state;
    int descriptor = mkstemp(path);
    return descriptor < 0 ? -1 : close(descriptor);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

#define PROCESS(command, subject, time)                                                                      \
    "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"tid\":1,\"args\":{\"name\":\"x\"}},\n"              \
    "{\"ph\":\"X\",\"cat\":\"process\",\"name\":\"" command "\",\"ts\":0,\"dur\":" #time                     \
    ",\"args\":{\"subject\":\"" subject "\"}},\n"
#define SPAN(category, name, start, time)                                                                    \
    "{\"ph\":\"X\",\"cat\":\"" category "\",\"name\":\"" name "\",\"ts\":" #start ",\"dur\":" #time "},\n"

static cubinet_status read_text(const char *text, struct profile *out_profile)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "[\n%s]\n", text);
    fclose(file);
    return profile_read(path, out_profile);
}

static const struct profile_header *header(const struct profile *profile, const char *name)
{
    for (size_t i = 0; i < profile->header_count; i++) {
        if (strcmp(profile->headers[i].path, name) == 0) {
            return &profile->headers[i];
        }
    }
    fail_msg("there is no header '%s'", name);
    return NULL;
}

/* clang-format off */
static const char headers_trace[] =
    PROCESS("compile", "m", 1000)
    SPAN("header", "a", 100, 500)
    SPAN("header", "b", 110, 90)  /* of a, until c starts */
    SPAN("header", "c", 200, 300) /* of a */
    SPAN("header", "b", 210, 40)  /* of c */
    SPAN("header", "c", 300, 100) /* of itself */
    SPAN("header", "b", 700, 10)  /* of the source */
    SPAN("header", "/x/standard/cubinet_std/implicit.h", 800, 10) /* of no source */
    PROCESS("compile", "m", 10)
    SPAN("header", "a", 0, 5);

static const char modules_trace[] =
    PROCESS("compile", "small", 10)
    PROCESS("compile", "large", 1000)
    SPAN("phase", "NVRTC", 10, 800)
    SPAN("nvrtc", "CUDA C++ Front-End", 10, 600)
    SPAN("nvrtc", "LibNVVM", 610, 150)
    SPAN("phase", "assemble", 820, 50)
    SPAN("phase", "assemble", 870, 60)
    PROCESS("pack", "all.cubinet", 5000) /* no module */
    SPAN("phase", "assemble", 820, 50)
    PROCESS("link", "small", 20)
    SPAN("phase", "link", 5, 10)
    PROCESS("pch", "headers", 30)
    SPAN("header", "a.h", 5, 10);

/* Parts of lines, and lines that say nonsense. */
static const char damaged_trace[] =
    SPAN("header", "before.h", 0, 1) /* of no process */
    "{\"ph\":\"X\",\"cat\":\"hea\n"
    "\xff\xfe\n"
    "{}\n[1,2]\n\"text\"\n17\nnull\n"
    PROCESS("compile", "m", 9223372036854775807)
    PROCESS("compile", "m", 9223372036854775807)
    SPAN("header", "long.h", 9223372036854775807, 9223372036854775807)
    SPAN("header", "odd.h", -5, -7)
    "{\"cat\":\"header\",\"name\":7,\"dur\":\"long\"}\n"
    "{\"cat\":\"process\",\"name\":\"compile\",\"args\":3}\n";
/* clang-format on */

static void test_headers(void **state)
{
    (void)state;
    struct profile profile;
    assert_int_equal(read_text(headers_trace, &profile), CUBINET_OK);
    const struct profile_header *a = header(&profile, "a");
    const struct profile_header *b = header(&profile, "b");
    const struct profile_header *c = header(&profile, "c");
    assert_int_equal(a->self, 500 - 90 - 300 + 5);
    assert_int_equal(a->inclusive, 505);
    assert_int_equal(a->compiles, 2);
    assert_int_equal(a->direct, 505);
    assert_int_equal(a->direct_compiles, 2);
    assert_int_equal(b->self, 90 + 40 + 10);
    assert_int_equal(b->inclusive, 140);
    assert_int_equal(b->compiles, 1);
    assert_int_equal(b->direct, 10);
    assert_int_equal(c->self, 300 - 40);
    assert_int_equal(c->inclusive, 300);
    assert_int_equal(c->direct_compiles, 0);
    assert_int_equal(header(&profile, "/x/standard/cubinet_std/implicit.h")->direct_compiles, 0);
    assert_string_equal(profile.headers[0].path, "c");
    profile_free(&profile);
}

static void test_modules(void **state)
{
    (void)state;
    struct profile profile;
    assert_int_equal(read_text(modules_trace, &profile), CUBINET_OK);
    assert_int_equal(profile.module_count, 3);
    assert_string_equal(profile.modules[0].name, "large");
    assert_int_equal(profile.modules[0].nvrtc, 800);
    assert_int_equal(profile.modules[0].front_end, 600);
    assert_int_equal(profile.modules[0].nvvm, 150);
    assert_int_equal(profile.modules[0].assembling, 110);
    assert_int_equal(profile.all.compiles, 4);
    assert_int_equal(profile.all.total, 1060);
    assert_int_equal(profile.all.assembling, 120);
    assert_int_equal(header(&profile, "a.h")->direct_compiles, 0);
    profile_free(&profile);
}

static void test_damaged(void **state)
{
    (void)state;
    struct profile profile;
    assert_int_equal(read_text(damaged_trace, &profile), CUBINET_OK);
    assert_int_equal(profile.module_count, 1);
    assert_true(profile.modules[0].total > 0);
    assert_true(header(&profile, "long.h")->self > 0);
    profile_free(&profile);
}

static void test_no_trace(void **state)
{
    (void)state;
    struct profile profile;
    assert_int_equal(read_text("", &profile), CUBINET_ERROR_DAMAGED);
    assert_int_equal(read_text("int main(void) { return 0; }\n", &profile), CUBINET_ERROR_DAMAGED);
    assert_int_equal(profile_read("/nowhere/trace", &profile), CUBINET_ERROR_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_modules),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_no_trace),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
