/* SPDX-License-Identifier: Apache-2.0 */
/* Passwords of secret keys: from the environment, or from whoever sits at the terminal. */
#ifndef PASSWORD_H
#define PASSWORD_H

#include <cubinet/status.h>

/* The password of a key's file: $CUBINET_KEY_PASSWORD, or what is typed, which the terminal does not show.
 * CUBINET_ERROR_INVALID_ARGUMENT, which says what to do, where there is neither. The caller forgets it. */
cubinet_status password_ask(const char *path, char **out_password);

/* A new password: the same, typed twice. "" stands for none. */
cubinet_status password_choose(const char *path, char **out_password);

/* Overwrites and frees it. NULL is allowed. */
void password_forget(char *password);

#endif
