/* SPDX-License-Identifier: Apache-2.0 */
#include "meters.h"

#include "frame.h"
#include "link.h"
#include "store.h"

#define MINUTE_MS 60000U
#define HOUR_MS 3600000U
#define PAGE 36U /* meters in one frame, sealed or not */
#define ONE 0xFFU

/* An event that increases a meter: by one, or by the number at this offset of its fields. */
struct counted {
    uint16_t message;
    uint8_t meter, at;
};

static const struct counted counted[] = {
    {TDP_PACKET_DISPENSED, TDP_DEVICE_METER_PACKETS, ONE},
    {TDP_PACKET_DISPENSED, TDP_DEVICE_METER_CARDS, 3U},
    {TDP_REMAINDER_LIFTED, TDP_DEVICE_METER_ROUNDS, ONE},
    {TDP_GAME_ENDED, TDP_DEVICE_METER_ROUNDS, ONE},
    {TDP_DECK_LOADED, TDP_DEVICE_METER_DECKS, ONE},
    {TDP_SHOE_LOADED, TDP_DEVICE_METER_SHOES, ONE},
    {TDP_SHOE_LOADED, TDP_DEVICE_METER_DECKS, 4U},
    {TDP_CARD_REJECTED, TDP_DEVICE_METER_REJECTED_CARDS, ONE},
    {TDP_CARD_DRAWN, TDP_DEVICE_METER_CARDS, ONE},
    {TDP_CARD_DRAWN_OUTSIDE, TDP_DEVICE_METER_CARDS, ONE},
    {TDP_CARD_UNREADABLE, TDP_DEVICE_METER_CARDS, ONE},
    {TDP_CARD_UNREADABLE, TDP_DEVICE_METER_UNREAD_CARDS, ONE},
    {TDP_MISDEAL, TDP_DEVICE_METER_MISDEALS, ONE},
    {TDP_DOOR_MOVED, TDP_DEVICE_METER_DOOR_OPENINGS, 0U},
    {TDP_FAULT_RAISED, TDP_DEVICE_METER_FAULTS, ONE},
    {TDP_SHOE_ERROR, TDP_DEVICE_METER_FAULTS, ONE},
    {TDP_OVERDRAW, TDP_DEVICE_METER_FAULTS, ONE},
    {TDP_PUSHED_BACK, TDP_DEVICE_METER_FAULTS, ONE},
    {TDP_PULLED_BACK, TDP_DEVICE_METER_FAULTS, ONE},
};

/* Increase a meter. Return false if the class lacks it. */
static bool add(struct tdp_link *link, uint8_t meter, uint32_t by)
{
    const struct tdp_class *type = link->type;
    bool has = false;
    for (uint8_t i = 0U; i < type->meter_count; i++) {
        if (type->meters[i].meter == meter) {
            link->head.meters[i] += by; /* FFFFFFFFh is followed by 0 */
            has = true;
        }
    }
    return has;
}

void tdp_count(struct tdp_link *link, uint8_t meter, uint32_t by)
{
    if (by > 0U && add(link, meter, by)) {
        link->meters_moved = true;
    }
}

void meters_count_refusal(struct tdp_link *link)
{
    if (add(link, TDP_DEVICE_METER_COMMANDS_REFUSED, 1U)) {
        link->refusals_wait = true;
    }
}

void meters_count_event(struct tdp_link *link, uint16_t message, const uint8_t *fields)
{
    for (size_t i = 0U; i < sizeof counted / sizeof counted[0]; i++) {
        if (counted[i].message == message) {
            tdp_count(link, counted[i].meter, counted[i].at == ONE ? 1U : fields[counted[i].at]);
        }
    }
}

/* The partial hour is saved with every save, and once a minute otherwise. */
void meters_tick(struct tdp_link *link)
{
    struct tdp_head *head = &link->head;
    uint32_t before = head->powered_ms / MINUTE_MS;
    head->powered_ms += link->now_ms - link->powered_ms;
    link->powered_ms = link->now_ms;
    if (head->powered_ms >= HOUR_MS) {
        tdp_count(link, TDP_DEVICE_METER_HOURS_POWERED, head->powered_ms / HOUR_MS);
        head->powered_ms %= HOUR_MS;
    } else if (head->powered_ms / MINUTE_MS != before) {
        link->meters_moved = true;
    } else {
        /* the minute is not over */
    }
}

void meters_send(struct tdp_link *link, uint16_t request, uint16_t first)
{
    const struct tdp_class *type = link->type;
    uint8_t *start = link_payload(link);
    if (link->refusals_wait) {
        store_save(link);
    }
    uint8_t *at = put_u16(put_u16(put_u32(start, link->head.session), type->meter_count), first);
    uint16_t left = first < type->meter_count ? (uint16_t)(type->meter_count - first) : 0U;
    uint16_t count = left < PAGE ? left : PAGE;
    *at++ = (uint8_t)count;
    for (uint16_t i = first; i < first + count; i++) {
        *at++ = type->meters[i].meter;
        *at++ = type->meters[i].component;
        at = put_u32(at, link->head.meters[i]);
    }
    link_send(link, TDP_KIND_LINK, request, TDP_METERS, (uint16_t)(at - start));
}
