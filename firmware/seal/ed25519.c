/* SPDX-License-Identifier: Apache-2.0 */
#include "ed25519.h"

#include "curve.h"
#include "monocypher.h"
#include "sha512.h"

#define ALL_TURNS 32U

/* The hash of a seed: the secret scalar, and the secret half that makes nonces. */
static void expand(uint8_t *both, const uint8_t *seed)
{
    struct sha512 hash;
    sha512_begin(&hash);
    sha512_add(&hash, seed, SEAL_KEY);
    sha512_end(&hash, both);
    crypto_eddsa_trim_scalar(both, both);
}

/* The hash of up to three parts, modulo the order of the group. */
static void reduce(uint8_t *scalar, const uint8_t *one, const uint8_t *two, const uint8_t *message, uint32_t count)
{
    uint8_t whole[SHA512_BYTES];
    struct sha512 hash;
    sha512_begin(&hash);
    sha512_add(&hash, one, SEAL_KEY);
    if (two != NULL) {
        sha512_add(&hash, two, SEAL_KEY);
    }
    sha512_add(&hash, message, count);
    sha512_end(&hash, whole);
    crypto_eddsa_reduce(scalar, whole);
    crypto_wipe(whole, sizeof whole);
}

void ed25519_public(uint8_t *key, struct curve_work *work, const uint8_t *seed)
{
    uint8_t both[SHA512_BYTES];
    expand(both, seed);
    curve_base_begin(work, both);
    (void)curve_base_step(work, ALL_TURNS, key);
    crypto_wipe(both, sizeof both);
}

void ed25519_begin(struct seal_signing *signing, struct curve_work *work, const uint8_t *seed, const uint8_t *message,
                   uint32_t count)
{
    uint8_t both[SHA512_BYTES];
    expand(both, seed);
    reduce(signing->nonce, &both[SEAL_KEY], NULL, message, count);
    crypto_wipe(both, sizeof both);
    curve_base_begin(work, signing->nonce);
}

bool ed25519_step(struct seal_signing *signing, struct curve_work *work, uint32_t turns)
{
    return curve_base_step(work, turns, signing->signature);
}

void ed25519_end(struct seal_signing *signing, const uint8_t *seed, const uint8_t *key, const uint8_t *message,
                 uint32_t count)
{
    uint8_t both[SHA512_BYTES];
    uint8_t challenge[SEAL_KEY];
    expand(both, seed);
    reduce(challenge, signing->signature, key, message, count);
    crypto_eddsa_mul_add(&signing->signature[SEAL_KEY], challenge, both, signing->nonce);
    crypto_wipe(both, sizeof both);
    crypto_wipe(signing->nonce, sizeof signing->nonce);
}
