/* SPDX-License-Identifier: Apache-2.0 */
/* States and motions. The state follows from the cards, the motion and the latched faults; motions begin in one place,
   so that nothing moves while the door is open, the lamp is lit or the host is lost. */
#include "frame.h"
#include "shuffler_parts.h"

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

void shuffler_begin_stage(struct shuffler *shuffler, enum shuffler_stage stage)
{
    shuffler->stage = stage;
    shuffler->stage_ms = shuffler->now_ms;
    shuffler->stage_takes = hastened(shuffler, stage_takes[stage]);
    if (stage == STAGE_SHUFFLE) {
        shuffler->kept->shuffling = true;
        shuffler_say_byte(shuffler, TDP_SHUFFLE_STARTED, shuffler_deck_in(shuffler, BAY_CHAMBER));
    }
}

void shuffler_drop_stage(struct shuffler *shuffler)
{
    tdp_count(shuffler->link, TDP_DEVICE_METER_SHUFFLES_FAILED, shuffler->kept->shuffling ? 1U : 0U);
    shuffler->kept->shuffling = false;
    shuffler->stage = STAGE_NONE;
}

static bool held_back(const struct shuffler *shuffler)
{
    return shuffler->bays->door_open || shuffler->kept->latched_count > 0U || shuffler->locked || shuffler->in_setup ||
           shuffler->host_lost || shuffler->sensor_failed;
}

/* Prepare the next deck, once the chamber is free of the last one. */
static void prepare(struct shuffler *shuffler)
{
    const struct shuffler_kept *kept = shuffler->kept;
    if (kept->dealing && kept->round.remainder == SHUFFLER_NOT_COUNTED) {
        return;
    }
    if (shuffler_count(shuffler, BAY_CHAMBER) > 0U) {
        shuffler_begin_stage(shuffler, STAGE_SHUFFLE);
    } else if (shuffler_count(shuffler, BAY_INPUT) > 0U) {
        shuffler_begin_stage(shuffler, STAGE_FEED);
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
    } else if (shuffler->bays->door_open) {
        state = TDP_SHUFFLER_STATE_OPEN;
    } else if (shuffler->motion != MOTION_NONE) {
        state = motion_states[shuffler->motion];
    } else {
        state = state_at_rest(shuffler);
    }
    return state;
}

/* Start what is due and allowed, then change to the resulting state. */
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

/* ------------------------------------------------------------------ the class */

static void start(void *device, uint32_t now_ms)
{
    struct shuffler *shuffler = device;
    if (shuffler->kept->game_cards == 0U) {
        static const struct shuffler_bays none;
        *shuffler->bays = none; /* no state was kept, so the bays have no meaning either */
        shuffler->kept->game_cards = 52U;
        shuffler->kept->packet_size = 5U;
    }
    shuffler_drop_stage(shuffler); /* the power failed during a shuffle */
    shuffler->now_ms = now_ms;
    shuffler->state = TDP_SHUFFLER_STATE_BOOT;
    shuffler_begin(shuffler, MOTION_BOOT);
}

static void tick(void *device, uint32_t now_ms)
{
    struct shuffler *shuffler = device;
    shuffler->now_ms = now_ms;
    if (shuffler->motion != MOTION_NONE && now_ms - shuffler->motion_ms >= shuffler->motion_takes) {
        shuffler_end_motion(shuffler);
    }
    if (shuffler->stage != STAGE_NONE && now_ms - shuffler->stage_ms >= shuffler->stage_takes) {
        shuffler_end_stage(shuffler);
    }
}

static void host(void *device, bool there)
{
    struct shuffler *shuffler = device;
    if (shuffler->host_lost == there) {
        shuffler->host_lost = !there;
        shuffler_say_fault(shuffler, !there, TDP_FAULT_HOST_LOST, 0U);
        shuffler_settle(shuffler, 0U);
    }
}

static bool opened(const void *device)
{
    const struct shuffler *shuffler = device;
    return shuffler->bays->door_open || shuffler->in_setup;
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
    struct shuffler_round round = shuffler_book(shuffler);
    bool failed = shuffler->sensor_failed && !shuffler_is_latched(kept, TDP_FAULT_SENSOR_FAILED); /* each once */
    bool lost = shuffler->host_lost && !shuffler_is_latched(kept, TDP_FAULT_HOST_LOST);
    uint8_t *at = out;
    *at++ = shuffler->state;
    *at++ = lamps(shuffler);
    *at++ = shuffler->bays->door_open ? 1U : 0U;
    *at++ = round.deck;
    at = put_u16(at, round.loaded);
    *at++ = round.count;
    at = put_u16(at, shuffler_dispensed(&round));
    *at++ = shuffler_count(shuffler, BAY_TRAY);
    at = put_u16(at, round.remainder == SHUFFLER_NOT_COUNTED ? 0U : round.remainder);
    *at++ = round.rejected;
    *at++ = (uint8_t)(kept->latched_count + (failed ? 1U : 0U) + (lost ? 1U : 0U));
    for (uint8_t i = 0U; i < kept->latched_count; i++) {
        at = put_u16(at, kept->latched[i]);
    }
    if (failed) {
        at = put_u16(at, TDP_FAULT_SENSOR_FAILED);
    }
    if (lost) {
        at = put_u16(at, TDP_FAULT_HOST_LOST);
    }
    return (uint8_t)(at - out);
}

static const struct tdp_meter meters[] = {
    {TDP_DEVICE_METER_ROUNDS, TDP_COMPONENT_DEVICE},
    {TDP_DEVICE_METER_PACKETS, TDP_COMPONENT_EXIT},
    {TDP_DEVICE_METER_CARDS, TDP_COMPONENT_EXIT},
    {TDP_DEVICE_METER_SHUFFLES_DONE, TDP_COMPONENT_COMPARTMENTS},
    {TDP_DEVICE_METER_SHUFFLES_FAILED, TDP_COMPONENT_COMPARTMENTS},
    {TDP_DEVICE_METER_CARDS_SHUFFLED, TDP_COMPONENT_COMPARTMENTS},
    {TDP_DEVICE_METER_DECKS, TDP_COMPONENT_FEED},
    {TDP_DEVICE_METER_JAMS, TDP_COMPONENT_EXIT},
    {TDP_DEVICE_METER_MISDEALS, TDP_COMPONENT_DEVICE},
    {TDP_DEVICE_METER_REJECTED_CARDS, TDP_COMPONENT_REJECT_TRAY},
    {TDP_DEVICE_METER_DOOR_OPENINGS, TDP_COMPONENT_DOOR},
    {TDP_DEVICE_METER_SELF_TESTS, TDP_COMPONENT_DEVICE},
    {TDP_DEVICE_METER_HOURS_POWERED, TDP_COMPONENT_DEVICE},
    {TDP_DEVICE_METER_POWER_CYCLES, TDP_COMPONENT_DEVICE},
    {TDP_DEVICE_METER_FAULTS, TDP_COMPONENT_DEVICE},
    {TDP_DEVICE_METER_COMMANDS_REFUSED, TDP_COMPONENT_LINK},
};

TDP_ASSERT(shuffler_fits, sizeof(struct shuffler_kept) <= TDP_KEPT_MAX && sizeof meters / sizeof meters[0] <= TDP_METERS_MAX);

const struct tdp_class shuffler_class = {
    .capabilities =
        (uint32_t)TDP_CAPABILITY_TWO_DECKS | (uint32_t)TDP_CAPABILITY_COUNTS_PACKETS | (uint32_t)TDP_CAPABILITY_HOST_LAMP,
    .kept_size = sizeof(struct shuffler_kept),
    .kept_version = 1U,
    .device_class = TDP_DEVICE_CLASS_SHUFFLER,
    .status_message = TDP_SHUFFLER_STATUS,
    .model = "tdp-shuffler",
    .meters = meters,
    .meter_count = sizeof meters / sizeof meters[0],
    .start = start,
    .tick = tick,
    .obey = shuffler_obey,
    .host = host,
    .mid_round = mid_round,
    .opened = opened,
    .status = status,
};
