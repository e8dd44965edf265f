/* SPDX-License-Identifier: Apache-2.0 */
/* A shuffler with a scripted mechanism: cards are counts in bays. A maker replaces it by motors and sensors. */
#include "device.h"
#include "shuffler.h"

struct work {
    struct tdp_link link;
    struct shuffler shuffler;
    struct shuffler_kept kept;
};

/* In whole words, the format of tdp-device's file. */
DEVICE_STORE static struct {
    struct shuffler_bays bays;
    uint8_t rest[3];
} inside;
static struct work work;

/* ------------------------------------------------------------------ the mechanism */

static bool is_inside(uint8_t deck)
{
    const struct shuffler_bays *bays = &inside.bays;
    return bays->cards[BAY_INPUT][deck] > 0U || bays->cards[BAY_CHAMBER][deck] > 0U || bays->cards[BAY_TRAY][deck] > 0U;
}

/* Load the deck that is outside, completed again, with some cards missing or some extra. */
static bool load(uint32_t missing, uint32_t extra)
{
    struct shuffler_bays *bays = &inside.bays;
    uint8_t deck = is_inside(0U) ? 1U : 0U;
    if (is_inside(deck) || bays->cards[BAY_INPUT][1U - deck] > 0U || missing > 5U || extra > 5U) {
        return false;
    }
    bays->cards[BAY_REJECT][deck] = 0U;
    bays->cards[BAY_STUCK][deck] = 0U;
    bays->cards[BAY_INPUT][deck] = (uint8_t)(work.kept.game_cards - missing + extra);
    return shuffler_loaded(&work.shuffler, (uint8_t)(deck + 1U));
}

/* Arm a mishap at a packet; 0 is the next one. */
static bool arm(uint32_t packet, const struct shuffler_mishap *mishap)
{
    uint8_t next = work.kept.dealing ? (uint8_t)(work.kept.round.count + 1U) : 1U;
    for (uint8_t i = 0U; i < SHUFFLER_MISHAPS; i++) {
        if (!work.shuffler.mishaps[i].armed) {
            work.shuffler.mishaps[i] = *mishap;
            work.shuffler.mishaps[i].armed = true;
            work.shuffler.mishaps[i].ordinal = packet == 0U ? next : (uint8_t)packet;
            return true;
        }
    }
    return false;
}

static bool arm_at_remainder(uint32_t cards)
{
    struct shuffler_mishap mishap = {.slipped = (uint8_t)cards};
    bool armed = arm(SHUFFLER_PACKETS + 1U, &mishap);
    for (uint8_t i = 0U; i < SHUFFLER_MISHAPS; i++) {
        if (work.shuffler.mishaps[i].ordinal == SHUFFLER_PACKETS + 1U) {
            work.shuffler.mishaps[i].ordinal = 0U;
        }
    }
    return armed;
}

/* ------------------------------------------------------------------ hands */

static bool call_off(void)
{
    for (uint8_t i = 0U; i < SHUFFLER_MISHAPS; i++) {
        work.shuffler.mishaps[i].armed = false;
    }
    inside.bays.sensor_blocked = false;
    return true;
}

static bool arm_fault(const char *name, const uint32_t *numbers)
{
    struct shuffler_mishap mishap = {.armed = false};
    bool done = false;
    if (device_same(name, "packet-count")) {
        mishap.by = (int8_t)(int32_t)numbers[1];
        mishap.unnoticed = numbers[2] == 0U;
        done = arm(numbers[0], &mishap);
    } else if (device_same(name, "jam")) {
        mishap.tries = (uint8_t)numbers[1];
        done = arm(numbers[0], &mishap);
    } else if (device_same(name, "lost-card")) {
        mishap.lost = 1U;
        done = arm(numbers[0], &mishap);
    } else if (device_same(name, "rejected-card")) {
        mishap.rejected = (uint8_t)numbers[1];
        done = arm(numbers[0], &mishap);
    } else if (device_same(name, "remainder-short")) {
        done = arm_at_remainder(numbers[0]);
    } else {
        /* no such fault */
    }
    return done;
}

static bool arrange(const char *name, const uint32_t *numbers)
{
    bool done = true;
    if (device_same(name, "block-sensor")) {
        inside.bays.sensor_blocked = true;
    } else if (device_same(name, "free-sensor")) {
        inside.bays.sensor_blocked = false;
    } else if (device_same(name, "speed")) {
        inside.bays.speed = (uint8_t)numbers[0];
    } else if (device_same(name, "call-off")) {
        done = call_off();
    } else {
        done = arm_fault(name, numbers);
    }
    return done;
}

static bool act(const char *name, const uint32_t *numbers)
{
    struct shuffler *shuffler = &work.shuffler;
    bool done = false;
    if (device_same(name, "green")) {
        (void)shuffler_green(shuffler);
        done = true; /* it was pressed, even without an effect */
    } else if (device_same(name, "lift")) {
        done = shuffler_lift(shuffler);
    } else if (device_same(name, "grab")) {
        done = shuffler_grab(shuffler);
    } else if (device_same(name, "load")) {
        done = load(numbers[0], numbers[1]);
    } else if (device_same(name, "open-door")) {
        done = shuffler_door(shuffler, true);
    } else if (device_same(name, "close-door")) {
        done = shuffler_door(shuffler, false);
    } else if (device_same(name, "open-setup")) {
        done = shuffler_setup(shuffler, true);
    } else if (device_same(name, "close-setup")) {
        done = shuffler_setup(shuffler, false);
    } else if (device_same(name, "choose-game")) {
        done = numbers[0] <= UINT8_MAX && numbers[1] <= UINT8_MAX &&
               shuffler_choose_game(shuffler, (uint8_t)numbers[0], (uint8_t)numbers[1]);
    } else if (device_same(name, "clear-resume")) {
        done = shuffler_key(shuffler, TDP_RESOLUTION_RESUME);
    } else if (device_same(name, "clear-remove")) {
        done = shuffler_key(shuffler, TDP_RESOLUTION_REMOVE_DECK);
    } else {
        done = arrange(name, numbers);
    }
    return done;
}

static void switch_on(const struct device_port *port, uint32_t now_ms, uint32_t random, uint8_t boot_cause)
{
    static const struct work none;
    work = none;
    work.shuffler.link = &work.link;
    work.shuffler.kept = &work.kept;
    work.shuffler.bays = &inside.bays;
    work.link.type = &shuffler_class;
    work.link.device = &work.shuffler;
    work.link.kept = &work.kept;
    work.link.memory = port->memory;
    work.link.identity = port->identity;
    work.link.image = port->image;
    work.link.seal = port->seal;
    work.link.put = port->put;
    work.link.port = port->context;
    tdp_start(&work.link, now_ms, random, boot_cause);
}

const struct device shuffler_device = {
    .name = "shuffler",
    .link = &work.link,
    .mechanism = &inside,
    .mechanism_size = sizeof inside,
    .start = switch_on,
    .act = act,
};
