/* SPDX-License-Identifier: Apache-2.0 */
/* tdp-script: the reference device with a clock of its own, driven by a script as fast as possible. Scripts come on
   standard input, one after another; a record is a byte for its kind and then its fields, low byte first:
     N  device (u8, in the order of the names that --devices prints), session id (u32): a new device with empty memory
     W  milliseconds (u16): this time passes, with a tick in each
     B  count (u16), bytes: they arrive, with a tick after each frame
     A  count (u8), text: an act of hands, as at the control socket of tdp-device, and then a tick
     P  session id (u32): the supply warns (tdp_save), the power fails and comes back
   The answer to each record, on standard output, is the device's output meanwhile: count (u32), bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "frame.h"
#include "port.h"

static const struct device *const devices[] = DEVICES;
#define DEVICE_COUNT (sizeof devices / sizeof devices[0])

static uint8_t said[1U << 20];
static size_t said_count;
static uint8_t kept[TDP_MEMORY_BYTES];
static const struct device *device;
static uint32_t now;

static void fail(const char *why)
{
    (void)fprintf(stderr, "tdp-script: %s\n", why);
    exit(2);
}

static void put(void *context, uint8_t byte)
{
    (void)context;
    if (said_count == sizeof said) {
        fail("the output for one record exceeds one mebibyte");
    }
    said[said_count] = byte;
    said_count++;
}

static void take(uint8_t *bytes, size_t count)
{
    if (fread(bytes, 1, count, stdin) != count) {
        fail("the script ends within a record");
    }
}

static uint32_t take_number(size_t size)
{
    uint8_t bytes[4] = {0U, 0U, 0U, 0U};
    take(bytes, size);
    return get_u32(bytes);
}

static void power_on(uint32_t random)
{
    static struct tdp_image image;
    static const struct tdp_memory memory = {
        .read = tdp_ram_read, .write = tdp_ram_write, .barrier = tdp_ram_barrier, .context = kept};
    static const struct device_port port = {.put = put, .identity = &port_identity, .memory = &memory, .image = &image};
    image.bytes = (const uint8_t *)port_identity.firmware; /* like tdp-device without --image */
    image.length = (uint32_t)strlen(port_identity.firmware);
    device->start(&port, now, random, TDP_BOOT_CAUSE_POWER_ON);
}

/* Do everything that is due, including output in portions. */
static void settle(void)
{
    do {
        tdp_tick(device->link, now);
    } while (device->link->old_next <= device->link->head.previous_last);
}

static void new_device(void)
{
    size_t at = take_number(1);
    if (at >= DEVICE_COUNT) {
        fail("no such device");
    }
    device = devices[at];
    (void)memset(kept, 0, sizeof kept);
    if (device->mechanism != NULL) {
        (void)memset(device->mechanism, 0, device->mechanism_size);
    }
    now = 0U;
    power_on(take_number(4));
}

static void arrive(void)
{
    static uint8_t bytes[65536];
    size_t count = take_number(2);
    take(bytes, count);
    for (size_t i = 0U; i < count; i++) {
        tdp_byte(device->link, bytes[i], now);
        if (bytes[i] == 0U) {
            settle();
        }
    }
    settle();
}

static void act(void)
{
    char line[256];
    size_t count = take_number(1);
    take((uint8_t *)line, count);
    line[count] = '\0';
    (void)device_hear(device, line);
    settle();
}

static void wait(void)
{
    for (uint32_t left = take_number(2); left > 0U; left--) {
        now++;
        settle();
    }
}

static void play(int kind)
{
    if (device == NULL && kind != 'N') {
        fail("a script must begin with N");
    }
    switch (kind) {
    case 'N':
        new_device();
        break;
    case 'W':
        wait();
        break;
    case 'B':
        arrive();
        break;
    case 'A':
        act();
        break;
    case 'P':
        tdp_save(device->link);
        power_on(take_number(4));
        break;
    default:
        fail("no such record");
        break;
    }
}

int main(int count, char **words)
{
    if (count > 1) {
        bool asked = strcmp(words[1], "--devices") == 0;
        for (size_t i = 0; asked && i < DEVICE_COUNT; i++) {
            (void)printf("%s\n", devices[i]->name);
        }
        if (!asked) {
            (void)fprintf(stderr, "usage: tdp-script [--devices]; scripts on standard input\n");
        }
        return asked ? 0 : 2;
    }
    for (int kind = getchar(); kind != EOF; kind = getchar()) {
        uint8_t size[4];
        said_count = 0U;
        play(kind);
        (void)put_u32(size, (uint32_t)said_count);
        if (fwrite(size, sizeof size, 1, stdout) != 1 || fwrite(said, 1, said_count, stdout) != said_count) {
            fail("the answer cannot be written");
        }
    }
    return 0;
}
