/* SPDX-License-Identifier: Apache-2.0 */
/* The symmetric half of a Noise handshake with ChaCha20-Poly1305 and SHA-256 (revision 34, section 5.2), and sealed
   frames. Multiplications are the caller's. */
#ifndef TDP_NOISE_H
#define TDP_NOISE_H

#include "tdp_seal.h"

/* Begin: the protocol's name, and a prologue of two parts. */
void noise_begin(struct noise *noise, const char *name, const uint8_t *first, uint32_t first_count,
                 const uint8_t *second, uint32_t second_count);

void noise_mix_hash(struct noise *noise, const uint8_t *bytes, uint32_t count);
void noise_mix_key(struct noise *noise, const uint8_t *key);
void noise_mix_psk(struct noise *noise, const uint8_t *psk);

/* Encrypt so many bytes; SEAL_TAG more are written. */
void noise_encrypt(struct noise *noise, uint8_t *out, const uint8_t *in, uint32_t count);

/* Decrypt so many bytes, the tag included. Return false if the tag is wrong; `out` is then as it was. */
bool noise_decrypt(struct noise *noise, uint8_t *out, const uint8_t *in, uint32_t count);

/* End a handshake that the host began: the keys of both directions. */
void noise_split(struct noise *noise, struct seal_keys *keys);

/* Seal a frame of this length without its check. Return its new length. */
uint16_t noise_seal(struct seal_keys *keys, uint8_t *frame, uint16_t length);

/* Open a sealed frame of this length without its check. Return its new length, or 0 if its tag is wrong or it was opened
   before; it is then as it was. */
uint16_t noise_open(struct seal_keys *keys, uint8_t *frame, uint16_t length);

#endif
