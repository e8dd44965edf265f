/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the shoe share among themselves; nobody else includes this. */
#ifndef TDP_SHOE_PARTS_H
#define TDP_SHOE_PARTS_H

#include "body.h"
#include "shoe.h"

void shoe_say(struct shoe *shoe, uint16_t message, const struct body *body);

/* Say what happened at the card of this ordinal, as one that halts the shoe. */
void shoe_say_ordinal(struct shoe *shoe, uint16_t message, uint32_t ordinal);

/* Show the state that follows from what was done. */
void shoe_settle(struct shoe *shoe);

/* Halt for a trouble; whether it could. */
bool shoe_halt(struct shoe *shoe, uint16_t fault);

/* The shoe's last card is out. */
void shoe_say_ended(struct shoe *shoe);

#endif
