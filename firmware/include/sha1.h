/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-1 (FIPS 180-4) over up to 2^32 - 1 bytes, in any portions, and HMAC (FIPS 198-1) with it. Both are weak by today's
   measure; GAT knows no others. */
#ifndef TDP_SHA1_H
#define TDP_SHA1_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SHA1_BYTES 20U
#define SHA1_BLOCK 64U

struct sha1 {
    uint32_t state[5];
    uint32_t words[16]; /* the current block; it becomes the schedule */
    uint32_t count;     /* bytes so far */
};

void sha1_begin(struct sha1 *hash);
void sha1_add(struct sha1 *hash, const uint8_t *bytes, uint32_t count);

/* Write the digest of SHA1_BYTES bytes; `hash` is unusable afterwards. */
void sha1_end(struct sha1 *hash, uint8_t *digest);

/* Begin an HMAC with a key of SHA1_BLOCK bytes, zeros after its own. */
void sha1_begin_keyed(struct sha1 *hash, const uint8_t *key);

/* Write the HMAC. */
void sha1_end_keyed(struct sha1 *hash, const uint8_t *key, uint8_t *digest);

#ifdef __cplusplus
}
#endif

#endif
