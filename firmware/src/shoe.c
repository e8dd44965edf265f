/* SPDX-License-Identifier: Apache-2.0 */
/* States, the key, errors and the link's requests to the shoe. */
#include "frame.h"
#include "shoe_parts.h"

#define BOOT_MS 1500U

/* ------------------------------------------------------------------ reports */

void shoe_say(struct shoe *shoe, uint16_t message, const struct body *body)
{
    tdp_emit(shoe->link, message, shoe->request, body->bytes, body->length);
}

void shoe_say_ordinal(struct shoe *shoe, uint16_t message, uint32_t ordinal)
{
    struct body body = body_new();
    body_u16(&body, (uint16_t)ordinal);
    body_u8(&body, 1U);
    shoe_say(shoe, message, &body);
}

/* ------------------------------------------------------------------ states */

/* Derive the state from the cards and from what blocks the shoe; the first condition that applies decides. */
static uint8_t target(const struct shoe *shoe)
{
    const struct shoe_kept *kept = shoe->kept;
    uint8_t state = TDP_SHOE_STATE_STANDBY;
    if (shoe->booting) {
        state = TDP_SHOE_STATE_BOOT;
    } else if (kept->fault != 0U) {
        state = TDP_SHOE_STATE_ERROR;
    } else if (kept->locked) {
        state = TDP_SHOE_STATE_LOCKED;
    } else if (shoe->in_setup) {
        state = TDP_SHOE_STATE_SETUP;
    } else if (kept->loaded == 0U) {
        state = TDP_SHOE_STATE_EMPTY;
    } else if (!kept->begun) {
        state = TDP_SHOE_STATE_LOADED;
    } else if (kept->round) {
        state = kept->cut_card_seen ? TDP_SHOE_STATE_CUT_CARD_SEEN : TDP_SHOE_STATE_ROUND;
    } else if (kept->cut_card_seen) {
        /* the cut card came before a round's first card: that round is still dealt */
        state = shoe->state == TDP_SHOE_STATE_STANDBY ? TDP_SHOE_STATE_STANDBY : TDP_SHOE_STATE_SHOE_END;
    } else if (kept->burn_left > 0U) {
        state = TDP_SHOE_STATE_BURN;
    } else {
        /* standby */
    }
    return state;
}

void shoe_settle(struct shoe *shoe)
{
    uint8_t now = target(shoe);
    if (now == TDP_SHOE_STATE_SHOE_END && shoe->kept->burn_left > 0U) {
        shoe->kept->burn_left = 0U; /* the cut card came out among the burned cards: the shoe ends without a round */
        shoe_say_ended(shoe);
    }
    if (now != shoe->state) {
        struct body body = body_new();
        body_u8(&body, now);
        body_u8(&body, shoe->state);
        shoe->state = now;
        shoe_say(shoe, TDP_STATE_CHANGED, &body);
    }
}

bool shoe_halt(struct shoe *shoe, uint16_t fault)
{
    if (shoe->state == TDP_SHOE_STATE_BOOT || shoe->state == TDP_SHOE_STATE_ERROR) {
        return false;
    }
    shoe->kept->fault = fault;
    shoe->in_setup = false;
    return true;
}

void shoe_say_ended(struct shoe *shoe)
{
    struct body body = body_new();
    body_u32(&body, shoe->kept->shoe);
    body_u16(&body, shoe->kept->drawn);
    shoe_say(shoe, TDP_SHOE_ENDED, &body);
}

/* ------------------------------------------------------------------ keys and errors */

bool shoe_key_turned(struct shoe *shoe, bool locked)
{
    uint8_t state = shoe->state;
    struct body body = body_new();
    if (locked == shoe->kept->locked || state == TDP_SHOE_STATE_BOOT || state == TDP_SHOE_STATE_ERROR ||
        state == TDP_SHOE_STATE_SETUP) {
        return false;
    }
    shoe->kept->locked = locked;
    body_u8(&body, locked ? 1U : 0U);
    shoe_say(shoe, TDP_SHOE_LOCK_MOVED, &body);
    shoe_settle(shoe);
    return true;
}

bool shoe_trouble(struct shoe *shoe, uint16_t fault, bool halts)
{
    struct body body = body_new();
    if (shoe->state == TDP_SHOE_STATE_BOOT || (halts && !shoe_halt(shoe, fault))) {
        return false;
    }
    body_u16(&body, fault);
    body_u8(&body, halts ? 1U : 0U);
    shoe_say(shoe, TDP_SHOE_ERROR, &body);
    shoe_settle(shoe);
    return true;
}

bool shoe_error_cleared(struct shoe *shoe, uint32_t badge)
{
    struct body body = body_new();
    if (shoe->state != TDP_SHOE_STATE_ERROR) {
        return false;
    }
    body_u16(&body, shoe->kept->fault);
    body_u32(&body, badge);
    shoe->kept->fault = TDP_FAULT_NONE;
    shoe_say(shoe, TDP_SHOE_ERROR_CLEARED, &body);
    shoe_settle(shoe);
    return true;
}

bool shoe_setup_moved(struct shoe *shoe, bool open)
{
    uint8_t state = shoe->state;
    bool quiet = state == TDP_SHOE_STATE_EMPTY || state == TDP_SHOE_STATE_LOADED || state == TDP_SHOE_STATE_STANDBY ||
                 state == TDP_SHOE_STATE_SHOE_END;
    if (open ? !quiet : state != TDP_SHOE_STATE_SETUP) {
        return false;
    }
    shoe->in_setup = open;
    shoe_settle(shoe);
    return true;
}

/* ------------------------------------------------------------------ the class */

static void start(void *device, uint32_t now_ms)
{
    struct shoe *shoe = device;
    shoe->state = TDP_SHOE_STATE_BOOT;
    shoe->booting = true;
    shoe->in_setup = false;
    shoe->host_lost = false;
    shoe->boot_due_ms = now_ms + BOOT_MS;
}

static void tick(void *device, uint32_t now_ms)
{
    struct shoe *shoe = device;
    if (shoe->booting && (int32_t)(now_ms - shoe->boot_due_ms) >= 0) {
        shoe->booting = false;
        shoe_settle(shoe);
    }
}

static uint16_t obey(void *device, uint16_t request, uint16_t message, const uint8_t *payload)
{
    struct shoe *shoe = device;
    uint16_t reason = TDP_REASON_UNKNOWN_COMMAND;
    bool done = false;
    shoe->request = request;
    if (message == TDP_LOCK_SHOE) {
        done = shoe_key_turned(shoe, payload[0] != 0U);
        reason = TDP_REASON_WRONG_STATE;
    } else if (message == TDP_CLEAR_SHOE_ERROR) {
        bool other = shoe->state == TDP_SHOE_STATE_ERROR && get_u16(payload) != shoe->kept->fault;
        done = !other && shoe_error_cleared(shoe, get_u32(&payload[2]));
        reason = other ? TDP_REASON_BAD_PARAMETER : TDP_REASON_WRONG_STATE;
    } else if (message == TDP_END_ROUND) {
        done = shoe_round_ended(shoe);
        reason = TDP_REASON_WRONG_STATE;
    } else {
        /* a self-test: the shoe has none */
    }
    shoe->request = 0U;
    return done ? (uint16_t)TDP_REASON_NONE : reason;
}

/* People keep drawing, and the events wait to be read. */
static void host(void *device, bool there)
{
    struct shoe *shoe = device;
    struct body body = body_new();
    if (shoe->host_lost == !there) {
        return;
    }
    shoe->host_lost = !there;
    body_u16(&body, TDP_FAULT_HOST_LOST);
    if (!there) {
        body_u8(&body, TDP_PLACE_SHOE);
        body_u16(&body, 0U);
    }
    shoe_say(shoe, there ? TDP_FAULT_CLEARED : TDP_FAULT_RAISED, &body);
}

static bool opened(const void *device)
{
    const struct shoe *shoe = device;
    return shoe->in_setup;
}

static bool mid_round(const void *device)
{
    const struct shoe *shoe = device;
    return shoe->kept->round;
}

static uint8_t status(const void *device, uint8_t *out)
{
    const struct shoe *shoe = device;
    const struct shoe_kept *kept = shoe->kept;
    uint8_t *at = out;
    *at++ = shoe->state;
    *at++ = kept->locked ? 1U : 0U;
    *at++ = kept->fault != 0U ? 1U : 0U;
    at = put_u32(at, kept->shoe);
    *at++ = kept->decks;
    at = put_u16(put_u16(put_u16(at, kept->loaded), kept->drawn), kept->in_round);
    *at++ = kept->cut_card_seen ? 1U : 0U;
    *at++ = (uint8_t)((kept->fault != 0U ? 1U : 0U) + (shoe->host_lost ? 1U : 0U));
    if (kept->fault != 0U) {
        at = put_u16(at, kept->fault);
    }
    if (shoe->host_lost) {
        at = put_u16(at, TDP_FAULT_HOST_LOST);
    }
    return (uint8_t)(at - out);
}

static const struct tdp_meter meters[] = {
    {TDP_DEVICE_METER_ROUNDS, TDP_COMPONENT_DEVICE},
    {TDP_DEVICE_METER_CARDS, TDP_COMPONENT_EXIT},
    {TDP_DEVICE_METER_UNREAD_CARDS, TDP_COMPONENT_READER},
    {TDP_DEVICE_METER_DECKS, TDP_COMPONENT_FEED},
    {TDP_DEVICE_METER_SHOES, TDP_COMPONENT_DEVICE},
    {TDP_DEVICE_METER_HOURS_POWERED, TDP_COMPONENT_DEVICE},
    {TDP_DEVICE_METER_POWER_CYCLES, TDP_COMPONENT_DEVICE},
    {TDP_DEVICE_METER_FAULTS, TDP_COMPONENT_DEVICE},
    {TDP_DEVICE_METER_COMMANDS_REFUSED, TDP_COMPONENT_LINK},
};

TDP_ASSERT(shoe_fits, sizeof(struct shoe_kept) <= TDP_KEPT_MAX && sizeof meters / sizeof meters[0] <= TDP_METERS_MAX);

const struct tdp_class shoe_class = {
    .capabilities = TDP_CAPABILITY_CARD_RECOGNITION,
    .kept_size = sizeof(struct shoe_kept),
    .kept_version = 1U,
    .device_class = TDP_DEVICE_CLASS_SHOE,
    .status_message = TDP_SHOE_STATUS,
    .model = "tdp-shoe",
    .meters = meters,
    .meter_count = sizeof meters / sizeof meters[0],
    .start = start,
    .tick = tick,
    .obey = obey,
    .host = host,
    .mid_round = mid_round,
    .opened = opened,
    .status = status,
};
