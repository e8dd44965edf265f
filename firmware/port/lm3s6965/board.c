/* SPDX-License-Identifier: Apache-2.0 */
#include "board.h"

#include "lm3s6965.h"

#define CLOCK_HZ 50000000U
#define CYCLES_PER_MS (CLOCK_HZ / 1000U)
#define WAKE_MS 2U
#define WATCHDOG_MS 4000U /* twice: a computer that emulates the board may stall that long */
#define WATCHDOG_KEY 0x1ACCE551U

static const uint32_t bases[BOARD_LINES] = {[BOARD_LINE_HOST] = UART0_BASE, [BOARD_LINE_HANDS] = UART1_BASE};
static bool said_watchdog;
__attribute__((section(".store.events"))) static uint8_t events[TDP_MEMORY_BYTES];

/* ------------------------------------------------------------------ lines */

bool board_takes(enum board_line line)
{
    return (UART_FR(bases[line]) & UART_FR_TX_FULL) == 0U;
}

void board_send(enum board_line line, uint8_t byte)
{
    UART_DR(bases[line]) = byte;
}

static void serve(enum board_line line)
{
    uint32_t base = bases[line];
    UART_ICR(base) = UART_INT_RX | UART_INT_TX | UART_INT_RX_TIMEOUT;
    while ((UART_FR(base) & UART_FR_RX_EMPTY) == 0U) {
        uint32_t word = UART_DR(base);
        if ((word & UART_DR_BREAK) == 0U) { /* a break must not count as a zero, which would end a frame */
            board_arrived(line, (uint8_t)(word & 0xFFU));
        }
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
    UART_CTL(base) = 0U;
    UART_IBRD(base) = 27U; /* 50 MHz / (16 * 115200) = 27.127 */
    UART_FBRD(base) = 8U;
    UART_LCRH(base) = 0x70U; /* eight bits, no parity, one stop bit, FIFO */
    UART_IM(base) = UART_INT_RX | UART_INT_TX | UART_INT_RX_TIMEOUT;
    UART_CTL(base) = 0x301U;
}

/* ------------------------------------------------------------------ time */

static void timer0_handler(void)
{
    TIMER0_ICR = 1U; /* only ends a sleep */
}

static void start_clock(void)
{
    board_start_counter(CLOCK_HZ);
    TIMER0_CTL = 0U;
    TIMER0_CFG = 0U;
    TIMER0_TAMR = 2U;
    TIMER0_TAILR = WAKE_MS * CYCLES_PER_MS - 1U;
    TIMER0_IMR = 1U;
    TIMER0_CTL = 1U;
}

/* ------------------------------------------------------------------ the watchdog */

/* The first period is over and the second begins, which ends in the reset. The stamp tells the next start the cause; a
   reset cause register that names the watchdog is trusted without it. The interrupt stays pending, so it is masked
   until the watchdog is fed: a processor that was only slow continues. */
static void watchdog_handler(void)
{
    board_stamp();
    NVIC_ICER0 = 1U << IRQ_WATCHDOG;
}

void board_feed(void)
{
    WDT_LOCK = WATCHDOG_KEY;
    if (board_unstamp()) {
        WDT_ICR = 1U;
        NVIC_ISER0 = 1U << IRQ_WATCHDOG;
    }
    WDT_LOAD = WATCHDOG_MS * CYCLES_PER_MS;
    WDT_LOCK = 0U;
}

static void start_watchdog(void)
{
    said_watchdog = (SYSCTL_RESC & 0x08U) != 0U;
    SYSCTL_RESC = 0U;
    board_look_back();
    WDT_LOCK = WATCHDOG_KEY;
    WDT_LOAD = WATCHDOG_MS * CYCLES_PER_MS;
    WDT_CTL = 3U; /* the first period ends in its interrupt, the next in a reset */
    WDT_LOCK = 0U;
}

bool board_says_watchdog(void)
{
    return said_watchdog;
}

/* ------------------------------------------------------------------ randomness */

uint32_t board_noise(void)
{
    return board_jitter(); /* the part has no random number generator */
}

/* ------------------------------------------------------------------ memory */

const struct tdp_memory *board_memory(void)
{
    static const struct tdp_memory memory = {
        .read = tdp_ram_read, .write = tdp_ram_write, .barrier = tdp_ram_barrier, .context = events};
    return &memory;
}

/* ------------------------------------------------------------------ start */

static void start_main_clock(void)
{
    SYSCTL_RCC = 0x078E3AC0U | 0x800U;  /* bypass the PLL while it is set */
    SYSCTL_RCC = 0x01C00380U | 0x800U;  /* crystal 8 MHz, PLL, divided by four: 50 MHz */
    while ((SYSCTL_RIS & 0x40U) == 0U) {
        /* until the PLL is locked */
    }
    SYSCTL_RCC = 0x01C00380U;
}

void board_start(void)
{
    SYSCTL_RCGC0 |= 0x08U;               /* watchdog */
    (void)SYSCTL_RCGC0;
    (void)SYSCTL_RCGC0;
    start_watchdog();                    /* first: if the clock fails to start, a reset follows too, though later */
    start_main_clock();
    SYSCTL_RCGC1 |= 0x00010003U;         /* timer 0, UART 0 and 1 */
    SYSCTL_RCGC2 |= 0x09U;               /* ports A and D */
    (void)SYSCTL_RCGC2;                  /* a clock needs some cycles before its registers may be used */
    (void)SYSCTL_RCGC2;
    GPIOA_AFSEL |= 0x03U;
    GPIOA_DEN |= 0x03U;
    GPIOD_AFSEL |= 0x0CU;
    GPIOD_DEN |= 0x0CU;
    start_clock();
    start_uart(UART0_BASE);
    start_uart(UART1_BASE);
    NVIC_ISER0 = (1U << IRQ_UART0) | (1U << IRQ_UART1) | (1U << IRQ_WATCHDOG) | (1U << IRQ_TIMER0A);
    enable_interrupts();
}

/* ------------------------------------------------------------------ vectors */

void nmi_handler(void)
{
    stray_handler();
}

BOARD_INTERRUPTS static const board_handler interrupts[] = {
    [IRQ_UART0] = uart0_handler,
    [IRQ_UART1] = uart1_handler,
    [IRQ_WATCHDOG] = watchdog_handler,
    [IRQ_TIMER0A] = timer0_handler,
};
