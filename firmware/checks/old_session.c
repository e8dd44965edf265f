/* SPDX-License-Identifier: Apache-2.0 */
/* Events of the previous session are read while the ring advances: each delivered event is unchanged, and the others
   are reported as lost. STATUS and new events are not delayed. */
#include "checks.h"

#define BEFORE 0x11111111U
#define AFTER 0x22222222U

static uint32_t expected, last, old, false_ones, gone, statuses;

/* Every event of the previous session is a green button, except the first few. */
static void read(const uint8_t *frame, size_t length)
{
    if (check_is_of(frame, length, BEFORE)) {
        old++;
        false_ones += get_u16(&frame[6]) == TDP_GREEN_BUTTON && length == 22 && get_u32(&frame[8]) == expected ? 0 : 1;
        expected = get_u32(&frame[8]) + 1;
    } else if (frame[2] == TDP_KIND_LINK && get_u16(&frame[6]) == TDP_GAP && get_u32(&frame[8]) == BEFORE) {
        gone += get_u32(&frame[16]) - get_u32(&frame[12]);
        check(get_u32(&frame[12]) == expected, "a GAP starts after the last event", (long)expected);
        expected = get_u32(&frame[16]);
        last = get_u32(&frame[20]);
    } else if (frame[2] == TDP_KIND_LINK && get_u16(&frame[6]) == TDP_SHUFFLER_STATUS) {
        statuses++;
    } else {
        /* of the next session */
    }
}

static const struct device *full_ring(void)
{
    const struct device *device = &shuffler_device;
    check_new(device, BEFORE, 5000);
    check_do(device, "green", 3000);
    check_start(device, AFTER, 5000);
    check_open(device, TDP_ROLE_SERVICE);
    check_run(device, 1);
    check_heard(NULL);
    expected = 1;
    last = old = false_ones = gone = statuses = 0;
    return device;
}

/* This many records of the new session come in every tick, and some before the first; they contain a request's id. */
static void overrun(uint16_t id, int before, int each)
{
    const struct device *device = full_ring();
    check_do(device, "open-door", 1);
    check_read(device, BEFORE, 1);
    for (int i = 0; i < 400; i++) {
        uint8_t game[36] = {5, 52, 0, 0, 'x'};
        if (i < before) {
            check_say(device, TDP_KIND_COMMAND, (uint16_t)(id - i), TDP_SELECT_GAME, game, sizeof game);
        }
        check_do(device, i % 2 > 0 ? "close-door" : "open-door", each);
        check_run(device, 1);
    }
    check_heard(read);
    check(false_ones == 0, "every old event is unchanged", (long)false_ones);
    check(expected == last + 1 && old + gone == last, "each old event comes or is reported lost", (long)(old + gone));
}

/* Bits of the ring flipped while the power was off: nothing is read or written outside. */
static void garbled(unsigned seed)
{
    const struct device *device = full_ring();
    srand(seed);
    for (int i = 0; i < 400; i++) {
        check_kept[2U * TDP_HEAD_BYTES + (unsigned)rand() % TDP_STORE_BYTES] = (uint8_t)rand();
    }
    check_read(device, BEFORE, 1);
    for (int i = 0; i < 1000; i++) {
        check_do(device, "green", 1);
        check_run(device, 1);
    }
    check_heard(NULL);
}

/* On a line at 115,200 baud the clock advances by the output of each tick. */
static void others_have_their_turn(void)
{
    const struct device *device = full_ring();
    uint32_t shown = check_now;
    uint32_t longest = 0;
    check_read(device, BEFORE, 1);
    while (device->link->old_next <= device->link->head.previous_last) {
        check_now += 25;
        tdp_tick(device->link, check_now);
        statuses = 0;
        check_heard(read);
        if (statuses > 0) {
            longest = check_now - shown > longest ? check_now - shown : longest;
            shown = check_now;
        }
    }
    longest = check_now - shown > longest ? check_now - shown : longest;
    check(longest <= 1200, "a STATUS each second while old events are read", (long)longest);
    check(false_ones == 0, "every old event is unchanged", (long)false_ones);
}

int main(void)
{
    overrun(0xFFFF, 1, 0);
    overrun(0x0101, 40, 1);
    overrun(0xFFFF, 400, 3);
    overrun(9, 0, 8);
    for (unsigned seed = 1; seed <= 10; seed++) {
        garbled(seed);
    }
    others_have_their_turn();
    return check_failed;
}
