/* SPDX-License-Identifier: Apache-2.0 */
/* States and motions. The state follows from what lies where, what moves and what is latched; motions begin in one place,
   so that nothing moves while the door is open, the lamp is lit or the host is lost. */
#include "shuffler.h"

#include "frame.h"

#define RECOVERY_TRIES 3U

static const uint32_t motion_takes[] = {[MOTION_NONE] = 0U, [MOTION_BOOT] = 2000U, [MOTION_TEST] = 1500U,
                                        [MOTION_DISPENSE] = 400U, [MOTION_RECOVER] = 800U, [MOTION_DUMP] = 900U};
static const uint8_t motion_states[] = {[MOTION_NONE] = 0U,
                                        [MOTION_BOOT] = TDP_SHUFFLER_STATE_BOOT,
                                        [MOTION_TEST] = TDP_SHUFFLER_STATE_SELF_TEST,
                                        [MOTION_DISPENSE] = TDP_SHUFFLER_STATE_DISPENSING,
                                        [MOTION_RECOVER] = TDP_SHUFFLER_STATE_RECOVERING,
                                        [MOTION_DUMP] = TDP_SHUFFLER_STATE_DUMPING};
static const uint32_t stage_takes[] = {
    [STAGE_NONE] = 0U, [STAGE_FEED] = 1000U, [STAGE_SHUFFLE] = 30000U, [STAGE_VERIFY] = 3000U};
static const uint8_t stage_states[] = {[STAGE_NONE] = 0U,
                                       [STAGE_FEED] = TDP_SHUFFLER_STATE_LOADED,
                                       [STAGE_SHUFFLE] = TDP_SHUFFLER_STATE_SHUFFLING,
                                       [STAGE_VERIFY] = TDP_SHUFFLER_STATE_VERIFYING};

/* ------------------------------------------------------------------ cards */

uint8_t shuffler_count(const struct shuffler *shuffler, enum shuffler_bay bay)
{
    return (uint8_t)(shuffler->bays->cards[bay][0] + shuffler->bays->cards[bay][1]);
}

static uint8_t deck_in(const struct shuffler *shuffler, enum shuffler_bay bay)
{
    return shuffler->bays->cards[bay][0] > 0U ? 1U : 2U;
}

/* Move so many cards, or as many as there are. */
static uint8_t move(struct shuffler *shuffler, enum shuffler_bay from, enum shuffler_bay to, uint8_t count)
{
    uint8_t moved = 0U;
    for (uint8_t deck = 0U; deck < SHUFFLER_DECKS; deck++) {
        while (moved < count && shuffler->bays->cards[from][deck] > 0U) {
            shuffler->bays->cards[from][deck]--;
            shuffler->bays->cards[to][deck]++;
            moved++;
        }
    }
    return moved;
}

static uint8_t take_all(struct shuffler *shuffler, enum shuffler_bay bay)
{
    uint8_t count = shuffler_count(shuffler, bay);
    for (uint8_t deck = 0U; deck < SHUFFLER_DECKS; deck++) {
        shuffler->bays->cards[bay][deck] = 0U;
    }
    return count;
}

static uint16_t dispensed(const struct shuffler_round *round)
{
    uint16_t sum = 0U;
    for (uint8_t i = 0U; i < round->count; i++) {
        sum = (uint16_t)(sum + round->packets[i]);
    }
    return sum;
}

/* Cards that must be inside still if none is lost. */
static uint16_t left(const struct shuffler_round *round)
{
    return (uint16_t)(round->loaded - dispensed(round) - round->rejected);
}

/* ------------------------------------------------------------------ saying it */

void shuffler_say(struct shuffler *shuffler, uint16_t message, uint16_t request, const struct body *body)
{
    tdp_emit(shuffler->link, message, request, body->bytes, body->length);
}

static void say_fault(struct shuffler *shuffler, bool raised, uint16_t fault, uint16_t value)
{
    struct body body = body_new();
    body_u16(&body, fault);
    if (raised) {
        body_u8(&body, TDP_PLACE_SHUFFLER);
        body_u16(&body, value);
    }
    shuffler_say(shuffler, raised ? TDP_FAULT_RAISED : TDP_FAULT_CLEARED, 0U, &body);
}

static void say_lamp(struct shuffler *shuffler, bool lit, uint16_t fault, uint16_t request)
{
    struct body body = body_new();
    body_u8(&body, lit ? 1U : 0U);
    body_u16(&body, fault);
    shuffler_say(shuffler, TDP_RED_LAMP, request, &body);
}

static void say_byte(struct shuffler *shuffler, uint16_t message, uint8_t value)
{
    struct body body = body_new();
    body_u8(&body, value);
    shuffler_say(shuffler, message, 0U, &body);
}

/* What the book says of the deck in use: the round's, or the one that is ready. */
static struct shuffler_round book(const struct shuffler *shuffler)
{
    struct shuffler_round round = shuffler->kept->round;
    if (!shuffler->kept->dealing) {
        round.deck = shuffler->verified_deck;
        round.loaded = shuffler->verified_deck > 0U ? shuffler->verified_cards : 0U;
        round.count = 0U;
        round.rejected = 0U;
        round.remainder = SHUFFLER_NOT_COUNTED;
    }
    return round;
}

/* More packets than a record has room for are left out: a deck has as many only when each is a card. */
static void say_misdeal(struct shuffler *shuffler, uint16_t fault)
{
    struct shuffler_round round = book(shuffler);
    uint8_t shown = round.count < 35U ? round.count : 35U;
    struct body body = body_new();
    body_u8(&body, round.deck);
    body_u16(&body, fault);
    body_u16(&body, round.loaded);
    body_u16(&body, round.remainder);
    body_u8(&body, round.rejected);
    body_u8(&body, shown);
    for (uint8_t i = 0U; i < shown; i++) {
        body_u8(&body, shuffler->kept->packet_size);
        body_u8(&body, round.packets[i]);
    }
    shuffler_say(shuffler, TDP_MISDEAL, 0U, &body);
}

/* Light the red lamp, which is latched. Only the first fault makes the record. */
void shuffler_alarm(struct shuffler *shuffler, uint16_t fault, uint16_t value, uint16_t request)
{
    struct shuffler_kept *kept = shuffler->kept;
    say_fault(shuffler, true, fault, value);
    if (kept->latched_count < SHUFFLER_LATCHED) {
        kept->latched[kept->latched_count] = fault;
        kept->latched_count++;
    }
    if (kept->latched_count == 1U) {
        say_lamp(shuffler, true, fault, request);
        say_misdeal(shuffler, fault);
    }
}

/* ------------------------------------------------------------------ states */

static uint32_t hastened(const struct shuffler *shuffler, uint32_t ms)
{
    return shuffler->bays->speed > 1U ? ms / shuffler->bays->speed : ms;
}

void shuffler_begin(struct shuffler *shuffler, enum shuffler_motion motion)
{
    shuffler->motion = motion;
    shuffler->motion_ms = shuffler->now_ms;
    shuffler->motion_takes = hastened(shuffler, motion_takes[motion]);
}

static void begin_stage(struct shuffler *shuffler, enum shuffler_stage stage)
{
    shuffler->stage = stage;
    shuffler->stage_ms = shuffler->now_ms;
    shuffler->stage_takes = hastened(shuffler, stage_takes[stage]);
    if (stage == STAGE_SHUFFLE) {
        say_byte(shuffler, TDP_SHUFFLE_STARTED, deck_in(shuffler, BAY_CHAMBER));
    }
}

static bool held_back(const struct shuffler *shuffler)
{
    return shuffler->door_open || shuffler->kept->latched_count > 0U || shuffler->locked || shuffler->in_setup ||
           shuffler->host_lost || shuffler->sensor_failed;
}

/* The next deck, once the chamber is free of the last one. */
static void prepare(struct shuffler *shuffler)
{
    const struct shuffler_kept *kept = shuffler->kept;
    if (kept->dealing && kept->round.remainder == SHUFFLER_NOT_COUNTED) {
        return;
    }
    if (shuffler_count(shuffler, BAY_CHAMBER) > 0U) {
        begin_stage(shuffler, STAGE_SHUFFLE);
    } else if (shuffler_count(shuffler, BAY_INPUT) > 0U) {
        begin_stage(shuffler, STAGE_FEED);
    } else {
        /* there is none */
    }
}

static uint8_t state_at_rest(const struct shuffler *shuffler)
{
    const struct shuffler_kept *kept = shuffler->kept;
    uint8_t state = TDP_SHUFFLER_STATE_EMPTY;
    if (kept->latched_count > 0U) {
        state = TDP_SHUFFLER_STATE_MISDEAL;
    } else if (shuffler->sensor_failed) {
        state = TDP_SHUFFLER_STATE_FAULT;
    } else if (shuffler->locked) {
        state = TDP_SHUFFLER_STATE_LOCKED;
    } else if (shuffler->in_setup) {
        state = TDP_SHUFFLER_STATE_SETUP;
    } else if (shuffler->host_lost && (kept->dealing || shuffler->stage == STAGE_NONE)) {
        state = TDP_SHUFFLER_STATE_SAFE;
    } else if (kept->dealing) {
        state = kept->round.remainder == SHUFFLER_NOT_COUNTED ? TDP_SHUFFLER_STATE_PACKET_WAIT
                                                              : TDP_SHUFFLER_STATE_REMAINDER_WAIT;
    } else if (shuffler->stage != STAGE_NONE) {
        state = stage_states[shuffler->stage];
    } else if (shuffler->verified_deck > 0U) {
        state = TDP_SHUFFLER_STATE_READY;
    } else {
        /* nothing is in it */
    }
    return state;
}

static uint8_t target(const struct shuffler *shuffler)
{
    uint8_t state;
    if (shuffler->motion == MOTION_BOOT || shuffler->motion == MOTION_TEST) {
        state = motion_states[shuffler->motion];
    } else if (shuffler->door_open) {
        state = TDP_SHUFFLER_STATE_OPEN;
    } else if (shuffler->motion != MOTION_NONE) {
        state = motion_states[shuffler->motion];
    } else {
        state = state_at_rest(shuffler);
    }
    return state;
}

/* Begin what is due and allowed, then show the state that follows. */
void shuffler_settle(struct shuffler *shuffler, uint16_t request)
{
    if (shuffler->motion == MOTION_NONE && !held_back(shuffler)) {
        if (shuffler->owed != MOTION_NONE && shuffler->kept->dealing) {
            shuffler_begin(shuffler, shuffler->owed);
            shuffler->owed = MOTION_NONE;
        } else if (shuffler->stage == STAGE_NONE && shuffler->verified_deck == 0U) {
            prepare(shuffler);
        } else {
            /* nothing is due */
        }
    }
    uint8_t now = target(shuffler);
    if (now != shuffler->state) {
        struct body body = body_new();
        body_u8(&body, now);
        body_u8(&body, shuffler->state);
        shuffler->state = now;
        shuffler_say(shuffler, TDP_STATE_CHANGED, request, &body);
    }
}

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

static void owe_next(struct shuffler *shuffler)
{
    const struct shuffler_kept *kept = shuffler->kept;
    if (shuffler->owed == MOTION_NONE && left(&kept->round) >= kept->packet_size) {
        shuffler->owed = MOTION_DISPENSE;
    }
}

static void report_packet(struct shuffler *shuffler, uint8_t counted)
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
    body_u8(&body, 0U); /* no faces: it does not recognise them */
    shuffler_say(shuffler, TDP_PACKET_DISPENSED, request, &body);
}

/* Cards that go into the reject tray, or nowhere. */
static void go_astray(struct shuffler *shuffler, const struct shuffler_mishap *mishap)
{
    struct shuffler_round *round = &shuffler->kept->round;
    uint8_t rejected = move(shuffler, BAY_CHAMBER, BAY_REJECT, mishap->rejected);
    for (uint8_t i = 0U; i < rejected; i++) {
        struct body body = body_new();
        round->rejected++;
        body_u8(&body, round->deck);
        body_u8(&body, TDP_CARD_NONE);
        body_u16(&body, TDP_FAULT_FLIPPED_CARD);
        shuffler_say(shuffler, TDP_CARD_REJECTED, 0U, &body);
    }
    (void)move(shuffler, BAY_CHAMBER, BAY_STUCK, (uint8_t)(mishap->slipped + mishap->lost));
}

static void packet_out(struct shuffler *shuffler, uint8_t ordinal, const struct shuffler_mishap *mishap)
{
    uint8_t size = shuffler->kept->packet_size;
    int16_t wanted = (int16_t)(size + mishap->by);
    uint8_t counted;
    shuffler->tries = 0U;
    forget_mishap(shuffler, ordinal);
    go_astray(shuffler, mishap);
    counted = move(shuffler, BAY_CHAMBER, BAY_TRAY, wanted > 0 ? (uint8_t)wanted : 0U);
    counted = mishap->unnoticed ? size : counted;
    report_packet(shuffler, counted);
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
            say_fault(shuffler, true, TDP_FAULT_EXIT_JAM, 1U);
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
        say_fault(shuffler, false, TDP_FAULT_EXIT_JAM, 0U);
        shuffler_begin(shuffler, MOTION_DISPENSE);
    } else if (shuffler->tries < RECOVERY_TRIES) {
        shuffler_begin(shuffler, MOTION_RECOVER);
    } else {
        /* who acknowledges the lamp has pulled the cards free, so the next try succeeds */
        shuffler->tries = mishap.tries;
        shuffler->owed = shuffler->owed == MOTION_NONE ? MOTION_DISPENSE : shuffler->owed;
        shuffler_alarm(shuffler, TDP_FAULT_EXIT_JAM, RECOVERY_TRIES, 0U);
    }
    shuffler_settle(shuffler, 0U);
}

/* The remainder, with a packet that nobody lifted: only what was lifted is dealt. */
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
    expected = left(round);
    (void)move(shuffler, BAY_CHAMBER, BAY_TRAY, shuffler_count(shuffler, BAY_CHAMBER));
    round->remainder = shuffler_count(shuffler, BAY_TRAY);
    body_u8(&body, round->deck);
    body_u16(&body, expected);
    body_u16(&body, round->remainder);
    shuffler_say(shuffler, TDP_REMAINDER_DUMPED, request, &body);
    if (round->remainder != expected) {
        shuffler_alarm(shuffler, TDP_FAULT_REMAINDER_COUNT_WRONG, round->remainder, 0U);
    } else if (round->remainder == 0U) {
        shuffler->kept->dealing = false;
    } else {
        /* it waits to be lifted */
    }
    shuffler_settle(shuffler, 0U);
}

static void end_test(struct shuffler *shuffler)
{
    const struct shuffler_kept *kept = shuffler->kept;
    uint16_t request = shuffler->request;
    bool was_failed = shuffler->sensor_failed;
    bool known = false;
    shuffler->request = 0U;
    shuffler->sensor_failed = shuffler->sensor_blocked;
    if (shuffler->sensor_failed != was_failed) {
        say_fault(shuffler, shuffler->sensor_failed, TDP_FAULT_SENSOR_FAILED, 0U);
    }
    for (uint8_t i = 0U; i < kept->latched_count; i++) {
        known = known || kept->latched[i] == TDP_FAULT_POWER_LOST_MID_ROUND;
    }
    if (kept->dealing && !known) {
        shuffler_alarm(shuffler, TDP_FAULT_POWER_LOST_MID_ROUND, 0U, 0U);
    }
    shuffler_settle(shuffler, request);
}

static void end_motion(struct shuffler *shuffler)
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
    shuffler->verified_deck = deck_in(shuffler, BAY_CHAMBER);
    shuffler->verified_cards = counted;
    body_u8(&body, shuffler->verified_deck);
    body_u16(&body, expected);
    body_u16(&body, counted);
    shuffler_say(shuffler, TDP_DECK_VERIFIED, 0U, &body);
    if (counted != expected) {
        uint16_t fault = counted < expected ? TDP_FAULT_TOO_FEW_CARDS : TDP_FAULT_TOO_MANY_CARDS;
        shuffler_alarm(shuffler, fault, counted, 0U);
    }
    shuffler_settle(shuffler, 0U);
}

static void end_stage(struct shuffler *shuffler)
{
    if (shuffler->stage == STAGE_FEED) {
        (void)move(shuffler, BAY_INPUT, BAY_CHAMBER, shuffler_count(shuffler, BAY_INPUT));
        begin_stage(shuffler, STAGE_SHUFFLE);
        shuffler_settle(shuffler, 0U);
    } else if (shuffler->stage == STAGE_SHUFFLE) {
        begin_stage(shuffler, STAGE_VERIFY);
        shuffler_settle(shuffler, 0U);
    } else {
        end_verify(shuffler);
    }
}

/* ------------------------------------------------------------------ people */

bool shuffler_loaded(struct shuffler *shuffler, uint8_t deck)
{
    struct body body = body_new();
    body_u8(&body, deck);
    body_u8(&body, deck); /* its back: each has its own */
    shuffler_say(shuffler, TDP_DECK_LOADED, 0U, &body);
    shuffler_settle(shuffler, 0U);
    return true;
}

/* What the green button does, also when a command asks for it. */
bool shuffler_go_on(struct shuffler *shuffler, uint16_t request)
{
    struct shuffler_kept *kept = shuffler->kept;
    if (shuffler->state == TDP_SHUFFLER_STATE_READY && shuffler->verified_deck > 0U) {
        kept->round = book(shuffler);
        kept->dealing = true;
        shuffler->verified_deck = 0U;
        shuffler->owed = MOTION_DISPENSE;
    } else if (shuffler->state == TDP_SHUFFLER_STATE_PACKET_WAIT || shuffler->state == TDP_SHUFFLER_STATE_DISPENSING) {
        shuffler->owed = MOTION_DUMP;
    } else {
        return false;
    }
    shuffler->request = request;
    shuffler_settle(shuffler, 0U);
    return true;
}

bool shuffler_green(struct shuffler *shuffler)
{
    struct body body = body_new();
    shuffler_say(shuffler, TDP_GREEN_BUTTON, 0U, &body);
    return shuffler_go_on(shuffler, 0U);
}

/* A hand takes what has come out so far; the packet ends there. */
bool shuffler_grab(struct shuffler *shuffler)
{
    uint8_t size = shuffler->kept->packet_size;
    uint8_t share = (uint8_t)(2U * size / 3U);
    uint8_t taken;
    if (shuffler->motion != MOTION_DISPENSE) {
        return false;
    }
    taken = move(shuffler, BAY_CHAMBER, BAY_TRAY, share < size - 1U ? share : (uint8_t)(size - 1U));
    if (taken == 0U) {
        return false;
    }
    shuffler->motion = MOTION_NONE;
    report_packet(shuffler, taken);
    say_byte(shuffler, TDP_PACKET_LIFTED, shuffler->kept->round.count);
    (void)take_all(shuffler, BAY_TRAY);
    shuffler_alarm(shuffler, TDP_FAULT_PACKET_LIFTED_EARLY, taken, 0U);
    owe_next(shuffler);
    shuffler_settle(shuffler, 0U);
    return true;
}

bool shuffler_lift(struct shuffler *shuffler)
{
    struct shuffler_kept *kept = shuffler->kept;
    if (shuffler->motion == MOTION_DISPENSE) {
        return shuffler_grab(shuffler);
    }
    if (shuffler->motion == MOTION_DUMP || shuffler->motion == MOTION_RECOVER || take_all(shuffler, BAY_TRAY) == 0U) {
        return false;
    }
    if (kept->dealing && kept->round.remainder == SHUFFLER_NOT_COUNTED) {
        say_byte(shuffler, TDP_PACKET_LIFTED, kept->round.count);
        owe_next(shuffler);
        shuffler_settle(shuffler, 0U);
    } else if (kept->dealing) {
        say_byte(shuffler, TDP_REMAINDER_LIFTED, kept->round.deck);
        kept->dealing = false;
        shuffler_settle(shuffler, 0U);
    } else {
        /* it was left from before */
    }
    return true;
}

/* Every motion stops. One that was interrupted is done again from its start. */
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
    shuffler->stage = STAGE_NONE;
    shuffler->verified_deck = 0U;
}

bool shuffler_door(struct shuffler *shuffler, bool open)
{
    if (open == shuffler->door_open) {
        return false;
    }
    shuffler->door_open = open;
    say_byte(shuffler, TDP_DOOR_MOVED, open ? 1U : 0U);
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

/* After a wrong total, or power lost in mid-round, the device does not deal on: the deck comes out and is counted. */
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
    for (uint8_t deck = 0U; deck < SHUFFLER_DECKS; deck++) {
        const struct shuffler_bays *bays = shuffler->bays;
        if (bays->cards[BAY_CHAMBER][deck] + bays->cards[BAY_TRAY][deck] + bays->cards[BAY_STUCK][deck] +
                bays->cards[BAY_REJECT][deck] > 0) {
            say_byte(shuffler, TDP_DECK_REMOVED, (uint8_t)(deck + 1U));
        }
    }
    (void)take_all(shuffler, BAY_CHAMBER);
    (void)take_all(shuffler, BAY_TRAY);
    (void)take_all(shuffler, BAY_STUCK);
    (void)take_all(shuffler, BAY_REJECT);
    shuffler->kept->dealing = false;
    shuffler->verified_deck = 0U;
    shuffler->stage = STAGE_NONE;
    shuffler->owed = MOTION_NONE;
}

void shuffler_clear(struct shuffler *shuffler, uint32_t badge, uint8_t resolution, uint16_t request)
{
    struct shuffler_kept *kept = shuffler->kept;
    uint16_t first = kept->latched[0];
    struct body body = body_new();
    for (uint8_t i = 0U; i < kept->latched_count; i++) {
        say_fault(shuffler, false, kept->latched[i], 0U);
    }
    kept->latched_count = 0U;
    say_lamp(shuffler, false, first, 0U);
    body_u16(&body, first);
    body_u32(&body, badge);
    body_u8(&body, resolution);
    shuffler_say(shuffler, TDP_MISDEAL_CLEARED, request, &body);
    if (resolution == TDP_RESOLUTION_REMOVE_DECK) {
        take_out(shuffler);
    } else if (kept->dealing && kept->round.remainder == 0U) {
        kept->dealing = false; /* nothing lies in the tray that anybody could lift */
    } else {
        /* the deal goes on */
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

/* ------------------------------------------------------------------ the class */

static void start(void *device, uint32_t now_ms)
{
    struct shuffler *shuffler = device;
    if (shuffler->kept->game_cards == 0U) {
        shuffler->kept->game_cards = 52U;
        shuffler->kept->packet_size = 5U;
    }
    shuffler->now_ms = now_ms;
    shuffler->state = TDP_SHUFFLER_STATE_BOOT;
    shuffler_begin(shuffler, MOTION_BOOT);
}

static void tick(void *device, uint32_t now_ms)
{
    struct shuffler *shuffler = device;
    shuffler->now_ms = now_ms;
    if (shuffler->motion != MOTION_NONE && now_ms - shuffler->motion_ms >= shuffler->motion_takes) {
        end_motion(shuffler);
    }
    if (shuffler->stage != STAGE_NONE && now_ms - shuffler->stage_ms >= shuffler->stage_takes) {
        end_stage(shuffler);
    }
}

static void host(void *device, bool there)
{
    struct shuffler *shuffler = device;
    if (shuffler->host_lost == there) {
        shuffler->host_lost = !there;
        say_fault(shuffler, !there, TDP_FAULT_HOST_LOST, 0U);
        shuffler_settle(shuffler, 0U);
    }
}

static bool mid_round(const void *device)
{
    const struct shuffler *shuffler = device;
    return shuffler->kept->dealing;
}

static uint8_t lamps(const struct shuffler *shuffler)
{
    bool red = shuffler->kept->latched_count > 0U;
    bool green = shuffler->state == TDP_SHUFFLER_STATE_READY || shuffler->state == TDP_SHUFFLER_STATE_PACKET_WAIT;
    uint8_t lit = red ? (uint8_t)TDP_LAMP_RED : 0U;
    return green && !red ? (uint8_t)TDP_LAMP_GREEN : lit;
}

static uint8_t status(const void *device, uint8_t *out)
{
    const struct shuffler *shuffler = device;
    const struct shuffler_kept *kept = shuffler->kept;
    struct shuffler_round round = book(shuffler);
    uint8_t *at = out;
    *at++ = shuffler->state;
    *at++ = lamps(shuffler);
    *at++ = shuffler->door_open ? 1U : 0U;
    *at++ = round.deck;
    at = put_u16(at, round.loaded);
    *at++ = round.count;
    at = put_u16(at, dispensed(&round));
    *at++ = shuffler_count(shuffler, BAY_TRAY);
    at = put_u16(at, round.remainder == SHUFFLER_NOT_COUNTED ? 0U : round.remainder);
    *at++ = round.rejected;
    *at++ = (uint8_t)(kept->latched_count + (shuffler->sensor_failed ? 1U : 0U) + (shuffler->host_lost ? 1U : 0U));
    for (uint8_t i = 0U; i < kept->latched_count; i++) {
        at = put_u16(at, kept->latched[i]);
    }
    if (shuffler->sensor_failed) {
        at = put_u16(at, TDP_FAULT_SENSOR_FAILED);
    }
    if (shuffler->host_lost) {
        at = put_u16(at, TDP_FAULT_HOST_LOST);
    }
    return (uint8_t)(at - out);
}

const struct tdp_class shuffler_class = {
    .capabilities =
        (uint32_t)TDP_CAPABILITY_TWO_DECKS | (uint32_t)TDP_CAPABILITY_COUNTS_PACKETS | (uint32_t)TDP_CAPABILITY_HOST_LAMP,
    .kept_size = sizeof(struct shuffler_kept),
    .device_class = TDP_DEVICE_CLASS_SHUFFLER,
    .status_message = TDP_SHUFFLER_STATUS,
    .model = "tdp-shuffler",
    .start = start,
    .tick = tick,
    .obey = shuffler_obey,
    .host = host,
    .mid_round = mid_round,
    .status = status,
};
