/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the shuffler share among themselves; nobody else includes this. */
#ifndef TDP_SHUFFLER_PARTS_H
#define TDP_SHUFFLER_PARTS_H

#include "shuffler.h"

/* ------------------------------------------------------------------ the cards and the book: shuffler_book.c */

/* Which deck lies there: 1 or 2. */
uint8_t shuffler_deck_in(const struct shuffler *shuffler, enum shuffler_bay bay);

/* Move so many cards, or as many as there are; how many that was. */
uint8_t shuffler_move(struct shuffler *shuffler, enum shuffler_bay from, enum shuffler_bay to, uint8_t count);

/* A hand takes all of it; how many cards that was. */
uint8_t shuffler_take_all(struct shuffler *shuffler, enum shuffler_bay bay);

/* Cards in the packets of the round. */
uint16_t shuffler_dispensed(const struct shuffler_round *round);

/* Cards that must be inside still if none is lost. */
uint16_t shuffler_left(const struct shuffler_round *round);

/* What the book says of the deck in use: the round's, or the one that is ready. */
struct shuffler_round shuffler_book(const struct shuffler *shuffler);

void shuffler_say_fault(struct shuffler *shuffler, bool raised, uint16_t fault, uint16_t value);
void shuffler_say_lamp(struct shuffler *shuffler, bool lit, uint16_t fault, uint16_t request);
void shuffler_say_byte(struct shuffler *shuffler, uint16_t message, uint8_t value);

/* ------------------------------------------------------------------ motions: shuffler.c begins, shuffler_motions.c ends them */

void shuffler_begin_stage(struct shuffler *shuffler, enum shuffler_stage stage);
/* The preparation of a deck goes no further: a shuffle that was begun has failed. */
void shuffler_drop_stage(struct shuffler *shuffler);
void shuffler_end_motion(struct shuffler *shuffler);
void shuffler_end_stage(struct shuffler *shuffler);

/* Another packet is due when there are cards for it. */
void shuffler_owe_next(struct shuffler *shuffler);

/* A packet came out, or was taken out, with so many cards. */
void shuffler_report_packet(struct shuffler *shuffler, uint8_t counted);

#endif
