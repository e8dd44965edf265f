/* SPDX-License-Identifier: Apache-2.0 */
#include "store.h"

#include "frame.h"

#define RECORD_HEAD 9U /* length, request, message, clock */
#define RECORD_MAX (RECORD_HEAD + (uint32_t)TDP_EVENT_MAX)
#define LAYOUT 2U /* one up with each change of struct tdp_head, or of what a class keeps that its size does not show */

/* The longest event of which a host can cause 256 on end is GameSelected. Beside them there is room for the next event. */
#if TDP_STORE_BYTES < 256U * (9U + 36U) + 130U
#error "the store has no room for 256 events"
#endif

/* How a byte gets into the store. Each is written on its own and in order, whatever a compiler would rather do: a power
   cut may come between any two. */
#ifndef STORE_PUT
#define STORE_PUT(at, byte) (*(volatile uint8_t *)(at) = (byte))
#endif

static uint32_t layout_of(const struct tdp_class *class)
{
    return (LAYOUT << 24) | ((uint32_t)class->device_class << 16) | ((uint32_t)class->meter_count << 8) | class->kept_size;
}

static uint32_t check_of(const struct tdp_head *head)
{
    return ~tdp_crc(0U, (const uint8_t *)head, offsetof(struct tdp_head, check));
}

void store_load(struct tdp_link *link)
{
    static const struct tdp_head none;
    const struct tdp_head *newest = NULL;
    for (uint8_t i = 0U; i < 2U; i++) {
        const struct tdp_head *head = &link->store->heads[i];
        bool whole = head->check == check_of(head) && head->layout == layout_of(link->class);
        if (whole && (newest == NULL || (int32_t)(head->turn - newest->turn) > 0)) {
            newest = head;
        }
    }
    link->head = newest == NULL ? none : *newest;
    link->head.layout = layout_of(link->class);
    copy_bytes(link->kept, link->head.kept, link->class->kept_size);
}

void store_save(struct tdp_link *link)
{
    struct tdp_head *head = &link->head;
    head->turn++;
    head->mid_round = link->class->mid_round(link->device) ? 1U : 0U;
    copy_bytes(head->kept, link->kept, link->class->kept_size);
    head->check = check_of(head);
    uint8_t *to = (uint8_t *)&link->store->heads[head->turn & 1U];
    for (size_t i = 0U; i < sizeof *head; i++) {
        STORE_PUT(&to[i], ((const uint8_t *)head)[i]);
    }
    link->meters_moved = false;
}

void store_keep(struct tdp_link *link)
{
    const uint8_t *kept = link->kept;
    bool same = !link->meters_moved && (link->head.mid_round != 0U) == link->class->mid_round(link->device);
    for (uint16_t i = 0U; i < link->class->kept_size; i++) {
        same = same && kept[i] == link->head.kept[i];
    }
    if (!same) {
        store_save(link);
    }
}

void store_begin(struct tdp_link *link, uint32_t session)
{
    struct tdp_head *head = &link->head;
    if (head->last > 0U) {
        head->previous_session = head->session;
        head->previous_last = head->last;
        head->previous_oldest = head->oldest;
        head->from = head->middle;
    }
    head->middle = head->to;
    head->session = session;
    head->last = 0U;
    head->oldest = 1U;
    head->boots++;
}

static uint8_t ring_byte(const struct tdp_link *link, uint32_t at)
{
    return link->store->ring[at % TDP_STORE_BYTES];
}

static void ring_write(struct tdp_link *link, uint32_t at, const uint8_t *bytes, uint32_t count)
{
    for (uint32_t i = 0U; i < count; i++) {
        STORE_PUT(&link->store->ring[(at + i) % TDP_STORE_BYTES], bytes[i]);
    }
}

/* Of its fields, at most as many as an event has: memory that lost a bit leads nowhere outside. */
static uint8_t length_at(const struct tdp_link *link, uint32_t at)
{
    uint8_t length = ring_byte(link, at);
    return length < TDP_EVENT_MAX ? length : (uint8_t)TDP_EVENT_MAX;
}

static void drop_oldest(struct tdp_link *link)
{
    struct tdp_head *head = &link->head;
    uint32_t size = RECORD_HEAD + (uint32_t)length_at(link, head->from);
    if (head->from != head->middle) {
        head->previous_oldest++;
    } else {
        head->middle += size;
        head->oldest++;
    }
    head->from += size;
}

/* Positions go on for as long as a session lasts. They are counted anew before they could wrap: the ring's size divides
   them. */
static void count_anew(struct tdp_link *link)
{
    struct tdp_head *head = &link->head;
    if (head->from >= TDP_STORE_BYTES) {
        head->from -= TDP_STORE_BYTES;
        head->middle -= TDP_STORE_BYTES;
        head->to -= TDP_STORE_BYTES;
        link->sent_at -= TDP_STORE_BYTES;
        link->old_at -= TDP_STORE_BYTES;
    }
}

/* There is always room for the longest event: what must go for the one after this goes with the same save as this one
   comes, and no byte is written over that the head of the last save still counts as kept. */
void store_append(struct tdp_link *link, const struct record *event, const uint8_t *fields)
{
    struct tdp_head *head = &link->head;
    uint8_t begin[RECORD_HEAD];
    begin[0] = event->length;
    (void)put_u32(put_u16(put_u16(&begin[1], event->request), event->message), event->device_ms);
    ring_write(link, head->to, begin, RECORD_HEAD);
    ring_write(link, head->to + RECORD_HEAD, fields, event->length);
    head->to += RECORD_HEAD + (uint32_t)event->length;
    head->last++;
    while (head->to - head->from > TDP_STORE_BYTES - RECORD_MAX) {
        drop_oldest(link);
    }
    count_anew(link);
    store_save(link);
}

uint32_t store_at(const struct tdp_link *link, uint32_t number, bool previous)
{
    const struct tdp_head *head = &link->head;
    uint32_t at = previous ? head->from : head->middle;
    uint32_t oldest = previous ? head->previous_oldest : head->oldest;
    for (uint32_t i = oldest; i < number; i++) {
        at += RECORD_HEAD + (uint32_t)length_at(link, at);
    }
    return at;
}

struct record store_read(const struct tdp_link *link, uint32_t at, uint8_t *fields)
{
    uint8_t begin[RECORD_HEAD];
    struct record event;
    for (uint32_t i = 0U; i < RECORD_HEAD; i++) {
        begin[i] = ring_byte(link, at + i);
    }
    event.length = length_at(link, at);
    event.request = get_u16(&begin[1]);
    event.message = get_u16(&begin[3]);
    event.device_ms = get_u32(&begin[5]);
    event.next = at + RECORD_HEAD + event.length;
    for (uint32_t i = 0U; i < event.length; i++) {
        fields[i] = ring_byte(link, at + RECORD_HEAD + i);
    }
    return event;
}
