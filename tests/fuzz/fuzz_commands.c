/* SPDX-License-Identifier: Apache-2.0 */
/* The command itself, in this process: the first byte chooses a command line, the rest is the file that it
 * reads, an archive with its digests made right. What it prints has to be text that no terminal takes for
 * orders, and JSON where that was asked for. An archive that it writes has to be one that can be read: sound,
 * if it was made of foreign files or of an archive that is.
 *
 * Nothing is compiled or linked: NVRTC, nvJitLink and Ninja are not ours to fuzz, and are not found. */
#include "harness.h"
#include "loader/core/support/text.h"
#include "process/supervise.h"
#include "scratch.h"
#include "seal.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

int cubinet_main(int argc, char **argv); /* packager/command/main.c's */

/* The commands' way into a child process (see CMakeLists.txt), where nothing would be seen of what they do.
 */
bool __wrap_supervise(const struct limits *limits, const char *subject, int *out_exit);

bool __wrap_supervise(const struct limits *limits, const char *subject, int *out_exit)
{
    (void)limits;
    (void)subject;
    (void)out_exit;
    return false;
}

enum check { ANY, JSON, ARCHIVE, SOUND, ARGUMENTS };

struct line {
    const char *input; /* the name of the file that gets the bytes */
    const char *text;  /* the arguments */
    enum check check;
};

/* New ones at the end, so that files of the corpus stay what they are. */
static const struct line lines[] = {
    {"in.cubinet", "list in.cubinet", ANY},
    {"in.cubinet", "list in.cubinet --json", JSON},
    {"in.cubinet", "inspect in.cubinet", ANY},
    {"in.cubinet", "inspect in.cubinet --json", JSON},
    {"in.cubinet", "inspect in.cubinet --sbom=spdx", JSON},
    {"in.cubinet", "inspect in.cubinet --sbom=cyclonedx", JSON},
    {"in.cubinet", "which in.cubinet", ANY},
    {"in.cubinet", "which .:in.cubinet --require-version >=1 --json", JSON},
    {"in.cubinet", "verify in.cubinet", ANY},
    {"in.cubinet", "verify in.cubinet --json", JSON},
    {"in.cubinet", "extract in.cubinet --all folder", ANY},
    {"in.cubinet", "extract in.cubinet k sm_80 -o out", ANY},
    {"in.cubinet", "export in.cubinet k --fatbin --plain -o out", ANY},
    {"in.cubinet", "explain in.cubinet --device all", ANY},
    {"in.cubinet", "explain in.cubinet --device all --json", JSON},
    {"in.cubinet", "explain in.cubinet --device 8.0 --device h100 --driver 12.0 --nvjitlink none", ANY},
    {"in.cubinet", "occupancy in.cubinet", ANY},
    {"in.cubinet", "occupancy in.cubinet --plot --maxregs 40", ANY},
    {"in.cubinet", "occupancy in.cubinet --svg out --smem 1000", ANY},
    {"in.cubinet", "occupancy in.cubinet --json --device all --block 96", JSON},
    {"in.cubinet", "diff in.cubinet base.cubinet", ANY},
    {"in.cubinet", "diff base.cubinet in.cubinet --fail-on any --json", JSON},
    {"in.cubinet", "diff base.cubinet in.cubinet --html out", ANY},
    {"in.cubinet", "diff in.cubinet base.cubinet --html out --json", JSON},
    {"in.cubinet", "report in.cubinet -o out", ANY},
    {"in.cubinet", "header in.cubinet -o out", ANY},
    {"in.cubinet", "header in.cubinet -o out --c++ --prefix p --embedded bytes", ANY},
    {"in.cubinet", "slice in.cubinet -o out.cubinet --device 8.0 --device 9.0", ARCHIVE},
    {"in.cubinet", "remove in.cubinet --target sm_75 -o out.cubinet", ARCHIVE},
    {"in.cubinet", "replace in.cubinet base.cubinet --add -o out.cubinet -t 1", ARCHIVE},
    {"in.cubinet", "replace base.cubinet in.cubinet --add --images -o out.cubinet -t 1", ARCHIVE},
    {"in.cubinet", "pack in.cubinet -o out.cubinet -t 1", ARCHIVE},
    {"in.cubinet", "pack in.cubinet base.cubinet -o out.cubinet --compress fast -t 1", ARCHIVE},
    {"in.cubinet", "sign in.cubinet --key base.key -o out.cubinet", ARCHIVE},
    {"in.cubinet", "list in.cubinet --public-key base.pub", ANY},
    {"in.cubinet", "link in.cubinet -l base.cubinet -o out.cubinet --arch 80-real", ANY},
    {"in.cubinet", "link --all --device sm_90 --cache cache in.cubinet", ANY},
    {"k.cubin", "pack k.cubin -o out.cubinet -t 1", SOUND},
    {"k.ptx", "pack k.ptx -o out.cubinet -t 1", SOUND},
    {"k.fatbin", "pack k.fatbin -o out.cubinet -t 1", SOUND},
    {"k.o", "pack m=k.o -o out.cubinet -t 1 --compress fast", SOUND},
    {"k.tileirbc", "pack k.tileirbc -o out.cubinet -t 1", SOUND},
    {"k.optixir", "pack k.optixir -o out.cubinet -t 1", SOUND},
    {"k.o", "link k.o base.ptx -o out.cubinet --arch 80", ANY},
    {"k.fatbin", "link k.fatbin -o out.cubinet --device sm_90", ANY},
    {"in.key", "sign base.cubinet --key in.key -o out.cubinet", ARCHIVE},
    {"in.pub", "verify base.cubinet --public-key in.pub", ANY},
    {"trace.json", "profile .", ANY},
    {"trace.json", "profile . --json", JSON},
    {"0123456789abcdef0123456789abcdef.compile", "cache verify --dir . --json", JSON},
    {"counters", "cache stats --dir . --json", JSON},
    {"arguments", "@arguments", ARGUMENTS},
    {"in.record", "slice base.cubinet --used in.record --dry-run", ANY},
    {"in.record", "slice base.cubinet --used in.record -o out.cubinet --rest rest.cubinet", ARCHIVE},
    {"tuning.json", "pack base.cubinet --tuning tuning.json -o out.cubinet -t 1", SOUND},
    {"in.cubinet", "explain in.cubinet --device 9.0", ANY},
    {"in.cubinet", "explain in.cubinet --device 9.0 --json", JSON},
};
enum { LINE_COUNT = sizeof(lines) / sizeof(lines[0]), MOST_WORDS = 16 };

/* What a command printed, with a NUL. */
struct printed {
    char *text;
    size_t size;
};

static ssize_t take_printed(void *cookie, const char *text, size_t size)
{
    struct printed *printed = cookie;
    char *larger = realloc(printed->text, printed->size + size + 1);
    if (!larger) {
        abort();
    }
    memcpy(larger + printed->size, text, size);
    printed->text = larger;
    printed->size += size;
    printed->text[printed->size] = '\0';
    return (ssize_t)size;
}

/* Has what goes to a stream, perhaps through another one that the command puts before it, kept. */
static FILE *keep_printed(FILE **stream, struct printed *printed)
{
    FILE *file = fopencookie(printed, "w", (cookie_io_functions_t){.write = take_printed});
    if (!file) {
        abort();
    }
    *stream = file;
    return file;
}

static void restore(FILE **stream, FILE *shown, FILE *kept)
{
    if (*stream != kept) {
        fclose(*stream);
    }
    fclose(kept);
    *stream = shown;
}

/* On standard output and standard error. */
struct outputs {
    struct printed text;
    struct printed errors;
};

static void forget(struct outputs *outputs)
{
    free(outputs->text.text);
    free(outputs->errors.text);
}

/* The exit status. */
static int run(const char *text, struct outputs *out_outputs)
{
    char copy[256];
    char name[] = "cubinet";
    char *words[MOST_WORDS] = {name};
    int count = 1;
    snprintf(copy, sizeof(copy), "%s", text);
    for (char *rest = copy, *word; (word = strtok_r(rest, " ", &rest)) != NULL;) {
        words[count++] = word;
    }
    FILE *const shown[] = {stdout, stderr};
    FILE *const kept[] = {keep_printed(&stdout, &out_outputs->text),
                          keep_printed(&stderr, &out_outputs->errors)};
    int status = cubinet_main(count, words);
    restore(&stdout, shown[0], kept[0]);
    restore(&stderr, shown[1], kept[1]);
    return status;
}

static bool succeeds(const char *text)
{
    struct outputs outputs = {0};
    int status = run(text, &outputs);
    forget(&outputs);
    return status == 0;
}

static _Noreturn void refuse(const struct line *line, const char *why, const struct outputs *outputs)
{
    const char *text = outputs->text.text;
    const char *errors = outputs->errors.text;
    fprintf(stderr, "'%s': %s\n%s\n%s\n", line->text, why, text ? text : "", errors ? errors : "");
    abort();
}

static bool is_plain(const struct printed *printed)
{
    return cbn_text_plain(printed->text, printed->size, CBN_TEXT_LINE | CBN_TEXT_TAB) == printed->size;
}

static void check_json(const struct line *line, const struct outputs *outputs)
{
    json_error_t error;
    json_t *document = json_loadb(outputs->text.text, outputs->text.size, 0, &error);
    if (!document) {
        refuse(line, error.text, outputs);
    }
    json_decref(document);
}

static void check_archive(const struct line *line, const struct outputs *outputs)
{
    bool is_sound = line->check == SOUND || succeeds("verify in.cubinet");
    if (!succeeds("list out.cubinet")) {
        refuse(line, "what it wrote is not an archive", outputs);
    }
    if (is_sound && !succeeds("verify out.cubinet")) {
        refuse(line, "what it wrote is not sound", outputs);
    }
}

static void run_line(const struct line *line)
{
    struct outputs outputs = {0};
    int status = run(line->text, &outputs);
    if (line->check != ARGUMENTS && (!is_plain(&outputs.text) || !is_plain(&outputs.errors))) {
        refuse(line, "it printed control characters", &outputs);
    }
    if (line->check == JSON && outputs.text.size > 0) {
        check_json(line, &outputs);
    } else if ((line->check == ARCHIVE || line->check == SOUND) && status == 0) {
        check_archive(line, &outputs);
    }
    forget(&outputs);
}

static const char base_ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                               ".visible .entry k(.param .u64 p)\n{\nret;\n}\n";

/* What the lines name besides the input. */
static struct {
    const char *name;
    void *data;
    size_t size;
} given[] = {{"base.ptx", NULL, 0}, {"base.cubinet", NULL, 0}, {"base.key", NULL, 0}, {"base.pub", NULL, 0}};
enum { GIVEN_COUNT = sizeof(given) / sizeof(given[0]) };

static void make_given(void)
{
    scratch_open();
    scratch_write("base.ptx", base_ptx, sizeof(base_ptx) - 1);
    if (!succeeds("pack base.ptx -o base.cubinet -t 1") || !succeeds("keygen -W -o base")) {
        abort();
    }
    for (size_t i = 0; i < GIVEN_COUNT; i++) {
        given[i].data = scratch_read(given[i].name, &given[i].size);
    }
    scratch_close();
}

static void start(void)
{
    static const char *const unset[] = {"CUBINET_TRACE", "CUBINET_CACHE_DIR",    "CUBINET_KEY_PASSWORD",
                                        "NINJA",         "CUBINET_ARCHIVE_PATH", "CUBINET_REMOTE_CACHE"};
    for (size_t i = 0; i < sizeof(unset) / sizeof(unset[0]); i++) {
        unsetenv(unset[i]);
    }
    setenv("PATH", "/nonexistent", 1);
    setenv("CUDAToolkit_ROOT", "/nonexistent", 1);
    setenv("CUBINET_NVJITLINK", "/nonexistent/libnvJitLink.so.13", 1);
    setsid(); /* no terminal to ask for a password */
    make_given();
}

/* Most lines name none of the given files, and writing them takes longer than many a command. */
static void run_in_scratch(const struct line *line, const unsigned char *bytes, size_t size)
{
    scratch_open();
    for (size_t i = 0; i < GIVEN_COUNT; i++) {
        if (line->check == ARGUMENTS || strstr(line->text, given[i].name)) {
            scratch_write(given[i].name, given[i].data, given[i].size);
        }
    }
    scratch_write(line->input, bytes, size);
    run_line(line);
    scratch_close();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool is_started;
    if (!is_started) {
        start();
        is_started = true;
    }
    if (size == 0 || data[0] >= LINE_COUNT) {
        return 0;
    }
    const struct line *line = &lines[data[0]];
    unsigned char *bytes = harness_copy(data + 1, size - 1);
    if (strcmp(line->input, "in.cubinet") == 0) {
        seal(bytes, size - 1);
    }
    /* Arguments may name any file to write: let that be one of this folder. */
    if (line->check != ARGUMENTS || !memchr(bytes, '/', size - 1)) {
        run_in_scratch(line, bytes, size - 1);
    }
    free(bytes);
    return 0;
}
