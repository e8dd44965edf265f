/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of the shoe; no other file includes this. */
#ifndef TDP_SHOE_PARTS_H
#define TDP_SHOE_PARTS_H

#include "body.h"
#include "shoe.h"

void shoe_say(struct shoe *shoe, uint16_t message, const struct body *body);

/* Report an event with the ordinal of a card, as one that halts the shoe. */
void shoe_say_ordinal(struct shoe *shoe, uint16_t message, uint32_t ordinal);

/* Change to the resulting state. */
void shoe_settle(struct shoe *shoe);

/* Halt for an error. Return false if it could not. */
bool shoe_halt(struct shoe *shoe, uint16_t fault);

/* Report the end of the shoe. */
void shoe_say_ended(struct shoe *shoe);

#endif
