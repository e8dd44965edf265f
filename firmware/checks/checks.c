/* SPDX-License-Identifier: Apache-2.0 */
#include "checks.h"

#include "store.h"

#ifndef SAID_MAX
#define SAID_MAX (1U << 22)
#endif

uint32_t check_now;
int check_failed;
uint8_t check_kept[TDP_MEMORY_BYTES];
struct check_work check_work;
void (*check_on_put)(uint32_t at, uint8_t byte);
void (*check_on_head)(void);
void (*check_on_barrier)(void);
uint16_t (*check_on_say)(uint8_t *frame, uint16_t length);

static uint8_t said[SAID_MAX];
static size_t said_count;
static uint16_t request;

static void put(void *context, uint8_t byte)
{
    (void)context;
    check_work.sent++;
    if (said_count < sizeof said) {
        said[said_count] = byte;
        said_count++;
    }
}

static const struct tdp_image image = {.bytes = (const uint8_t *)"1.0.0", .length = 5};

static void fetch(void *context, uint32_t at, uint8_t *bytes, uint32_t count)
{
    check_work.reads++;
    check_work.read += count;
    tdp_ram_read(context, at, bytes, count);
}

static void write(void *context, uint32_t at, const uint8_t *bytes, uint32_t count)
{
    check_work.written += count;
    for (uint32_t i = 0; i < count; i++) {
        ((uint8_t *)context)[at + i] = bytes[i];
        if (check_on_put != NULL) {
            check_on_put(at + i, bytes[i]);
        }
    }
    if (at < 2U * TDP_HEAD_BYTES && check_on_head != NULL) {
        check_on_head();
    }
}

static void barrier(void *context)
{
    (void)context;
    if (check_on_barrier != NULL) {
        check_on_barrier();
    }
}

const struct tdp_memory check_memory = {.read = fetch, .write = write, .barrier = barrier, .context = check_kept};
const struct device_port check_port = {.put = put, .identity = &port_identity, .memory = &check_memory, .image = &image};

void check_load(struct tdp_link *link, const struct tdp_class *type, void *kept)
{
    static const struct tdp_link none;
    *link = none;
    link->type = type;
    link->kept = kept;
    link->memory = &check_memory;
    store_load(link);
}

void check(bool holds, const char *what, long number)
{
    if (!holds) {
        check_failed = 1;
        (void)printf("does not hold: %s (%ld)\n", what, number);
    }
}

void check_run(const struct device *device, uint32_t ms)
{
    for (uint32_t i = 0; i < ms; i++) {
        check_now++;
        tdp_tick(device->link, check_now);
    }
}

void check_start(const struct device *device, uint32_t session, uint32_t ms)
{
    device->start(&check_port, check_now, session, TDP_BOOT_CAUSE_POWER_ON);
    check_run(device, ms);
}

void check_new(const struct device *device, uint32_t session, uint32_t ms)
{
    memset(check_kept, 0, sizeof check_kept);
    if (device->mechanism != NULL) {
        memset(device->mechanism, 0, device->mechanism_size);
    }
    check_start(device, session, ms);
}

void check_took(uint32_t since)
{
    uint32_t took = check_since(since);
    check_work.longest = took > check_work.longest ? took : check_work.longest;
}

static void hear(const struct device *device, uint8_t byte)
{
    uint32_t since = check_clock();
    tdp_byte(device->link, byte, check_now);
    check_took(since);
}

void check_say(const struct device *device, uint8_t kind, uint16_t id, uint16_t message, const uint8_t *payload,
               size_t length)
{
    uint8_t frame[TDP_FRAME_MAX] = {TDP_MAJOR, 0, kind, 0};
    size_t size = FRAME_HEADER + length;
    (void)put_u16(put_u16(&frame[4], id), message);
    memcpy(&frame[FRAME_HEADER], payload, length);
    size = check_on_say != NULL ? check_on_say(frame, (uint16_t)size) : size;
    (void)put_u32(&frame[size], tdp_crc(0, frame, size));
    size += FRAME_CHECK;
    for (uint16_t at = 0; at <= size; at++) {
        uint16_t group = frame_group(frame, at, (uint16_t)size);
        hear(device, (uint8_t)(group + 1));
        for (uint16_t i = 0; i < group; i++) {
            hear(device, frame[at + i]);
        }
        at = (uint16_t)(at + group);
    }
    hear(device, 0);
}

void check_open(const struct device *device, uint8_t role)
{
    uint8_t payload[7] = {0, 0, 0, 0, TDP_MAJOR, TDP_MINOR, role};
    (void)put_u32(payload, device->link->head.session);
    request++;
    check_say(device, TDP_KIND_COMMAND, request, TDP_OPEN_SESSION, payload, sizeof payload);
}

void check_read(const struct device *device, uint32_t session, uint32_t first)
{
    uint8_t payload[8];
    (void)put_u32(put_u32(payload, session), first);
    request++;
    check_say(device, TDP_KIND_COMMAND, request, TDP_READ_EVENTS, payload, sizeof payload);
}

void check_acknowledge(const struct device *device, uint32_t up_to)
{
    uint8_t payload[8];
    (void)put_u32(put_u32(payload, device->link->head.session), up_to);
    check_say(device, TDP_KIND_ACK, 0, TDP_ACK, payload, sizeof payload);
}

void check_do(const struct device *device, const char *act, int times)
{
    for (int i = 0; i < times; i++) {
        (void)device_hear(device, act);
    }
}

void check_heard(check_reader read)
{
    size_t at = 0;
    while (read != NULL && at < said_count) {
        uint8_t frame[TDP_ENCODED_MAX];
        size_t end = at;
        while (end < said_count && said[end] != 0) {
            end++;
        }
        if (end > at && end - at <= sizeof frame) {
            memcpy(frame, &said[at], end - at);
            uint16_t length = frame_unstuff(frame, (uint16_t)(end - at));
            check(frame_is_whole(frame, length), "the device sends whole frames", (long)length);
            read(frame, length - FRAME_CHECK);
        }
        at = end + 1;
    }
    said_count = 0;
}

bool check_is_of(const uint8_t *frame, size_t length, uint32_t session)
{
    bool named = length >= FRAME_HEADER + 8 + 6 && frame[length - 6] == 1 && frame[length - 5] == 4;
    return frame[2] == TDP_KIND_EVENT && named && get_u32(&frame[length - 4]) == session;
}
