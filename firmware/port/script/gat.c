/* SPDX-License-Identifier: Apache-2.0 */
/* gat-script: the device's end of a GAT line with a clock of its own, driven by a script as fast as possible. A record on
   standard input is a byte for its kind and then its fields, low byte first:
     N  count (u16), bytes: a new device with this image
     W  milliseconds (u16), times (u16): this time passes, with a tick after it; as often as this
     B  count (u16), bytes: they arrive
   The answer to each record, on standard output, is the device's output meanwhile: count (u32), bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gat.h"

#define COUNT_MAX 65536U

static struct gat gat;
static struct tdp_image image;
static uint8_t image_bytes[COUNT_MAX], arrived[COUNT_MAX];
static uint8_t said[1U << 20];
static uint32_t said_count, now;

static void put(void *context, uint8_t byte)
{
    (void)context;
    if (said_count == sizeof said) {
        exit(2);
    }
    said[said_count] = byte;
    said_count++;
}

static uint32_t take_number(void)
{
    uint8_t bytes[2];
    if (fread(bytes, 1, sizeof bytes, stdin) != sizeof bytes) {
        exit(2);
    }
    return bytes[0] | (uint32_t)bytes[1] << 8;
}

static uint32_t take_bytes(uint8_t *bytes)
{
    uint32_t count = take_number();
    if (fread(bytes, 1, count, stdin) != count) {
        exit(2);
    }
    return count;
}

static void new_device(void)
{
    static const struct gat_software software = {
        .game = "toy", .manufacturer = "dealwire", .component = "firmware 1.0.0", .image = &image};
    (void)memset(&gat, 0, sizeof gat);
    image.length = take_bytes(image_bytes);
    image.bytes = image_bytes;
    gat.software = &software;
    gat.put = put;
    gat_start(&gat, now);
}

static void wait_for(uint32_t milliseconds, uint32_t times)
{
    for (uint32_t i = 0U; i < times; i++) {
        now += milliseconds;
        gat_tick(&gat, now);
    }
}

int main(void)
{
    for (int kind = getchar(); kind != EOF; kind = getchar()) {
        said_count = 0U;
        if (kind == 'N') {
            new_device();
        } else if (kind == 'W') {
            uint32_t milliseconds = take_number();
            wait_for(milliseconds, take_number());
        } else if (kind == 'B') {
            uint32_t count = take_bytes(arrived);
            for (uint32_t i = 0U; i < count; i++) {
                gat_byte(&gat, arrived[i], now);
            }
        } else {
            return 2;
        }
        uint8_t size[4] = {(uint8_t)said_count, (uint8_t)(said_count >> 8), (uint8_t)(said_count >> 16), 0U};
        (void)fwrite(size, 1, sizeof size, stdout);
        (void)fwrite(said, 1, said_count, stdout);
        (void)fflush(stdout);
    }
    return 0;
}
