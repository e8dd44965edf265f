/* SPDX-License-Identifier: Apache-2.0 */
#include "store.h"

#include "frame.h"

#define RECORD_HEAD 9U /* length, request, message, clock */

static uint32_t check_of(const struct tdp_head *head)
{
    return ~tdp_crc(0U, (const uint8_t *)head, offsetof(struct tdp_head, check));
}

void store_load(struct tdp_link *link)
{
    static const struct tdp_head none;
    const struct tdp_head *newest = &none;
    for (uint8_t i = 0U; i < 2U; i++) {
        const struct tdp_head *head = &link->store->heads[i];
        if (head->check == check_of(head) && head->turn > newest->turn) {
            newest = head;
        }
    }
    link->head = *newest;
    copy_bytes(link->kept, link->head.kept, link->class->kept_size);
}

void store_save(struct tdp_link *link)
{
    struct tdp_head *head = &link->head;
    head->turn++;
    head->mid_round = link->class->mid_round(link->device) ? 1U : 0U;
    copy_bytes(head->kept, link->kept, link->class->kept_size);
    head->check = check_of(head);
    link->store->heads[head->turn & 1U] = *head;
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
    /* the ring's positions count on; they begin again with the session, so that they never wrap within one */
    uint32_t shift = head->from - head->from % TDP_STORE_BYTES;
    head->from -= shift;
    head->to -= shift;
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
        link->store->ring[(at + i) % TDP_STORE_BYTES] = bytes[i];
    }
}

static void drop_oldest(struct tdp_head *head, uint32_t size)
{
    if (head->from != head->middle) {
        head->from += size;
        head->previous_oldest++;
    } else {
        head->from += size;
        head->middle += size;
        head->oldest++;
    }
}

void store_append(struct tdp_link *link, const struct record *event, const uint8_t *fields)
{
    struct tdp_head *head = &link->head;
    uint8_t begin[RECORD_HEAD];
    uint32_t size = RECORD_HEAD + (uint32_t)event->length;
    bool dropped = false;
    while (head->to - head->from + size > TDP_STORE_BYTES) {
        drop_oldest(head, RECORD_HEAD + (uint32_t)ring_byte(link, head->from));
        dropped = true;
    }
    if (dropped) {
        store_save(link); /* before its bytes are gone: a power cut in between must not find them in use */
    }
    begin[0] = event->length;
    (void)put_u32(put_u16(put_u16(&begin[1], event->request), event->message), event->device_ms);
    ring_write(link, head->to, begin, RECORD_HEAD);
    ring_write(link, head->to + RECORD_HEAD, fields, event->length);
    head->to += size;
    head->last++;
    store_save(link);
}

uint32_t store_at(const struct tdp_link *link, uint32_t number, bool previous)
{
    const struct tdp_head *head = &link->head;
    uint32_t at = previous ? head->from : head->middle;
    uint32_t oldest = previous ? head->previous_oldest : head->oldest;
    for (uint32_t i = oldest; i < number; i++) {
        at += RECORD_HEAD + (uint32_t)ring_byte(link, at);
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
    event.length = begin[0];
    event.request = get_u16(&begin[1]);
    event.message = get_u16(&begin[3]);
    event.device_ms = get_u32(&begin[5]);
    event.next = at + RECORD_HEAD + event.length;
    for (uint32_t i = 0U; i < event.length; i++) {
        fields[i] = ring_byte(link, at + RECORD_HEAD + i);
    }
    return event;
}
