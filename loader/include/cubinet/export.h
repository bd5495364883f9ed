/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Which functions libcubinet exports. */
#ifndef CUBINET_EXPORT_H
#define CUBINET_EXPORT_H

#if defined(__GNUC__)
#define CUBINET_API __attribute__((visibility("default")))
#else
#define CUBINET_API
#endif

#endif
