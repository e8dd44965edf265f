/* SPDX-License-Identifier: Apache-2.0 */
/* Ed25519 (RFC 8032): the public key, and signing in steps. A device never checks a signature. */
#ifndef TDP_ED25519_H
#define TDP_ED25519_H

#include "tdp_seal.h"

/* Compute the public key of a seed, at once. */
void ed25519_public(uint8_t *key, struct curve_work *work, const uint8_t *seed);

/* Begin to sign this message. */
void ed25519_begin(struct seal_signing *signing, struct curve_work *work, const uint8_t *seed, const uint8_t *message,
                   uint32_t count);

/* Do so many turns more of 32 with the same arguments. Return true when `signing` has the signature. */
bool ed25519_step(struct seal_signing *signing, struct curve_work *work, uint32_t turns);

/* After that: complete the signature. */
void ed25519_end(struct seal_signing *signing, const uint8_t *seed, const uint8_t *key, const uint8_t *message,
                 uint32_t count);

#endif
