/* SPDX-License-Identifier: Apache-2.0 */
/* A card-reading shoe as a state machine on the link core. It has no motor: the mechanism reports people's actions, and
   the state machine counts, checks and reports. */
#ifndef TDP_SHOE_H
#define TDP_SHOE_H

#include <stdbool.h>
#include <stdint.h>

#include "tdp.h"

#ifdef __cplusplus
extern "C" {
#endif

/* State that survives a power cut. Zeros are a shoe that was never filled. */
struct shoe_kept {
    uint32_t shoe;   /* number of fillings */
    uint16_t loaded; /* cards filled, 0: empty */
    uint16_t drawn, in_round;
    uint16_t fault; /* the error that halts it, 0: none */
    uint8_t decks, burn_left;
    bool locked, begun, round, cut_card_seen, last_burned;
    bool back, back_burned; /* the last card was pushed back, and was a burned one */
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

/* Reports of the mechanism. Each returns true if it had an effect. `card` is a card code, UNREAD for an unread face. */
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
