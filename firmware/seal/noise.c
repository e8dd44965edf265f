/* SPDX-License-Identifier: Apache-2.0 */
#include "noise.h"

#include "frame.h"
#include "monocypher.h"
#include "sha256.h"

#define BLOCK 64U
#define SEALED 0x80U
#define WINDOW 64U

/* HMAC-SHA256 of two parts; `out` may be one of them. */
static void hmac(uint8_t *out, const uint8_t *key, const uint8_t *one, uint32_t one_count, const uint8_t *two,
                 uint32_t two_count)
{
    struct sha256 hash;
    uint8_t pad[BLOCK];
    for (uint32_t i = 0U; i < BLOCK; i++) {
        pad[i] = (uint8_t)((i < SEAL_KEY ? key[i] : 0U) ^ 0x36U);
    }
    sha256_begin(&hash);
    sha256_add(&hash, pad, BLOCK);
    sha256_add(&hash, one, one_count);
    sha256_add(&hash, two, two_count);
    sha256_end(&hash, out);
    for (uint32_t i = 0U; i < BLOCK; i++) {
        pad[i] ^= 0x36U ^ 0x5CU;
    }
    sha256_begin(&hash);
    sha256_add(&hash, pad, BLOCK);
    sha256_add(&hash, out, SEAL_KEY);
    sha256_end(&hash, out);
    crypto_wipe(pad, sizeof pad);
}

/* HKDF of the chaining key: it becomes the first output; the second and the third, if wanted, are written. */
static void derive(struct noise *noise, const uint8_t *input, uint32_t count, uint8_t *second, uint8_t *third)
{
    uint8_t secret[SEAL_KEY];
    uint8_t number = 1U;
    hmac(secret, noise->ck, input, count, NULL, 0U);
    hmac(noise->ck, secret, &number, 1U, NULL, 0U);
    number = 2U;
    hmac(second, secret, noise->ck, SEAL_KEY, &number, 1U);
    if (third != NULL) {
        number = 3U;
        hmac(third, secret, second, SEAL_KEY, &number, 1U);
    }
    crypto_wipe(secret, sizeof secret);
}

void noise_begin(struct noise *noise, const char *name, const uint8_t *first, uint32_t first_count,
                 const uint8_t *second, uint32_t second_count)
{
    struct sha256 hash;
    uint32_t length = 0U;
    while (name[length] != '\0') {
        length++;
    }
    sha256_begin(&hash);
    sha256_add(&hash, (const uint8_t *)name, length);
    sha256_end(&hash, noise->h);
    if (length <= SEAL_KEY) { /* a name that fits is the hash itself */
        (void)put_text(noise->h, name, SEAL_KEY);
    }
    copy_bytes(noise->ck, noise->h, SEAL_KEY);
    noise->n = 0U;
    sha256_begin(&hash);
    sha256_add(&hash, noise->h, SEAL_KEY);
    sha256_add(&hash, first, first_count);
    sha256_add(&hash, second, second_count);
    sha256_end(&hash, noise->h);
}

void noise_mix_hash(struct noise *noise, const uint8_t *bytes, uint32_t count)
{
    struct sha256 hash;
    sha256_begin(&hash);
    sha256_add(&hash, noise->h, SEAL_KEY);
    sha256_add(&hash, bytes, count);
    sha256_end(&hash, noise->h);
}

void noise_mix_key(struct noise *noise, const uint8_t *key)
{
    derive(noise, key, SEAL_KEY, noise->k, NULL);
    noise->n = 0U;
}

void noise_mix_psk(struct noise *noise, const uint8_t *psk)
{
    uint8_t hashed[SEAL_KEY];
    derive(noise, psk, SEAL_KEY, hashed, noise->k);
    noise_mix_hash(noise, hashed, SEAL_KEY);
    noise->n = 0U;
    crypto_wipe(hashed, sizeof hashed);
}

static void begin_aead(crypto_aead_ctx *aead, const uint8_t *key, uint64_t counter)
{
    uint8_t nonce[12] = {0};
    (void)put_u32(put_u32(&nonce[4], (uint32_t)counter), (uint32_t)(counter >> 32));
    crypto_aead_init_ietf(aead, key, nonce);
}

void noise_encrypt(struct noise *noise, uint8_t *out, const uint8_t *in, uint32_t count)
{
    crypto_aead_ctx aead;
    begin_aead(&aead, noise->k, noise->n);
    noise->n++;
    crypto_aead_write(&aead, out, &out[count], noise->h, SEAL_KEY, in, count);
    noise_mix_hash(noise, out, count + SEAL_TAG);
    crypto_wipe(&aead, sizeof aead);
}

bool noise_decrypt(struct noise *noise, uint8_t *out, const uint8_t *in, uint32_t count)
{
    crypto_aead_ctx aead;
    uint8_t before[SEAL_KEY];
    uint32_t plain = count - SEAL_TAG;
    copy_bytes(before, noise->h, SEAL_KEY);
    noise_mix_hash(noise, in, count); /* first: `out` may be `in` */
    begin_aead(&aead, noise->k, noise->n);
    noise->n++;
    bool opened = crypto_aead_read(&aead, out, &in[plain], before, SEAL_KEY, in, plain) == 0;
    crypto_wipe(&aead, sizeof aead);
    return opened;
}

void noise_split(struct noise *noise, struct seal_keys *keys)
{
    static const struct seal_keys fresh;
    *keys = fresh;
    derive(noise, NULL, 0U, keys->out, NULL);
    copy_bytes(keys->in, noise->ck, SEAL_KEY);
    keys->live = true;
    crypto_wipe(noise, sizeof *noise);
}

/* The counter goes up with every frame, and its low byte is the link sequence: frames sent in clear are left out. */
uint16_t noise_seal(struct seal_keys *keys, uint8_t *frame, uint16_t length)
{
    crypto_aead_ctx aead;
    uint64_t next = keys->began ? keys->sent + 1U : 0U;
    keys->sent = next + (uint8_t)(frame[3] - (uint8_t)next);
    keys->began = true;
    frame[1] |= SEALED;
    begin_aead(&aead, keys->out, keys->sent);
    crypto_aead_write(&aead, &frame[FRAME_HEADER], &frame[length], frame, FRAME_HEADER, &frame[FRAME_HEADER],
                      (size_t)length - FRAME_HEADER);
    crypto_wipe(&aead, sizeof aead);
    return (uint16_t)(length + SEAL_TAG);
}

/* The counter of a frame is the one nearest to the newest that opened. Return false if it was opened before, or may have
   been. */
static bool counter_of(const struct seal_keys *keys, uint8_t sequence, uint64_t *counter)
{
    uint8_t apart = (uint8_t)(sequence - (uint8_t)keys->top);
    uint64_t behind = 256U - (uint64_t)apart;
    if (!keys->heard) {
        *counter = sequence;
        return true;
    }
    if (apart == 0U || apart >= 0x80U) {
        behind = apart == 0U ? 0U : behind;
        *counter = keys->top - behind;
        return behind < WINDOW && behind <= keys->top && ((keys->seen >> behind) & 1U) == 0U;
    }
    *counter = keys->top + apart;
    return true;
}

static void take_counter(struct seal_keys *keys, uint64_t counter)
{
    if (!keys->heard) {
        keys->seen = 1U;
        keys->top = counter;
    } else if (counter > keys->top) {
        uint64_t ahead = counter - keys->top;
        keys->seen = (ahead < WINDOW ? keys->seen << ahead : 0U) | 1U;
        keys->top = counter;
    } else {
        keys->seen |= (uint64_t)1U << (keys->top - counter);
    }
    keys->heard = true;
}

uint16_t noise_open(struct seal_keys *keys, uint8_t *frame, uint16_t length)
{
    crypto_aead_ctx aead;
    uint64_t counter = 0U;
    if (!keys->live || length < FRAME_HEADER + SEAL_TAG || !counter_of(keys, frame[3], &counter)) {
        return 0U;
    }
    uint16_t opened = (uint16_t)(length - SEAL_TAG);
    begin_aead(&aead, keys->in, counter);
    bool holds = crypto_aead_read(&aead, &frame[FRAME_HEADER], &frame[opened], frame, FRAME_HEADER, &frame[FRAME_HEADER],
                                  (size_t)opened - FRAME_HEADER) == 0;
    crypto_wipe(&aead, sizeof aead);
    if (!holds) {
        return 0U;
    }
    take_counter(keys, counter);
    frame[1] &= (uint8_t)~SEALED;
    return opened;
}
