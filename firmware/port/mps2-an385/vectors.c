/* SPDX-License-Identifier: Apache-2.0 */
/* The vector table of the Cortex-M3 of AN385: the watchdog is the NMI. */
#include "board.h"
#include "mps2.h"

#define VECTORS 25U /* the processor's 16 and interrupts 0 to 8 */

typedef void (*handler)(void);

__attribute__((section(".vectors"), used)) static const union {
    uint32_t *stack;
    handler handle;
} vectors[VECTORS] = {
    [0] = {.stack = &_stack_top},
    [1] = {.handle = reset_handler},
    [2] = {.handle = watchdog_handler},
    [3] = {.handle = stray_handler},
    [4] = {.handle = stray_handler},
    [5] = {.handle = stray_handler},
    [6] = {.handle = stray_handler},
    [11] = {.handle = stray_handler},
    [12] = {.handle = stray_handler},
    [14] = {.handle = stray_handler},
    [15] = {.handle = stray_handler},
    [16 + IRQ_UART0_RX] = {.handle = uart0_handler},
    [16 + IRQ_UART0_TX] = {.handle = uart0_handler},
    [16 + IRQ_UART1_RX] = {.handle = uart1_handler},
    [16 + IRQ_UART1_TX] = {.handle = uart1_handler},
    [16 + IRQ_TIMER0] = {.handle = timer0_handler},
};
