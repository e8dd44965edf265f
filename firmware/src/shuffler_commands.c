/* SPDX-License-Identifier: Apache-2.0 */
/* Commands to the shuffler, and the reasons to refuse them. */
#include "frame.h"
#include "shuffler.h"

#define LEAST_CARDS 52U
#define MOST_CARDS 56U
#define LARGEST_PACKET 13U

static bool is_quiet(const struct shuffler *shuffler)
{
    return shuffler->state == TDP_SHUFFLER_STATE_EMPTY || shuffler->state == TDP_SHUFFLER_STATE_READY;
}

static uint16_t wrong_state(const struct shuffler *shuffler)
{
    bool busy = shuffler->motion != MOTION_NONE || shuffler->stage != STAGE_NONE;
    return busy ? TDP_REASON_BUSY : TDP_REASON_WRONG_STATE;
}

static uint16_t select_game(struct shuffler *shuffler, uint16_t request, uint8_t size, uint16_t cards,
                            uint8_t jokers, const uint8_t *name)
{
    struct shuffler_kept *kept = shuffler->kept;
    struct body body = body_new();
    bool other = cards != kept->game_cards;
    if (!is_quiet(shuffler) && shuffler->state != TDP_SHUFFLER_STATE_SETUP) {
        return wrong_state(shuffler);
    }
    if (size > LARGEST_PACKET || cards < LEAST_CARDS || cards > MOST_CARDS || cards != LEAST_CARDS + jokers) {
        return TDP_REASON_BAD_PARAMETER;
    }
    if (size == 0U) {
        return TDP_REASON_NOT_SUPPORTED; /* it has no programs of its own */
    }
    kept->packet_size = size;
    kept->game_cards = cards;
    kept->jokers = jokers;
    copy_text(kept->game, name, SHUFFLER_NAME);
    body_u8(&body, kept->packet_size);
    body_u16(&body, cards);
    body_u8(&body, kept->jokers);
    for (uint8_t i = 0U; i < SHUFFLER_NAME; i++) {
        body_u8(&body, kept->game[i]);
    }
    shuffler_say(shuffler, TDP_GAME_SELECTED, request, &body);
    if (other) {
        shuffler->verified_deck = 0U; /* the deck is counted again, against its new composition */
        shuffler_settle(shuffler, 0U);
    }
    return TDP_REASON_NONE;
}

/* As by a command without a request id: the device's display offers decks of 52 cards and up to 4 jokers. */
bool shuffler_choose_game(struct shuffler *shuffler, uint8_t size, uint8_t jokers)
{
    static const uint8_t unnamed = 0U; /* a text ends there, and nothing after it is read */
    uint8_t cards = (uint8_t)(LEAST_CARDS + jokers);
    return size > 0U && select_game(shuffler, 0U, size, cards, jokers, &unnamed) == TDP_REASON_NONE;
}

static uint16_t go_on(struct shuffler *shuffler, uint16_t request, uint8_t from)
{
    if (shuffler->state != from) {
        return wrong_state(shuffler);
    }
    (void)shuffler_go_on(shuffler, request);
    return TDP_REASON_ACCEPTED;
}

static uint16_t raise_lamp(struct shuffler *shuffler, uint16_t request, uint16_t fault)
{
    uint8_t state = shuffler->state;
    bool none = state == TDP_SHUFFLER_STATE_BOOT || state == TDP_SHUFFLER_STATE_SELF_TEST ||
                state == TDP_SHUFFLER_STATE_FAULT || state == TDP_SHUFFLER_STATE_OPEN ||
                state == TDP_SHUFFLER_STATE_LOCKED || state == TDP_SHUFFLER_STATE_SETUP ||
                state == TDP_SHUFFLER_STATE_SAFE || state == TDP_SHUFFLER_STATE_MISDEAL;
    if (none || shuffler->kept->latched_count > 0U) {
        return wrong_state(shuffler);
    }
    if (fault == TDP_FAULT_NONE) {
        return TDP_REASON_BAD_PARAMETER;
    }
    shuffler_alarm(shuffler, fault, 0U, request);
    shuffler_settle(shuffler, 0U);
    return TDP_REASON_NONE;
}

static uint16_t clear_misdeal(struct shuffler *shuffler, uint16_t request, uint32_t badge, uint8_t resolution)
{
    uint16_t reason = TDP_REASON_NONE;
    if (shuffler->state != TDP_SHUFFLER_STATE_MISDEAL) {
        reason = wrong_state(shuffler);
    } else if ((resolution != TDP_RESOLUTION_RESUME && resolution != TDP_RESOLUTION_REMOVE_DECK) ||
               !shuffler_may_clear(shuffler, resolution)) {
        reason = TDP_REASON_BAD_PARAMETER;
    } else {
        shuffler_clear(shuffler, badge, resolution, request);
    }
    return reason;
}

static uint16_t set_lock(struct shuffler *shuffler, uint16_t request, bool locked)
{
    if (locked != shuffler->locked) {
        if (locked && !is_quiet(shuffler)) {
            return wrong_state(shuffler);
        }
        shuffler->locked = locked;
        shuffler_settle(shuffler, request);
    }
    return TDP_REASON_NONE;
}

static uint16_t self_test(struct shuffler *shuffler, uint16_t request)
{
    if (!is_quiet(shuffler) && shuffler->state != TDP_SHUFFLER_STATE_FAULT) {
        return wrong_state(shuffler);
    }
    shuffler->request = request;
    shuffler_begin(shuffler, MOTION_TEST);
    shuffler_settle(shuffler, 0U);
    return TDP_REASON_ACCEPTED;
}

uint16_t shuffler_obey(void *device, uint16_t request, uint16_t message, const uint8_t *payload)
{
    struct shuffler *shuffler = device;
    uint16_t reason;
    switch (message) {
    case TDP_SELECT_GAME:
        reason = select_game(shuffler, request, payload[0], get_u16(&payload[1]), payload[3], &payload[4]);
        break;
    case TDP_DISPENSE:
        reason = go_on(shuffler, request, TDP_SHUFFLER_STATE_READY);
        break;
    case TDP_DUMP:
        reason = go_on(shuffler, request, TDP_SHUFFLER_STATE_PACKET_WAIT);
        break;
    case TDP_RAISE_LAMP:
        reason = raise_lamp(shuffler, request, get_u16(payload));
        break;
    case TDP_CLEAR_MISDEAL:
        reason = clear_misdeal(shuffler, request, get_u32(payload), payload[4]);
        break;
    case TDP_SET_LOCK:
        reason = set_lock(shuffler, request, payload[0] != 0U);
        break;
    case TDP_SELF_TEST:
        reason = self_test(shuffler, request);
        break;
    default:
        reason = TDP_REASON_UNKNOWN_COMMAND;
        break;
    }
    return reason;
}
