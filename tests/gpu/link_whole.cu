// SPDX-License-Identifier: Apache-2.0
// link_step.cu and link_rest.cu in one module.
#include "link_rest.cu"
#include "link_step.cu"
