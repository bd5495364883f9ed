/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of the files that pages consist of. The build gives their folder as PAGES. */
#define CUBINET_EMBED_SECTION ".rodata.page"

#define CUBINET_EMBED_SYMBOL report_template
#define CUBINET_EMBED_FILE   "\"" PAGES "/report.html\""
#include "../../cmake_modules/CubinetEmbed.c"
#undef CUBINET_EMBED_SYMBOL
#undef CUBINET_EMBED_FILE

#define CUBINET_EMBED_SYMBOL diff_template
#define CUBINET_EMBED_FILE   "\"" PAGES "/diff_html.html\""
#include "../../cmake_modules/CubinetEmbed.c"
#undef CUBINET_EMBED_SYMBOL
#undef CUBINET_EMBED_FILE

#define CUBINET_EMBED_SYMBOL page_style
#define CUBINET_EMBED_FILE   "\"" PAGES "/report_page.css\""
#include "../../cmake_modules/CubinetEmbed.c"
#undef CUBINET_EMBED_SYMBOL
#undef CUBINET_EMBED_FILE

#define CUBINET_EMBED_SYMBOL page_script
#define CUBINET_EMBED_FILE   "\"" PAGES "/report_page.js\""
#include "../../cmake_modules/CubinetEmbed.c"
