/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/compile_values.h"

#include "base/comma_list.h"
#include "compile/compile_options.h"
#include "compile/werror.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

static bool is_level(const char *text)
{
    return strlen(text) == 1 && strchr("0123", text[0]);
}

/* nvJitLink takes 0 and 3 of its own; ptxas takes the others. */
cubinet_status compile_values_add_optimization(const char *level, struct cbn_text_list *nvjitlink_options)
{
    level = level ? level : "3";
    if (!is_level(level)) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "option '-O' takes 0, 1, 2 or 3, not '%s'", level);
    }
    bool own = level[0] == '0' || level[0] == '3';
    return cbn_text_list_addf(nvjitlink_options, "%s%s", own ? "-O" : "-Xptxas=-O", level);
}

cubinet_status compile_values_add_ptxas_options(struct compile_arguments *arguments, const char *list)
{
    struct cbn_text_list options = {0};
    cubinet_status status = comma_list_split(list, &options);
    for (size_t i = 0; !status && i < options.count; i++) {
        status = cbn_text_list_addf(&arguments->nvjitlink_options, "-Xptxas=%s", options.items[i]);
    }
    cbn_text_list_free(&options);
    return status;
}

cubinet_status compile_values_add_path_map(struct compile_arguments *arguments, const char *text)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "option '--file-prefix-map' takes OLD=NEW, not '%s'",
                         text);
    }
    struct ptx_path_map *maps =
        reallocarray(arguments->path_maps, arguments->path_map_count + 1, sizeof(*maps));
    if (!maps) {
        return cbn_error_memory();
    }
    arguments->path_maps = maps;
    cubinet_status status = cbn_text_list_addf(&arguments->map_texts, "%.*s", (int)(equals - text), text);
    if (!status) {
        memmove(maps + 1, maps, arguments->path_map_count * sizeof(*maps));
        const struct cbn_text_list *texts = &arguments->map_texts;
        maps[0] = (struct ptx_path_map){.from = texts->items[texts->count - 1], .to = equals + 1};
        arguments->path_map_count++;
    }
    return status;
}

void compile_values_take_optional(struct option_reader *reader, int id)
{
    if (reader->value || reader->next >= reader->argc) {
        return;
    }
    const char *next = reader->argv[reader->next];
    if ((id == ID_OPTIMIZE && is_level(next)) || (id == ID_WERROR && werror_is_list(next))) {
        reader->value = next;
        reader->next++;
    }
}

bool compile_values_is_list(int id)
{
    return id == ID_INCLUDE || id == ID_SYSTEM_INCLUDE || id == ID_PRE_INCLUDE || id == ID_DEFINE ||
           id == ID_UNDEFINE;
}

/* Takes an option whose value is a list: splits it, and forwards each value. */
cubinet_status compile_values_take_list(struct compile_arguments *arguments, int id, const char *list)
{
    struct cbn_text_list values = {0};
    bool is_macro = id == ID_DEFINE || id == ID_UNDEFINE;
    cubinet_status status =
        is_macro ? comma_list_split_macros(list, &values) : comma_list_split_paths(list, &values);
    for (size_t i = 0; !status && i < values.count; i++) {
        status = id == ID_SYSTEM_INCLUDE
                     ? cbn_text_list_add(&arguments->system_folders, values.items[i])
                     : compile_options_forward(id, values.items[i], &arguments->nvrtc_options,
                                               &arguments->nvjitlink_options);
    }
    cbn_text_list_free(&values);
    return status;
}

/* The device runtime is linked where it is called, and the CUDA runtime belongs to the program. */
cubinet_status compile_values_take_libraries(struct compile_arguments *arguments, const char *list)
{
    struct cbn_text_list names = {0};
    cubinet_status status = comma_list_split(list, &names);
    for (size_t i = 0; !status && i < names.count; i++) {
        if (strcmp(names.items[i], "cudadevrt") != 0) {
            status = nvcc_ignored_add(&arguments->ignored.for_host, "-l", names.items[i]);
        }
    }
    cbn_text_list_free(&names);
    return status;
}

static cubinet_status fail_value(const char *spelling, const char *allowed, const char *value)
{
    return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "option '%s' takes %s, not '%s'", spelling, allowed,
                     value);
}

cubinet_status compile_values_take_device_runtime(struct compile_arguments *arguments, const char *value)
{
    arguments->no_device_runtime = strcmp(value, "none") == 0;
    return arguments->no_device_runtime || strcmp(value, "static") == 0
               ? CUBINET_OK
               : fail_value("--cudadevrt", "none or static", value);
}

cubinet_status compile_values_take_default_stream(struct compile_arguments *arguments, const char *value)
{
    if (strcmp(value, "per-thread") == 0) {
        return cbn_text_list_add(&arguments->nvrtc_options, "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
    }
    return strcmp(value, "legacy") == 0 || strcmp(value, "null") == 0
               ? CUBINET_OK
               : fail_value("--default-stream", "legacy, null or per-thread", value);
}

cubinet_status compile_values_take_assembler(struct compile_arguments *arguments, const char *name)
{
    bool is_auto = strcmp(name, "auto") == 0;
    if (!is_auto && strcmp(name, "nvjitlink") != 0 && strcmp(name, "ptxas") != 0 && !strchr(name, '/')) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "no assembler '%s': --assembler takes auto, nvjitlink, ptxas, or a path of ptxas",
                         name);
    }
    arguments->assembler = is_auto ? NULL : name;
    return CUBINET_OK;
}
