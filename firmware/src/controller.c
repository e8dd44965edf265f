/* SPDX-License-Identifier: Apache-2.0 */
#include "controller.h"

#include "frame.h"

#define BOOT_MS 1000U
#define SEATS 32U

static void say(struct controller *controller, uint16_t message, const struct body *body)
{
    tdp_emit(controller->link, message, 0U, body->bytes, body->length);
}

/* ------------------------------------------------------------------ states */

static bool any_hand(const struct controller *controller)
{
    bool any = false;
    for (uint8_t i = 0U; i < sizeof controller->hands; i++) {
        any = any || controller->hands[i] != 0U;
    }
    return any;
}

/* Derive the state; the first condition that applies decides. */
static uint8_t target(const struct controller *controller)
{
    uint8_t state = TDP_CONTROLLER_STATE_BETS_OPEN;
    if (controller->booting) {
        state = TDP_CONTROLLER_STATE_BOOT;
    } else if (controller->kept->in_game) {
        state = any_hand(controller) ? TDP_CONTROLLER_STATE_AWARD : TDP_CONTROLLER_STATE_GAME;
    } else if (controller->in_setup) {
        state = TDP_CONTROLLER_STATE_SETUP;
    } else if (controller->host_lost) {
        state = TDP_CONTROLLER_STATE_SAFE;
    } else {
        /* bets are open */
    }
    return state;
}

static void settle(struct controller *controller)
{
    uint8_t now = target(controller);
    if (now != controller->state) {
        struct body body = body_new();
        body_u8(&body, now);
        body_u8(&body, controller->state);
        controller->state = now;
        say(controller, TDP_STATE_CHANGED, &body);
    }
}

static bool in_game(const struct controller *controller)
{
    return controller->state == TDP_CONTROLLER_STATE_GAME || controller->state == TDP_CONTROLLER_STATE_AWARD;
}

static void clear_hands(struct controller *controller)
{
    for (uint8_t i = 0U; i < sizeof controller->hands; i++) {
        controller->hands[i] = 0U;
    }
}

/* ------------------------------------------------------------------ the dealer */

bool controller_start_game(struct controller *controller)
{
    struct body body = body_new();
    if (controller->state != TDP_CONTROLLER_STATE_BETS_OPEN) {
        return false;
    }
    controller->kept->round++;
    controller->kept->in_game = true;
    body_u32(&body, controller->kept->round);
    say(controller, TDP_GAME_STARTED, &body);
    settle(controller);
    return true;
}

bool controller_end_game(struct controller *controller)
{
    struct body body = body_new();
    if (!in_game(controller)) {
        return false;
    }
    controller->kept->in_game = false;
    clear_hands(controller);
    body_u32(&body, controller->kept->round);
    say(controller, TDP_GAME_ENDED, &body);
    settle(controller);
    return true;
}

bool controller_bet(struct controller *controller, uint8_t seat, bool on)
{
    struct body body = body_new();
    uint32_t bit;
    if (controller->booting || seat < 1U || seat > SEATS) {
        return false;
    }
    bit = (uint32_t)1U << (seat - 1U);
    if (((controller->kept->sensors & bit) != 0U) == on) {
        return false;
    }
    controller->kept->sensors ^= bit;
    body_u8(&body, seat);
    body_u8(&body, on ? 1U : 0U);
    say(controller, TDP_SENSOR_CHANGED, &body);
    return true;
}

bool controller_hand_button(struct controller *controller, uint8_t hand)
{
    struct body body = body_new();
    uint8_t bit = (uint8_t)(1U << (hand & 7U));
    if (!in_game(controller)) {
        return false;
    }
    controller->hands[hand >> 3] ^= bit;
    body_u8(&body, hand);
    body_u8(&body, (controller->hands[hand >> 3] & bit) != 0U ? 1U : 0U);
    say(controller, TDP_HAND_BUTTON, &body);
    settle(controller);
    return true;
}

bool controller_setup_moved(struct controller *controller, bool open)
{
    if (controller->state != (open ? TDP_CONTROLLER_STATE_BETS_OPEN : TDP_CONTROLLER_STATE_SETUP)) {
        return false;
    }
    controller->in_setup = open;
    settle(controller);
    return true;
}

bool controller_key(struct controller *controller, uint16_t message, const struct body *fields)
{
    if (controller->booting) {
        return false;
    }
    say(controller, message, fields);
    return true;
}

/* ------------------------------------------------------------------ the class */

static void start(void *device, uint32_t now_ms)
{
    struct controller *controller = device;
    controller->state = TDP_CONTROLLER_STATE_BOOT;
    controller->booting = true;
    controller->in_setup = false;
    controller->host_lost = false;
    clear_hands(controller);
    controller->boot_due_ms = now_ms + BOOT_MS;
}

static void tick(void *device, uint32_t now_ms)
{
    struct controller *controller = device;
    if (controller->booting && (int32_t)(now_ms - controller->boot_due_ms) >= 0) {
        controller->booting = false;
        settle(controller);
    }
}

static uint16_t light(struct controller *controller, uint8_t seat, bool lit)
{
    uint32_t bit;
    if (seat < 1U || seat > SEATS) {
        return TDP_REASON_BAD_PARAMETER;
    }
    bit = (uint32_t)1U << (seat - 1U);
    controller->lights = lit ? controller->lights | bit : controller->lights & ~bit;
    return TDP_REASON_NONE;
}

static uint16_t show_meter(struct controller *controller, uint8_t meter, uint32_t low, uint32_t high)
{
    if (meter >= CONTROLLER_METERS) {
        return TDP_REASON_BAD_PARAMETER;
    }
    controller->meters[meter][0] = low;
    controller->meters[meter][1] = high;
    return TDP_REASON_NONE;
}

static uint16_t obey(void *device, uint16_t request, uint16_t message, const uint8_t *payload)
{
    struct controller *controller = device;
    uint16_t reason = TDP_REASON_NONE;
    (void)request; /* none of its commands causes an event */
    if (message == TDP_SET_SENSOR_LIGHT) {
        reason = light(controller, payload[0], payload[1] != 0U);
    } else if (message == TDP_SHOW_METER) {
        reason = show_meter(controller, payload[0], get_u32(&payload[1]), get_u32(&payload[5]));
    } else if (message == TDP_SHOW_TEXT) {
        copy_text(controller->text, payload, CONTROLLER_TEXT);
    } else if (message == TDP_SELF_TEST) {
        reason = controller->state == TDP_CONTROLLER_STATE_BETS_OPEN ? TDP_REASON_NONE : TDP_REASON_WRONG_STATE;
        tdp_count(controller->link, TDP_DEVICE_METER_SELF_TESTS, reason == TDP_REASON_NONE ? 1U : 0U);
    } else {
        reason = TDP_REASON_UNKNOWN_COMMAND;
    }
    return reason;
}

/* A running game may end; none is started. */
static void host(void *device, bool there)
{
    struct controller *controller = device;
    struct body body = body_new();
    if (controller->host_lost == !there) {
        return;
    }
    controller->host_lost = !there;
    body_u16(&body, TDP_FAULT_HOST_LOST);
    if (!there) {
        body_u8(&body, TDP_PLACE_NOWHERE);
        body_u16(&body, 0U);
    }
    say(controller, there ? TDP_FAULT_CLEARED : TDP_FAULT_RAISED, &body);
    settle(controller);
}

static bool opened(const void *device)
{
    const struct controller *controller = device;
    return controller->in_setup;
}

static bool mid_round(const void *device)
{
    const struct controller *controller = device;
    return controller->kept->in_game;
}

static uint8_t status(const void *device, uint8_t *out)
{
    const struct controller *controller = device;
    uint8_t *at = out;
    *at++ = controller->state;
    at = put_u32(put_u32(at, controller->kept->round), controller->kept->sensors);
    *at++ = controller->host_lost ? 1U : 0U;
    if (controller->host_lost) {
        at = put_u16(at, TDP_FAULT_HOST_LOST);
    }
    return (uint8_t)(at - out);
}

static const struct tdp_meter meters[] = {
    {TDP_DEVICE_METER_ROUNDS, TDP_COMPONENT_DEVICE},
    {TDP_DEVICE_METER_SELF_TESTS, TDP_COMPONENT_DEVICE},
    {TDP_DEVICE_METER_HOURS_POWERED, TDP_COMPONENT_DEVICE},
    {TDP_DEVICE_METER_POWER_CYCLES, TDP_COMPONENT_DEVICE},
    {TDP_DEVICE_METER_FAULTS, TDP_COMPONENT_DEVICE},
    {TDP_DEVICE_METER_COMMANDS_REFUSED, TDP_COMPONENT_LINK},
};

TDP_ASSERT(controller_fits, sizeof(struct controller_kept) <= TDP_KEPT_MAX && sizeof meters / sizeof meters[0] <= TDP_METERS_MAX);

const struct tdp_class controller_class = {
    .capabilities = (uint32_t)TDP_CAPABILITY_LAYOUT_READER | (uint32_t)TDP_CAPABILITY_BET_SENSORS,
    .kept_size = sizeof(struct controller_kept),
    .kept_version = 1U,
    .device_class = TDP_DEVICE_CLASS_TABLE_CONTROLLER,
    .status_message = TDP_CONTROLLER_STATUS,
    .model = "tdp-controller",
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
