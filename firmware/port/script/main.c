/* SPDX-License-Identifier: Apache-2.0 */
/* tdp-script: the reference device with a clock of its own, driven by a script as fast as possible. Scripts come on
   standard input, one after another; a record is a byte for its kind and then its fields, low byte first:
     N  device (u8, in the order of the names that --devices prints), session id (u32): a new device with empty memory
     S  device, session id, then 32 random bytes, u8, X25519 key, Ed25519 seed, maker's signature: the same with a sealed
        line; 0: it makes its own key; 1: its maker gave it both keys; 2: and certified them
     W  milliseconds (u16): this time passes, with a tick in each
     B  count (u16), bytes: they arrive, with a tick after each frame
     A  count (u8), text: an act of hands, as at the control socket of tdp-device, and then a tick
     D  nothing: the answer is what the device shows of pairing, its code, a bar, and what both ends show after pairing
     P  session id (u32): the supply warns (tdp_save), the power fails and comes back
   The answer to each record, on standard output, is the device's output meanwhile: count (u32), bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "frame.h"
#include "port.h"
#if TDP_SEAL
#include "pairing.h"
#endif

static const struct device *const devices[] = DEVICES;
#define DEVICE_COUNT (sizeof devices / sizeof devices[0])

static uint8_t said[1U << 20];
static size_t said_count;
static uint8_t kept[TDP_MEMORY_BYTES];
static const struct device *device;
static uint32_t now;

#if TDP_SEAL
static struct tdp_seal seal;
static struct tdp_own_keys own;
static bool sealed;
#endif

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

/* The device has a sealed line from now on, with these random bytes and keys. */
static void take_seal(bool with)
{
#if TDP_SEAL
    sealed = with;
    if (with) {
        take(seal.noise, sizeof seal.noise);
        uint32_t given = take_number(1);
        take(own.x25519, sizeof own.x25519);
        take(own.ed25519, sizeof own.ed25519);
        take(own.maker, sizeof own.maker);
        own.certified = given > 1U;
        seal.own = given > 0U ? &own : NULL;
    }
#else
    if (with) {
        fail("this program has no sealed line");
    }
#endif
}

/* A handshake or a signature goes on: it takes no time here. */
static bool computes(void)
{
#if TDP_SEAL
    return sealed && (seal_computes(&seal) || device->link->measuring.running);
#else
    return false;
#endif
}

static void power_on(uint32_t random)
{
    static struct tdp_image image;
    static const struct tdp_memory memory = {
        .read = tdp_ram_read, .write = tdp_ram_write, .barrier = tdp_ram_barrier, .context = kept};
    struct device_port port = {.put = put, .identity = &port_identity, .memory = &memory, .image = &image};
#if TDP_SEAL
    port.seal = sealed ? &seal : NULL;
#endif
    image.bytes = (const uint8_t *)port_identity.firmware; /* like tdp-device without --image */
    image.length = (uint32_t)strlen(port_identity.firmware);
    device->start(&port, now, random, TDP_BOOT_CAUSE_POWER_ON);
}

/* Do everything that is due, including output in portions. */
static void settle(void)
{
    do {
        tdp_tick(device->link, now);
    } while (device->link->old_next <= device->link->head.previous_last || computes());
}

static void new_device(bool with_seal)
{
    size_t at = take_number(1);
    uint32_t random = take_number(4);
    take_seal(with_seal);
    if (at >= DEVICE_COUNT) {
        fail("no such device");
    }
    device = devices[at];
    (void)memset(kept, 0, sizeof kept);
    if (device->mechanism != NULL) {
        (void)memset(device->mechanism, 0, device->mechanism_size);
    }
    now = 0U;
    power_on(random);
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

static void look(void)
{
#if TDP_SEAL
    const char *at = seal.code;
    for (uint32_t part = 0U; sealed && part < 2U; part++) {
        for (; *at != '\0'; at++) {
            put(NULL, (uint8_t)*at);
        }
        if (part == 0U) {
            put(NULL, (uint8_t)'|');
        }
        at = seal.compare;
    }
#endif
}

static void play(int kind)
{
    if (device == NULL && kind != 'N' && kind != 'S') {
        fail("a script must begin with N or S");
    }
    switch (kind) {
    case 'N':
    case 'S':
        new_device(kind == 'S');
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
    case 'D':
        look();
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
        (void)fflush(stdout);
    }
    return 0;
}
