/* SPDX-License-Identifier: Apache-2.0 */
/* The vectors of every Cortex-M3; those of a board's interrupts follow them, from its board.c. */
#include "board.h"

__attribute__((section(".vectors"), used)) static const union {
    uint32_t *stack;
    board_handler handle;
} vectors[16] = {
    [0] = {.stack = &_stack_top},
    [1] = {.handle = reset_handler},
    [2] = {.handle = nmi_handler},
    [3] = {.handle = stray_handler},
    [4] = {.handle = stray_handler},
    [5] = {.handle = stray_handler},
    [6] = {.handle = stray_handler},
    [11] = {.handle = stray_handler},
    [12] = {.handle = stray_handler},
    [14] = {.handle = stray_handler},
    [15] = {.handle = stray_handler},
};
