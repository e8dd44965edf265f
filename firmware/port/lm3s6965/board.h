/* SPDX-License-Identifier: Apache-2.0 */
/* What the board gives the program: two lines, a clock, a watchdog, a source of randomness, why it started. */
#ifndef BOARD_H
#define BOARD_H

#include <stdbool.h>
#include <stdint.h>

enum board_line { BOARD_LINE_HOST, BOARD_LINE_HANDS, BOARD_LINES };

/* Clocks, pins, UARTs at 115200 baud 8N1, the wake-up every 2 ms, and the watchdog: a reset after four to eight
   seconds without board_feed. Interrupts are on when it returns. */
void board_start(void);

/* The next byte that arrived, or -1. */
int board_get(enum board_line line);

/* Put a byte on a line; waits while 256 of them are on their way. */
void board_put(enum board_line line, uint8_t byte);

/* Bytes that arrived and found no room, since the start. */
uint32_t board_lost(enum board_line line);

/* Milliseconds since board_start, modulo 2^32. Call it at least every 300 ms, or it runs slow. */
uint32_t board_ms(void);

/* Sleep until something may have happened: a byte, or 2 ms. */
void board_wait(void);

/* Tell the watchdog that the program goes on. */
void board_feed(void);

/* Say to the next start that this one went wrong: it takes it for the watchdog's doing. */
void board_stamp(void);

/* The watchdog started the board, not its power. Good after board_start. */
bool board_was_watchdog(void);

/* 32 bits that the start before did not have. README.md says what they are made of, and how good that is. */
uint32_t board_random(void);

/* The flash as it is written, from its first byte to the program's last: what VERIFY measures. */
const uint8_t *board_image(void);
uint32_t board_image_bytes(void);

/* The most bytes of stack that were in use since the start. */
uint32_t board_stack_used(void);

#endif
