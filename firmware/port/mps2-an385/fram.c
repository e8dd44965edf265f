/* SPDX-License-Identifier: Apache-2.0 */
/* The bus is driven pin by pin: a bit takes as long as three writes to a register, so it runs at some hundred
   kilohertz, within the specification of such parts. FRAM has stored a byte when its last bit is in, so a write needs
   no wait. EEPROM in its place needs separate pages, and a barrier that polls until it answers. */
#include "fram.h"

#include "mps2.h"

#define ADDRESS 0x50U
#define WRITE 0U
#define READ 1U

static void set(uint32_t pins)
{
    I2C_SET = pins;
    (void)I2C_PINS;
}

static void clear(uint32_t pins)
{
    I2C_CLEAR = pins;
    (void)I2C_PINS;
}

static void begin(void)
{
    set(I2C_SDA);
    set(I2C_SCL);
    clear(I2C_SDA);
    clear(I2C_SCL);
}

static void end(void)
{
    clear(I2C_SDA);
    set(I2C_SCL);
    set(I2C_SDA);
}

static void put_bit(bool one)
{
    if (one) {
        set(I2C_SDA);
    } else {
        clear(I2C_SDA);
    }
    set(I2C_SCL);
    clear(I2C_SCL);
}

static bool get_bit(void)
{
    set(I2C_SDA); /* release it */
    set(I2C_SCL);
    bool one = (I2C_PINS & I2C_SDA) != 0U;
    clear(I2C_SCL);
    return one;
}

/* Return true if it was acknowledged. */
static bool put_byte(uint8_t byte)
{
    for (uint8_t i = 0U; i < 8U; i++) {
        put_bit((byte & (0x80U >> i)) != 0U);
    }
    return !get_bit();
}

static uint8_t get_byte(bool last)
{
    uint8_t byte = 0U;
    for (uint8_t i = 0U; i < 8U; i++) {
        byte = (uint8_t)(((uint32_t)byte << 1) | (get_bit() ? 1U : 0U));
    }
    put_bit(last);
    return byte;
}

static bool choose(uint32_t at)
{
    begin();
    return put_byte((ADDRESS << 1) | WRITE) && put_byte((uint8_t)(at >> 8)) && put_byte((uint8_t)(at & 0xFFU));
}

static bool try_to_read(uint32_t at, uint8_t *bytes, uint32_t count)
{
    bool there = choose(at);
    begin();
    there = there && put_byte((ADDRESS << 1) | READ);
    for (uint32_t i = 0U; there && i < count; i++) {
        bytes[i] = get_byte(i + 1U == count);
    }
    end();
    return there;
}

static bool try_to_write(uint32_t at, const uint8_t *bytes, uint32_t count)
{
    bool there = choose(at);
    for (uint32_t i = 0U; there && i < count; i++) {
        there = put_byte(bytes[i]);
    }
    end();
    return there;
}

/* A part that never answers ends in the watchdog's reset. */
static void fram_read(void *context, uint32_t at, uint8_t *bytes, uint32_t count)
{
    (void)context;
    while (count > 0U && !try_to_read(at, bytes, count)) {
        /* retry */
    }
}

static void fram_write(void *context, uint32_t at, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    while (count > 0U && !try_to_write(at, bytes, count)) {
        /* retry */
    }
}

static void fram_barrier(void *context)
{
    (void)context; /* an acknowledged byte is stored */
}

const struct tdp_memory fram_memory = {.read = fram_read, .write = fram_write, .barrier = fram_barrier, .context = NULL};
