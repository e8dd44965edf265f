/* SPDX-License-Identifier: Apache-2.0 */
/* What a board gives the program: two UARTs, a clock, a watchdog, noise, why it started, and memory that a power cut does
   not reach. A maker's board is one more file of these functions; nothing else of the port knows which board it is. */
#ifndef BOARD_H
#define BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "tdp.h"

enum board_line { BOARD_LINE_HOST, BOARD_LINE_HANDS, BOARD_LINES };

/* ------------------------------------------------------------------ each board has these: port/BOARD/board.c */

/* Clocks, pins, UARTs at 115200 baud 8N1, board_start_counter, an interrupt every 2 ms, and the watchdog: a reset after
   four to eight seconds without board_feed, with board_stamp four seconds before it. Interrupts are on when it returns.
   The interrupt of a UART gives what came to board_arrived and calls board_push_out. */
void board_start(void);

/* The UART has room for a byte. */
bool board_takes(enum board_line line);

/* Give it one; only where board_takes. */
void board_send(enum board_line line, uint8_t byte);

/* Tell the watchdog that the program goes on. */
void board_feed(void);

/* The part's own reset cause register says that it was the watchdog; false where there is none. */
bool board_says_watchdog(void);

/* 32 bits of noise: from the part's generator of random numbers, else board_jitter. Good after board_start. */
uint32_t board_noise(void);

/* Where the events, meters and the round lie while the power is off. Good after board_start. */
const struct tdp_memory *board_memory(void);

/* ------------------------------------------------------------------ the same on each: port/bare */

/* The next byte that arrived, or -1. */
int16_t board_get(enum board_line line);

/* Put a byte on a line; waits while 256 of them are on their way. */
void board_put(enum board_line line, uint8_t byte);

/* Bytes that arrived and found no room, since the start. */
uint32_t board_lost(enum board_line line);

/* Sleep until something may have happened: a byte, or 2 ms. */
void board_wait(void);

/* In the interrupt of a UART: a byte came; one came and is lost; into the UART what it takes. */
void board_arrived(enum board_line line, uint8_t byte);
void board_missed(enum board_line line);
void board_push_out(enum board_line line);

/* Let the processor's counter run, at so many cycles a second. */
void board_start_counter(uint32_t hertz);

/* Milliseconds since then, modulo 2^32. Call it at least every 300 ms, or it runs slow. */
uint32_t board_ms(void);

/* 32 bits of how the counter and the program run beside each other. */
uint32_t board_jitter(void);

/* Say to the next start that this one went wrong: it takes it for the watchdog's doing. */
void board_stamp(void);

/* The stamp is taken back: the program was only slow. Whether there was one. */
bool board_unstamp(void);

/* Look why it started, once, before the watchdog runs. */
void board_look_back(void);

/* The watchdog started the board, not its power. */
bool board_was_watchdog(void);

/* 32 bits that the start before did not have: a session's id. README.md says what they are made of. */
uint32_t board_random(void);

/* Stir a number into a pool of 32 bits. */
uint32_t board_stirred(uint32_t pool, uint32_t with);

/* The flash as it is written, from its first byte to the program's last: what VERIFY measures. */
const uint8_t *board_image(void);
uint32_t board_image_bytes(void);

/* The most bytes of stack that were in use since the start. */
uint32_t board_stack_used(void);

/* ------------------------------------------------------------------ vectors */

typedef void (*board_handler)(void);

/* A board's table of interrupts, `static const board_handler interrupts[]` from interrupt 0 on: link.ld lays it behind the
   processor's own vectors. */
#define BOARD_INTERRUPTS __attribute__((section(".vectors.board"), used))

int main(void);
void reset_handler(void);
void stray_handler(void); /* what must not happen */
void nmi_handler(void);   /* each board has its own */

extern uint32_t _stack_top;

#endif
