/* SPDX-License-Identifier: Apache-2.0 */
/* From reset to main: RAM as C expects it, and the stack painted so that its depth can be measured. */
#include <stddef.h>
#include <stdint.h>

#include "board.h"

#define PAINT 0xA5A5A5A5U
#define SPARED 128U

extern uint32_t _data_start, _data_end, _data_load, _bss_start, _bss_end, _stack_limit;

/* An unexpected interrupt or fault ends in the watchdog's reset, which Booted reports to the host. The stamp is written
   here because a fault blocks the watchdog's own interrupt. Before the watchdog was started nothing ends this. */
void stray_handler(void)
{
    board_stamp();
    for (;;) {
    }
}

uint32_t board_stack_used(void)
{
    const volatile uint32_t *word = &_stack_limit;
    while (word < &_stack_top && *word == PAINT) {
        word++;
    }
    return (uint32_t)((uintptr_t)&_stack_top - (uintptr_t)word);
}

static void fill(volatile uint32_t *from, const volatile uint32_t *to, uint32_t value)
{
    for (; from < to; from++) {
        *from = value;
    }
}

void reset_handler(void)
{
    const volatile uint32_t *load = &_data_load;
    volatile uint32_t *word = &_data_start;

    for (; word < &_data_end; word++) {
        *word = *load;
        load++;
    }
    fill(&_bss_start, &_bss_end, 0U);
    /* Everything above is in use by this function itself. */
    fill(&_stack_limit, (volatile uint32_t *)((uintptr_t)__builtin_frame_address(0) - SPARED), PAINT);
    (void)main();
    stray_handler();
}

/* The compiler emits calls of these for plain loops and structure copies; there is no library that provides them. */
void *memcpy(void *restrict to, const void *restrict from, size_t count);
void *memset(void *to, int value, size_t count);
void *memmove(void *to, const void *from, size_t count);
int memcmp(const void *one, const void *other, size_t count);

void *memcpy(void *restrict to, const void *restrict from, size_t count)
{
    volatile uint8_t *target = to;
    const uint8_t *source = from;
    for (size_t i = 0U; i < count; i++) {
        target[i] = source[i];
    }
    return to;
}

void *memmove(void *to, const void *from, size_t count)
{
    volatile uint8_t *target = to;
    const volatile uint8_t *source = from;
    if ((uintptr_t)to < (uintptr_t)from) {
        for (size_t i = 0U; i < count; i++) {
            target[i] = source[i];
        }
    } else {
        for (size_t i = count; i > 0U; i--) {
            target[i - 1U] = source[i - 1U];
        }
    }
    return to;
}

void *memset(void *to, int value, size_t count)
{
    volatile uint8_t *target = to;
    for (size_t i = 0U; i < count; i++) {
        target[i] = (uint8_t)value;
    }
    return to;
}

int memcmp(const void *one, const void *other, size_t count)
{
    const uint8_t *left = one;
    const uint8_t *right = other;
    for (; count > 0U; count--) {
        if (*left != *right) {
            return (int)*left - (int)*right;
        }
        left++;
        right++;
    }
    return 0;
}

/* The same by their names in the ARM run-time ABI, where memset has its arguments in another order. */
void __aeabi_memcpy(void *restrict to, const void *restrict from, size_t count);
void __aeabi_memcpy4(void *restrict to, const void *restrict from, size_t count);
void __aeabi_memcpy8(void *restrict to, const void *restrict from, size_t count);
void __aeabi_memclr(void *to, size_t count);
void __aeabi_memclr4(void *to, size_t count);
void __aeabi_memclr8(void *to, size_t count);
void __aeabi_memset(void *to, size_t count, int value);

void __aeabi_memcpy(void *restrict to, const void *restrict from, size_t count)
{
    (void)memcpy(to, from, count);
}

void __aeabi_memcpy4(void *restrict to, const void *restrict from, size_t count)
{
    (void)memcpy(to, from, count);
}

void __aeabi_memcpy8(void *restrict to, const void *restrict from, size_t count)
{
    (void)memcpy(to, from, count);
}

void __aeabi_memclr(void *to, size_t count)
{
    (void)memset(to, 0, count);
}

void __aeabi_memclr4(void *to, size_t count)
{
    (void)memset(to, 0, count);
}

void __aeabi_memclr8(void *to, size_t count)
{
    (void)memset(to, 0, count);
}

void __aeabi_memset(void *to, size_t count, int value)
{
    (void)memset(to, value, count);
}
