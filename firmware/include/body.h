/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of one message, put together in order, low byte first. */
#ifndef TDP_BODY_H
#define TDP_BODY_H

#include "tdp.h"

#ifdef __cplusplus
extern "C" {
#endif

struct body {
    uint8_t length;
    uint8_t bytes[TDP_EVENT_MAX];
};

static inline struct body body_new(void)
{
    struct body body;
    body.length = 0U;
    return body;
}

/* Bytes without room are dropped: no message of these classes is that long. */
static inline void body_u8(struct body *body, uint8_t value)
{
    if (body->length < TDP_EVENT_MAX) {
        body->bytes[body->length] = value;
        body->length++;
    }
}

static inline void body_u16(struct body *body, uint16_t value)
{
    body_u8(body, (uint8_t)(value & 0xFFU));
    body_u8(body, (uint8_t)(value >> 8));
}

static inline void body_u32(struct body *body, uint32_t value)
{
    body_u16(body, (uint16_t)(value & 0xFFFFU));
    body_u16(body, (uint16_t)(value >> 16));
}

#ifdef __cplusplus
}
#endif

#endif
