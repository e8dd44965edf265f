/* SPDX-License-Identifier: Apache-2.0 */
/* The processor's own registers, the same on each board: its counter, and which interrupts it takes. */
#ifndef CORTEX_M3_H
#define CORTEX_M3_H

#include <stdint.h>

#define REG(address) (*(volatile uint32_t *)(uintptr_t)(address))

#define SYST_CSR REG(0xE000E010U)
#define SYST_RVR REG(0xE000E014U)
#define SYST_CVR REG(0xE000E018U)
#define NVIC_ISER0 REG(0xE000E100U)
#define NVIC_ICER0 REG(0xE000E180U)

static inline void disable_interrupts(void)
{
    __asm volatile("cpsid i" ::: "memory");
}

static inline void enable_interrupts(void)
{
    __asm volatile("cpsie i" ::: "memory");
}

#endif
