/* SPDX-License-Identifier: Apache-2.0 */
/* Interface of a board: two UARTs, a clock, a watchdog, noise, the cause of the start, and memory that survives a power
   cut. A maker's board is one more file with these functions; nothing else in the port knows which board it is. */
#ifndef BOARD_H
#define BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "tdp.h"

enum board_line { BOARD_LINE_HOST, BOARD_LINE_HANDS, BOARD_LINES };

/* ------------------------------------------------------------------ implemented by each board: port/BOARD/board.c */

/* Set up clocks, pins, UARTs at 115200 baud 8N1, board_start_counter, an interrupt every 2 ms, and the watchdog: a
   reset after four to eight seconds without board_feed, with board_stamp four seconds before it. Interrupts are on when
   it returns. A UART's interrupt passes its bytes to board_arrived and calls board_push_out. */
void board_start(void);

/* Return true if the UART has room for a byte. */
bool board_takes(enum board_line line);

/* Send a byte; only if board_takes. */
void board_send(enum board_line line, uint8_t byte);

/* Feed the watchdog. */
void board_feed(void);

/* Return true if the part's reset cause register names the watchdog; false without such a register. */
bool board_says_watchdog(void);

/* Return 32 bits of noise: from the part's random number generator, else board_jitter. Valid after board_start. */
uint32_t board_noise(void);

/* Return the memory for events, meters and the round while the power is off. Valid after board_start. */
const struct tdp_memory *board_memory(void);

/* ------------------------------------------------------------------ common to all boards: port/bare */

/* Return the next byte that arrived, or -1. */
int16_t board_get(enum board_line line);

/* Put a byte on a line; blocks while 256 are in transit. */
void board_put(enum board_line line, uint8_t byte);

/* Return the number of bytes lost for lack of room, since the start. */
uint32_t board_lost(enum board_line line);

/* Sleep until something may have happened: a byte, or 2 ms. */
void board_wait(void);

/* For a UART's interrupt: a byte arrived; a byte was lost; fill the UART. */
void board_arrived(enum board_line line, uint8_t byte);
void board_missed(enum board_line line);
void board_push_out(enum board_line line);

/* Start the processor's counter, at this many cycles a second. */
void board_start_counter(uint32_t hertz);

/* Return milliseconds since then, modulo 2^32. Call it at least every 300 ms, or it runs slow. */
uint32_t board_ms(void);

/* Return 32 bits from the jitter between the counter and the program. */
uint32_t board_jitter(void);

/* Tell the next start that this one went wrong: it counts as a watchdog reset. */
void board_stamp(void);

/* Take the stamp back, because the program was only slow. Return true if there was one. */
bool board_unstamp(void);

/* Read the cause of the start, once, before the watchdog runs. */
void board_look_back(void);

/* Return true if the watchdog caused the start, not the power. */
bool board_was_watchdog(void);

/* Return 32 bits that the previous start did not have, for a session id. README.md describes their sources. */
uint32_t board_random(void);

/* Mix a number into a pool of 32 bits. */
uint32_t board_stirred(uint32_t pool, uint32_t with);

/* Return the flash as written, from its first byte to the program's last: the image for VERIFY. */
const uint8_t *board_image(void);
uint32_t board_image_bytes(void);

#if TDP_SEAL
/* Return the keys from production, which lie in the last page of the flash; NULL if the page holds none. */
const struct tdp_own_keys *board_own_keys(void);
#endif

/* Return the maximum bytes of stack in use since the start. */
uint32_t board_stack_used(void);

/* ------------------------------------------------------------------ vectors */

typedef void (*board_handler)(void);

/* A board's table of interrupts, `static const board_handler interrupts[]` from interrupt 0 on: link.ld places it after
   the processor's own vectors. */
#define BOARD_INTERRUPTS __attribute__((section(".vectors.board"), used))

int main(void);
void reset_handler(void);
void stray_handler(void); /* for interrupts that must not happen */
void nmi_handler(void);   /* each board has its own */

extern uint32_t _stack_top;

#endif
