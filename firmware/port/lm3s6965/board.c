/* SPDX-License-Identifier: Apache-2.0 */
#include "board.h"

#include "lm3s6965.h"
#include "tdp_ring.h"

#define CLOCK_HZ 50000000U
#define CYCLES_PER_MS (CLOCK_HZ / 1000U)
#define COUNTER_MASK 0xFFFFFFU /* SysTick counts 24 bits down, over and over: once round in 335 ms */
#define WAKE_MS 2U
#define WATCHDOG_MS 4000U /* twice: so long may a computer that plays the board stand still */
#define WATCHDOG_KEY 0x1ACCE551U
#define JITTER_ROUNDS 64U

struct uart {
    struct tdp_ring in, out;
    volatile uint32_t lost;
};

static const uint32_t bases[BOARD_LINES] = {[BOARD_LINE_HOST] = UART0_BASE, [BOARD_LINE_HANDS] = UART1_BASE};
static struct uart uarts[BOARD_LINES];
static uint32_t counted, cycles, milliseconds;
static bool said_watchdog;
__attribute__((section(".store.events"))) static uint8_t events[TDP_MEMORY_BYTES];

static void disable_interrupts(void)
{
    __asm volatile("cpsid i" ::: "memory");
}

static void enable_interrupts(void)
{
    __asm volatile("cpsie i" ::: "memory");
}

/* ------------------------------------------------------------------ lines */

/* Into the UART what its FIFO takes. With its interrupt held off. */
static void push_out(enum board_line line)
{
    struct tdp_ring *out = &uarts[line].out;
    uint32_t base = bases[line];
    while (tdp_ring_count(out) > 0U && (UART_FR(base) & UART_FR_TX_FULL) == 0U) {
        UART_DR(base) = (uint32_t)tdp_ring_get(out);
    }
}

static void serve(enum board_line line)
{
    uint32_t base = bases[line];
    UART_ICR(base) = UART_INT_RX | UART_INT_TX | UART_INT_RX_TIMEOUT;
    while ((UART_FR(base) & UART_FR_RX_EMPTY) == 0U) {
        uint32_t word = UART_DR(base);
        if ((word & UART_DR_BREAK) != 0U) {
            /* it is no zero, which would end a frame: it means nothing */
        } else if (!tdp_ring_put(&uarts[line].in, (uint8_t)(word & 0xFFU))) {
            uarts[line].lost++;
        } else {
            /* the main loop takes it */
        }
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
    TIMER0_ICR = 1U; /* it only ends a sleep */
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
    TIMER0_CTL = 0U;
    TIMER0_CFG = 0U;
    TIMER0_TAMR = 2U;
    TIMER0_TAILR = WAKE_MS * CYCLES_PER_MS - 1U;
    TIMER0_IMR = 1U;
    TIMER0_CTL = 1U;
}

/* ------------------------------------------------------------------ the watchdog */

/* The first time is over, and a second one begins: at its end is the reset. The stamp tells the next start why it came; a
   board whose reset cause register says so as well is believed without it. The interrupt stays pending, so it is held off
   until somebody feeds: a processor that was only slow goes on. */
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
    WDT_CTL = 3U; /* the first time ends in its interrupt, the next in a reset */
    WDT_LOCK = 0U;
}

bool board_says_watchdog(void)
{
    return said_watchdog;
}

/* ------------------------------------------------------------------ randomness */

/* How far the program comes between two wake-ups of the timer, and where the other counter stands then. */
uint32_t board_noise(void)
{
    uint32_t pool = 0U;
    for (uint32_t round = 0U; round < JITTER_ROUNDS; round++) {
        uint32_t turns = 0U;
        uint32_t until = (SYST_CVR - 2000U) & COUNTER_MASK;
        while (((SYST_CVR - until) & COUNTER_MASK) <= 2000U) {
            turns++;
        }
        pool = board_stirred(pool, turns ^ (SYST_CVR << 12));
    }
    return pool;
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
    SYSCTL_RCC = 0x078E3AC0U | 0x800U;  /* past the PLL while it is set */
    SYSCTL_RCC = 0x01C00380U | 0x800U;  /* crystal 8 MHz, PLL, divided by four: 50 MHz */
    while ((SYSCTL_RIS & 0x40U) == 0U) {
        /* until the PLL holds */
    }
    SYSCTL_RCC = 0x01C00380U;
}

void board_start(void)
{
    SYSCTL_RCGC0 |= 0x08U;               /* watchdog */
    (void)SYSCTL_RCGC0;
    (void)SYSCTL_RCGC0;
    start_watchdog();                    /* first: a clock that does not come up ends in a reset, too, if only later */
    start_main_clock();
    SYSCTL_RCGC1 |= 0x00010003U;         /* timer 0, UART 0 and 1 */
    SYSCTL_RCGC2 |= 0x09U;               /* ports A and D */
    (void)SYSCTL_RCGC2;                  /* a clock needs some cycles until its registers may be used */
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
