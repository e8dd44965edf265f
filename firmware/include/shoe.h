/* SPDX-License-Identifier: Apache-2.0 */
/* A card-reading shoe as a state machine on the link core. It has no motor: the mechanism tells it what people did, and
   it counts, judges and says so. */
#ifndef TDP_SHOE_H
#define TDP_SHOE_H

#include <stdbool.h>
#include <stdint.h>

#include "tdp.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What outlives a power cut. Zeros are a shoe that was never filled. */
struct shoe_kept {
    uint32_t shoe;   /* shoes it was ever filled with */
    uint16_t loaded; /* cards it was filled with, 0: empty */
    uint16_t drawn, in_round;
    uint16_t fault; /* the trouble it halts for, 0: none */
    uint8_t decks, burn_left;
    bool locked, begun, round, cut_card_seen, last_burned;
    bool back, back_burned; /* the last card was pushed back, and it was one that was burned */
    uint8_t back_card;
};

struct shoe {
    struct tdp_link *link;
    struct shoe_kept *kept;
    uint32_t boot_due_ms;
    uint16_t request; /* of the command being carried out, 0: none */
    uint16_t round_limit; /* cards after which a further one is an overdraw, 0: none */
    uint8_t state;
    bool booting, in_setup, host_lost;
};

extern const struct tdp_class shoe_class;

/* What the mechanism reports. Each says whether anything came of it. `card` is a card code, UNREAD for one whose face was
   not read. */
bool shoe_filled(struct shoe *shoe, uint8_t decks, uint16_t cards);
bool shoe_begun(struct shoe *shoe, uint8_t burn);
bool shoe_burning(struct shoe *shoe, uint8_t count);
void shoe_cut_card(struct shoe *shoe);
bool shoe_drawn(struct shoe *shoe, uint8_t card);
bool shoe_pushed_back(struct shoe *shoe, uint8_t card);
bool shoe_pulled_back(struct shoe *shoe);
bool shoe_round_ended(struct shoe *shoe);
bool shoe_emptied(struct shoe *shoe);
bool shoe_key_turned(struct shoe *shoe, bool locked);
bool shoe_trouble(struct shoe *shoe, uint16_t fault, bool halts);
bool shoe_error_cleared(struct shoe *shoe, uint32_t badge);
bool shoe_setup_moved(struct shoe *shoe, bool open);

#ifdef __cplusplus
}
#endif

#endif
