/* SPDX-License-Identifier: Apache-2.0 */
/* A check on the MPS2 that QEMU plays with `-icount shift=10`: each instruction takes 1,024 ns there, whatever the machine
   below does, so a timer of 25 MHz counts instructions. What is said goes out by semihosting, and so does the end. */
#include <stdarg.h>

#include "board.h"
#include "checks.h"
#include "mps2.h"

#define TICKS_OF_TEN 256U /* 10,240 ns at 40 */
#define CALL_WRITE 0x04U
#define CALL_EXIT 0x18U
#define DONE 0x20026U
#define FAILED 0x20023U
#define TURNS 10000U
#define AROUND 40U
#define LINE 200U
#define DIGITS 10U

int check_main(void); /* the check's own main, by another name */

static bool begun;

static void call(uint32_t number, uintptr_t value)
{
    register uint32_t r0 __asm("r0") = number;
    register uintptr_t r1 __asm("r1") = value;
    __asm volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
}

uint32_t check_clock(void)
{
    if (!begun) {
        begun = true;
        TIMER0_RELOAD = UINT32_MAX;
        TIMER0_CTRL = 1U;
    }
    return UINT32_MAX - TIMER0_VALUE;
}

uint32_t check_since(uint32_t then)
{
    uint32_t ticks = check_clock() - then;
    return (ticks / TICKS_OF_TEN) * 10U + ((ticks % TICKS_OF_TEN) * 10U + TICKS_OF_TEN / 2U) / TICKS_OF_TEN;
}

/* The clock itself, against a loop of two instructions a turn. */
static void check_the_clock(void)
{
    uint32_t turns = TURNS;
    uint32_t then = check_clock();
    __asm volatile("1: subs %0, #1\n bne 1b" : "+l"(turns) : : "cc");
    uint32_t counted = check_since(then);
    check(counted >= 2U * TURNS && counted <= 2U * TURNS + AROUND, "the clock counts instructions", (long)counted);
}

int main(void)
{
    check_the_clock();
    call(CALL_EXIT, check_main() == 0 ? DONE : FAILED);
    return 0;
}

/* The processor met a fault. */
void board_stamp(void)
{
    call(CALL_EXIT, FAILED);
}

void nmi_handler(void)
{
    stray_handler();
}

static char *put_number(char *at, unsigned long number)
{
    char digits[DIGITS];
    uint32_t count = 0U;
    char *next = at;
    unsigned long rest = number;
    do {
        digits[count] = (char)('0' + (char)(rest % 10U));
        count++;
        rest /= 10U;
    } while (rest > 0U);
    for (; count > 0U; count--) {
        *next++ = digits[count - 1U];
    }
    return next;
}

static char *put_signed(char *at, long number)
{
    char *next = at;
    if (number < 0) {
        *next++ = '-';
    }
    return put_number(next, number < 0 ? 0UL - (unsigned long)number : (unsigned long)number);
}

int printf(const char *format, ...)
{
    static char line[LINE];
    char *at = line;
    va_list values;
    va_start(values, format);
    for (const char *from = format; *from != '\0' && at < &line[LINE - DIGITS - 2U]; from++) {
        if (from[0] == '%' && from[1] == 's') {
            from++;
            for (const char *text = va_arg(values, const char *); *text != '\0' && at < &line[LINE - 1U]; text++) {
                *at++ = *text;
            }
        } else if (from[0] == '%' && from[1] == 'l' && (from[2] == 'u' || from[2] == 'd')) {
            from = &from[2];
            at = *from == 'u' ? put_number(at, va_arg(values, unsigned long)) : put_signed(at, va_arg(values, long));
        } else {
            *at++ = *from;
        }
    }
    va_end(values);
    *at = '\0';
    call(CALL_WRITE, (uintptr_t)line);
    return (int)(at - line);
}
