/* SPDX-License-Identifier: Apache-2.0 */
/* The GAT line under libFuzzer. The input is records: a byte of milliseconds that pass, a byte of which the low bit asks
   for a valid CRC, a length, and that many bytes. Every response must be a frame, and there is at most one a record. */
#include <stdlib.h>

#include "gat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t said[2U * GAT_FRAME_MAX];
static uint32_t said_count;

static void put(void *context, uint8_t byte)
{
    (void)context;
    if (said_count == sizeof said) {
        abort();
    }
    said[said_count] = byte;
    said_count++;
}

static uint32_t crc_of(const uint8_t *bytes, uint32_t count)
{
    uint32_t crc = 0xFFFFU;
    for (uint32_t i = 0U; i < 8U * count; i++) {
        uint32_t bit = (crc ^ ((uint32_t)bytes[i / 8U] >> (i % 8U))) & 1U;
        crc = (crc >> 1) ^ (bit * 0xA001U);
    }
    return crc;
}

/* Return false if the output is neither nothing nor one whole frame. */
static bool is_fine(void)
{
    if (said_count == 0U) {
        return true;
    }
    uint32_t crc = said_count < 4U ? 0U : crc_of(said, said_count - 2U);
    return said_count >= 5U && said[0] >= 0x81U && said[0] <= 0x84U && said[1] == said_count &&
           crc == ((uint32_t)said[said_count - 2U] << 8 | said[said_count - 1U]);
}

static void arrive(struct gat *gat, const uint8_t *bytes, uint32_t count, bool sealed, uint32_t now)
{
    uint32_t crc = crc_of(bytes, count);
    for (uint32_t i = 0U; i < count; i++) {
        gat_byte(gat, bytes[i], now);
        if (!is_fine()) {
            abort();
        }
        said_count = 0U;
    }
    if (sealed) {
        gat_byte(gat, (uint8_t)(crc >> 8), now);
        gat_byte(gat, (uint8_t)crc, now);
    }
    if (!is_fine()) {
        abort();
    }
    said_count = 0U;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t bytes[600] = {1U};
    static const struct tdp_image image = {.bytes = bytes, .length = sizeof bytes};
    static const struct gat_software software = {.game = "g", .manufacturer = "m", .component = "c", .image = &image};
    struct gat gat = {.software = &software, .put = put};
    uint32_t now = 0U;
    said_count = 0U;
    gat_start(&gat, now);
    for (size_t at = 0U; at + 3U <= size;) {
        size_t count = data[at + 2U];
        now += data[at];
        count = count < size - at - 3U ? count : size - at - 3U;
        gat_tick(&gat, now);
        arrive(&gat, &data[at + 3U], (uint32_t)count, (data[at + 1U] & 1U) != 0U, now);
        at += 3U + count;
    }
    return 0;
}
