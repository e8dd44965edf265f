/* SPDX-License-Identifier: Apache-2.0 */
/* The events' memory. `head` is its newest state in RAM; `store_save` makes it outlive a power cut. */
#ifndef TDP_EVENT_STORE_H
#define TDP_EVENT_STORE_H

#include "tdp.h"

/* One event as it is kept; `next` is where the record after it begins. */
struct record {
    uint32_t device_ms, next;
    uint16_t message, request;
    uint8_t length; /* of its fields behind number and clock */
};

/* Take up what the power cut left, in this layout or the one before: zeros when that is nothing. Nothing is written: the
   first save is in this layout, and a power cut in it leaves the old one. */
void store_load(struct tdp_link *link);

/* Begin a session: what is kept becomes the previous one's. */
void store_begin(struct tdp_link *link, uint32_t session);

/* Keep the next event, of at most TDP_EVENT_MAX bytes, and save the head; the oldest goes when there is no room for
   another. */
void store_append(struct tdp_link *link, const struct record *event, const uint8_t *fields);

/* Save the head, with the class's part as it is now. */
void store_save(struct tdp_link *link);

/* Save the head when the class's part, or a meter, is another than was saved. */
void store_keep(struct tdp_link *link);

/* Where the record begins that comes so many behind the one at `at`. */
uint32_t store_skip(const struct tdp_link *link, uint32_t at, uint32_t count);

/* Where event `number` of this session, or of the one before, begins; both ends may be asked for, last + 1 too. */
uint32_t store_at(const struct tdp_link *link, uint32_t number, bool previous);

/* The record at `at`, its fields into `fields`. */
struct record store_read(const struct tdp_link *link, uint32_t at, uint8_t *fields);

#endif
