/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-512 (FIPS 180-4) over up to 2^32 - 1 bytes, in any portions. */
#ifndef TDP_SHA512_H
#define TDP_SHA512_H

#include <stdint.h>

#define SHA512_BYTES 64U

struct sha512 {
    uint64_t state[8];
    uint64_t words[16]; /* the current block; it becomes the schedule */
    uint32_t count;     /* bytes so far */
};

void sha512_begin(struct sha512 *hash);
void sha512_add(struct sha512 *hash, const uint8_t *bytes, uint32_t count);

/* Write the digest of SHA512_BYTES bytes; `hash` is unusable afterwards. */
void sha512_end(struct sha512 *hash, uint8_t *digest);

#endif
