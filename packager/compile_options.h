/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `cubinet compile`: their names, nvcc's names for them, and what they become for NVRTC and
 * nvJitLink. What an nvcc command line has beyond them is in nvcc_options.h. */
#ifndef COMPILE_OPTIONS_H
#define COMPILE_OPTIONS_H

#include "options.h"
#include "string_list.h"

enum compile_option {
    ID_OUTPUT = 1,
    ID_OUTPUT_FOLDER,
    ID_MODULE,
    ID_ARCH,
    ID_GENCODE,
    ID_CODE,
    ID_CUBIN,
    ID_PTX,
    ID_LTOIR,
    ID_KERNEL,
    ID_GLOBAL,
    ID_OPTIONAL_NAMES,
    ID_FRAGMENT,
    ID_EXPORT,
    ID_IMPORT,
    ID_INCLUDE,
    ID_SYSTEM_INCLUDE,
    ID_DEFINE,
    ID_UNDEFINE,
    ID_PRE_INCLUDE,
    ID_PCH,
    ID_STD,
    ID_OPTIMIZE,
    ID_FAST_COMPILE,
    ID_DEBUG,
    ID_OPTIMIZE_DEBUG,
    ID_LINE_INFO,
    ID_FAST_MATH,
    ID_FTZ,
    ID_PREC_DIV,
    ID_PREC_SQRT,
    ID_FMAD,
    ID_MAX_REGISTERS,
    ID_JUMP_TABLES,
    ID_STACK_PROTECTOR,
    ID_RELOCATABLE,
    ID_DEVICE_C,
    ID_WHOLE_PROGRAM,
    ID_OPTIMIZE_LTOIR,
    ID_DEVICE_RUNTIME,
    ID_DEFAULT_DEVICE,
    ID_RELAXED_CONSTEXPR,
    ID_EXTENDED_LAMBDA,
    ID_NO_INITIALIZER_LIST,
    ID_NO_MOVE_FORWARD,
    ID_DEFAULT_STREAM,
    ID_RESTRICT,
    ID_VECTORIZE,
    ID_PTXAS,
    ID_RESOURCE_USAGE,
    ID_SPLIT_COMPILE,
    ID_NVRTC,
    ID_NVJITLINK,
    ID_LIBRARY,
    ID_ASSEMBLER,
    ID_KEEP_GLOBALS,
    ID_KEEP_SHARED_ADDRESSES,
    ID_PREFIX_MAP,
    ID_SYNTAX_ONLY,
    ID_TIME_TRACE,
    ID_TIME,
    ID_OPTIMIZATION_INFO,
    ID_NO_WARNINGS,
    ID_ERROR_LIMIT,
    ID_WERROR,
    ID_WARN_REORDER,
    ID_WARN_LAUNCH_BOUNDS,
    ID_NO_DEPRECATED,
    ID_DIAG_SUPPRESS,
    ID_DIAG_WARN,
    ID_DIAG_ERROR,
    ID_DEPENDENCIES_ALONE,
    ID_USER_DEPENDENCIES_ALONE,
    ID_DEPFILE,
    ID_USER_DEPFILE,
    ID_DEPFILE_PATH,
    ID_DEPFILE_TARGET,
    ID_DEPFILE_PHONY,
    ID_WRITE_IF_DIFFERENT,
    ID_CACHE,
    ID_NO_CACHE,
    ID_BASE_DIR,
    ID_REMOTE_CACHE,
    ID_STD_HEADERS,
    ID_TOOLKIT,
    ID_TIMEOUT,
    ID_MEMORY_LIMIT,
    ID_LIST_ARCHITECTURES,
    ID_LIST_CODES,
    ID_VERBOSE,
    ID_HELP,
};

extern const struct option compile_options[];

/* Adds what an option becomes for NVRTC and nvJitLink, if anything: the text and, if the option has one, its
 * value. */
cubinet_status compile_options_forward(int id, const char *value, struct string_list *nvrtc_options,
                                       struct string_list *nvjitlink_options);

/* Prints what `cubinet compile --help` prints. */
void compile_options_help(void);

#endif
