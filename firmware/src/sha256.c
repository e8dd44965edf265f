/* SPDX-License-Identifier: Apache-2.0 */
/* Optimized for size: the schedule is computed in the block itself, 64 rounds in one loop. */
#include "sha256.h"

#define ROUNDS 64U
#define WORDS 16U
#define STATE 8U
#define BLOCK 64U
#define LENGTH_AT 56U

static const uint32_t constants[ROUNDS] = {
    0x428A2F98U, 0x71374491U, 0xB5C0FBCFU, 0xE9B5DBA5U, 0x3956C25BU, 0x59F111F1U, 0x923F82A4U, 0xAB1C5ED5U,
    0xD807AA98U, 0x12835B01U, 0x243185BEU, 0x550C7DC3U, 0x72BE5D74U, 0x80DEB1FEU, 0x9BDC06A7U, 0xC19BF174U,
    0xE49B69C1U, 0xEFBE4786U, 0x0FC19DC6U, 0x240CA1CCU, 0x2DE92C6FU, 0x4A7484AAU, 0x5CB0A9DCU, 0x76F988DAU,
    0x983E5152U, 0xA831C66DU, 0xB00327C8U, 0xBF597FC7U, 0xC6E00BF3U, 0xD5A79147U, 0x06CA6351U, 0x14292967U,
    0x27B70A85U, 0x2E1B2138U, 0x4D2C6DFCU, 0x53380D13U, 0x650A7354U, 0x766A0ABBU, 0x81C2C92EU, 0x92722C85U,
    0xA2BFE8A1U, 0xA81A664BU, 0xC24B8B70U, 0xC76C51A3U, 0xD192E819U, 0xD6990624U, 0xF40E3585U, 0x106AA070U,
    0x19A4C116U, 0x1E376C08U, 0x2748774CU, 0x34B0BCB5U, 0x391C0CB3U, 0x4ED8AA4AU, 0x5B9CCA4FU, 0x682E6FF3U,
    0x748F82EEU, 0x78A5636FU, 0x84C87814U, 0x8CC70208U, 0x90BEFFFAU, 0xA4506CEBU, 0xBEF9A3F7U, 0xC67178F2U};

static uint32_t turned(uint32_t word, uint32_t by)
{
    return (word >> by) | (word << (32U - by));
}

static uint32_t scheduled(uint32_t *words, uint32_t round)
{
    uint32_t *word = &words[round % WORDS];
    if (round >= WORDS) {
        uint32_t late = words[(round - 15U) % WORDS];
        uint32_t early = words[(round - 2U) % WORDS];
        *word += words[(round - 7U) % WORDS] + (turned(late, 7U) ^ turned(late, 18U) ^ (late >> 3)) +
                 (turned(early, 17U) ^ turned(early, 19U) ^ (early >> 10));
    }
    return *word;
}

static void take_block(struct sha256 *hash)
{
    uint32_t v[STATE];
    for (uint32_t i = 0U; i < STATE; i++) {
        v[i] = hash->state[i];
    }
    for (uint32_t round = 0U; round < ROUNDS; round++) {
        uint32_t one = v[7] + (turned(v[4], 6U) ^ turned(v[4], 11U) ^ turned(v[4], 25U)) +
                       ((v[4] & v[5]) ^ (~v[4] & v[6])) + constants[round] + scheduled(hash->words, round);
        uint32_t two = (turned(v[0], 2U) ^ turned(v[0], 13U) ^ turned(v[0], 22U)) +
                       ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        for (uint32_t i = 7U; i > 0U; i--) {
            v[i] = v[i - 1U];
        }
        v[4] += one;
        v[0] = one + two;
    }
    for (uint32_t i = 0U; i < STATE; i++) {
        hash->state[i] += v[i];
    }
}

void sha256_begin(struct sha256 *hash)
{
    static const uint32_t begin[STATE] = {0x6A09E667U, 0xBB67AE85U, 0x3C6EF372U, 0xA54FF53AU,
                                          0x510E527FU, 0x9B05688CU, 0x1F83D9ABU, 0x5BE0CD19U};
    for (uint32_t i = 0U; i < STATE; i++) {
        hash->state[i] = begin[i];
    }
    for (uint32_t i = 0U; i < WORDS; i++) {
        hash->words[i] = 0U;
    }
    hash->count = 0U;
}

void sha256_add(struct sha256 *hash, const uint8_t *bytes, uint32_t count)
{
    for (uint32_t i = 0U; i < count; i++) {
        uint32_t *word = &hash->words[hash->count % BLOCK / 4U];
        *word = (*word << 8) | bytes[i]; /* shifts out what the previous block left */
        hash->count++;
        if (hash->count % BLOCK == 0U) {
            take_block(hash);
        }
    }
}

void sha256_end(struct sha256 *hash, uint8_t *digest)
{
    static const uint8_t end = 0x80U;
    static const uint8_t zero = 0U;
    uint32_t count = hash->count;
    sha256_add(hash, &end, 1U);
    for (uint32_t i = 0U; i < BLOCK && hash->count % BLOCK != LENGTH_AT; i++) {
        sha256_add(hash, &zero, 1U);
    }
    hash->words[WORDS - 2U] = count >> 29; /* the length, in bits */
    hash->words[WORDS - 1U] = count << 3;
    take_block(hash);
    for (uint32_t i = 0U; i < SHA256_BYTES; i++) {
        digest[i] = (uint8_t)(hash->state[i / 4U] >> (24U - 8U * (i % 4U)));
    }
}
