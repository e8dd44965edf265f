/* SPDX-License-Identifier: Apache-2.0 */
/* The cards of the shoe: filled, burned, drawn, pushed back, pulled back, and the end of a round. */
#include "shoe_parts.h"

#define CONFIDENCE 99U /* percent of confidence that the reader claims */

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
    shoe_say(shoe, TDP_SHOE_LOADED, &body);
    shoe_settle(shoe);
    return true;
}

static void burn(struct shoe *shoe, uint8_t count)
{
    struct body body = body_new();
    shoe->kept->burn_left = count;
    if (count > 0U) {
        body_u8(&body, count);
        shoe_say(shoe, TDP_BURN_STARTED, &body);
    }
    shoe_settle(shoe);
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
        shoe_say(shoe, TDP_CUT_CARD_SEEN, &body);
        shoe_settle(shoe);
    }
}

/* A card that was pushed back comes out for the second time; it is never a second card. */
static void report_again(struct shoe *shoe)
{
    struct shoe_kept *kept = shoe->kept;
    struct body body = body_new();
    kept->back = false;
    body_u16(&body, kept->drawn);
    body_u8(&body, kept->back_card);
    body_u8(&body, kept->back_burned ? TDP_PLACE_BURN : TDP_PLACE_NOWHERE);
    shoe_say(shoe, TDP_CARD_REPORTED_AGAIN, &body);
}

static void report_read(struct shoe *shoe, uint8_t card, uint8_t place)
{
    struct body body = body_new();
    body_u16(&body, shoe->kept->drawn);
    body_u8(&body, card);
    body_u8(&body, place);
    body_u8(&body, CONFIDENCE);
    body_u8(&body, (uint8_t)(TDP_READER_INDEX | TDP_READER_CODE));
    shoe_say(shoe, TDP_CARD_DRAWN, &body);
}

static void report_unread(struct shoe *shoe, uint8_t place)
{
    struct body body = body_new();
    body_u16(&body, shoe->kept->drawn);
    body_u8(&body, place);
    body_u8(&body, TDP_READER_DIRTY);
    shoe_say(shoe, TDP_CARD_UNREADABLE, &body);
}

static uint8_t mode(const struct shoe *shoe)
{
    uint8_t in = TDP_SHOE_MODE_ERROR;
    if (shoe->state == TDP_SHOE_STATE_LOCKED) {
        in = TDP_SHOE_MODE_LOCKED;
    } else if (shoe->state == TDP_SHOE_STATE_SETUP) {
        in = TDP_SHOE_MODE_SETUP;
    } else {
        /* all other states are error mode */
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
        shoe_say(shoe, TDP_CARD_DRAWN_OUTSIDE, &body);
    }
}

static void draw_in_game(struct shoe *shoe, uint8_t card)
{
    struct shoe_kept *kept = shoe->kept;
    bool burned = kept->burn_left > 0U;
    uint8_t place = burned ? TDP_PLACE_BURN : TDP_PLACE_NOWHERE;
    if (!burned) {
        kept->round = true;
        shoe_settle(shoe);
    }
    if (!kept->back && card == TDP_CARD_UNREAD) {
        (void)shoe_trouble(shoe, TDP_FAULT_CARD_UNREADABLE, true);
    }
    /* the card is counted together with its event */
    kept->drawn++;
    kept->last_burned = burned;
    kept->burn_left = (uint8_t)(kept->burn_left - (burned ? 1U : 0U));
    kept->in_round = (uint16_t)(kept->in_round + (burned ? 0U : 1U));
    if (kept->back) {
        report_again(shoe);
    } else if (card != TDP_CARD_UNREAD) {
        report_read(shoe, card, place);
    } else {
        report_unread(shoe, place);
    }
    shoe_settle(shoe);
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
        if (state != TDP_SHOE_STATE_LOCKED && state != TDP_SHOE_STATE_SETUP && shoe_halt(shoe, TDP_FAULT_OVERDRAW)) {
            shoe_say_ordinal(shoe, TDP_OVERDRAW, kept->drawn);
            shoe_settle(shoe);
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
    (void)shoe_halt(shoe, TDP_FAULT_PUSHED_BACK);
    shoe_say_ordinal(shoe, TDP_PUSHED_BACK, kept->drawn + 1U);
    shoe_settle(shoe);
    return true;
}

bool shoe_pulled_back(struct shoe *shoe)
{
    if (!shoe_halt(shoe, TDP_FAULT_PULLED_BACK)) {
        return false;
    }
    shoe_say_ordinal(shoe, TDP_PULLED_BACK, shoe->kept->drawn);
    shoe_settle(shoe);
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
    tdp_count(shoe->link, TDP_DEVICE_METER_ROUNDS, 1U);
    kept->in_round = 0U;
    kept->back = false;
    kept->burn_left = 0U;
    if (kept->cut_card_seen) {
        shoe_say_ended(shoe);
    }
    shoe_settle(shoe);
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
    bool due = state != TDP_SHOE_STATE_SHOE_END;
    kept->loaded = 0U;
    kept->decks = 0U;
    kept->in_round = 0U;
    kept->burn_left = 0U;
    kept->begun = false;
    kept->round = false;
    kept->cut_card_seen = false;
    if (due) {
        shoe_say_ended(shoe);
    }
    shoe_settle(shoe);
    return true;
}
