/* SPDX-License-Identifier: Apache-2.0 */
/* A packet shuffler as a state machine on the link core. It counts the cards that its mechanism moves; it does not read
   faces. */
#ifndef TDP_SHUFFLER_H
#define TDP_SHUFFLER_H

#include <stdbool.h>
#include <stdint.h>

#include "body.h"
#include "tdp.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SHUFFLER_DECKS = 2,
    SHUFFLER_PACKETS = 56, /* of one card each, from the largest deck */
    SHUFFLER_LATCHED = 8,
    SHUFFLER_MISHAPS = 4,
    SHUFFLER_NAME = 32,
    SHUFFLER_NOT_COUNTED = 0xFFFF
};

/* Places of cards inside. */
enum shuffler_bay { BAY_INPUT, BAY_CHAMBER, BAY_TRAY, BAY_REJECT, BAY_STUCK, BAYS };

/* Number of cards of each deck in each bay, and the state of the mechanism: the truth that its sensors see. It needs no
   power. */
struct shuffler_bays {
    uint8_t cards[BAYS][SHUFFLER_DECKS];
    uint8_t speed; /* speed factor; 0 and 1: real time */
    bool door_open, sensor_blocked;
};

/* Counts of one round. */
struct shuffler_round {
    uint16_t loaded, remainder;
    uint8_t deck, count, rejected;
    uint8_t packets[SHUFFLER_PACKETS]; /* as counted */
};

/* State that survives a power cut. */
struct shuffler_kept {
    struct shuffler_round round;
    uint16_t latched[SHUFFLER_LATCHED];
    uint16_t game_cards;
    uint8_t latched_count, packet_size, jokers;
    bool shuffling; /* a shuffle started and its deck is not counted yet */
    bool dealing; /* from the first packet until the remainder is lifted */
    uint8_t game[SHUFFLER_NAME];
};

enum shuffler_motion { MOTION_NONE, MOTION_BOOT, MOTION_TEST, MOTION_DISPENSE, MOTION_RECOVER, MOTION_DUMP };
enum shuffler_stage { STAGE_NONE, STAGE_FEED, STAGE_SHUFFLE, STAGE_VERIFY };

/* A mishap of the mechanism at a packet, 0: at the remainder. */
struct shuffler_mishap {
    bool armed, unnoticed;
    uint8_t ordinal, tries, lost, rejected, slipped;
    int8_t by;
};

struct shuffler {
    struct tdp_link *link;
    struct shuffler_kept *kept;
    struct shuffler_bays *bays;
    uint32_t now_ms, motion_ms, motion_takes, stage_ms, stage_takes;
    struct shuffler_mishap mishaps[SHUFFLER_MISHAPS];
    uint16_t request; /* of the current accepted command */
    uint16_t verified_cards;
    uint8_t verified_deck; /* 0: none is ready */
    uint8_t state, tries;
    enum shuffler_motion motion, owed;
    enum shuffler_stage stage;
    bool locked, in_setup, host_lost, sensor_failed;
};

extern const struct tdp_class shuffler_class;

/* People's actions. Each returns true if it had an effect. */
bool shuffler_loaded(struct shuffler *shuffler, uint8_t deck);
bool shuffler_green(struct shuffler *shuffler);
bool shuffler_lift(struct shuffler *shuffler);
bool shuffler_grab(struct shuffler *shuffler);
bool shuffler_door(struct shuffler *shuffler, bool open);
bool shuffler_setup(struct shuffler *shuffler, bool open);
bool shuffler_choose_game(struct shuffler *shuffler, uint8_t size, uint8_t jokers);
bool shuffler_key(struct shuffler *shuffler, uint8_t resolution);
uint8_t shuffler_count(const struct shuffler *shuffler, enum shuffler_bay bay);

/* Common to the commands and the buttons. */
void shuffler_say(struct shuffler *shuffler, uint16_t message, uint16_t request, const struct body *body);
void shuffler_settle(struct shuffler *shuffler, uint16_t request);
void shuffler_begin(struct shuffler *shuffler, enum shuffler_motion motion);
bool shuffler_go_on(struct shuffler *shuffler, uint16_t request);
bool shuffler_is_latched(const struct shuffler_kept *kept, uint16_t fault);
void shuffler_alarm(struct shuffler *shuffler, uint16_t fault, uint16_t value, uint16_t request);
bool shuffler_may_clear(const struct shuffler *shuffler, uint8_t resolution);
void shuffler_clear(struct shuffler *shuffler, uint32_t badge, uint8_t resolution, uint16_t request);
uint16_t shuffler_obey(void *device, uint16_t request, uint16_t message, const uint8_t *payload);

#ifdef __cplusplus
}
#endif

#endif
