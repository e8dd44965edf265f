/* SPDX-License-Identifier: Apache-2.0 */
/* The store: two heads of TDP_HEAD_BYTES, then the ring. A head is written low byte first on every processor:
     0  layout, class, number of meters n, version and size k of the class's own state, mid-round: a byte each
     6  turn, session, last, previous session, its last, boots, oldest, previous oldest, milliseconds of the hour:
        four bytes each
    42  from, middle, to, and the ring's size: two bytes each
    50  n meters: number, and four bytes of count
        k bytes of the class, then the check over everything before it, inverted
   Layout 2 was a copy of the head in the memory of a little-endian processor, at the same two places, with the ring at
   its present place: size of the class's own state, number of meters, class, 2; the numbers in the order of
   `struct tdp_head`; the check. */
#include "store.h"

#include "frame.h"

#define RECORD_HEAD 9U /* length, request, message, clock */
#define RECORD_MAX (RECORD_HEAD + (uint32_t)TDP_EVENT_MAX)
#define RING_AT (2U * (uint32_t)TDP_HEAD_BYTES)

#define LAYOUT 0xA3U /* the third; a head of layout 2 has the size of the class's state there, which is never this */
#define NUMBERS_AT 6U
#define METERS_AT 50U
#define METER_BYTES 5U
#define CHECK_AT_MAX ((uint32_t)TDP_HEAD_BYTES - 4U)

#define OLD_LAYOUT 2U
#define OLD_NUMBERS_AT 4U
#define OLD_KEPT_AT 120U
#define OLD_CHECK_AT 256U
#define OLD_KEPT_MAX (OLD_CHECK_AT - OLD_KEPT_AT)

/* The longest event that a host can cause 256 times in a row is GameSelected. There is also room for the next event.
   Positions go up to twice the ring's size. */
#if TDP_STORE_BYTES < 256U * (9U + 36U) + 130U || TDP_STORE_BYTES > 32767U
#error "the store must have room for 256 events, and at most 32767 bytes"
#endif

/* The numbers of a head in write order: four bytes each, the last three two each. */
#define PLACE(number) ((uint8_t)offsetof(struct tdp_head, number))
static const uint8_t places[] = {PLACE(turn),   PLACE(session), PLACE(last),            PLACE(previous_session),
                                 PLACE(previous_last), PLACE(boots),  PLACE(oldest),    PLACE(previous_oldest),
                                 PLACE(powered_ms),    PLACE(from),   PLACE(middle),    PLACE(to)};
#define PLACES (sizeof places / sizeof places[0])
#define WIDE (PLACES - 3U)

static uint32_t head_at(uint32_t turn)
{
    return (turn & 1U) * (uint32_t)TDP_HEAD_BYTES;
}

static void fetch_head(struct tdp_link *link, uint32_t slot)
{
    link->memory->read(link->memory->context, head_at(slot), link->saved, (uint32_t)TDP_HEAD_BYTES);
}

/* ------------------------------------------------------------------ heads of both layouts, from `saved` */

static bool is_old(const uint8_t *saved)
{
    return saved[0] != LAYOUT;
}

static uint32_t kept_at(const uint8_t *saved)
{
    return METERS_AT + METER_BYTES * saved[2];
}

static uint32_t turn_of(const uint8_t *saved)
{
    return get_u32(&saved[is_old(saved) ? OLD_NUMBERS_AT + offsetof(struct tdp_head, turn) : NUMBERS_AT]);
}

/* Return true for a completely written head that this class may use. */
static bool is_whole(const struct tdp_link *link, const uint8_t *saved)
{
    bool old = is_old(saved);
    uint32_t size = old ? OLD_CHECK_AT : kept_at(saved) + saved[4];
    bool mine = saved[old ? 2U : 1U] == link->type->device_class && size <= CHECK_AT_MAX &&
                (!old || (saved[3] == OLD_LAYOUT && saved[1] <= (uint8_t)TDP_METERS_MAX && saved[0] <= OLD_KEPT_MAX));
    return mine && get_u32(&saved[size]) == ~tdp_crc(0U, saved, size);
}

static void take_kept(struct tdp_link *link, uint8_t version, const uint8_t *was, uint16_t size)
{
    const struct tdp_class *type = link->type;
    if (version == type->kept_version && size == type->kept_size) {
        copy_bytes(link->kept, was, size);
    } else if (type->take_over != NULL) {
        type->take_over(link->kept, version, was, size);
    } else {
        /* it starts as if never used */
    }
}

/* The meters are those of the class at that time, in their order; newer ones were added after them. */
static void take_old(struct tdp_link *link)
{
    const uint8_t *saved = link->saved;
    copy_bytes((uint8_t *)&link->head, &saved[OLD_NUMBERS_AT], sizeof link->head);
    for (uint32_t i = saved[1]; i < (uint32_t)TDP_METERS_MAX; i++) {
        link->head.meters[i] = 0U;
    }
    take_kept(link, 1U, &saved[OLD_KEPT_AT], saved[0]);
}

static void take_meter(struct tdp_link *link, uint8_t meter, uint32_t count)
{
    for (uint8_t i = 0U; i < link->type->meter_count; i++) {
        if (link->type->meters[i].meter == meter) {
            link->head.meters[i] = count;
        }
    }
}

static void take_head(struct tdp_link *link)
{
    struct tdp_head *head = &link->head;
    const uint8_t *saved = link->saved;
    const uint8_t *from = &saved[NUMBERS_AT];
    head->mid_round = saved[5];
    for (uint8_t i = 0U; i < PLACES; i++) {
        uint32_t number = i < WIDE ? get_u32(from) : get_u16(from);
        copy_bytes(&((uint8_t *)head)[places[i]], (const uint8_t *)&number, sizeof number);
        from = &from[i < WIDE ? 4U : 2U];
    }
    for (uint32_t at = METERS_AT; at < kept_at(saved); at += METER_BYTES) {
        take_meter(link, saved[at], get_u32(&saved[at + 1U]));
    }
    take_kept(link, saved[3], &saved[kept_at(saved)], saved[4]);
    if (get_u16(&saved[48]) != TDP_STORE_BYTES) {
        head->from = 0U; /* another ring size: its events are elsewhere */
        head->middle = 0U;
        head->to = 0U;
        head->oldest = head->last + 1U;
        head->previous_oldest = head->previous_last + 1U;
    }
}

void store_load(struct tdp_link *link)
{
    static const struct tdp_head none;
    uint32_t turn = 0U;
    bool found = false;
    link->head = none;
    for (uint16_t i = 0U; i < link->type->kept_size; i++) {
        ((uint8_t *)link->kept)[i] = 0U;
    }
    for (uint32_t slot = 0U; slot < 2U; slot++) {
        fetch_head(link, slot);
        if (is_whole(link, link->saved) && (!found || (int32_t)(turn_of(link->saved) - turn) > 0)) {
            turn = turn_of(link->saved);
            found = true;
        }
    }
    if (found) {
        fetch_head(link, turn);
        if (is_old(link->saved)) {
            take_old(link);
        } else {
            take_head(link);
        }
    }
}

/* ------------------------------------------------------------------ saving */

/* Encode the head into `saved`; return its length. */
static uint32_t write_down(struct tdp_link *link)
{
    const struct tdp_head *head = &link->head;
    const struct tdp_class *type = link->type;
    uint8_t *at = link->saved;
    *at++ = LAYOUT;
    *at++ = type->device_class;
    *at++ = type->meter_count;
    *at++ = type->kept_version;
    *at++ = (uint8_t)type->kept_size;
    *at++ = (uint8_t)head->mid_round;
    for (uint8_t i = 0U; i < PLACES; i++) {
        uint32_t number;
        copy_bytes((uint8_t *)&number, &((const uint8_t *)head)[places[i]], sizeof number);
        at = i < WIDE ? put_u32(at, number) : put_u16(at, (uint16_t)number);
    }
    at = put_u16(at, (uint16_t)TDP_STORE_BYTES);
    for (uint8_t i = 0U; i < type->meter_count; i++) {
        *at++ = type->meters[i].meter;
        at = put_u32(at, head->meters[i]);
    }
    copy_bytes(at, link->kept, type->kept_size);
    at = &at[type->kept_size];
    at = put_u32(at, ~tdp_crc(0U, link->saved, (size_t)(at - link->saved)));
    return (uint32_t)(at - link->saved);
}

void store_save(struct tdp_link *link)
{
    const struct tdp_memory *memory = link->memory;
    link->head.turn++;
    link->head.mid_round = link->type->mid_round(link->device) ? 1U : 0U;
    uint32_t size = write_down(link);
    memory->barrier(memory->context); /* what it counts as stored is stored */
    memory->write(memory->context, head_at(link->head.turn), link->saved, size);
    memory->barrier(memory->context);
    link->meters_moved = false;
    link->refusals_wait = false;
}

void store_keep(struct tdp_link *link)
{
    const uint8_t *kept = link->kept;
    const uint8_t *saved = &link->saved[kept_at(link->saved)];
    bool same = !link->meters_moved && (link->head.mid_round != 0U) == link->type->mid_round(link->device);
    for (uint16_t i = 0U; i < link->type->kept_size; i++) {
        same = same && kept[i] == saved[i];
    }
    if (!same) {
        store_save(link);
    }
}

void tdp_save(struct tdp_link *link)
{
    store_save(link);
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
    link->acknowledged_at = head->middle;
}

/* ------------------------------------------------------------------ the ring */

static void ring_read(const struct tdp_link *link, uint32_t at, uint8_t *bytes, uint32_t count)
{
    const struct tdp_memory *memory = link->memory;
    uint32_t begin = at % TDP_STORE_BYTES;
    uint32_t first = count < TDP_STORE_BYTES - begin ? count : TDP_STORE_BYTES - begin;
    memory->read(memory->context, RING_AT + begin, bytes, first);
    if (count > first) {
        memory->read(memory->context, RING_AT, &bytes[first], count - first);
    }
}

static void ring_write(const struct tdp_link *link, uint32_t at, const uint8_t *bytes, uint32_t count)
{
    const struct tdp_memory *memory = link->memory;
    uint32_t begin = at % TDP_STORE_BYTES;
    uint32_t first = count < TDP_STORE_BYTES - begin ? count : TDP_STORE_BYTES - begin;
    memory->write(memory->context, RING_AT + begin, bytes, first);
    if (count > first) {
        memory->write(memory->context, RING_AT, &bytes[first], count - first);
    }
}

/* Limit the length of an event's fields: a bit error in the memory must not lead outside. */
static uint8_t bounded(uint8_t length)
{
    return length < (uint8_t)TDP_EVENT_MAX ? length : (uint8_t)TDP_EVENT_MAX;
}

static uint32_t size_at(const struct tdp_link *link, uint32_t at)
{
    uint8_t length;
    ring_read(link, at, &length, 1U);
    return RECORD_HEAD + (uint32_t)bounded(length);
}

static void drop_oldest(struct tdp_link *link)
{
    struct tdp_head *head = &link->head;
    uint32_t size = size_at(link, head->from);
    if (head->from != head->middle) {
        head->previous_oldest++;
    } else {
        head->middle += size;
        head->oldest++;
    }
    head->from += size;
}

/* Positions grow for as long as a session lasts. They are reduced before they could wrap, by a multiple of the ring's
   size. */
static void count_anew(struct tdp_link *link)
{
    struct tdp_head *head = &link->head;
    if (head->from >= TDP_STORE_BYTES) {
        head->from -= TDP_STORE_BYTES;
        head->middle -= TDP_STORE_BYTES;
        head->to -= TDP_STORE_BYTES;
        link->sent_at -= TDP_STORE_BYTES;
        link->acknowledged_at -= TDP_STORE_BYTES;
        link->old_at -= TDP_STORE_BYTES;
    }
}

/* There is always room for the longest event: space for the one after this is freed in the same save that stores this
   one, and no byte is overwritten that the head of the last save still counts as stored. */
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

uint32_t store_skip(const struct tdp_link *link, uint32_t at, uint32_t count)
{
    uint32_t next = at;
    for (uint32_t i = 0U; i < count; i++) {
        next += size_at(link, next);
    }
    return next;
}

uint32_t store_at(const struct tdp_link *link, uint32_t number, bool previous)
{
    const struct tdp_head *head = &link->head;
    uint32_t oldest = previous ? head->previous_oldest : head->oldest;
    return store_skip(link, previous ? head->from : head->middle, number > oldest ? number - oldest : 0U);
}

struct record store_read(const struct tdp_link *link, uint32_t at, uint8_t *fields)
{
    uint8_t begin[RECORD_HEAD];
    struct record event;
    ring_read(link, at, begin, RECORD_HEAD);
    event.length = bounded(begin[0]);
    event.request = get_u16(&begin[1]);
    event.message = get_u16(&begin[3]);
    event.device_ms = get_u32(&begin[5]);
    event.next = at + RECORD_HEAD + event.length;
    ring_read(link, at + RECORD_HEAD, fields, event.length);
    return event;
}
