/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of report.html, whose path the build gives as REPORT_TEMPLATE. */
#define CUBINET_EMBED_SYMBOL  report_template
#define CUBINET_EMBED_SECTION ".rodata.report_template"
#define CUBINET_EMBED_FILE    "\"" REPORT_TEMPLATE "\""
#include "../../cmake_modules/CubinetEmbed.c"
