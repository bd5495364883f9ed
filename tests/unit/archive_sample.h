/* SPDX-License-Identifier: Apache-2.0 */
/* The archive that most archive tests read: two modules that use every table. */
#ifndef ARCHIVE_SAMPLE_H
#define ARCHIVE_SAMPLE_H

#include "archive_builder.h"

#define SAMPLE_CUBIN "cubin of segsum for sm_90a, as if it were one"
#define SAMPLE_PTX                                                                                           \
    "//\n.version 9.0\n.target sm_80\n// and many lines, lines, lines, lines, lines, lines, lines\n"

static const struct build_image sample_segsum_images[] = {
    {.kind = 1, .number = 80, .toolkit = 12090, .text = "cubin of segsum for sm_80"},
    {.kind = 1, .number = 90, .suffix = 'a', .toolkit = 13000, .text = SAMPLE_CUBIN},
    {.kind = 2, .number = 80, .compress = 1, .toolkit = 13000, .isa_or_floor = 90, .text = SAMPLE_PTX},
    {.kind = 3, .number = 75, .toolkit = 13000, .isa_or_floor = 13000, .text = "LTO-IR"},
};

static const struct build_named sample_segsum_kernels[] = {
    {.name = "_Z6segsumIdiEvPKT_Pj", .expression = "segsum<double, unsigned int>"},
    {.name = "_Z6segsumIfiEvPKT_Pi", .expression = "segsum<float,int,256,4>"},
    {.name = "plain", .expression = ""},
};

static const struct build_resource sample_segsum_resources[] = {
    {.image = 0, .kernel = 0, .base = 100, .first_param = 0, .param_count = 2, .param_bytes = 12},
    {.image = 0, .kernel = 2, .base = 200},
    {.image = 1, .kernel = 0, .base = 300, .first_param = 0, .param_count = 2, .param_bytes = 12},
    {.image = 1, .kernel = 1, .base = 400, .first_param = 2, .param_count = 1, .param_bytes = 8},
    {.image = 2, .kernel = 1, .base = 500, .first_param = 1, .param_count = 2, .param_bytes = 8},
    {.image = 3, .kernel = 1, .base = 0xfffffff0, .param_count = 0xffff, .param_bytes = 0xffff},
};

static const struct build_param sample_segsum_params[] = {{0, 8}, {8, 4}, {0, 8}};

static const struct build_named sample_segsum_globals[] = {
    {.name = "_ZN2ns5tableE", .expression = "&ns::table", .bytes = 4096, .flags = 1},
    {.name = "counter", .expression = "", .bytes = 0},
};

static const struct build_piece sample_segsum_pieces[] = {
    {.image = 2, .defined = 0, .needed = 1},
    {.image = 3, .defined = 2, .needed = 1, .flags = 1},
};

static const struct build_symbol sample_segsum_symbols[] = {
    {.name = "shared_state", .type = "", .flags = 2},
    {.name = "_Z5twiceIfET_S0_", .expression = "twice<float>", .type = "b32(b32)", .flags = 1},
    {.name = "epilogue", .type = "b32(b32)"},
    {.name = "combine", .type = "b32(b32,b32)"},
};

static const struct build_launch sample_segsum_launches[] = {
    {.resource = 0,
     .flags = 3,
     .dynamic_shared = 4096,
     .block = {128, 2, 1},
     .grid_factor = {2, 3, 4},
     .cluster = {2, 1, 5},
     .hidden = 1,
     .names = 2},
    {.resource = 3, .dynamic_shared = 0xffffffff, .names = 1},
    {.resource = 5, .dynamic_shared = 0xffffffff, .flags = 1, .hidden = 2},
};

static const struct build_hidden sample_segsum_hidden[] = {
    {.param = 1, .kind = 1, .bytes = 0x500000000, .alignment = 256},
    {.param = 0, .kind = 3, .dimensions = 2},
    {.param = 3, .kind = 9},
};

static const struct build_param_name sample_segsum_param_names[] = {
    {.name = "in", .type = "const double *"},
    {.name = "", .type = ""},
    {.name = "out", .type = ""},
};

static const struct build_image sample_axpy_images[] = {
    {.kind = 2, .number = 50, .toolkit = 12000, .isa_or_floor = 80, .text = "PTX of axpy"},
    {.kind = 7, .number = 90, .text = "an image of a kind to come"},
};

static const struct build_module sample_modules[] = {
    {.name = "axpy", .images = sample_axpy_images, .image_count = 2},
    {
        .name = "segmented_sum",
        .images = sample_segsum_images,
        .image_count = 4,
        .kernels = sample_segsum_kernels,
        .kernel_count = 3,
        .resources = sample_segsum_resources,
        .resource_count = 6,
        .params = sample_segsum_params,
        .param_count = 3,
        .globals = sample_segsum_globals,
        .global_count = 2,
        .pieces = sample_segsum_pieces,
        .piece_count = 2,
        .symbols = sample_segsum_symbols,
        .symbol_count = 4,
        .launches = sample_segsum_launches,
        .launch_count = 3,
        .hidden = sample_segsum_hidden,
        .hidden_count = 3,
        .param_names = sample_segsum_param_names,
        .param_name_count = 3,
    },
};

enum { SAMPLE_AXPY, SAMPLE_SEGSUM };

static const struct build_archive sample_archive = {
    .version = "1.4.0",
    .producer = "a test",
    .modules = sample_modules,
    .module_count = 2,
};

#endif
