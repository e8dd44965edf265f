/* SPDX-License-Identifier: Apache-2.0 */
/* Optimized for size: the schedule is computed in the block itself, 80 rounds in one loop. */
#include "sha1.h"

#define ROUNDS 80U
#define QUARTER 20U
#define WORDS 16U
#define STATE 5U
#define LENGTH_AT 56U
#define INNER 0x36U
#define OUTER 0x5CU

static uint32_t turned_left(uint32_t word, uint32_t by)
{
    return (word << by) | (word >> (32U - by));
}

static uint32_t next_word(uint32_t *words, uint32_t round)
{
    uint32_t *word = &words[round % WORDS];
    if (round >= WORDS) {
        *word = turned_left(words[(round + 13U) % WORDS] ^ words[(round + 8U) % WORDS] ^ words[(round + 2U) % WORDS] ^ *word, 1U);
    }
    return *word;
}

static uint32_t mixed(uint32_t quarter, const uint32_t *v)
{
    uint32_t found = v[1] ^ v[2] ^ v[3];
    if (quarter == 0U) {
        found = (v[1] & v[2]) | (~v[1] & v[3]);
    } else if (quarter == 2U) {
        found = (v[1] & v[2]) | (v[1] & v[3]) | (v[2] & v[3]);
    } else {
        /* the second and the last quarter are alike */
    }
    return found;
}

static void take_block(struct sha1 *hash)
{
    static const uint32_t constants[ROUNDS / QUARTER] = {0x5A827999U, 0x6ED9EBA1U, 0x8F1BBCDCU, 0xCA62C1D6U};
    const uint32_t *state = hash->state;
    uint32_t v[STATE] = {state[0], state[1], state[2], state[3], state[4]};
    for (uint32_t round = 0U; round < ROUNDS; round++) {
        uint32_t quarter = round / QUARTER;
        uint32_t next = turned_left(v[0], 5U) + mixed(quarter, v) + v[4] + constants[quarter] + next_word(hash->words, round);
        v[4] = v[3];
        v[3] = v[2];
        v[2] = turned_left(v[1], 30U);
        v[1] = v[0];
        v[0] = next;
    }
    for (uint32_t i = 0U; i < STATE; i++) {
        hash->state[i] += v[i];
    }
}

void sha1_begin(struct sha1 *hash)
{
    static const uint32_t begin[STATE] = {0x67452301U, 0xEFCDAB89U, 0x98BADCFEU, 0x10325476U, 0xC3D2E1F0U};
    for (uint32_t i = 0U; i < STATE; i++) {
        hash->state[i] = begin[i];
    }
    for (uint32_t i = 0U; i < WORDS; i++) {
        hash->words[i] = 0U;
    }
    hash->count = 0U;
}

void sha1_add(struct sha1 *hash, const uint8_t *bytes, uint32_t count)
{
    for (uint32_t i = 0U; i < count; i++) {
        uint32_t *word = &hash->words[hash->count % SHA1_BLOCK / 4U];
        *word = (*word << 8) | bytes[i]; /* shifts out what the previous block left */
        hash->count++;
        if (hash->count % SHA1_BLOCK == 0U) {
            take_block(hash);
        }
    }
}

void sha1_end(struct sha1 *hash, uint8_t *digest)
{
    static const uint8_t end = 0x80U;
    static const uint8_t zero = 0U;
    uint32_t count = hash->count;
    sha1_add(hash, &end, 1U);
    for (uint32_t i = 0U; i < SHA1_BLOCK && hash->count % SHA1_BLOCK != LENGTH_AT; i++) {
        sha1_add(hash, &zero, 1U);
    }
    hash->words[WORDS - 2U] = count >> 29; /* the length, in bits */
    hash->words[WORDS - 1U] = count << 3;
    take_block(hash);
    for (uint32_t i = 0U; i < SHA1_BYTES; i++) {
        digest[i] = (uint8_t)(hash->state[i / 4U] >> (24U - 8U * (i % 4U)));
    }
}

static void begin_padded(struct sha1 *hash, const uint8_t *key, uint8_t pad)
{
    sha1_begin(hash);
    for (uint32_t i = 0U; i < SHA1_BLOCK; i++) {
        uint8_t byte = key[i] ^ pad;
        sha1_add(hash, &byte, 1U);
    }
}

void sha1_begin_keyed(struct sha1 *hash, const uint8_t *key)
{
    begin_padded(hash, key, INNER);
}

void sha1_end_keyed(struct sha1 *hash, const uint8_t *key, uint8_t *digest)
{
    sha1_end(hash, digest);
    begin_padded(hash, key, OUTER);
    sha1_add(hash, digest, SHA1_BYTES);
    sha1_end(hash, digest);
}
