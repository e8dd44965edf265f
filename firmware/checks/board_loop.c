/* SPDX-License-Identifier: Apache-2.0 */
/* The board's own main loop over a UART in virtual time, 115,200 baud in both directions, with rings of 256 and FIFOs
   of 16 bytes. A host keeps two frames in flight forever, each answered by at least as many bytes; the watchdog must
   still be fed. */
#include <setjmp.h>

#include "checks.h"
#include "board.h"

#define DEVICE shoe_device
#define main board_main
#include "../port/bare/main.c"
#undef main

#define BYTE_MS (10000.0 / 115200.0)
#define WAITING 272U
#define BEGIN_MS 3000.0
#define END_MS 15000.0

static double now, arrives_ms, sent_ms, fed_ms, longest_ms;
static uint8_t flood[TDP_FRAME_MAX], waiting[WAITING];
static size_t flood_count, at;
static unsigned head, tail;
static double leaves_ms[65536];
static unsigned asked, answered;
static uint32_t answers;
static jmp_buf end;

static void advance(double to)
{
    while (arrives_ms <= to) {
        while (answered != asked && leaves_ms[answered & 65535U] <= arrives_ms) {
            answered++;
            answers++;
        }
        if (at < flood_count * (2 + (size_t)answers) && head - tail < WAITING) {
            waiting[head % WAITING] = flood[at % flood_count];
            head++;
            at++;
        }
        arrives_ms += BYTE_MS;
    }
    now = to > now ? to : now;
}

void board_start(void)
{
    now = sent_ms = fed_ms = longest_ms = 0;
    arrives_ms = BEGIN_MS;
    at = head = tail = asked = answered = answers = 0;
}

int16_t board_get(enum board_line line)
{
    int16_t byte = -1;
    if (line == BOARD_LINE_HOST) {
        advance(now + 0.002);
        longest_ms = now - fed_ms > longest_ms ? now - fed_ms : longest_ms;
        if (longest_ms > 8000 || now > END_MS) {
            longjmp(end, 1);
        }
        if (head != tail) {
            byte = waiting[tail % WAITING];
            tail++;
        }
    }
    return byte;
}

void board_put(enum board_line line, uint8_t byte)
{
    if (line == BOARD_LINE_HOST) {
        sent_ms = sent_ms < now ? now : sent_ms;
        advance(sent_ms - WAITING * BYTE_MS);
        sent_ms += BYTE_MS;
        if (byte == 0) {
            leaves_ms[asked & 65535U] = sent_ms;
            asked++;
        }
    }
}

uint32_t board_lost(enum board_line line)
{
    (void)line;
    return 0;
}

uint32_t board_ms(void)
{
    return (uint32_t)now;
}

void board_wait(void)
{
    advance(now + 0.1);
}

void board_feed(void)
{
    fed_ms = now;
}

bool board_was_watchdog(void)
{
    return false;
}

void board_stamp(void)
{
}

uint32_t board_noise(void)
{
    return 7U;
}

uint32_t board_random(void)
{
    return 5;
}

const struct tdp_memory *board_memory(void)
{
    return &check_memory;
}

const uint8_t *board_image(void)
{
    return flood;
}

#if TDP_SEAL
const struct tdp_own_keys *board_own_keys(void)
{
    return NULL;
}
#endif

uint32_t board_image_bytes(void)
{
    return sizeof flood;
}

uint32_t board_stack_used(void)
{
    return 0;
}

static void write_flood(uint8_t kind, uint16_t message, size_t length)
{
    uint8_t frame[64] = {TDP_MAJOR, 0, kind, 0, kind == TDP_KIND_COMMAND ? 9 : 0, 0, 0, 0, 1, 0, 1, 2, 'h'};
    size_t size = FRAME_HEADER + length;
    (void)put_u16(&frame[6], message);
    (void)put_u32(&frame[size], tdp_crc(0, frame, size));
    size += FRAME_CHECK;
    flood_count = 0;
    for (uint16_t from = 0; from <= size; from++) {
        uint16_t group = frame_group(frame, from, (uint16_t)size);
        flood[flood_count] = (uint8_t)(group + 1);
        memcpy(&flood[flood_count + 1], &frame[from], group);
        flood_count += group + 1U;
        from = (uint16_t)(from + group);
    }
    flood[flood_count] = 0;
    flood_count++;
}

static void flooded_by(uint8_t kind, uint16_t message, size_t length)
{
    write_flood(kind, message, length);
    if (setjmp(end) == 0) {
        (void)board_main();
    }
    check(longest_ms < 50, "milliseconds between two turns of the main loop", (long)longest_ms);
    check(answers > 100, "the host is answered", (long)answers);
}

int main(void)
{
    flooded_by(TDP_KIND_LINK, TDP_HELLO, 20);
    flooded_by(TDP_KIND_COMMAND, TDP_REPORT_STATUS, 0);
    flooded_by(TDP_KIND_LINK, 0x7777, 0);
    return check_failed;
}
