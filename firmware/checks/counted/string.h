/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COUNTED_STRING_H
#define COUNTED_STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t count);
void *memset(void *to, int value, size_t count);

#endif
