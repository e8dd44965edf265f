/* SPDX-License-Identifier: Apache-2.0 */
/* The most that one call of tdp_byte, tdp_tick or a hand's act does, counted in what takes time on a board: bytes on the line,
   and reads and bytes of a store that lies behind a slow bus. README.md states these bounds to whoever plans a loop. */
#include "checks.h"

/* A host that reads all old events anew makes the place of the first be looked for, one read a record. */
#define RECORDS_MAX (TDP_STORE_BYTES / 9U)
#define EVENTS_AT_ONCE 12U
#define EVENT_BYTES (9U + TDP_EVENT_MAX + TDP_HEAD_BYTES)

static struct check_work most;
static const struct device *device;
static uint16_t id = 1;

static void begin(void)
{
    static const struct check_work none;
    check_work = none;
}

static void take_most(void)
{
    most.reads = check_work.reads > most.reads ? check_work.reads : most.reads;
    most.read = check_work.read > most.read ? check_work.read : most.read;
    most.written = check_work.written > most.written ? check_work.written : most.written;
    most.sent = check_work.sent > most.sent ? check_work.sent : most.sent;
}

static void tick(uint32_t times, uint32_t ms)
{
    for (uint32_t i = 0; i < times; i++) {
        check_now += ms;
        begin();
        tdp_tick(device->link, check_now);
        take_most();
    }
}

/* Only the last byte does anything, so all of a frame is as much as one call. */
static void ask(uint16_t message, const uint8_t *payload, size_t length)
{
    id++;
    begin();
    check_say(device, TDP_KIND_COMMAND, id, message, payload, length);
    take_most();
}

static void do_it(const char *act)
{
    begin();
    (void)device_hear(device, act);
    take_most();
}

static void read_from(uint32_t session, uint32_t first)
{
    uint8_t payload[8];
    (void)put_u32(put_u32(payload, session), first);
    ask(TDP_READ_EVENTS, payload, sizeof payload);
    tick(1, 1);
    tick(2, 260);
}

static void tell(const char *what)
{
    (void)printf("%s: %s: store %lu reads of %lu bytes, %lu written; line %lu bytes\n", device->name, what,
                 (unsigned long)most.reads, (unsigned long)most.read, (unsigned long)most.written,
                 (unsigned long)most.sent);
    check(most.written <= EVENTS_AT_ONCE * EVENT_BYTES, "written in one call", (long)most.written);
    check(most.sent <= (TDP_WINDOW + 3U) * TDP_ENCODED_MAX, "sent in one call", (long)most.sent);
    begin();
    most = check_work;
}

static void play(const struct device *which, const char *filling, const char *const *acts, size_t count)
{
    uint8_t none[1] = {0};
    device = which;
    check_new(device, 5, 6000);
    check_do(device, "speed 100", 1);
    check_do(device, filling, 1500);
    check_start(device, 6, 6000);
    check_do(device, filling, 700);
    check_open(device, TDP_ROLE_SERVICE);
    begin();
    most = check_work;
    for (size_t i = 0; i < count; i++) {
        do_it(acts[i]);
        check_acknowledge(device, device->link->head.last);
        tick(1, 1);
        tick(20, 50);
    }
    check(most.reads <= 64U, "a host that keeps up makes nothing be looked for", (long)most.reads);
    tell("at work");
    read_from(device->link->head.session, 1);
    check(most.reads <= 64U, "the first of what is kept is known", (long)most.reads);
    tell("reads this session from its beginning");
    read_from(device->link->head.session, device->link->head.last);
    check(most.reads <= RECORDS_MAX, "looked for, one read a record", (long)most.reads);
    tell("reads this session's last");
    read_from(5, 1);
    tick(400, 1);
    tell("reads the session before");
    ask(TDP_REPORT_STATUS, none, 0);
    ask(TDP_END_ROUND, none, 0);
    tell("asks for what is refused");
    check_heard(NULL);
}

static const char *const of_shoe[] = {"fill 1 30", "begin 2", "draw", "draw", "draw", "draw-unread", "clear-error", "draw",
                                      "push-back", "clear-error", "draw", "end-round", "empty"};
static const char *const of_shuffler[] = {"load 0 0", "green", "lift", "jam 0 4", "lift", "lift", "open-door", "close-door",
                                          "clear-remove", "load 0 0", "green", "lift"};
static const char *const of_controller[] = {"start-game", "wager 1 1 500", "hand-button 3", "end-game", "bet-on 2"};

int main(void)
{
    play(&shoe_device, "wrong-button", of_shoe, sizeof of_shoe / sizeof of_shoe[0]);
    play(&shuffler_device, "green", of_shuffler, sizeof of_shuffler / sizeof of_shuffler[0]);
    play(&controller_device, "spot 1", of_controller, sizeof of_controller / sizeof of_controller[0]);
    return check_failed;
}
