/* SPDX-License-Identifier: Apache-2.0 */
/* The keys that a maker puts in at production: in a page of the flash beside the image, and in no image. The program
   firmware/production.py writes the page. */
#include "board.h"

#if TDP_SEAL

#define MARK 8U

/* Bytes alone, so that they are used where they lie. */
struct production {
    uint8_t mark[MARK];
    struct tdp_own_keys own;
    uint8_t check[4];
};

TDP_ASSERT(production_is_bytes_alone, sizeof(struct production) == 141U);

extern const struct production _production;

const struct tdp_own_keys *board_own_keys(void)
{
    static const uint8_t mark[MARK] = {'T', 'D', 'P', ' ', 'k', 'e', 'y', '1'};
    const uint8_t *bytes = (const uint8_t *)&_production;
    uint32_t length = (uint32_t)offsetof(struct production, check);
    uint32_t check = tdp_crc(0U, bytes, length);
    bool whole = true;
    for (uint32_t i = 0U; i < MARK; i++) {
        whole = whole && bytes[i] == mark[i];
    }
    for (uint32_t i = 0U; i < 4U; i++) {
        whole = whole && _production.check[i] == (uint8_t)(check >> (8U * i));
    }
    return whole ? &_production.own : NULL;
}

#endif
