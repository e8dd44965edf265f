/* SPDX-License-Identifier: Apache-2.0 */
/* Where the core meets the sealed line and the signed measurement, which are in the folder seal. Without TDP_SEAL nothing
   of them is left. */
#ifndef TDP_SEAL_HOOKS_H
#define TDP_SEAL_HOOKS_H

#include "tdp.h"

#if TDP_SEAL

/* Power is on: load the keys, or make them. */
void seal_start(struct tdp_link *link, uint32_t random);

/* Open a whole frame of this length if it is sealed, and answer handshakes. Return its length as if it had come in clear;
   0 if it goes no further. */
uint16_t seal_admit(struct tdp_link *link, uint8_t *frame, uint16_t length);

/* Return true while a frame is taken that came in clear although a host is paired: it is no sign of life. */
bool seal_in_clear(const struct tdp_link *link);

/* The frame is dealt with. */
void seal_taken(struct tdp_link *link);

/* Seal the outgoing frame of this length, without its check, if the line is sealed. Return its new length; 0 if it must
   not be sent. */
uint16_t seal_frame(struct tdp_link *link, uint16_t length);

/* Continue the handshake by one step, and end a pairing that took too long. */
void seal_step(struct tdp_link *link);

/* Return the highest role that the host on the line may have. */
uint8_t seal_grants(const struct tdp_link *link);

uint32_t seal_capabilities(const struct tdp_link *link);

/* Write the certificate's extension, if there is one. Return the end. */
uint8_t *seal_certificate(const struct tdp_link *link, uint8_t *at);

/* The signed measurement: its begin, each portion, and a step towards the signature. The last returns false if nothing
   is signed here; else it sends MEASURED itself, in its time. */
void attest_begin(struct tdp_link *link);
void attest_add(struct tdp_link *link, const uint8_t *bytes, uint32_t count);
bool attest_step(struct tdp_link *link);

#else

static inline void seal_start(struct tdp_link *link, uint32_t random)
{
    (void)link;
    (void)random;
}

static inline uint16_t seal_admit(struct tdp_link *link, uint8_t *frame, uint16_t length)
{
    (void)link;
    (void)frame;
    return length;
}

static inline bool seal_in_clear(const struct tdp_link *link)
{
    (void)link;
    return false;
}

static inline void seal_taken(struct tdp_link *link)
{
    (void)link;
}

static inline uint16_t seal_frame(struct tdp_link *link, uint16_t length)
{
    (void)link;
    return length;
}

static inline void seal_step(struct tdp_link *link)
{
    (void)link;
}

static inline uint8_t seal_grants(const struct tdp_link *link)
{
    return link->identity->grants;
}

static inline uint32_t seal_capabilities(const struct tdp_link *link)
{
    (void)link;
    return 0U;
}

static inline uint8_t *seal_certificate(const struct tdp_link *link, uint8_t *at)
{
    (void)link;
    return at;
}

static inline void attest_begin(struct tdp_link *link)
{
    (void)link;
}

static inline void attest_add(struct tdp_link *link, const uint8_t *bytes, uint32_t count)
{
    (void)link;
    (void)bytes;
    (void)count;
}

static inline bool attest_step(struct tdp_link *link)
{
    (void)link;
    return false;
}

#endif

#endif
