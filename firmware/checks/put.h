/* SPDX-License-Identifier: Apache-2.0 */
/* Stands before each source of a check: what the store writes goes through the check's hands, byte by byte. */
#ifndef CHECKS_PUT_H
#define CHECKS_PUT_H

#include <stdint.h>

void check_put(volatile uint8_t *at, uint8_t byte);
#define STORE_PUT(at, byte) check_put((at), (byte))

#endif
