/* SPDX-License-Identifier: Apache-2.0 */
/* The processor's counter, SysTick: the board's time, and noise if a part has no random number generator. */
#include "board.h"
#include "cortex_m3.h"

#define COUNTER_MASK 0xFFFFFFU /* 24 bits, counting down repeatedly: one cycle in 335 ms at 50 MHz */
#define JITTER_ROUNDS 64U
#define JITTER_CYCLES 2000U

static uint32_t cycles_per_ms, counted, cycles, milliseconds;

void board_start_counter(uint32_t hertz)
{
    cycles_per_ms = hertz / 1000U;
    SYST_RVR = COUNTER_MASK;
    SYST_CVR = 0U;
    SYST_CSR = 5U; /* from the processor's clock, without an interrupt */
    counted = SYST_CVR;
}

uint32_t board_ms(void)
{
    uint32_t now = SYST_CVR;
    cycles += (counted - now) & COUNTER_MASK; /* it counts down */
    counted = now;
    milliseconds += cycles / cycles_per_ms;
    cycles %= cycles_per_ms;
    return milliseconds;
}

/* Measure the program's progress while the counter advances by this many cycles. */
uint32_t board_jitter(void)
{
    uint32_t pool = 0U;
    for (uint32_t round = 0U; round < JITTER_ROUNDS; round++) {
        uint32_t turns = 0U;
        uint32_t until = (SYST_CVR - JITTER_CYCLES) & COUNTER_MASK;
        while (((SYST_CVR - until) & COUNTER_MASK) <= JITTER_CYCLES) {
            turns++;
        }
        pool = board_stirred(pool, turns ^ (SYST_CVR << 12));
    }
    return pool;
}
