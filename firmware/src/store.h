/* SPDX-License-Identifier: Apache-2.0 */
/* Storage of events. `head` is its newest state in RAM; `store_save` makes it survive a power cut. */
#ifndef TDP_EVENT_STORE_H
#define TDP_EVENT_STORE_H

#include "tdp.h"

/* One stored event; `next` is where the following record begins. */
struct record {
    uint32_t device_ms, next;
    uint16_t message, request;
    uint8_t length; /* of its fields after number and clock */
};

/* Load the state that the power cut left, in this layout or the previous one; zeros if there is none. Nothing is
   written: the first save is in this layout, and a power cut during it leaves the old one. */
void store_load(struct tdp_link *link);

/* Start a session: the stored events become those of the previous one. */
void store_begin(struct tdp_link *link, uint32_t session);

/* Store the next event, of at most TDP_EVENT_MAX bytes, and save the head; the oldest is dropped if there is no room
   for another. */
void store_append(struct tdp_link *link, const struct record *event, const uint8_t *fields);

/* Save the head, with the class's state as it is now. */
void store_save(struct tdp_link *link);

/* Save the head if the class's state or a meter changed since the last save. */
void store_keep(struct tdp_link *link);

/* Return the start of the record this many places after the one at `at`. */
uint32_t store_skip(const struct tdp_link *link, uint32_t at, uint32_t count);

/* Return the start of event `number` of this session, or of the previous one; both ends are allowed, and last + 1. */
uint32_t store_at(const struct tdp_link *link, uint32_t number, bool previous);

/* Return the record at `at`, with its fields in `fields`. */
struct record store_read(const struct tdp_link *link, uint32_t at, uint8_t *fields);

#endif
