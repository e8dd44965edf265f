/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of the link and the shuffler that random scripts do not reach: requests, refusals, texts, pieces that are no
   frame. */
#include "checks.h"
#include "shuffler.h"

static const struct device *const shuffler = &shuffler_device;
static uint16_t reason, dispensed_by, packets;
static uint8_t replied, text[32];
static uint16_t next_request = 1000;

static void read(const uint8_t *frame, size_t length)
{
    uint16_t message = get_u16(&frame[6]);
    (void)length;
    if (frame[2] == TDP_KIND_REPLY) {
        replied = frame[8];
        reason = get_u16(&frame[9]);
    } else if (frame[2] == TDP_KIND_EVENT && message == TDP_PACKET_DISPENSED) {
        dispensed_by = get_u16(&frame[4]);
    } else if (frame[2] == TDP_KIND_EVENT && message == TDP_MISDEAL) {
        packets = frame[24];
    } else if (frame[2] == TDP_KIND_EVENT && message == TDP_GAME_SELECTED) {
        memcpy(text, &frame[20], sizeof text);
    } else {
        /* not requested */
    }
}

static uint16_t ask(uint16_t message, const uint8_t *payload, size_t length)
{
    next_request++;
    check_heard(NULL);
    check_say(shuffler, TDP_KIND_COMMAND, next_request, message, payload, length);
    check_heard(read);
    return reason;
}

/* Acknowledge, so that the next output is new. */
static void run(uint32_t ms)
{
    for (uint32_t i = 0; i < ms; i += 10) {
        check_run(shuffler, 10);
        check_acknowledge(shuffler, shuffler->link->head.last);
    }
    check_heard(read);
}

static void ready(void)
{
    check_new(shuffler, 5, 10);
    check_do(shuffler, "speed 100", 1);
    check_run(shuffler, 3600);
    check_open(shuffler, TDP_ROLE_SERVICE);
    check_do(shuffler, "load 0 0", 1);
    run(1000);
}

static void green_takes_no_request_away(void)
{
    ready();
    check_do(shuffler, "speed 1", 1);
    check(ask(TDP_DISPENSE, text, 0) == TDP_REASON_NONE, "a packet is requested", reason);
    run(100);
    check_do(shuffler, "green", 1);
    dispensed_by = 0;
    run(1000);
    check(dispensed_by == next_request, "the requested packet has the request id", dispensed_by);
}

static void busy_or_in_the_wrong_state(void)
{
    uint8_t fault[2] = {505 & 0xFF, 505 >> 8};
    uint8_t clear[5] = {1, 0, 0, 0, TDP_RESOLUTION_RESUME};
    ready();
    check(ask(TDP_CLEAR_MISDEAL, clear, sizeof clear) == TDP_REASON_WRONG_STATE, "nothing moves: WRONG_STATE", reason);
    check_do(shuffler, "speed 1", 1);
    (void)ask(TDP_DISPENSE, text, 0);
    check(ask(TDP_CLEAR_MISDEAL, clear, sizeof clear) == TDP_REASON_BUSY, "a motor runs: BUSY", reason);
    check_start(shuffler, 6, 1);
    check_open(shuffler, TDP_ROLE_SERVICE);
    check(ask(TDP_RAISE_LAMP, fault, sizeof fault) == TDP_REASON_BUSY, "it starts: BUSY", reason);
}

static void a_text_ends_at_its_zero(void)
{
    uint8_t game[36] = {5, 52, 0, 0, 'a', 0, 'z', ' '};
    ready();
    check(ask(TDP_SELECT_GAME, game, sizeof game) == TDP_REASON_NONE, "the game is selected", reason);
    run(10);
    check(text[0] == 'a' && text[1] == 0 && text[2] == 0 && text[3] == 0, "nothing follows a text", text[2]);
}

static void a_misdeal_tells_every_packet(void)
{
    uint8_t game[36] = {1, 56, 0, 4, 'x'};
    uint8_t fault[2] = {505 & 0xFF, 505 >> 8};
    check_new(shuffler, 5, 10);
    check_do(shuffler, "speed 100", 1);
    check_run(shuffler, 3600);
    check_open(shuffler, TDP_ROLE_SERVICE);
    (void)ask(TDP_SELECT_GAME, game, sizeof game);
    check_do(shuffler, "load 0 0", 1);
    run(1000);
    check_do(shuffler, "green", 1);
    for (int i = 0; i < 55; i++) {
        run(20);
        check_do(shuffler, "lift", 1);
    }
    run(20);
    (void)ask(TDP_RAISE_LAMP, fault, sizeof fault);
    run(20);
    check(packets == 56, "a misdeal reports every packet", packets);
}

static void what_is_no_frame_is_counted(void)
{
    struct tdp_link *link = shuffler->link;
    ready();
    uint32_t before = link->dropped;
    for (int i = 0; i < 1000; i++) {
        tdp_byte(link, 0x41, check_now);
    }
    tdp_byte(link, 0, check_now);
    check(link->dropped == before + 1, "a fragment too long for a frame, once", (long)link->dropped);
    tdp_byte(link, 0x41, check_now);
    check_run(shuffler, 51);
    check(link->dropped == before + 2, "a fragment ended by silence", (long)link->dropped);
    tdp_byte(link, 0x41, check_now);
    tdp_byte(link, 0, check_now);
    tdp_byte(link, 0, check_now);
    check(link->dropped == before + 3, "a fragment that is neither a frame nor an idle zero", (long)link->dropped);
}

static void a_nak_is_no_sign_of_life(void)
{
    uint8_t payload[2] = {TDP_REASON_UNKNOWN_COMMAND, 0};
    ready();
    check_run(shuffler, 3100);
    check(shuffler->link->lost, "the host is lost", 0);
    check_say(shuffler, TDP_KIND_NAK, 0, 0x7777, payload, sizeof payload);
    check(shuffler->link->lost, "a NAK, which may be its own, does not restore the host", 0);
    check_acknowledge(shuffler, 1);
    check(!shuffler->link->lost, "an ACK does", 0);
}

static void an_id_is_new_after_a_time_and_stays_so(void)
{
    uint8_t lock[1] = {0};
    ready();
    (void)ask(TDP_SET_LOCK, lock, sizeof lock);
    check_run(shuffler, 10000);
    check_now -= 10000; /* as if all but these of 2^32 ms had passed */
    lock[0] = 1;
    check_open(shuffler, TDP_ROLE_SERVICE);
    check_heard(NULL);
    check_say(shuffler, TDP_KIND_COMMAND, next_request, TDP_SET_LOCK, lock, sizeof lock);
    check_heard(read);
    check(replied == TDP_STATUS_DONE, "its id is new", reason);
}

static void no_more_is_granted_than_it_is_set_up_for(void)
{
    static struct tdp_identity identity;
    struct device_port port = check_port;
    identity = *check_port.identity;
    identity.grants = TDP_ROLE_OPERATE;
    port.identity = &identity;
    shuffler->start(&port, check_now, 9, TDP_BOOT_CAUSE_POWER_ON);
    check_heard(NULL);
    check_open(shuffler, TDP_ROLE_SERVICE);
    check_heard(read);
    check(reason == TDP_REASON_NOT_PERMITTED, "a role above the configured one is refused", reason);
    check_open(shuffler, TDP_ROLE_OPERATE);
    check_heard(read);
    check(replied == TDP_STATUS_DONE, "the configured role is granted", reason);
}

int main(void)
{
    green_takes_no_request_away();
    busy_or_in_the_wrong_state();
    a_text_ends_at_its_zero();
    a_misdeal_tells_every_packet();
    what_is_no_frame_is_counted();
    a_nak_is_no_sign_of_life();
    an_id_is_new_after_a_time_and_stays_so();
    no_more_is_granted_than_it_is_set_up_for();
    return check_failed;
}
