/* SPDX-License-Identifier: Apache-2.0 */
/* Cards of the shuffler, counts of the round, and their reports. */
#include "shuffler_parts.h"

/* ------------------------------------------------------------------ cards */

uint8_t shuffler_count(const struct shuffler *shuffler, enum shuffler_bay bay)
{
    return (uint8_t)(shuffler->bays->cards[bay][0] + shuffler->bays->cards[bay][1]);
}

uint8_t shuffler_deck_in(const struct shuffler *shuffler, enum shuffler_bay bay)
{
    return shuffler->bays->cards[bay][0] > 0U ? 1U : 2U;
}

uint8_t shuffler_move(struct shuffler *shuffler, enum shuffler_bay from, enum shuffler_bay to, uint8_t count)
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

uint8_t shuffler_take_all(struct shuffler *shuffler, enum shuffler_bay bay)
{
    uint8_t count = shuffler_count(shuffler, bay);
    for (uint8_t deck = 0U; deck < SHUFFLER_DECKS; deck++) {
        shuffler->bays->cards[bay][deck] = 0U;
    }
    return count;
}

uint16_t shuffler_dispensed(const struct shuffler_round *round)
{
    uint16_t sum = 0U;
    for (uint8_t i = 0U; i < round->count; i++) {
        sum = (uint16_t)(sum + round->packets[i]);
    }
    return sum;
}

uint16_t shuffler_left(const struct shuffler_round *round)
{
    return (uint16_t)(round->loaded - shuffler_dispensed(round) - round->rejected);
}

/* ------------------------------------------------------------------ reports */

void shuffler_say(struct shuffler *shuffler, uint16_t message, uint16_t request, const struct body *body)
{
    tdp_emit(shuffler->link, message, request, body->bytes, body->length);
}

void shuffler_say_fault(struct shuffler *shuffler, bool raised, uint16_t fault, uint16_t value)
{
    struct body body = body_new();
    body_u16(&body, fault);
    if (raised) {
        body_u8(&body, TDP_PLACE_SHUFFLER);
        body_u16(&body, value);
    }
    shuffler_say(shuffler, raised ? TDP_FAULT_RAISED : TDP_FAULT_CLEARED, 0U, &body);
}

void shuffler_say_lamp(struct shuffler *shuffler, bool lit, uint16_t fault, uint16_t request)
{
    struct body body = body_new();
    body_u8(&body, lit ? 1U : 0U);
    body_u16(&body, fault);
    shuffler_say(shuffler, TDP_RED_LAMP, request, &body);
}

void shuffler_say_byte(struct shuffler *shuffler, uint16_t message, uint8_t value)
{
    struct body body = body_new();
    body_u8(&body, value);
    shuffler_say(shuffler, message, 0U, &body);
}

struct shuffler_round shuffler_book(const struct shuffler *shuffler)
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

static void say_misdeal(struct shuffler *shuffler, uint16_t fault)
{
    struct shuffler_round round = shuffler_book(shuffler);
    struct body body = body_new();
    body_u8(&body, round.deck);
    body_u16(&body, fault);
    body_u16(&body, round.loaded);
    body_u16(&body, round.remainder);
    body_u8(&body, round.rejected);
    body_u8(&body, round.count);
    for (uint8_t i = 0U; i < round.count; i++) {
        body_u8(&body, shuffler->kept->packet_size);
        body_u8(&body, round.packets[i]);
    }
    shuffler_say(shuffler, TDP_MISDEAL, 0U, &body);
}

bool shuffler_is_latched(const struct shuffler_kept *kept, uint16_t fault)
{
    bool found = false;
    for (uint8_t i = 0U; i < kept->latched_count; i++) {
        found = found || kept->latched[i] == fault;
    }
    return found;
}

/* Light the red lamp, which is latched, each fault once. Only the first creates the record. */
void shuffler_alarm(struct shuffler *shuffler, uint16_t fault, uint16_t value, uint16_t request)
{
    struct shuffler_kept *kept = shuffler->kept;
    bool lit = kept->latched_count > 0U;
    if (kept->latched_count < SHUFFLER_LATCHED && !shuffler_is_latched(kept, fault)) {
        kept->latched[kept->latched_count] = fault;
        kept->latched_count++;
    }
    shuffler_say_fault(shuffler, true, fault, value);
    if (!lit) {
        shuffler_say_lamp(shuffler, true, fault, request);
        say_misdeal(shuffler, fault);
    }
}
