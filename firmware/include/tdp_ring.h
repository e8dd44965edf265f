/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes on their way between an interrupt and the main loop, without a lock: one of them puts, the other gets. Each index
   is written by one side only, and is 16 bits wide, which any processor of these sizes writes at once. Between two
   processors it needs a memory barrier, which it has not. */
#ifndef TDP_RING_H
#define TDP_RING_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TDP_RING_BYTES 256U /* a power of two; indexes run freely and are masked */

/* Zeros are an empty one. */
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

/* Whether there was room for it. */
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

/* The oldest byte, or -1. */
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
