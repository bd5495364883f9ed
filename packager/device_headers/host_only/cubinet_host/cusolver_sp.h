// SPDX-License-Identifier: Apache-2.0
// The types of cuSOLVER for sparse matrices.
#if !defined(CUBINET_HOST_CUSOLVER_SP_H) && __cplusplus >= 201402L
#define CUBINET_HOST_CUSOLVER_SP_H

#include "cubinet_host/cusolver.h"
#include "cubinet_host/cusparse.h"

struct cusolverSpContext;
typedef struct cusolverSpContext *cusolverSpHandle_t;
struct csrqrInfo;
typedef struct csrqrInfo *csrqrInfo_t;

#endif
