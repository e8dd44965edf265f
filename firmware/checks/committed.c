/* SPDX-License-Identifier: Apache-2.0 */
/* The class's own state and its meters are saved with the event that reports them: after each save of the store both
   agree, so that the power may fail between any two saves. */
#include "checks.h"
#include "shoe.h"
#include "shuffler.h"
#include "store.h"

static const struct device *device;
static uint32_t seen; /* events looked at */
static uint32_t drawn, cards, rounds, saves;
static uint8_t burn_left;

static void take_shoe_event(uint16_t message, const uint8_t *fields)
{
    uint8_t place = TDP_PLACE_NOWHERE;
    if (message == TDP_SHOE_LOADED) {
        drawn = 0;
    } else if (message == TDP_BURN_STARTED) {
        burn_left = fields[0];
    } else if (message == TDP_CARD_DRAWN || message == TDP_CARD_UNREADABLE || message == TDP_CARD_DRAWN_OUTSIDE) {
        drawn = get_u16(fields);
        cards++;
        place = message == TDP_CARD_UNREADABLE ? fields[2] : fields[3];
        place = message == TDP_CARD_DRAWN_OUTSIDE ? (uint8_t)TDP_PLACE_NOWHERE : place;
    } else if (message == TDP_CARD_REPORTED_AGAIN) {
        drawn = get_u16(fields);
        place = fields[3];
    } else if (message == TDP_PUSHED_BACK) {
        drawn = get_u16(fields) - 1U;
    } else {
        /* not about a card */
    }
    burn_left = (uint8_t)(burn_left - (place == TDP_PLACE_BURN ? 1 : 0));
}

static void look_at_shoe(const struct tdp_head *head, const struct shoe_kept *kept, const struct record *newest, bool fresh)
{
    check(kept->drawn == drawn, "the shoe has drawn as many cards as its events report", newest->message);
    check(head->meters[1] == cards, "the shoe has counted as many cards as its events report", newest->message);
    check(!fresh || newest->message != TDP_CARD_DRAWN || kept->burn_left == burn_left, "a burned card is burned",
          newest->message);
    check(!fresh || newest->message != TDP_SHOE_ENDED || !kept->round, "an ended shoe is in no round", newest->message);
}

static void look_at_shuffler(const struct tdp_head *head, const struct shuffler_kept *kept, const struct record *newest,
                             const uint8_t *fields, bool fresh)
{
    uint16_t message = fresh ? newest->message : 0;
    bool empty = message == TDP_REMAINDER_DUMPED && get_u16(&fields[1]) == 0 && get_u16(&fields[3]) == 0;
    rounds += message == TDP_REMAINDER_LIFTED || empty ? 1U : 0U;
    check(head->meters[0] == rounds, "the shuffler has counted the rounds that its events end", message);
    check(!(message == TDP_REMAINDER_LIFTED || message == TDP_DECK_REMOVED || empty) || head->mid_round == 0,
          "a round is over with the event that ends it", message);
    check(message != TDP_PACKET_DISPENSED || kept->round.count == fields[1], "a packet is counted", message);
    check(message != TDP_FAULT_RAISED || get_u16(fields) != TDP_FAULT_DOOR_OPENED_MID_ROUND || kept->latched_count > 0,
          "what lights the lamp is latched with it", message);
}

static void on_head(void)
{
    static struct tdp_link found;
    static union {
        struct shoe_kept shoe;
        struct shuffler_kept shuffler;
    } kept;
    const struct tdp_head *head = &found.head;
    uint8_t fields[TDP_EVENT_MAX];
    check_load(&found, device->link->type, &kept);
    bool fresh = head->last != seen;
    struct record newest = store_read(&found, store_at(&found, head->last, false), fields);
    seen = head->last;
    saves++;
    if (device == &shoe_device) {
        if (fresh) {
            take_shoe_event(newest.message, fields);
        }
        look_at_shoe(head, &kept.shoe, &newest, fresh);
    } else {
        look_at_shuffler(head, &kept.shuffler, &newest, fields, fresh);
    }
}

static void play(const char *const *acts, size_t count, uint32_t ms)
{
    for (size_t i = 0; i < count; i++) {
        check_do(device, acts[i], 1);
        check_run(device, ms);
    }
}

static const char *const of_shoe[] = {
    "fill 1 30", "begin 3", "draw", "draw", "draw", "draw", "draw", "push-back", "clear-error", "draw", "draw-unread",
    "clear-error", "end-round", "burn 2", "draw-unread", "clear-error", "draw", "draw", "lock-key 1", "draw", "lock-key 0",
    "limit 2", "draw", "draw", "draw", "clear-error", "limit 0", "end-round", "empty", "fill 1 0", "begin 1", "draw", "draw",
    "end-round", "empty", "fill 2 4", "begin 0", "draw", "draw", "draw", "draw", "draw", "draw", "end-round", "empty"};
static const char *const of_shuffler[] = {
    "load 0 0", "load 0 0", "green", "lift", "jam 0 1", "lift", "green", "lift", "green", "open-door", "close-door",
    "clear-remove", "load 0 0", "rejected-card 1 1", "green", "lift", "lift", "lift", "lift", "green", "lift"};

int main(void)
{
    uint8_t game[36] = {13, 52, 0, 0, 'x'};
    device = &shoe_device;
    check_on_head = on_head;
    check_new(device, 5, 2000);
    play(of_shoe, sizeof of_shoe / sizeof of_shoe[0], 3);
    check(cards > 15, "cards were drawn", (long)cards);
    device = &shuffler_device;
    seen = 0;
    check_new(device, 5, 10);
    check_do(device, "speed 100", 1);
    check_run(device, 4000);
    play(of_shuffler, sizeof of_shuffler / sizeof of_shuffler[0], 500);
    check_open(device, TDP_ROLE_SERVICE);
    check_say(device, TDP_KIND_COMMAND, 999, TDP_SELECT_GAME, game, sizeof game);
    check_do(device, "load 0 0", 1);
    check_run(device, 2000);
    check_open(device, TDP_ROLE_SERVICE);
    static const char *const whole[] = {"load 0 0", "green", "lift", "lift", "lift", "lift", "green"};
    play(whole, sizeof whole / sizeof whole[0], 100);
    check(rounds >= 2, "rounds ended, by hand and automatically", (long)rounds);
    (void)printf("%lu saves\n", (unsigned long)saves);
    return check_failed;
}
