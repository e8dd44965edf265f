/* SPDX-License-Identifier: Apache-2.0 */
#include "shoe.h"

#include "body.h"
#include "frame.h"

#define BOOT_MS 1500U
#define CONFIDENCE 99U /* percent that the reader claims for a card it read */

/* ------------------------------------------------------------------ saying it */

static void say(struct shoe *shoe, uint16_t message, const struct body *body)
{
    tdp_emit(shoe->link, message, shoe->request, body->bytes, body->length);
}

static void say_ordinal_halted(struct shoe *shoe, uint16_t message)
{
    struct body body = body_new();
    body_u16(&body, shoe->kept->drawn);
    body_u8(&body, 1U);
    say(shoe, message, &body);
}

/* ------------------------------------------------------------------ states */

/* The state follows from what lies where and what holds the shoe up; the first that applies. */
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
        /* it stands by */
    }
    return state;
}

static void settle(struct shoe *shoe)
{
    uint8_t now = target(shoe);
    if (now != shoe->state) {
        struct body body = body_new();
        body_u8(&body, now);
        body_u8(&body, shoe->state);
        shoe->state = now;
        say(shoe, TDP_STATE_CHANGED, &body);
    }
}

static bool halt(struct shoe *shoe, uint16_t fault)
{
    if (shoe->state == TDP_SHOE_STATE_BOOT || shoe->state == TDP_SHOE_STATE_ERROR) {
        return false;
    }
    shoe->kept->fault = fault;
    shoe->in_setup = false;
    return true;
}

static void ended(struct shoe *shoe)
{
    struct body body = body_new();
    body_u32(&body, shoe->kept->shoe);
    body_u16(&body, shoe->kept->drawn);
    say(shoe, TDP_SHOE_ENDED, &body);
}

/* ------------------------------------------------------------------ cards */

bool shoe_filled(struct shoe *shoe, uint8_t decks, uint16_t cards)
{
    struct shoe_kept *kept = shoe->kept;
    struct body body = body_new();
    if (shoe->state != TDP_SHOE_STATE_EMPTY || cards == 0U) {
        return false;
    }
    kept->shoe++;
    kept->decks = decks;
    kept->loaded = cards;
    kept->drawn = 0U;
    kept->in_round = 0U;
    kept->cut_card_seen = false;
    kept->back = false;
    body_u32(&body, kept->shoe);
    body_u8(&body, decks);
    body_u16(&body, cards);
    say(shoe, TDP_SHOE_LOADED, &body);
    settle(shoe);
    return true;
}

static void burn(struct shoe *shoe, uint8_t count)
{
    struct body body = body_new();
    shoe->kept->burn_left = count;
    if (count > 0U) {
        body_u8(&body, count);
        say(shoe, TDP_BURN_STARTED, &body);
    }
    settle(shoe);
}

bool shoe_begun(struct shoe *shoe, uint8_t count)
{
    if (shoe->state != TDP_SHOE_STATE_LOADED) {
        return false;
    }
    shoe->kept->begun = true;
    burn(shoe, count);
    return true;
}

bool shoe_burning(struct shoe *shoe, uint8_t count)
{
    bool takes = shoe->state == TDP_SHOE_STATE_STANDBY || shoe->state == TDP_SHOE_STATE_ROUND ||
                 shoe->state == TDP_SHOE_STATE_CUT_CARD_SEEN;
    if (!takes || shoe->kept->burn_left > 0U || count == 0U) {
        return false;
    }
    burn(shoe, count);
    return true;
}

void shoe_cut_card(struct shoe *shoe)
{
    struct body body = body_new();
    if (shoe->state != TDP_SHOE_STATE_BOOT && !shoe->kept->cut_card_seen) {
        shoe->kept->cut_card_seen = true;
        body_u16(&body, shoe->kept->drawn);
        say(shoe, TDP_CUT_CARD_SEEN, &body);
        settle(shoe);
    }
}

/* A card that was pushed back comes out for the second time: never a second card. */
static void report_again(struct shoe *shoe)
{
    struct shoe_kept *kept = shoe->kept;
    struct body body = body_new();
    kept->back = false;
    body_u16(&body, kept->drawn);
    body_u8(&body, kept->back_card);
    body_u8(&body, kept->back_burned ? TDP_PLACE_BURN : TDP_PLACE_NOWHERE);
    say(shoe, TDP_CARD_REPORTED_AGAIN, &body);
}

static void report_read(struct shoe *shoe, uint8_t card, uint8_t place)
{
    struct body body = body_new();
    body_u16(&body, shoe->kept->drawn);
    body_u8(&body, card);
    body_u8(&body, place);
    body_u8(&body, CONFIDENCE);
    body_u8(&body, (uint8_t)(TDP_READER_INDEX | TDP_READER_CODE));
    say(shoe, TDP_CARD_DRAWN, &body);
}

static void report_unread(struct shoe *shoe, uint8_t place)
{
    struct body body = body_new();
    (void)shoe_trouble(shoe, TDP_FAULT_CARD_UNREADABLE, true);
    body_u16(&body, shoe->kept->drawn);
    body_u8(&body, place);
    body_u8(&body, TDP_READER_DIRTY);
    say(shoe, TDP_CARD_UNREADABLE, &body);
}

static uint8_t mode(const struct shoe *shoe)
{
    uint8_t in = TDP_SHOE_MODE_ERROR;
    if (shoe->state == TDP_SHOE_STATE_LOCKED) {
        in = TDP_SHOE_MODE_LOCKED;
    } else if (shoe->state == TDP_SHOE_STATE_SETUP) {
        in = TDP_SHOE_MODE_SETUP;
    } else {
        /* what else there is, is the error mode */
    }
    return in;
}

/* A card that belongs to no game. */
static void draw_outside(struct shoe *shoe, uint8_t card)
{
    struct shoe_kept *kept = shoe->kept;
    struct body body = body_new();
    kept->drawn++;
    if (kept->back) {
        if (kept->back_burned) {
            kept->burn_left--;
        } else {
            kept->in_round++;
        }
        report_again(shoe);
    } else {
        body_u16(&body, kept->drawn);
        body_u8(&body, card);
        body_u8(&body, mode(shoe));
        say(shoe, TDP_CARD_DRAWN_OUTSIDE, &body);
    }
}

static void draw_in_game(struct shoe *shoe, uint8_t card)
{
    struct shoe_kept *kept = shoe->kept;
    bool burned = kept->burn_left > 0U;
    uint8_t place = burned ? TDP_PLACE_BURN : TDP_PLACE_NOWHERE;
    kept->drawn++;
    kept->last_burned = burned;
    if (!burned) {
        kept->round = true;
        kept->in_round++;
        settle(shoe);
    }
    if (kept->back) {
        report_again(shoe);
    } else if (card != TDP_CARD_UNREAD) {
        report_read(shoe, card, place);
    } else {
        report_unread(shoe, place);
    }
    if (burned) {
        kept->burn_left--;
        settle(shoe);
    }
}

bool shoe_drawn(struct shoe *shoe, uint8_t card)
{
    const struct shoe_kept *kept = shoe->kept;
    uint8_t state = shoe->state;
    bool in_game = state == TDP_SHOE_STATE_BURN || state == TDP_SHOE_STATE_STANDBY || state == TDP_SHOE_STATE_ROUND ||
                   state == TDP_SHOE_STATE_CUT_CARD_SEEN;
    if (state == TDP_SHOE_STATE_BOOT || kept->drawn >= kept->loaded) {
        return false;
    }
    if (in_game && (shoe->round_limit == 0U || kept->in_round < shoe->round_limit)) {
        draw_in_game(shoe, card);
    } else {
        if (state != TDP_SHOE_STATE_LOCKED && state != TDP_SHOE_STATE_SETUP && halt(shoe, TDP_FAULT_OVERDRAW)) {
            say_ordinal_halted(shoe, TDP_OVERDRAW);
            settle(shoe);
        }
        draw_outside(shoe, card);
    }
    return true;
}

bool shoe_pushed_back(struct shoe *shoe, uint8_t card)
{
    struct shoe_kept *kept = shoe->kept;
    bool in_round = shoe->state == TDP_SHOE_STATE_ROUND || shoe->state == TDP_SHOE_STATE_CUT_CARD_SEEN;
    if (!in_round || kept->in_round == 0U || kept->back) {
        return false;
    }
    kept->drawn--;
    kept->back = true;
    kept->back_card = card;
    kept->back_burned = kept->last_burned;
    if (kept->last_burned) {
        kept->burn_left++;
    } else {
        kept->in_round--;
    }
    (void)halt(shoe, TDP_FAULT_PUSHED_BACK);
    say_ordinal_halted(shoe, TDP_PUSHED_BACK);
    settle(shoe);
    return true;
}

bool shoe_pulled_back(struct shoe *shoe)
{
    if (!halt(shoe, TDP_FAULT_PULLED_BACK)) {
        return false;
    }
    say_ordinal_halted(shoe, TDP_PULLED_BACK);
    settle(shoe);
    return true;
}

bool shoe_round_ended(struct shoe *shoe)
{
    struct shoe_kept *kept = shoe->kept;
    bool in_round = shoe->state == TDP_SHOE_STATE_ROUND || shoe->state == TDP_SHOE_STATE_CUT_CARD_SEEN;
    if (!kept->round || !in_round) {
        return false;
    }
    kept->round = false;
    kept->in_round = 0U;
    kept->back = false;
    kept->burn_left = 0U;
    if (kept->cut_card_seen) {
        ended(shoe);
    }
    settle(shoe);
    return true;
}

bool shoe_emptied(struct shoe *shoe)
{
    struct shoe_kept *kept = shoe->kept;
    uint8_t state = shoe->state;
    bool held = state == TDP_SHOE_STATE_BOOT || state == TDP_SHOE_STATE_LOCKED || state == TDP_SHOE_STATE_ERROR ||
                state == TDP_SHOE_STATE_SETUP;
    if (kept->loaded == 0U || held) {
        return false;
    }
    if (!kept->cut_card_seen || kept->round) {
        ended(shoe);
    }
    kept->loaded = 0U;
    kept->decks = 0U;
    kept->in_round = 0U;
    kept->burn_left = 0U;
    kept->begun = false;
    kept->round = false;
    kept->cut_card_seen = false;
    settle(shoe);
    return true;
}

/* ------------------------------------------------------------------ keys and troubles */

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
    say(shoe, TDP_SHOE_LOCK_MOVED, &body);
    settle(shoe);
    return true;
}

bool shoe_trouble(struct shoe *shoe, uint16_t fault, bool halts)
{
    struct body body = body_new();
    if (shoe->state == TDP_SHOE_STATE_BOOT || (halts && !halt(shoe, fault))) {
        return false;
    }
    body_u16(&body, fault);
    body_u8(&body, halts ? 1U : 0U);
    say(shoe, TDP_SHOE_ERROR, &body);
    settle(shoe);
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
    say(shoe, TDP_SHOE_ERROR_CLEARED, &body);
    settle(shoe);
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
    settle(shoe);
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
        settle(shoe);
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
        /* a self-test: it has nothing to test by itself */
    }
    shoe->request = 0U;
    return done ? (uint16_t)TDP_REASON_NONE : reason;
}

/* People go on drawing, and the events wait to be read. */
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
    say(shoe, there ? TDP_FAULT_CLEARED : TDP_FAULT_RAISED, &body);
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

const struct tdp_class shoe_class = {
    .capabilities = TDP_CAPABILITY_CARD_RECOGNITION,
    .kept_size = sizeof(struct shoe_kept),
    .device_class = TDP_DEVICE_CLASS_SHOE,
    .status_message = TDP_SHOE_STATUS,
    .model = "tdp-shoe",
    .start = start,
    .tick = tick,
    .obey = obey,
    .host = host,
    .mid_round = mid_round,
    .status = status,
};
