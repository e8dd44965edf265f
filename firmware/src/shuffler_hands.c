/* SPDX-License-Identifier: Apache-2.0 */
/* People's actions at the shuffler: decks, the green button, the tray, the door, and the key that clears a misdeal. */
#include "shuffler_parts.h"

/* ------------------------------------------------------------------ people */

bool shuffler_loaded(struct shuffler *shuffler, uint8_t deck)
{
    struct body body = body_new();
    body_u8(&body, deck);
    body_u8(&body, deck); /* the back: each deck has its own */
    shuffler_say(shuffler, TDP_DECK_LOADED, 0U, &body);
    shuffler_settle(shuffler, 0U);
    return true;
}

/* Do what the green button does; a command calls this too. */
bool shuffler_go_on(struct shuffler *shuffler, uint16_t request)
{
    struct shuffler_kept *kept = shuffler->kept;
    bool moving = shuffler->state == TDP_SHUFFLER_STATE_DISPENSING;
    if (shuffler->state == TDP_SHUFFLER_STATE_READY && shuffler->verified_deck > 0U) {
        kept->round = shuffler_book(shuffler);
        kept->dealing = true;
        shuffler->verified_deck = 0U;
        shuffler->owed = MOTION_DISPENSE;
    } else if (shuffler->state == TDP_SHUFFLER_STATE_PACKET_WAIT || moving) {
        shuffler->owed = MOTION_DUMP;
    } else {
        return false;
    }
    if (!moving) {
        shuffler->request = request; /* otherwise the packet being dispensed still belongs to the earlier command */
    }
    shuffler_settle(shuffler, 0U);
    return true;
}

bool shuffler_green(struct shuffler *shuffler)
{
    struct body body = body_new();
    shuffler_say(shuffler, TDP_GREEN_BUTTON, 0U, &body);
    return shuffler_go_on(shuffler, 0U);
}

/* A hand takes the cards that came out so far; the packet ends there. */
bool shuffler_grab(struct shuffler *shuffler)
{
    uint8_t size = shuffler->kept->packet_size;
    uint8_t share = (uint8_t)(2U * size / 3U);
    uint8_t taken;
    if (shuffler->motion != MOTION_DISPENSE) {
        return false;
    }
    taken = shuffler_move(shuffler, BAY_CHAMBER, BAY_TRAY, share < size - 1U ? share : (uint8_t)(size - 1U));
    if (taken == 0U) {
        return false;
    }
    shuffler->motion = MOTION_NONE;
    shuffler_report_packet(shuffler, taken);
    shuffler_say_byte(shuffler, TDP_PACKET_LIFTED, shuffler->kept->round.count);
    (void)shuffler_take_all(shuffler, BAY_TRAY);
    shuffler_alarm(shuffler, TDP_FAULT_PACKET_LIFTED_EARLY, taken, 0U);
    shuffler_owe_next(shuffler);
    shuffler_settle(shuffler, 0U);
    return true;
}

bool shuffler_lift(struct shuffler *shuffler)
{
    struct shuffler_kept *kept = shuffler->kept;
    if (shuffler->motion == MOTION_DISPENSE) {
        return shuffler_grab(shuffler);
    }
    if (shuffler->motion == MOTION_DUMP || shuffler->motion == MOTION_RECOVER || shuffler_take_all(shuffler, BAY_TRAY) == 0U) {
        return false;
    }
    if (kept->dealing && kept->round.remainder == SHUFFLER_NOT_COUNTED) {
        shuffler_say_byte(shuffler, TDP_PACKET_LIFTED, kept->round.count);
        shuffler_owe_next(shuffler);
        shuffler_settle(shuffler, 0U);
    } else if (kept->dealing) {
        kept->dealing = false;
        shuffler_say_byte(shuffler, TDP_REMAINDER_LIFTED, kept->round.deck);
        shuffler_settle(shuffler, 0U);
    } else {
        /* left from before */
    }
    return true;
}

/* Stop every motion. An interrupted one starts over. */
static void stop_for_door(struct shuffler *shuffler)
{
    if (shuffler->kept->dealing) {
        if (shuffler->motion == MOTION_DUMP) {
            shuffler->owed = MOTION_DUMP;
        } else if (shuffler->motion == MOTION_DISPENSE || shuffler->motion == MOTION_RECOVER) {
            shuffler->owed = shuffler->owed == MOTION_NONE ? MOTION_DISPENSE : shuffler->owed;
        } else {
            /* none was interrupted */
        }
        shuffler_alarm(shuffler, TDP_FAULT_DOOR_OPENED_MID_ROUND, 0U, 0U);
    }
    if (shuffler->motion != MOTION_BOOT && shuffler->motion != MOTION_TEST) {
        shuffler->motion = MOTION_NONE;
    }
    shuffler_drop_stage(shuffler);
    shuffler->verified_deck = 0U;
}

bool shuffler_door(struct shuffler *shuffler, bool open)
{
    if (open == shuffler->bays->door_open) {
        return false;
    }
    shuffler->bays->door_open = open;
    shuffler_say_byte(shuffler, TDP_DOOR_MOVED, open ? 1U : 0U);
    if (open) {
        stop_for_door(shuffler);
    }
    shuffler_settle(shuffler, 0U);
    return true;
}

bool shuffler_setup(struct shuffler *shuffler, bool open)
{
    bool quiet = shuffler->state == TDP_SHUFFLER_STATE_EMPTY || shuffler->state == TDP_SHUFFLER_STATE_READY;
    if (open ? !quiet : shuffler->state != TDP_SHUFFLER_STATE_SETUP) {
        return false;
    }
    shuffler->in_setup = open;
    shuffler_settle(shuffler, 0U);
    return true;
}

/* ------------------------------------------------------------------ clearing a misdeal */

/* After a wrong total, or a power loss in the middle of a round, the device does not resume: the deck comes out and is
   counted. */
bool shuffler_may_clear(const struct shuffler *shuffler, uint8_t resolution)
{
    bool out = false;
    for (uint8_t i = 0U; i < shuffler->kept->latched_count; i++) {
        uint16_t fault = shuffler->kept->latched[i];
        out = out || fault == TDP_FAULT_TOO_FEW_CARDS || fault == TDP_FAULT_TOO_MANY_CARDS ||
              fault == TDP_FAULT_POWER_LOST_MID_ROUND;
    }
    return shuffler->state == TDP_SHUFFLER_STATE_MISDEAL && !(out && resolution == TDP_RESOLUTION_RESUME);
}

static void take_out(struct shuffler *shuffler)
{
    bool there[SHUFFLER_DECKS];
    for (uint8_t deck = 0U; deck < SHUFFLER_DECKS; deck++) {
        const struct shuffler_bays *bays = shuffler->bays;
        there[deck] = bays->cards[BAY_CHAMBER][deck] + bays->cards[BAY_TRAY][deck] + bays->cards[BAY_STUCK][deck] +
                          bays->cards[BAY_REJECT][deck] > 0;
    }
    (void)shuffler_take_all(shuffler, BAY_CHAMBER);
    (void)shuffler_take_all(shuffler, BAY_TRAY);
    (void)shuffler_take_all(shuffler, BAY_STUCK);
    (void)shuffler_take_all(shuffler, BAY_REJECT);
    shuffler->kept->dealing = false;
    shuffler->verified_deck = 0U;
    shuffler_drop_stage(shuffler);
    shuffler->owed = MOTION_NONE;
    for (uint8_t deck = 0U; deck < SHUFFLER_DECKS; deck++) {
        if (there[deck]) {
            shuffler_say_byte(shuffler, TDP_DECK_REMOVED, (uint8_t)(deck + 1U));
        }
    }
}

void shuffler_clear(struct shuffler *shuffler, uint32_t badge, uint8_t resolution, uint16_t request)
{
    struct shuffler_kept *kept = shuffler->kept;
    uint16_t first = kept->latched[0];
    struct body body = body_new();
    for (uint8_t i = 0U; i < kept->latched_count; i++) {
        shuffler_say_fault(shuffler, false, kept->latched[i], 0U);
    }
    kept->latched_count = 0U;
    shuffler_say_lamp(shuffler, false, first, 0U);
    body_u16(&body, first);
    body_u32(&body, badge);
    body_u8(&body, resolution);
    if (resolution == TDP_RESOLUTION_RESUME && kept->round.remainder == 0U) {
        kept->dealing = false; /* the tray is empty, so no lift will end the round */
    }
    shuffler_say(shuffler, TDP_MISDEAL_CLEARED, request, &body);
    if (resolution == TDP_RESOLUTION_REMOVE_DECK) {
        take_out(shuffler);
    }
    shuffler_settle(shuffler, 0U);
}

bool shuffler_key(struct shuffler *shuffler, uint8_t resolution)
{
    bool may = shuffler_may_clear(shuffler, resolution);
    if (may) {
        shuffler_clear(shuffler, 0U, resolution, 0U);
    }
    return may;
}
