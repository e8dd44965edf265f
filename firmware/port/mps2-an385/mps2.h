/* SPDX-License-Identifier: Apache-2.0 */
/* Registers of the MPS2 board with the FPGA image AN385, a Cortex-M3 among ARM's CMSDK peripherals, from its application
   note and their reference manual; only what this port uses. */
#ifndef MPS2_H
#define MPS2_H

#include "cortex_m3.h"

/* timer 0 */
#define TIMER0_CTRL REG(0x40000000U)
#define TIMER0_VALUE REG(0x40000004U)
#define TIMER0_RELOAD REG(0x40000008U)
#define TIMER0_INTCLEAR REG(0x4000000CU)

/* the watchdog: its interrupt is the NMI */
#define WDT_LOAD REG(0x40008000U)
#define WDT_CTRL REG(0x40008008U)
#define WDT_INTCLR REG(0x4000800CU)
#define WDT_LOCK REG(0x40008C00U)

/* UARTs, from the base address of one: a byte each way, no FIFO */
#define UART0_BASE 0x40004000U
#define UART1_BASE 0x40005000U
#define UART_DATA(base) REG((base) + 0x00U)
#define UART_STATE(base) REG((base) + 0x04U)
#define UART_CTRL(base) REG((base) + 0x08U)
#define UART_INTCLEAR(base) REG((base) + 0x0CU)
#define UART_BAUDDIV(base) REG((base) + 0x10U)

#define UART_STATE_TX_FULL 0x01U
#define UART_STATE_RX_FULL 0x02U
#define UART_STATE_RX_OVERRUN 0x08U
#define UART_CTRL_ON 0x0FU /* both ways, with their interrupts */
#define UART_INT_TX 0x01U
#define UART_INT_RX 0x02U

/* two-wire bus of the second shield: the pins themselves. Read: bit 0 SCL, bit 1 SDA */
#define I2C_PINS REG(0x4002A000U)
#define I2C_SET REG(0x4002A000U)
#define I2C_CLEAR REG(0x4002A004U)
#define I2C_SCL 0x01U
#define I2C_SDA 0x02U

#define IRQ_UART0_RX 0U
#define IRQ_UART0_TX 1U
#define IRQ_UART1_RX 2U
#define IRQ_UART1_TX 3U
#define IRQ_TIMER0 8U

#endif
