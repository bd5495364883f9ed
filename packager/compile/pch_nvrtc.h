/* SPDX-License-Identifier: Apache-2.0 */
/* NVRTC as it is needed for precompiled headers: at the same address in every process, with the memory for
 * them at another such address. */
#ifndef PCH_NVRTC_H
#define PCH_NVRTC_H

#include "loader/core/support/text_list.h"
#include "toolkit/nvrtc.h"

#include <stdbool.h>

/* The first release that makes and uses precompiled headers. */
enum { PCH_RELEASE = 12080 };

/* As nvrtc_open(), at the address for precompiled headers if that is possible; if it isn't, `out_reason` says
 * why, which the caller frees, or else is NULL. To be called before there are threads. */
cubinet_status pch_nvrtc_open(const struct cbn_library_search *search, struct nvrtc *out_nvrtc,
                              char **out_reason);

/* The name of an empty header that NVRTC is to be given, and that is included last: NVRTC makes nothing if
 * the last header that it includes was included by an earlier one. */
#define PCH_LAST_HEADER "cubinet/end_of_headers"

/* Adds what makes a compile create (`action` "create") or use a precompiled header. */
cubinet_status pch_nvrtc_options(const struct cbn_text_list *options, const char *action, const char *data,
                                 struct cbn_text_list *out_options);

/* Where NVRTC lies. */
unsigned long long pch_nvrtc_address(const struct nvrtc *nvrtc);

/* Sets `size` bytes aside for precompiled headers, or as many as NVRTC takes by itself if it is 0; says how
 * many. The memory is taken when a compile first needs it. */
cubinet_status pch_nvrtc_set_heap(const struct nvrtc *nvrtc, size_t size, size_t *out_size);

#endif
