/* SPDX-License-Identifier: Apache-2.0 */
/* Registers of the LM3S6965, from its data sheet; only what this port uses. */
#ifndef LM3S6965_H
#define LM3S6965_H

#include "cortex_m3.h"

/* system control */
#define SYSCTL_RIS REG(0x400FE050U)
#define SYSCTL_RESC REG(0x400FE05CU)
#define SYSCTL_RCC REG(0x400FE060U)
#define SYSCTL_RCGC0 REG(0x400FE100U)
#define SYSCTL_RCGC1 REG(0x400FE104U)
#define SYSCTL_RCGC2 REG(0x400FE108U)

/* the watchdog */
#define WDT_LOAD REG(0x40000000U)
#define WDT_CTL REG(0x40000008U)
#define WDT_ICR REG(0x4000000CU)
#define WDT_LOCK REG(0x40000C00U)

/* general-purpose timer 0 */
#define TIMER0_CFG REG(0x40030000U)
#define TIMER0_TAMR REG(0x40030004U)
#define TIMER0_CTL REG(0x4003000CU)
#define TIMER0_IMR REG(0x40030018U)
#define TIMER0_ICR REG(0x40030024U)
#define TIMER0_TAILR REG(0x40030028U)

/* ports A and D carry the UARTs' pins */
#define GPIOA_AFSEL REG(0x40004420U)
#define GPIOA_DEN REG(0x4000451CU)
#define GPIOD_AFSEL REG(0x40007420U)
#define GPIOD_DEN REG(0x4000751CU)

/* UARTs, from the base address of one */
#define UART0_BASE 0x4000C000U
#define UART1_BASE 0x4000D000U
#define UART_DR(base) REG((base) + 0x00U)
#define UART_FR(base) REG((base) + 0x18U)
#define UART_IBRD(base) REG((base) + 0x24U)
#define UART_FBRD(base) REG((base) + 0x28U)
#define UART_LCRH(base) REG((base) + 0x2CU)
#define UART_CTL(base) REG((base) + 0x30U)
#define UART_IM(base) REG((base) + 0x38U)
#define UART_ICR(base) REG((base) + 0x44U)

#define UART_DR_BREAK 0x400U
#define UART_FR_RX_EMPTY 0x10U
#define UART_FR_TX_FULL 0x20U
#define UART_INT_RX 0x10U
#define UART_INT_TX 0x20U
#define UART_INT_RX_TIMEOUT 0x40U

#define IRQ_UART0 5U
#define IRQ_UART1 6U
#define IRQ_WATCHDOG 18U
#define IRQ_TIMER0A 19U

#endif
