/* SPDX-License-Identifier: Apache-2.0 */
/* A table controller with a scripted keypad. A maker replaces it by keys and sensors. */
#include "controller.h"
#include "device.h"

#define BADGE 7001U

struct work {
    struct tdp_link link;
    struct controller controller;
    struct controller_kept kept;
};

static struct work work;

/* A key whose event is its numbers in sequence, each with this many bytes. */
struct key {
    const char *name;
    uint16_t message;
    uint8_t sizes[DEVICE_NUMBERS];
};

static const struct key keys[] = {
    {"spot", TDP_SPOT_SELECTED, {1U}},
    {"confirm", TDP_CONFIRMED, {0U}},
    {"wager", TDP_WAGER_PLACED, {1U, 1U, 4U}},
    {"decide", TDP_DECISION_MADE, {1U, 1U}},
    {"count", TDP_CARDS_COUNTED, {1U, 1U}},
    {"number", TDP_NUMBER_DRAWN, {1U}},
    {"wager-on", TDP_WAGER_ON, {1U, 1U, 1U, 1U, 4U}},
    {"mishandled", TDP_CARD_MISHANDLED, {1U, 1U, 1U}},
    {"stake", TDP_STAKE_SHOWN, {1U, 4U}},
    {"acted", TDP_PLAYER_ACTED, {1U, 1U, 1U, 4U}},
    {"take-pot", TDP_POT_TAKEN, {1U, 1U, 4U}},
};

static void add(struct body *body, uint32_t number, uint8_t size)
{
    if (size == 1U) {
        body_u8(body, (uint8_t)number);
    } else if (size == 4U) {
        body_u32(body, number);
    } else {
        /* no such number */
    }
}

static bool press(const char *name, const uint32_t *numbers)
{
    for (size_t i = 0U; i < sizeof keys / sizeof keys[0]; i++) {
        if (device_same(keys[i].name, name)) {
            struct body body = body_new();
            for (uint32_t part = 0U; part < DEVICE_NUMBERS; part++) {
                add(&body, numbers[part], keys[i].sizes[part]);
            }
            return controller_key(&work.controller, keys[i].message, &body);
        }
    }
    return false;
}

static bool swipe(uint8_t level, uint32_t number)
{
    struct body body = body_new();
    body_u32(&body, number != 0U ? number : BADGE);
    body_u8(&body, level);
    return controller_key(&work.controller, TDP_BADGE_SWIPED, &body);
}

/* The community's cards 1, 2 and 5, as in the plans. */
static bool confirm_burn(void)
{
    struct body body = body_new();
    body_u8(&body, TDP_PLACE_COMMUNITY);
    body_u16(&body, 0x13U);
    body_u8(&body, TDP_SPREAD_LEFT_TO_RIGHT);
    return controller_key(&work.controller, TDP_BURN_CONFIRMED, &body);
}

/* A key whose event ends with cards: this many bytes, then all further numbers that are cards. */
static bool key_cards(uint16_t message, struct body *body, const uint32_t *numbers, uint32_t first)
{
    uint8_t count = 0U;
    while (first + count < DEVICE_NUMBERS && numbers[first + count] != TDP_CARD_NONE) {
        count++;
    }
    body_u8(body, count);
    for (uint32_t i = 0U; i < count; i++) {
        body_u8(body, (uint8_t)numbers[first + i]);
    }
    return controller_key(&work.controller, message, body);
}

static bool with_cards(uint16_t message, const uint32_t *numbers, uint32_t head)
{
    struct body body = body_new();
    for (uint32_t i = 0U; i < head; i++) {
        body_u8(&body, (uint8_t)numbers[i]);
    }
    return key_cards(message, &body, numbers, head);
}

static bool correct(const uint32_t *numbers)
{
    struct body body = body_new();
    body_u8(&body, (uint8_t)numbers[0]);
    body_u32(&body, BADGE);
    body_u8(&body, (uint8_t)numbers[1]);
    return key_cards(TDP_HAND_CORRECTED, &body, numbers, 2U);
}

static bool call_misdeal(uint32_t fault)
{
    struct body body = body_new();
    body_u32(&body, BADGE);
    body_u16(&body, fault > 0U ? (uint16_t)fault : (uint16_t)TDP_FAULT_MISDEAL_CALLED_BY_HOST);
    return controller_key(&work.controller, TDP_MISDEAL_CALLED, &body);
}

static bool act(const char *name, const uint32_t *numbers)
{
    struct controller *controller = &work.controller;
    bool done = false;
    if (device_same(name, "start-game")) {
        done = controller_start_game(controller);
    } else if (device_same(name, "end-game")) {
        done = controller_end_game(controller);
    } else if (device_same(name, "hand-button")) {
        done = controller_hand_button(controller, (uint8_t)numbers[0]);
    } else if (device_same(name, "bet-on")) {
        done = controller_bet(controller, (uint8_t)numbers[0], true);
    } else if (device_same(name, "bet-off")) {
        done = controller_bet(controller, (uint8_t)numbers[0], false);
    } else if (device_same(name, "badge")) {
        done = swipe((uint8_t)numbers[0], numbers[1]);
    } else if (device_same(name, "burn")) {
        done = confirm_burn();
    } else if (device_same(name, "misdeal")) {
        done = call_misdeal(numbers[0]);
    } else if (device_same(name, "reveal")) {
        done = with_cards(TDP_HAND_REVEALED, numbers, 2U); /* place, source */
    } else if (device_same(name, "set-hand")) {
        done = with_cards(TDP_HAND_SET, numbers, 4U); /* place, by, foul, low */
    } else if (device_same(name, "discard")) {
        done = with_cards(TDP_CARDS_DISCARDED, numbers, 1U); /* place */
    } else if (device_same(name, "correct")) {
        done = correct(numbers);
    } else if (device_same(name, "call-off")) {
        done = true; /* nothing is ever armed here */
    } else if (device_same(name, "table-setup")) {
        done = controller_setup_moved(controller, numbers[0] != 0U);
    } else {
        done = press(name, numbers);
    }
    return done;
}

static void switch_on(const struct device_port *port, uint32_t now_ms, uint32_t random, uint8_t boot_cause)
{
    static const struct work none;
    work = none;
    work.controller.link = &work.link;
    work.controller.kept = &work.kept;
    work.link.type = &controller_class;
    work.link.device = &work.controller;
    work.link.kept = &work.kept;
    work.link.memory = port->memory;
    work.link.identity = port->identity;
    work.link.image = port->image;
    work.link.seal = port->seal;
    work.link.put = port->put;
    work.link.port = port->context;
    tdp_start(&work.link, now_ms, random, boot_cause);
}

const struct device controller_device = {
    .name = "table-controller",
    .link = &work.link,
    .mechanism = NULL,
    .mechanism_size = 0U,
    .start = switch_on,
    .act = act,
};
