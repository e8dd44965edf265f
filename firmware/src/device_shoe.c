/* SPDX-License-Identifier: Apache-2.0 */
/* A shoe with a scripted mechanism: the cards are real as far as counting goes, and only the mechanism knows their
   order. A maker replaces it by sensors. */
#include "device.h"
#include "frame.h"
#include "shoe.h"

#define SUITS 4U
#define RANKS 13U
#define DECK (SUITS * RANKS)
#define DECKS_MAX 8U

struct mechanism {
    uint32_t random;
    uint16_t count, next; /* cards filled, and the next one to come out */
    uint16_t cut_after;   /* cards before the cut card, 0: there is none */
    uint8_t cards[DECK * DECKS_MAX];
};

struct work {
    struct tdp_link link;
    struct shoe shoe;
    struct shoe_kept kept;
};

DEVICE_STORE static struct mechanism inside;
static struct work work;

/* ------------------------------------------------------------------ the mechanism */

static uint32_t next_random(struct mechanism *mechanism)
{
    uint32_t x = mechanism->random;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    mechanism->random = x;
    return x;
}

static void shuffle(struct mechanism *mechanism)
{
    for (uint32_t i = mechanism->count; i > 1U; i--) {
        uint32_t other = next_random(mechanism) % i;
        uint8_t card = mechanism->cards[i - 1U];
        mechanism->cards[i - 1U] = mechanism->cards[other];
        mechanism->cards[other] = card;
    }
}

static bool fill(const uint32_t *numbers)
{
    struct mechanism *mechanism = &inside;
    uint32_t decks = numbers[0];
    if (decks < 1U || decks > DECKS_MAX || work.shoe.state != TDP_SHOE_STATE_EMPTY) {
        return false;
    }
    mechanism->count = (uint16_t)(decks * DECK);
    mechanism->next = 0U;
    mechanism->cut_after = (uint16_t)numbers[1];
    for (uint16_t i = 0U; i < mechanism->count; i++) {
        uint32_t in_deck = i % DECK;
        mechanism->cards[i] = (uint8_t)(((in_deck / RANKS + 1U) << 4) | (in_deck % RANKS + 1U));
    }
    shuffle(mechanism);
    return shoe_filled(&work.shoe, (uint8_t)decks, mechanism->count);
}

static bool draw(bool readable)
{
    struct mechanism *mechanism = &inside;
    if (work.shoe.state == TDP_SHOE_STATE_BOOT || mechanism->next >= mechanism->count) {
        return false;
    }
    if (mechanism->cut_after > 0U && mechanism->next >= mechanism->cut_after) {
        shoe_cut_card(&work.shoe);
    }
    uint8_t card = mechanism->cards[mechanism->next];
    bool left = shoe_drawn(&work.shoe, readable ? card : (uint8_t)TDP_CARD_UNREAD);
    mechanism->next = (uint16_t)(mechanism->next + (left ? 1U : 0U));
    return left;
}

static bool push_back(void)
{
    struct mechanism *mechanism = &inside;
    bool back = mechanism->next > 0U && shoe_pushed_back(&work.shoe, mechanism->cards[mechanism->next - 1U]);
    mechanism->next = (uint16_t)(mechanism->next - (back ? 1U : 0U));
    return back;
}

/* Remove the remaining cards, if the shoe allows it; there may be none. */
static bool empty(void)
{
    struct mechanism *mechanism = &inside;
    if (shoe_emptied(&work.shoe)) {
        mechanism->count = 0U;
        mechanism->next = 0U;
    }
    return true;
}

/* ------------------------------------------------------------------ hands */

enum act_name {
    FILL, BEGIN, BURN, DRAW, DRAW_UNREAD, PUSH_BACK, PULL_BACK, END_ROUND, LOCK_KEY, CLEAR_ERROR, SLOW_DRAW, WRONG_BUTTON,
    EMPTY, SETUP, LIMIT, CALL_OFF, ACTS
};

static const char *const names[ACTS] = {
    [FILL] = "fill", [BEGIN] = "begin", [BURN] = "burn", [DRAW] = "draw", [DRAW_UNREAD] = "draw-unread",
    [PUSH_BACK] = "push-back", [PULL_BACK] = "pull-back", [END_ROUND] = "end-round", [LOCK_KEY] = "lock-key",
    [CLEAR_ERROR] = "clear-error", [SLOW_DRAW] = "slow-draw", [WRONG_BUTTON] = "wrong-button", [EMPTY] = "empty",
    [SETUP] = "shoe-setup", [LIMIT] = "limit", [CALL_OFF] = "call-off"};

static bool act_on_cards(enum act_name name, const uint32_t *numbers)
{
    struct shoe *shoe = &work.shoe;
    bool done = false;
    switch (name) {
    case FILL:
        done = fill(numbers);
        break;
    case BEGIN:
        done = shoe_begun(shoe, (uint8_t)numbers[0]);
        break;
    case BURN:
        done = shoe_burning(shoe, (uint8_t)numbers[0]);
        break;
    case DRAW:
        done = draw(true);
        break;
    case DRAW_UNREAD:
        done = draw(false);
        break;
    case PUSH_BACK:
        done = push_back();
        break;
    case PULL_BACK:
        done = shoe_pulled_back(shoe);
        break;
    case EMPTY:
        done = empty();
        break;
    default:
        /* no such act */
        break;
    }
    return done;
}

static bool act_on_keys(enum act_name name, const uint32_t *numbers)
{
    struct shoe *shoe = &work.shoe;
    bool done = false;
    switch (name) {
    case END_ROUND:
        done = shoe_round_ended(shoe);
        break;
    case LOCK_KEY:
        done = shoe_key_turned(shoe, numbers[0] != 0U);
        break;
    case CLEAR_ERROR:
        done = shoe_error_cleared(shoe, 0U);
        break;
    case SLOW_DRAW:
        done = shoe_trouble(shoe, TDP_FAULT_DRAW_TOO_SLOW, true);
        break;
    case WRONG_BUTTON:
        done = shoe_trouble(shoe, TDP_FAULT_WRONG_BUTTON, false);
        break;
    case SETUP:
        done = shoe_setup_moved(shoe, numbers[0] != 0U);
        break;
    case LIMIT:
        shoe->round_limit = (uint16_t)numbers[0];
        done = true;
        break;
    case CALL_OFF:
        done = true; /* nothing is ever armed here */
        break;
    default:
        /* no such act */
        break;
    }
    return done;
}

static bool act(const char *name, const uint32_t *numbers)
{
    bool done = false;
    for (uint32_t i = 0U; i < ACTS; i++) {
        if (device_same(names[i], name)) {
            done = act_on_cards((enum act_name)i, numbers) || act_on_keys((enum act_name)i, numbers);
        }
    }
    return done;
}

/* ------------------------------------------------------------------ power */

static void switch_on(const struct device_port *port, uint32_t now_ms, uint32_t random, uint8_t boot_cause)
{
    static const struct work none;
    work = none;
    work.shoe.link = &work.link;
    work.shoe.kept = &work.kept;
    work.link.type = &shoe_class;
    work.link.device = &work.shoe;
    work.link.kept = &work.kept;
    work.link.memory = port->memory;
    work.link.identity = port->identity;
    work.link.image = port->image;
    work.link.seal = port->seal;
    work.link.put = port->put;
    work.link.port = port->context;
    inside.random = random | 1U;
    tdp_start(&work.link, now_ms, random, boot_cause);
    if (work.kept.loaded == 0U || inside.count != work.kept.loaded) {
        inside.count = 0U; /* the memory was lost, or never written */
    }
    inside.next = work.kept.drawn;
}

const struct device shoe_device = {
    .name = "shoe",
    .link = &work.link,
    .mechanism = &inside,
    .mechanism_size = sizeof inside,
    .start = switch_on,
    .act = act,
};
