/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 of src/ with words of 64 bits, 80 rounds and other turns; optimized for size like it. */
#include "sha512.h"

#define ROUNDS 80U
#define WORDS 16U
#define STATE 8U
#define BLOCK 128U
#define LENGTH_AT 112U

static const uint64_t constants[ROUNDS] = {
    0x428A2F98D728AE22ULL, 0x7137449123EF65CDULL, 0xB5C0FBCFEC4D3B2FULL, 0xE9B5DBA58189DBBCULL,
    0x3956C25BF348B538ULL, 0x59F111F1B605D019ULL, 0x923F82A4AF194F9BULL, 0xAB1C5ED5DA6D8118ULL,
    0xD807AA98A3030242ULL, 0x12835B0145706FBEULL, 0x243185BE4EE4B28CULL, 0x550C7DC3D5FFB4E2ULL,
    0x72BE5D74F27B896FULL, 0x80DEB1FE3B1696B1ULL, 0x9BDC06A725C71235ULL, 0xC19BF174CF692694ULL,
    0xE49B69C19EF14AD2ULL, 0xEFBE4786384F25E3ULL, 0x0FC19DC68B8CD5B5ULL, 0x240CA1CC77AC9C65ULL,
    0x2DE92C6F592B0275ULL, 0x4A7484AA6EA6E483ULL, 0x5CB0A9DCBD41FBD4ULL, 0x76F988DA831153B5ULL,
    0x983E5152EE66DFABULL, 0xA831C66D2DB43210ULL, 0xB00327C898FB213FULL, 0xBF597FC7BEEF0EE4ULL,
    0xC6E00BF33DA88FC2ULL, 0xD5A79147930AA725ULL, 0x06CA6351E003826FULL, 0x142929670A0E6E70ULL,
    0x27B70A8546D22FFCULL, 0x2E1B21385C26C926ULL, 0x4D2C6DFC5AC42AEDULL, 0x53380D139D95B3DFULL,
    0x650A73548BAF63DEULL, 0x766A0ABB3C77B2A8ULL, 0x81C2C92E47EDAEE6ULL, 0x92722C851482353BULL,
    0xA2BFE8A14CF10364ULL, 0xA81A664BBC423001ULL, 0xC24B8B70D0F89791ULL, 0xC76C51A30654BE30ULL,
    0xD192E819D6EF5218ULL, 0xD69906245565A910ULL, 0xF40E35855771202AULL, 0x106AA07032BBD1B8ULL,
    0x19A4C116B8D2D0C8ULL, 0x1E376C085141AB53ULL, 0x2748774CDF8EEB99ULL, 0x34B0BCB5E19B48A8ULL,
    0x391C0CB3C5C95A63ULL, 0x4ED8AA4AE3418ACBULL, 0x5B9CCA4F7763E373ULL, 0x682E6FF3D6B2B8A3ULL,
    0x748F82EE5DEFB2FCULL, 0x78A5636F43172F60ULL, 0x84C87814A1F0AB72ULL, 0x8CC702081A6439ECULL,
    0x90BEFFFA23631E28ULL, 0xA4506CEBDE82BDE9ULL, 0xBEF9A3F7B2C67915ULL, 0xC67178F2E372532BULL,
    0xCA273ECEEA26619CULL, 0xD186B8C721C0C207ULL, 0xEADA7DD6CDE0EB1EULL, 0xF57D4F7FEE6ED178ULL,
    0x06F067AA72176FBAULL, 0x0A637DC5A2C898A6ULL, 0x113F9804BEF90DAEULL, 0x1B710B35131C471BULL,
    0x28DB77F523047D84ULL, 0x32CAAB7B40C72493ULL, 0x3C9EBE0A15C9BEBCULL, 0x431D67C49C100D4CULL,
    0x4CC5D4BECB3E42B6ULL, 0x597F299CFC657E2AULL, 0x5FCB6FAB3AD6FAECULL, 0x6C44198C4A475817ULL};

static uint64_t turned(uint64_t word, uint32_t by)
{
    return (word >> by) | (word << (64U - by));
}

static uint64_t scheduled(uint64_t *words, uint32_t round)
{
    uint64_t *word = &words[round % WORDS];
    if (round >= WORDS) {
        uint64_t late = words[(round - 15U) % WORDS];
        uint64_t early = words[(round - 2U) % WORDS];
        *word += words[(round - 7U) % WORDS] + (turned(late, 1U) ^ turned(late, 8U) ^ (late >> 7)) +
                 (turned(early, 19U) ^ turned(early, 61U) ^ (early >> 6));
    }
    return *word;
}

static void take_block(struct sha512 *hash)
{
    uint64_t v[STATE];
    for (uint32_t i = 0U; i < STATE; i++) {
        v[i] = hash->state[i];
    }
    for (uint32_t round = 0U; round < ROUNDS; round++) {
        uint64_t one = v[7] + (turned(v[4], 14U) ^ turned(v[4], 18U) ^ turned(v[4], 41U)) +
                       ((v[4] & v[5]) ^ (~v[4] & v[6])) + constants[round] + scheduled(hash->words, round);
        uint64_t two = (turned(v[0], 28U) ^ turned(v[0], 34U) ^ turned(v[0], 39U)) +
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

void sha512_begin(struct sha512 *hash)
{
    static const uint64_t begin[STATE] = {
        0x6A09E667F3BCC908ULL, 0xBB67AE8584CAA73BULL, 0x3C6EF372FE94F82BULL, 0xA54FF53A5F1D36F1ULL,
        0x510E527FADE682D1ULL, 0x9B05688C2B3E6C1FULL, 0x1F83D9ABFB41BD6BULL, 0x5BE0CD19137E2179ULL};
    for (uint32_t i = 0U; i < STATE; i++) {
        hash->state[i] = begin[i];
    }
    for (uint32_t i = 0U; i < WORDS; i++) {
        hash->words[i] = 0U;
    }
    hash->count = 0U;
}

void sha512_add(struct sha512 *hash, const uint8_t *bytes, uint32_t count)
{
    for (uint32_t i = 0U; i < count; i++) {
        uint64_t *word = &hash->words[hash->count % BLOCK / 8U];
        *word = (*word << 8) | bytes[i]; /* shifts out what the previous block left */
        hash->count++;
        if (hash->count % BLOCK == 0U) {
            take_block(hash);
        }
    }
}

void sha512_end(struct sha512 *hash, uint8_t *digest)
{
    static const uint8_t end = 0x80U;
    static const uint8_t zero = 0U;
    uint32_t count = hash->count;
    sha512_add(hash, &end, 1U);
    for (uint32_t i = 0U; i < BLOCK && hash->count % BLOCK != LENGTH_AT; i++) {
        sha512_add(hash, &zero, 1U);
    }
    hash->words[WORDS - 2U] = 0U;
    hash->words[WORDS - 1U] = (uint64_t)count << 3; /* the length, in bits */
    take_block(hash);
    for (uint32_t i = 0U; i < SHA512_BYTES; i++) {
        digest[i] = (uint8_t)(hash->state[i / 8U] >> (56U - 8U * (i % 8U)));
    }
}
