/* SPDX-License-Identifier: Apache-2.0 */
/* The receive path under a fuzzer: no input makes a device read or write outside its memory. The input is a script. Its
   first byte chooses the device, whether it ticks after each frame or only with time and hands' acts, and whether its
   memory starts full of another session. Each further record starts with a byte for its kind and length:
     00-7F  this number of raw bytes on the line
     80-BF  a frame of (byte & 3Fh) bytes; check, COBS and delimiters are added, so that the code after the check is
            reached, too. With 40h in its first byte, the device's own session is written into the frame, with 20h the
            previous session; with 10h on a line that may be sealed, it is as long as the longest handshake
     C0-DF  time passes: 1 to 32 times 37 ms
     E0-EF  hands act: one of the device's acts, with a number
     F0-FF  the power fails and comes back */
#include <string.h>

#include "device.h"
#include "frame.h"
#include "port.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct device *const devices[] = DEVICES;
static const char *const acts[] = {"draw", "fill 1 20", "begin 2", "draw-unread", "push-back", "end-round", "start-game",
                                   "end-game", "hand-button 7", "bet-on 3", "lock-key 1", "lock-key 0", "green", "lift",
                                   "load 0 0", "wager 1 1 500"};
#if TDP_SEAL
static const char *const of_seal[] = {"pair 2", "shoe-setup 1", "table-setup 1", "open-door"};
static struct tdp_seal seal;
#endif

#define DEVICE_COUNT (sizeof devices / sizeof devices[0])
#define RARELY 1U
#define FULL 2U
#define SEALED 4U /* the line may be sealed: each kind of record that is hands' also opens the device and pairs */

static uint8_t kept[TDP_MEMORY_BYTES];
static uint32_t now;
static uint32_t heard;
static uint32_t manner;

static void put(void *context, uint8_t byte)
{
    (void)context;
    heard += byte;
}

static void arrive(const struct device *device, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        tdp_byte(device->link, bytes[i], now);
    }
    if ((manner & RARELY) == 0) {
        tdp_tick(device->link, now);
    }
}

static void arrive_framed(const struct device *device, const uint8_t *bytes, size_t count)
{
    uint8_t frame[128] = {0};
    size_t length = count;
    memcpy(frame, bytes, count);
    if (count >= 12 && (frame[0] & 0x40) != 0) {
        bool before = (frame[0] & 0x20) != 0;
        frame[0] = TDP_MAJOR;
        (void)put_u32(&frame[8], before ? device->link->head.previous_session : device->link->head.session);
    }
    if ((manner & SEALED) != 0 && count >= 12 && (frame[0] & 0x10) != 0) {
        frame[0] = TDP_MAJOR;
        length = 8 + 81; /* the longest handshake */
    }
    (void)put_u32(&frame[length], tdp_crc(0, frame, length));
    length += 4;
    for (uint16_t at = 0; at <= length; at++) {
        uint16_t group = frame_group(frame, at, (uint16_t)length);
        uint8_t head = (uint8_t)(group + 1);
        arrive(device, &head, 1);
        arrive(device, &frame[at], group);
        at = (uint16_t)(at + group);
    }
    arrive(device, (const uint8_t *)"", 1);
}

static void pass_time(const struct device *device, uint32_t turns)
{
    for (uint32_t i = 0; i < turns; i++) {
        now += 37;
        tdp_tick(device->link, now);
    }
}

/* As many events as fit: those read after a power cut are being overwritten. Made once for each device. */
static void fill_memory(const struct device *device)
{
    static uint8_t filled[DEVICE_COUNT][sizeof kept];
    static const struct device *filled_for[DEVICE_COUNT];
    uint8_t fields[7] = {0};
    size_t place = 0;
    while (devices[place] != device) {
        place++;
    }
    if (filled_for[place] == device) {
        memcpy(kept, filled[place], sizeof kept);
        return;
    }
    while (device->link->head.oldest < 3) {
        tdp_emit(device->link, TDP_GREEN_BUTTON, 0xFFFF, fields, device->link->head.last % sizeof fields);
    }
    memcpy(filled[place], kept, sizeof kept);
    filled_for[place] = device;
}

static void run(const struct device *device, const uint8_t *data, size_t size)
{
    static const uint8_t bytes[1500] = {0x7F};
    static const struct tdp_image image = {.bytes = bytes, .length = sizeof bytes};
    static const struct tdp_memory memory = {
        .read = tdp_ram_read, .write = tdp_ram_write, .barrier = tdp_ram_barrier, .context = kept};
    static struct device_port port = {.put = put, .identity = &port_identity, .memory = &memory, .image = &image};
    size_t at = 0;
#if TDP_SEAL
    static const struct tdp_own_keys own = {.x25519 = {1}, .ed25519 = {2}, .certified = true};
    seal.own = &own;
    port.seal = (manner & SEALED) != 0 ? &seal : NULL;
#endif
    memset(kept, 0, sizeof kept);
    if (device->mechanism != NULL) {
        memset(device->mechanism, 0, device->mechanism_size);
    }
    now = 0xFFFFFF00; /* the clock wraps while it runs */
    device->start(&port, now, 12345, TDP_BOOT_CAUSE_POWER_ON);
    if ((manner & FULL) != 0) {
        fill_memory(device);
        device->start(&port, now, 54321, TDP_BOOT_CAUSE_POWER_ON);
    }
    pass_time(device, 60);
    while (at < size) {
        uint8_t what = data[at++];
        size_t left = size - at;
        if (what < 0x80) {
            size_t count = what < left ? what : left;
            arrive(device, &data[at], count);
            at += count;
        } else if (what < 0xC0) {
            size_t count = (size_t)(what & 0x3F) < left ? (size_t)(what & 0x3F) : left;
            arrive_framed(device, &data[at], count);
            at += count;
        } else if (what < 0xE0) {
            pass_time(device, (what & 0x1FU) + 1);
        } else if (what < 0xF0) {
            (void)device_hear(device, acts[what & 0x0F]);
#if TDP_SEAL
            (void)device_hear(device, of_seal[what & 3]);
#endif
            tdp_tick(device->link, now);
        } else {
            device->start(&port, now, heard, TDP_BOOT_CAUSE_POWER_ON);
        }
    }
    pass_time(device, 100);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 0) {
        manner = data[0] / DEVICE_COUNT % 8;
        run(devices[data[0] % DEVICE_COUNT], data + 1, size - 1);
    }
    return 0;
}
