/* SPDX-License-Identifier: Apache-2.0 */
/* Data for the next start in memory that survives a reset: the cause of the end, and the pool of randomness. Each cell
   has its own check, because after a power loss it contains anything. */
#include "board.h"

#define STAMP_DOG 0xD06D06D0U
#define STAMP_POOL 0x5EED5EEDU

struct kept {
    uint32_t pool, pool_check;
    volatile uint32_t dog, dog_check;
};

static bool by_watchdog;
__attribute__((section(".store.board"))) static struct kept kept;

/* A rig writes its own word here before the first instruction; zero in the image. */
__attribute__((section(".store.handed"))) static volatile uint32_t handed;

void board_stamp(void)
{
    kept.dog = STAMP_DOG;
    kept.dog_check = ~STAMP_DOG;
}

bool board_unstamp(void)
{
    bool stamped = kept.dog == STAMP_DOG;
    kept.dog = 0U;
    kept.dog_check = 0U;
    return stamped;
}

void board_look_back(void)
{
    by_watchdog = kept.dog_check == ~STAMP_DOG && kept.dog == STAMP_DOG;
    (void)board_unstamp();
}

bool board_was_watchdog(void)
{
    return by_watchdog || board_says_watchdog();
}

uint32_t board_stirred(uint32_t pool, uint32_t with)
{
    /* the finish of MurmurHash3: each input bit changes half of the output bits */
    uint32_t stirred = pool ^ (with + 0x9E3779B9U + (pool << 6) + (pool >> 2));
    stirred ^= stirred >> 16;
    stirred *= 0x85EBCA6BU;
    stirred ^= stirred >> 13;
    stirred *= 0xC2B2AE35U;
    return stirred ^ (stirred >> 16);
}

uint32_t board_random(void)
{
    uint32_t pool = (kept.pool ^ STAMP_POOL) == ~kept.pool_check ? kept.pool : 0U;
    pool = board_stirred(board_stirred(pool, board_noise()), handed);
    kept.pool = board_stirred(pool, STAMP_POOL); /* the stored pool does not reveal the number given out */
    kept.pool_check = ~(kept.pool ^ STAMP_POOL);
    return pool;
}

extern const uint8_t _image_start[], _image_end[];

const uint8_t *board_image(void)
{
    return _image_start;
}

uint32_t board_image_bytes(void)
{
    return (uint32_t)(_image_end - _image_start);
}
