/* SPDX-License-Identifier: Apache-2.0 */
#include "board.h"

#include "fram.h"
#include "mps2.h"
#include "tdp_ring.h"

#define CLOCK_HZ 25000000U
#define CYCLES_PER_MS (CLOCK_HZ / 1000U)
#define COUNTER_MASK 0xFFFFFFU /* SysTick counts 24 bits down, over and over: once round in 671 ms */
#define WAKE_MS 2U
#define WATCHDOG_MS 4000U /* twice: so long may a computer that plays the board stand still */
#define WATCHDOG_KEY 0x1ACCE551U
#define JITTER_ROUNDS 64U
#define JITTER_CYCLES 2000U

struct uart {
    struct tdp_ring in, out;
    volatile uint32_t lost;
};

static const uint32_t bases[BOARD_LINES] = {[BOARD_LINE_HOST] = UART0_BASE, [BOARD_LINE_HANDS] = UART1_BASE};
static struct uart uarts[BOARD_LINES];
static uint32_t counted, cycles, milliseconds;

static void disable_interrupts(void)
{
    __asm volatile("cpsid i" ::: "memory");
}

static void enable_interrupts(void)
{
    __asm volatile("cpsie i" ::: "memory");
}

/* ------------------------------------------------------------------ lines */

/* Into the UART what it takes. With its interrupt held off. */
static void push_out(enum board_line line)
{
    struct tdp_ring *out = &uarts[line].out;
    uint32_t base = bases[line];
    while (tdp_ring_count(out) > 0U && (UART_STATE(base) & UART_STATE_TX_FULL) == 0U) {
        UART_DATA(base) = (uint32_t)tdp_ring_get(out);
    }
}

/* A byte that came while the one before was still there is gone, and the UART says so once. */
static void serve(enum board_line line)
{
    uint32_t base = bases[line];
    UART_INTCLEAR(base) = UART_INT_RX | UART_INT_TX;
    while ((UART_STATE(base) & UART_STATE_RX_FULL) != 0U) {
        if (!tdp_ring_put(&uarts[line].in, (uint8_t)(UART_DATA(base) & 0xFFU))) {
            uarts[line].lost++;
        }
    }
    if ((UART_STATE(base) & UART_STATE_RX_OVERRUN) != 0U) {
        UART_STATE(base) = UART_STATE_RX_OVERRUN;
        uarts[line].lost++;
    }
    push_out(line);
}

static void uart0_handler(void)
{
    serve(BOARD_LINE_HOST);
}

static void uart1_handler(void)
{
    serve(BOARD_LINE_HANDS);
}

int16_t board_get(enum board_line line)
{
    return tdp_ring_get(&uarts[line].in);
}

/* The outgoing ring's end is moved by both: by the main loop with interrupts held off. */
void board_put(enum board_line line, uint8_t byte)
{
    while (!tdp_ring_put(&uarts[line].out, byte)) {
        /* its interrupt makes room */
    }
    disable_interrupts();
    push_out(line);
    enable_interrupts();
}

uint32_t board_lost(enum board_line line)
{
    return uarts[line].lost;
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
    TIMER0_INTCLEAR = 1U; /* it only ends a sleep */
}

uint32_t board_ms(void)
{
    uint32_t now = SYST_CVR;
    cycles += (counted - now) & COUNTER_MASK; /* it counts down */
    counted = now;
    milliseconds += cycles / CYCLES_PER_MS;
    cycles %= CYCLES_PER_MS;
    return milliseconds;
}

void board_wait(void)
{
    disable_interrupts();
    if (tdp_ring_count(&uarts[BOARD_LINE_HOST].in) == 0U && tdp_ring_count(&uarts[BOARD_LINE_HANDS].in) == 0U) {
        __asm volatile("wfi"); /* an interrupt that is held off ends it all the same */
    }
    enable_interrupts();
}

static void start_clock(void)
{
    SYST_RVR = COUNTER_MASK;
    SYST_CVR = 0U;
    SYST_CSR = 5U; /* from the processor's clock, without an interrupt */
    counted = SYST_CVR;
    TIMER0_CTRL = 0U;
    TIMER0_RELOAD = WAKE_MS * CYCLES_PER_MS - 1U;
    TIMER0_CTRL = 9U;
}

/* ------------------------------------------------------------------ the watchdog */

/* The first time is over, and a second one begins: at its end is the reset. No processor holds an NMI off: one that comes
   again at once only stamps again, until somebody feeds or the reset comes. */
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
    WDT_CTRL = 3U; /* the first time ends in its interrupt, the next in a reset */
    WDT_LOCK = 0U;
}

/* The FPGA image has no register for it. */
bool board_says_watchdog(void)
{
    return false;
}

/* ------------------------------------------------------------------ noise */

/* How far the program comes while a counter goes on by so many cycles. */
uint32_t board_noise(void)
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
