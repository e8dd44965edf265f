/* SPDX-License-Identifier: Apache-2.0 */
/* Ends of motions: packets and the remainder come out, a deck is taken in, shuffled and counted. */
#include "shuffler_parts.h"

#define RECOVERY_TRIES 3U

/* ------------------------------------------------------------------ packets */

static struct shuffler_mishap mishap_at(const struct shuffler *shuffler, uint8_t ordinal)
{
    struct shuffler_mishap found = {.armed = false};
    for (uint8_t i = 0U; i < SHUFFLER_MISHAPS; i++) {
        if (shuffler->mishaps[i].armed && shuffler->mishaps[i].ordinal == ordinal) {
            found = shuffler->mishaps[i];
        }
    }
    return found;
}

static void forget_mishap(struct shuffler *shuffler, uint8_t ordinal)
{
    for (uint8_t i = 0U; i < SHUFFLER_MISHAPS; i++) {
        if (shuffler->mishaps[i].ordinal == ordinal) {
            shuffler->mishaps[i].armed = false;
        }
    }
}

void shuffler_owe_next(struct shuffler *shuffler)
{
    const struct shuffler_kept *kept = shuffler->kept;
    if (shuffler->owed == MOTION_NONE && shuffler_left(&kept->round) >= kept->packet_size) {
        shuffler->owed = MOTION_DISPENSE;
    }
}

void shuffler_report_packet(struct shuffler *shuffler, uint8_t counted)
{
    struct shuffler_round *round = &shuffler->kept->round;
    struct body body = body_new();
    uint16_t request = shuffler->request;
    shuffler->request = 0U;
    if (round->count < SHUFFLER_PACKETS) {
        round->packets[round->count] = counted;
        round->count++;
    }
    body_u8(&body, round->deck);
    body_u8(&body, round->count);
    body_u8(&body, shuffler->kept->packet_size);
    body_u8(&body, counted);
    body_u8(&body, 0U); /* no faces: it does not read cards */
    shuffler_say(shuffler, TDP_PACKET_DISPENSED, request, &body);
}

/* Cards that go to the reject tray, or are lost. */
static void go_astray(struct shuffler *shuffler, const struct shuffler_mishap *mishap)
{
    struct shuffler_round *round = &shuffler->kept->round;
    uint8_t rejected = shuffler_move(shuffler, BAY_CHAMBER, BAY_REJECT, mishap->rejected);
    for (uint8_t i = 0U; i < rejected; i++) {
        struct body body = body_new();
        round->rejected++;
        body_u8(&body, round->deck);
        body_u8(&body, TDP_CARD_NONE);
        body_u16(&body, TDP_FAULT_FLIPPED_CARD);
        shuffler_say(shuffler, TDP_CARD_REJECTED, 0U, &body);
    }
    (void)shuffler_move(shuffler, BAY_CHAMBER, BAY_STUCK, (uint8_t)(mishap->slipped + mishap->lost));
}

static void packet_out(struct shuffler *shuffler, uint8_t ordinal, const struct shuffler_mishap *mishap)
{
    uint8_t size = shuffler->kept->packet_size;
    int16_t wanted = (int16_t)(size + mishap->by);
    uint8_t counted;
    shuffler->tries = 0U;
    forget_mishap(shuffler, ordinal);
    go_astray(shuffler, mishap);
    counted = shuffler_move(shuffler, BAY_CHAMBER, BAY_TRAY, wanted > 0 ? (uint8_t)wanted : 0U);
    counted = mishap->unnoticed ? size : counted;
    shuffler_report_packet(shuffler, counted);
    if (counted != size) {
        shuffler_alarm(shuffler, counted < size ? TDP_FAULT_PACKET_SHORT : TDP_FAULT_PACKET_LONG, counted, 0U);
    }
    if (mishap->lost > 0U) {
        shuffler_alarm(shuffler, TDP_FAULT_CARD_LOST, mishap->lost, 0U);
    }
    shuffler_settle(shuffler, 0U);
}

static void end_dispense(struct shuffler *shuffler)
{
    uint8_t ordinal = (uint8_t)(shuffler->kept->round.count + 1U);
    struct shuffler_mishap mishap = mishap_at(shuffler, ordinal);
    if (mishap.tries > shuffler->tries) {
        if (shuffler->tries == 0U) {
            tdp_count(shuffler->link, TDP_DEVICE_METER_JAMS, 1U);
            shuffler_say_fault(shuffler, true, TDP_FAULT_EXIT_JAM, 1U);
        }
        shuffler_begin(shuffler, MOTION_RECOVER);
        if (shuffler->request != 0U) {
            tdp_progress(shuffler->link, shuffler->request, 50U);
        }
        shuffler_settle(shuffler, 0U);
    } else {
        packet_out(shuffler, ordinal, &mishap);
    }
}

static void end_recover(struct shuffler *shuffler)
{
    struct shuffler_mishap mishap = mishap_at(shuffler, (uint8_t)(shuffler->kept->round.count + 1U));
    shuffler->tries++;
    if (shuffler->tries >= mishap.tries) {
        shuffler_say_fault(shuffler, false, TDP_FAULT_EXIT_JAM, 0U);
        shuffler_begin(shuffler, MOTION_DISPENSE);
    } else if (shuffler->tries < RECOVERY_TRIES) {
        shuffler_begin(shuffler, MOTION_RECOVER);
    } else {
        /* the person who acknowledges the lamp has freed the cards, so the next try succeeds */
        shuffler->tries = mishap.tries;
        shuffler->owed = shuffler->owed == MOTION_NONE ? MOTION_DISPENSE : shuffler->owed;
        shuffler_alarm(shuffler, TDP_FAULT_EXIT_JAM, RECOVERY_TRIES, 0U);
    }
    shuffler_settle(shuffler, 0U);
}

/* The remainder, including a packet that was not lifted: only lifted packets are dealt. */
static void end_dump(struct shuffler *shuffler)
{
    struct shuffler_round *round = &shuffler->kept->round;
    struct shuffler_mishap mishap = mishap_at(shuffler, 0U);
    struct body body = body_new();
    uint16_t request = shuffler->request;
    uint16_t expected;
    shuffler->request = 0U;
    if (shuffler_count(shuffler, BAY_TRAY) > 0U && round->count > 0U) {
        round->count--;
    }
    forget_mishap(shuffler, 0U);
    go_astray(shuffler, &mishap);
    expected = shuffler_left(round);
    (void)shuffler_move(shuffler, BAY_CHAMBER, BAY_TRAY, shuffler_count(shuffler, BAY_CHAMBER));
    round->remainder = shuffler_count(shuffler, BAY_TRAY);
    body_u8(&body, round->deck);
    body_u16(&body, expected);
    body_u16(&body, round->remainder);
    if (round->remainder == 0U && expected == 0U) {
        shuffler->kept->dealing = false; /* there is nothing to lift */
        tdp_count(shuffler->link, TDP_DEVICE_METER_ROUNDS, 1U);
    }
    shuffler_say(shuffler, TDP_REMAINDER_DUMPED, request, &body);
    if (round->remainder != expected) {
        shuffler_alarm(shuffler, TDP_FAULT_REMAINDER_COUNT_WRONG, round->remainder, 0U);
    }
    shuffler_settle(shuffler, 0U);
}

static void end_test(struct shuffler *shuffler)
{
    const struct shuffler_kept *kept = shuffler->kept;
    uint16_t request = shuffler->request;
    bool was_failed = shuffler->sensor_failed;
    shuffler->request = 0U;
    tdp_count(shuffler->link, TDP_DEVICE_METER_SELF_TESTS, 1U);
    shuffler->sensor_failed = shuffler->bays->sensor_blocked;
    if (shuffler->sensor_failed != was_failed) {
        shuffler_say_fault(shuffler, shuffler->sensor_failed, TDP_FAULT_SENSOR_FAILED, 0U);
    }
    if (kept->dealing && !shuffler_is_latched(kept, TDP_FAULT_POWER_LOST_MID_ROUND)) {
        shuffler_alarm(shuffler, TDP_FAULT_POWER_LOST_MID_ROUND, 0U, 0U);
    }
    shuffler_settle(shuffler, request);
}

void shuffler_end_motion(struct shuffler *shuffler)
{
    enum shuffler_motion motion = shuffler->motion;
    shuffler->motion = MOTION_NONE;
    if (motion == MOTION_BOOT) {
        shuffler_begin(shuffler, MOTION_TEST);
        shuffler_settle(shuffler, 0U);
    } else if (motion == MOTION_TEST) {
        end_test(shuffler);
    } else if (motion == MOTION_DISPENSE) {
        end_dispense(shuffler);
    } else if (motion == MOTION_RECOVER) {
        end_recover(shuffler);
    } else {
        end_dump(shuffler);
    }
}

/* ------------------------------------------------------------------ preparing a deck */

static void end_verify(struct shuffler *shuffler)
{
    uint16_t counted = shuffler_count(shuffler, BAY_CHAMBER);
    uint16_t expected = shuffler->kept->game_cards;
    struct body body = body_new();
    shuffler->stage = STAGE_NONE;
    shuffler->kept->shuffling = false;
    shuffler->verified_deck = shuffler_deck_in(shuffler, BAY_CHAMBER);
    shuffler->verified_cards = counted;
    body_u8(&body, shuffler->verified_deck);
    body_u16(&body, expected);
    body_u16(&body, counted);
    tdp_count(shuffler->link, counted == expected ? TDP_DEVICE_METER_SHUFFLES_DONE : TDP_DEVICE_METER_SHUFFLES_FAILED, 1U);
    tdp_count(shuffler->link, TDP_DEVICE_METER_CARDS_SHUFFLED, counted == expected ? counted : 0U);
    shuffler_say(shuffler, TDP_DECK_VERIFIED, 0U, &body);
    if (counted != expected) {
        uint16_t fault = counted < expected ? TDP_FAULT_TOO_FEW_CARDS : TDP_FAULT_TOO_MANY_CARDS;
        shuffler_alarm(shuffler, fault, counted, 0U);
    }
    shuffler_settle(shuffler, 0U);
}

void shuffler_end_stage(struct shuffler *shuffler)
{
    if (shuffler->stage == STAGE_FEED) {
        (void)shuffler_move(shuffler, BAY_INPUT, BAY_CHAMBER, shuffler_count(shuffler, BAY_INPUT));
        shuffler_begin_stage(shuffler, STAGE_SHUFFLE);
        shuffler_settle(shuffler, 0U);
    } else if (shuffler->stage == STAGE_SHUFFLE) {
        shuffler_begin_stage(shuffler, STAGE_VERIFY);
        shuffler_settle(shuffler, 0U);
    } else {
        end_verify(shuffler);
    }
}
