/* SPDX-License-Identifier: Apache-2.0 */
/* As much of a C library's headers as the checks need on a board that has none. */
#ifndef COUNTED_STDIO_H
#define COUNTED_STDIO_H

#include <stddef.h>

/* %s, %lu and %ld; everything else stands for itself. */
int printf(const char *format, ...);

#endif
