/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes between the main loop and a board's two UARTs, whose interrupts put them in and take them out. */
#include "board.h"
#include "cortex_m3.h"
#include "tdp_ring.h"

struct line {
    struct tdp_ring in, out;
    volatile uint32_t lost;
};

static struct line lines[BOARD_LINES];

/* ------------------------------------------------------------------ in interrupts, or with them masked */

void board_arrived(enum board_line line, uint8_t byte)
{
    if (!tdp_ring_put(&lines[line].in, byte)) {
        lines[line].lost++;
    }
}

void board_missed(enum board_line line)
{
    lines[line].lost++;
}

void board_push_out(enum board_line line)
{
    struct tdp_ring *out = &lines[line].out;
    while (tdp_ring_count(out) > 0U && board_takes(line)) {
        board_send(line, (uint8_t)tdp_ring_get(out));
    }
}

/* ------------------------------------------------------------------ in the main loop */

int16_t board_get(enum board_line line)
{
    return tdp_ring_get(&lines[line].in);
}

/* Both sides move the end of the outgoing ring: the main loop with interrupts masked. */
void board_put(enum board_line line, uint8_t byte)
{
    while (!tdp_ring_put(&lines[line].out, byte)) {
        /* its interrupt makes room */
    }
    disable_interrupts();
    board_push_out(line);
    enable_interrupts();
}

uint32_t board_lost(enum board_line line)
{
    return lines[line].lost;
}

void board_wait(void)
{
    disable_interrupts();
    if (tdp_ring_count(&lines[BOARD_LINE_HOST].in) == 0U && tdp_ring_count(&lines[BOARD_LINE_HANDS].in) == 0U) {
        __asm volatile("wfi"); /* a masked interrupt ends the sleep too */
    }
    enable_interrupts();
}
