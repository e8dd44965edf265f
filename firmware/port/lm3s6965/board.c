/* SPDX-License-Identifier: Apache-2.0 */
#include "board.h"

#include "lm3s6965.h"

#define CLOCK_HZ 50000000U
#define CYCLES_PER_MS (CLOCK_HZ / 1000U)
#define COUNTER_MASK 0xFFFFFFU /* SysTick counts 24 bits down, over and over: once round in 335 ms */
#define WAKE_MS 2U
#define WATCHDOG_MS 4000U /* twice: so long may a computer that plays the board stand still */
#define WATCHDOG_KEY 0x1ACCE551U
#define RING 256U /* a power of two; indexes run freely and are masked */
#define STAMP_DOG 0xD06D06D0U
#define STAMP_POOL 0x5EED5EEDU
#define JITTER_ROUNDS 64U

struct ring {
    volatile uint8_t bytes[RING];
    volatile uint16_t head, tail;
};

struct uart {
    struct ring in, out;
    volatile uint32_t lost;
};

/* What outlives a reset, each cell with its check beside it: after a loss of power it holds anything. */
struct kept {
    uint32_t pool, pool_check;
    volatile uint32_t dog, dog_check;
};

static const uint32_t bases[BOARD_LINES] = {[BOARD_LINE_HOST] = UART0_BASE, [BOARD_LINE_HANDS] = UART1_BASE};
static struct uart uarts[BOARD_LINES];
static uint32_t counted, cycles, milliseconds;
static bool by_watchdog;
__attribute__((section(".store.board"))) static struct kept kept;

/* The rig writes a word of its own here before the first instruction; zero in the image. A board with a source of
   randomness reads that instead. */
__attribute__((section(".store.handed"))) static volatile uint32_t handed;

static void disable_interrupts(void)
{
    __asm volatile("cpsid i" ::: "memory");
}

static void enable_interrupts(void)
{
    __asm volatile("cpsie i" ::: "memory");
}

/* ------------------------------------------------------------------ lines */

static uint16_t waiting(const struct ring *ring)
{
    return (uint16_t)(ring->head - ring->tail);
}

/* Into the UART what its FIFO takes. With its interrupt held off. */
static void push_out(enum board_line line)
{
    struct ring *out = &uarts[line].out;
    uint32_t base = bases[line];
    while (waiting(out) > 0U && (UART_FR(base) & UART_FR_TX_FULL) == 0U) {
        UART_DR(base) = out->bytes[out->tail & (RING - 1U)];
        out->tail++;
    }
}

static void serve(enum board_line line)
{
    struct ring *in = &uarts[line].in;
    uint32_t base = bases[line];
    UART_ICR(base) = UART_INT_RX | UART_INT_TX | UART_INT_RX_TIMEOUT;
    while ((UART_FR(base) & UART_FR_RX_EMPTY) == 0U) {
        uint32_t word = UART_DR(base);
        if ((word & UART_DR_BREAK) != 0U) {
            /* it is no zero, which would end a frame: it means nothing */
        } else if (waiting(in) < RING) {
            in->bytes[in->head & (RING - 1U)] = (uint8_t)(word & 0xFFU);
            in->head++;
        } else {
            uarts[line].lost++;
        }
    }
    push_out(line);
}

void uart0_handler(void);
void uart1_handler(void);
void timer0_handler(void);
void watchdog_handler(void);

void uart0_handler(void)
{
    serve(BOARD_LINE_HOST);
}

void uart1_handler(void)
{
    serve(BOARD_LINE_HANDS);
}

int board_get(enum board_line line)
{
    struct ring *in = &uarts[line].in;
    int byte = -1;
    if (waiting(in) > 0U) {
        byte = in->bytes[in->tail & (RING - 1U)];
        in->tail++;
    }
    return byte;
}

void board_put(enum board_line line, uint8_t byte)
{
    struct ring *out = &uarts[line].out;
    while (waiting(out) >= RING) {
        /* its interrupt makes room */
    }
    out->bytes[out->head & (RING - 1U)] = byte;
    disable_interrupts();
    out->head++;
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

void timer0_handler(void)
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
    if (waiting(&uarts[BOARD_LINE_HOST].in) == 0U && waiting(&uarts[BOARD_LINE_HANDS].in) == 0U) {
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

void board_stamp(void)
{
    kept.dog = STAMP_DOG;
    kept.dog_check = ~STAMP_DOG;
}

/* The first time is over, and a second one begins: at its end is the reset. The stamp tells the next start why it came; a
   board whose reset cause register says so as well is believed without it. The interrupt stays pending, so it is held off
   until somebody feeds: a processor that was only slow goes on. */
void watchdog_handler(void)
{
    board_stamp();
    NVIC_ICER0 = 1U << IRQ_WATCHDOG;
}

void board_feed(void)
{
    WDT_LOCK = WATCHDOG_KEY;
    if (kept.dog == STAMP_DOG) {
        kept.dog = 0U;
        kept.dog_check = 0U;
        WDT_ICR = 1U;
        NVIC_ISER0 = 1U << IRQ_WATCHDOG;
    }
    WDT_LOAD = WATCHDOG_MS * CYCLES_PER_MS;
    WDT_LOCK = 0U;
}

static void start_watchdog(void)
{
    by_watchdog = (SYSCTL_RESC & 0x08U) != 0U || (kept.dog == STAMP_DOG && kept.dog_check == ~STAMP_DOG);
    SYSCTL_RESC = 0U;
    kept.dog = 0U;
    kept.dog_check = 0U;
    WDT_LOCK = WATCHDOG_KEY;
    WDT_LOAD = WATCHDOG_MS * CYCLES_PER_MS;
    WDT_CTL = 3U; /* the first time ends in its interrupt, the next in a reset */
    WDT_LOCK = 0U;
}

bool board_was_watchdog(void)
{
    return by_watchdog;
}

/* ------------------------------------------------------------------ randomness */

static uint32_t stirred(uint32_t pool, uint32_t with)
{
    /* the finish of MurmurHash3: each bit of what comes in moves half of what goes out */
    pool ^= with + 0x9E3779B9U + (pool << 6) + (pool >> 2);
    pool ^= pool >> 16;
    pool *= 0x85EBCA6BU;
    pool ^= pool >> 13;
    pool *= 0xC2B2AE35U;
    return pool ^ (pool >> 16);
}

/* How far the program comes between two wake-ups of the timer, and where the other counter stands then. */
static uint32_t jitter(void)
{
    uint32_t pool = 0U;
    for (uint32_t round = 0U; round < JITTER_ROUNDS; round++) {
        uint32_t turns = 0U;
        uint32_t until = (SYST_CVR - 2000U) & COUNTER_MASK;
        while (((SYST_CVR - until) & COUNTER_MASK) <= 2000U) {
            turns++;
        }
        pool = stirred(pool, turns ^ (SYST_CVR << 12));
    }
    return pool;
}

uint32_t board_random(void)
{
    uint32_t pool = (kept.pool ^ STAMP_POOL) == ~kept.pool_check ? kept.pool : 0U;
    pool = stirred(stirred(pool, jitter()), handed);
    kept.pool = stirred(pool, STAMP_POOL); /* what is kept does not tell what was given out */
    kept.pool_check = ~(kept.pool ^ STAMP_POOL);
    return pool;
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

extern const uint8_t _image_start[], _image_end[];

const uint8_t *board_image(void)
{
    return _image_start;
}

uint32_t board_image_bytes(void)
{
    return (uint32_t)(_image_end - _image_start);
}
