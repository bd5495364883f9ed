/* SPDX-License-Identifier: Apache-2.0 */
/* Memory for compilers in pages of 2 MB. NVRTC's front end fills 100 to 200 MB, and getting those 4 KB at a
 * time is a tenth of its time. */
#ifndef LARGE_PAGES_H
#define LARGE_PAGES_H

/* Has malloc() of this process, and that of programs which it starts from now on, ask the kernel for large
 * pages. To be called before there are threads. Where there are none to be had, or memory is limited,
 * everything is as it was. */
void large_pages_use(void);

#endif
