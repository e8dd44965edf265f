/* SPDX-License-Identifier: Apache-2.0 */
#include "board.h"

#include "fram.h"
#include "mps2.h"

#define CLOCK_HZ 25000000U
#define CYCLES_PER_MS (CLOCK_HZ / 1000U)
#define WAKE_MS 2U
#define WATCHDOG_MS 4000U /* twice: a computer that emulates the board may stall that long */
#define WATCHDOG_KEY 0x1ACCE551U

static const uint32_t bases[BOARD_LINES] = {[BOARD_LINE_HOST] = UART0_BASE, [BOARD_LINE_HANDS] = UART1_BASE};

/* ------------------------------------------------------------------ lines */

bool board_takes(enum board_line line)
{
    return (UART_STATE(bases[line]) & UART_STATE_TX_FULL) == 0U;
}

void board_send(enum board_line line, uint8_t byte)
{
    UART_DATA(bases[line]) = byte;
}

/* A byte that arrives while the previous one is unread is lost, and the UART reports it once. */
static void serve(enum board_line line)
{
    uint32_t base = bases[line];
    UART_INTCLEAR(base) = UART_INT_RX | UART_INT_TX;
    while ((UART_STATE(base) & UART_STATE_RX_FULL) != 0U) {
        board_arrived(line, (uint8_t)(UART_DATA(base) & 0xFFU));
    }
    if ((UART_STATE(base) & UART_STATE_RX_OVERRUN) != 0U) {
        UART_STATE(base) = UART_STATE_RX_OVERRUN;
        board_missed(line);
    }
    board_push_out(line);
}

static void uart0_handler(void)
{
    serve(BOARD_LINE_HOST);
}

static void uart1_handler(void)
{
    serve(BOARD_LINE_HANDS);
}

static void start_uart(uint32_t base)
{
    UART_CTRL(base) = 0U;
    UART_BAUDDIV(base) = (CLOCK_HZ + 57600U) / 115200U;
    UART_CTRL(base) = UART_CTRL_ON;
}

/* ------------------------------------------------------------------ time */

static void timer0_handler(void)
{
    TIMER0_INTCLEAR = 1U; /* only ends a sleep */
}

static void start_clock(void)
{
    board_start_counter(CLOCK_HZ);
    TIMER0_CTRL = 0U;
    TIMER0_RELOAD = WAKE_MS * CYCLES_PER_MS - 1U;
    TIMER0_CTRL = 9U;
}

/* ------------------------------------------------------------------ the watchdog */

/* The first period is over and the second begins, which ends in the reset. An NMI cannot be masked: one that comes
   again at once only stamps again, until the watchdog is fed or the reset comes. */
void nmi_handler(void)
{
    board_stamp();
}

void board_feed(void)
{
    WDT_LOCK = WATCHDOG_KEY;
    if (board_unstamp()) {
        WDT_INTCLR = 1U;
    }
    WDT_LOAD = WATCHDOG_MS * CYCLES_PER_MS;
    WDT_LOCK = 0U;
}

static void start_watchdog(void)
{
    board_look_back();
    WDT_LOCK = WATCHDOG_KEY;
    WDT_INTCLR = 1U;
    WDT_LOAD = WATCHDOG_MS * CYCLES_PER_MS;
    WDT_CTRL = 3U; /* the first period ends in its interrupt, the next in a reset */
    WDT_LOCK = 0U;
}

/* The FPGA image has no reset cause register. */
bool board_says_watchdog(void)
{
    return false;
}

/* ------------------------------------------------------------------ noise */

uint32_t board_noise(void)
{
    return board_jitter(); /* the part has no random number generator */
}

/* ------------------------------------------------------------------ start */

const struct tdp_memory *board_memory(void)
{
    return &fram_memory;
}

void board_start(void)
{
    start_watchdog();
    start_clock();
    start_uart(UART0_BASE);
    start_uart(UART1_BASE);
    NVIC_ISER0 = (1U << IRQ_UART0_RX) | (1U << IRQ_UART0_TX) | (1U << IRQ_UART1_RX) | (1U << IRQ_UART1_TX) |
                 (1U << IRQ_TIMER0);
    enable_interrupts();
}

/* ------------------------------------------------------------------ vectors */

BOARD_INTERRUPTS static const board_handler interrupts[] = {
    [IRQ_UART0_RX] = uart0_handler,
    [IRQ_UART0_TX] = uart0_handler,
    [IRQ_UART1_RX] = uart1_handler,
    [IRQ_UART1_TX] = uart1_handler,
    [IRQ_TIMER0] = timer0_handler,
};
