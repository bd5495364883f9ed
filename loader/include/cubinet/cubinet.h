/* SPDX-License-Identifier: Apache-2.0 */
/** @file All of libcubinet. */
#ifndef CUBINET_CUBINET_H
#define CUBINET_CUBINET_H

#include <cubinet/archive.h>
#include <cubinet/driver.h>
#include <cubinet/module.h>
#include <cubinet/select.h>
#include <cubinet/status.h>
#include <cubinet/target.h>
#include <cubinet/version.h>

#endif
