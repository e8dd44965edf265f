/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 (FIPS 180-4) over up to 2^32 - 1 bytes, in any portions. */
#ifndef TDP_SHA256_H
#define TDP_SHA256_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SHA256_BYTES 32U

struct sha256 {
    uint32_t state[8];
    uint32_t words[16]; /* the current block; it becomes the schedule */
    uint32_t count;     /* bytes so far */
};

void sha256_begin(struct sha256 *hash);
void sha256_add(struct sha256 *hash, const uint8_t *bytes, uint32_t count);

/* Write the digest of SHA256_BYTES bytes; `hash` is unusable afterwards. */
void sha256_end(struct sha256 *hash, uint8_t *digest);

#ifdef __cplusplus
}
#endif

#endif
