/* SPDX-License-Identifier: Apache-2.0 */
/* Lock-free ring for bytes between an interrupt and the main loop: one of them puts, the other gets. Each index is
   written by one side only and is 16 bits wide, which any processor of this size writes atomically. Between two
   processors it would need a memory barrier, which it does not have. */
#ifndef TDP_RING_H
#define TDP_RING_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TDP_RING_BYTES 256U /* a power of two; indexes run freely and are masked */

/* All zeros is an empty ring. */
struct tdp_ring {
    volatile uint8_t bytes[TDP_RING_BYTES];
    volatile uint16_t head, tail;
};

static inline uint16_t tdp_ring_count(const struct tdp_ring *ring)
{
    uint16_t head = ring->head;
    uint16_t tail = ring->tail;
    return (uint16_t)(head - tail);
}

/* Put a byte. Return false if there is no room. */
static inline bool tdp_ring_put(struct tdp_ring *ring, uint8_t byte)
{
    uint16_t head = ring->head;
    bool room = tdp_ring_count(ring) < TDP_RING_BYTES;
    if (room) {
        ring->bytes[head & (TDP_RING_BYTES - 1U)] = byte;
        ring->head = (uint16_t)(head + 1U);
    }
    return room;
}

/* Return the oldest byte, or -1. */
static inline int16_t tdp_ring_get(struct tdp_ring *ring)
{
    uint16_t tail = ring->tail;
    int16_t byte = -1;
    if (tdp_ring_count(ring) > 0U) {
        byte = (int16_t)ring->bytes[tail & (TDP_RING_BYTES - 1U)];
        ring->tail = (uint16_t)(tail + 1U);
    }
    return byte;
}

#ifdef __cplusplus
}
#endif

#endif
