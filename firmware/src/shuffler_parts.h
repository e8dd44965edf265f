/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of the shuffler; no other file includes this. */
#ifndef TDP_SHUFFLER_PARTS_H
#define TDP_SHUFFLER_PARTS_H

#include "shuffler.h"

/* ------------------------------------------------------------------ cards and counts: shuffler_book.c */

/* Return the deck in this bay: 1 or 2. */
uint8_t shuffler_deck_in(const struct shuffler *shuffler, enum shuffler_bay bay);

/* Move this many cards, or as many as there are; return the number moved. */
uint8_t shuffler_move(struct shuffler *shuffler, enum shuffler_bay from, enum shuffler_bay to, uint8_t count);

/* Move all cards to a hand; return the number. */
uint8_t shuffler_take_all(struct shuffler *shuffler, enum shuffler_bay bay);

/* Return the cards in the packets of the round. */
uint16_t shuffler_dispensed(const struct shuffler_round *round);

/* Return the cards that must still be inside if none is lost. */
uint16_t shuffler_left(const struct shuffler_round *round);

/* Return the counts of the deck in use: of the round, or of the ready deck. */
struct shuffler_round shuffler_book(const struct shuffler *shuffler);

void shuffler_say_fault(struct shuffler *shuffler, bool raised, uint16_t fault, uint16_t value);
void shuffler_say_lamp(struct shuffler *shuffler, bool lit, uint16_t fault, uint16_t request);
void shuffler_say_byte(struct shuffler *shuffler, uint16_t message, uint8_t value);

/* ------------------------------------------------------------------ motions: shuffler.c begins, shuffler_motions.c ends them */

void shuffler_begin_stage(struct shuffler *shuffler, enum shuffler_stage stage);
/* Abort the preparation of a deck: a started shuffle counts as failed. */
void shuffler_drop_stage(struct shuffler *shuffler);
void shuffler_end_motion(struct shuffler *shuffler);
void shuffler_end_stage(struct shuffler *shuffler);

/* Schedule another packet if there are cards for it. */
void shuffler_owe_next(struct shuffler *shuffler);

/* Report a packet that came out, or was taken out, with this many cards. */
void shuffler_report_packet(struct shuffler *shuffler, uint8_t counted);

#endif
