/* SPDX-License-Identifier: Apache-2.0 */
/* The vector table of the LM3S6965. */
#include "board.h"
#include "lm3s6965.h"

#define VECTORS 36U /* the processor's 16 and interrupts 0 to 19 */

typedef void (*handler)(void);

__attribute__((section(".vectors"), used)) static const union {
    uint32_t *stack;
    handler handle;
} vectors[VECTORS] = {
    [0] = {.stack = &_stack_top},
    [1] = {.handle = reset_handler},
    [2] = {.handle = stray_handler},
    [3] = {.handle = stray_handler},
    [4] = {.handle = stray_handler},
    [5] = {.handle = stray_handler},
    [6] = {.handle = stray_handler},
    [11] = {.handle = stray_handler},
    [12] = {.handle = stray_handler},
    [14] = {.handle = stray_handler},
    [15] = {.handle = stray_handler},
    [16 + IRQ_UART0] = {.handle = uart0_handler},
    [16 + IRQ_UART1] = {.handle = uart1_handler},
    [16 + IRQ_WATCHDOG] = {.handle = watchdog_handler},
    [16 + IRQ_TIMER0A] = {.handle = timer0_handler},
};
