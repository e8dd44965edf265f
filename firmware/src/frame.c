/* SPDX-License-Identifier: Apache-2.0 */
#include "frame.h"

#include "tdp.h"

#define RESIDUE 0x2144DF1CU
#define FULL_GROUP 254U

/* Half a byte at a time: a table of 64 bytes, and about ten cycles a byte. */
static const uint32_t crc_table[16] = {
    0x00000000U, 0x1DB71064U, 0x3B6E20C8U, 0x26D930ACU, 0x76DC4190U, 0x6B6B51F4U, 0x4DB26158U, 0x5005713CU,
    0xEDB88320U, 0xF00F9344U, 0xD6D6A3E8U, 0xCB61B38CU, 0x9B64C2B0U, 0x86D3D2D4U, 0xA00AE278U, 0xBDBDF21CU};

uint32_t tdp_crc(uint32_t before, const uint8_t *bytes, size_t length)
{
    uint32_t crc = ~before;
    for (size_t i = 0U; i < length; i++) {
        crc ^= bytes[i];
        crc = crc_table[crc & 15U] ^ (crc >> 4);
        crc = crc_table[crc & 15U] ^ (crc >> 4);
    }
    return ~crc;
}

bool frame_is_whole(const uint8_t *bytes, uint16_t length)
{
    return length >= FRAME_MIN && length <= TDP_FRAME_MAX && tdp_crc(0U, bytes, length) == RESIDUE;
}

uint16_t frame_unstuff(uint8_t *bytes, uint16_t length)
{
    uint16_t from = 0U;
    uint16_t to = 0U;
    while (from < length) {
        uint16_t group = bytes[from];
        from++;
        if (from + group - 1U > length) {
            return 0U;
        }
        for (uint16_t i = 1U; i < group; i++) {
            bytes[to] = bytes[from];
            to++;
            from++;
        }
        if (group <= FULL_GROUP && from < length) {
            bytes[to] = 0U;
            to++;
        }
    }
    return to;
}

uint16_t frame_group(const uint8_t *bytes, uint16_t at, uint16_t length)
{
    uint16_t count = 0U;
    while (at + count < length && count < FULL_GROUP && bytes[at + count] != 0U) {
        count++;
    }
    return count;
}

bool frame_extensions_fit(const uint8_t *bytes, uint16_t at, uint16_t length)
{
    uint16_t next = at;
    while (next < length) {
        uint16_t value = (uint16_t)(next + 2U);
        if (value > length || value + bytes[next + 1U] > length) {
            return false;
        }
        next = (uint16_t)(value + bytes[next + 1U]);
    }
    return true;
}

bool frame_is_ascii(const uint8_t *bytes, uint16_t length)
{
    bool ascii = true;
    for (uint16_t i = 0U; i < length; i++) {
        ascii = ascii && bytes[i] < 0x80U;
    }
    return ascii;
}

uint16_t get_u16(const uint8_t *at)
{
    return (uint16_t)(at[0] | ((uint16_t)at[1] << 8));
}

uint32_t get_u32(const uint8_t *at)
{
    return (uint32_t)get_u16(at) | ((uint32_t)get_u16(&at[2]) << 16);
}

uint8_t *put_u16(uint8_t *at, uint16_t value)
{
    at[0] = (uint8_t)(value & 0xFFU);
    at[1] = (uint8_t)(value >> 8);
    return &at[2];
}

uint8_t *put_u32(uint8_t *at, uint32_t value)
{
    return put_u16(put_u16(at, (uint16_t)(value & 0xFFFFU)), (uint16_t)(value >> 16));
}

uint8_t *put_text(uint8_t *at, const char *text, uint8_t length)
{
    const char *from = text;
    for (uint8_t i = 0U; i < length; i++) {
        at[i] = (uint8_t)*from;
        if (*from != '\0') {
            from++;
        }
    }
    return &at[length];
}

void copy_bytes(uint8_t *to, const uint8_t *from, size_t count)
{
    for (size_t i = 0U; i < count; i++) {
        to[i] = from[i];
    }
}

void copy_text(uint8_t *to, const uint8_t *from, size_t count)
{
    bool ended = false;
    for (size_t i = 0U; i < count; i++) {
        ended = ended || from[i] == 0U;
        to[i] = ended ? 0U : from[i];
    }
}
