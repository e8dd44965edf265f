/* SPDX-License-Identifier: Apache-2.0 */
/* Frames: the check, COBS, and numbers low byte first. */
#ifndef TDP_FRAME_H
#define TDP_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FRAME_HEADER 8U
#define FRAME_CHECK 4U
#define FRAME_MIN (FRAME_HEADER + FRAME_CHECK)

/* Decode COBS in place: the result is never longer than the input. Return the new length; 0 for invalid COBS. */
uint16_t frame_unstuff(uint8_t *bytes, uint16_t length);

/* Return true if the CRC over everything, including the check, is the constant residue. */
bool frame_is_whole(const uint8_t *bytes, uint16_t length);

/* Return the length of the group that begins at `at`: up to the next zero, or 254 bytes. */
uint16_t frame_group(const uint8_t *bytes, uint16_t at, uint16_t length);

/* Return true if the bytes from `at` on are whole extensions. */
bool frame_extensions_fit(const uint8_t *bytes, uint16_t at, uint16_t length);

bool frame_is_ascii(const uint8_t *bytes, uint16_t length);

uint16_t get_u16(const uint8_t *at);
uint32_t get_u32(const uint8_t *at);
uint8_t *put_u16(uint8_t *at, uint16_t value);
uint8_t *put_u32(uint8_t *at, uint32_t value);
uint8_t *put_text(uint8_t *at, const char *text, uint8_t length);
void copy_bytes(uint8_t *to, const uint8_t *from, size_t count);

/* Copy a text: only zeros after its first zero; nothing after that is read. */
void copy_text(uint8_t *to, const uint8_t *from, size_t count);

#endif
