/* SPDX-License-Identifier: Apache-2.0 */
/* `cubinet cache why`: what keeps a compile from being taken from the cache. */
#ifndef CACHE_WHY_H
#define CACHE_WHY_H

/* Runs with the arguments of the compile, and returns the exit status of the command. */
int cache_why(int argc, char **argv);

#endif
