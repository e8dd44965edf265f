/* SPDX-License-Identifier: Apache-2.0 */
/* Addressable memory as a store: byte after byte, in order, regardless of the compiler's optimizations. */
#include "tdp.h"

void tdp_ram_read(void *context, uint32_t at, uint8_t *bytes, uint32_t count)
{
    const volatile uint8_t *from = &((const volatile uint8_t *)context)[at];
    for (uint32_t i = 0U; i < count; i++) {
        bytes[i] = from[i];
    }
}

void tdp_ram_write(void *context, uint32_t at, const uint8_t *bytes, uint32_t count)
{
    volatile uint8_t *to = &((volatile uint8_t *)context)[at];
    for (uint32_t i = 0U; i < count; i++) {
        to[i] = bytes[i];
    }
}

void tdp_ram_barrier(void *context)
{
    (void)context; /* a written byte is stored */
}
