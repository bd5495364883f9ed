/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of cubinet.ninja, whose path the build gives as NINJA_RULES. */
#define CUBINET_EMBED_SYMBOL  ninja_rules
#define CUBINET_EMBED_SECTION ".rodata.ninja_rules"
#define CUBINET_EMBED_FILE    "\"" NINJA_RULES "\""
#include "../../cmake_modules/CubinetEmbed.c"
