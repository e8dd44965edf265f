/* SPDX-License-Identifier: Apache-2.0 */
/* Events in transit: the window, resending, lost events, and those of the previous session. */
#include "frame.h"
#include "link.h"
#include "meters.h"
#include "store.h"

#define RESEND_MS 250U
#define SESSION_EXTENSION 0x01U
#define OLD_AT_ONCE 8U   /* events of the previous session sent in one tick */
#define OLD_HOLDS_MS 100U /* maximum delay by them of other output: STATUS, new events, a measurement */

static void send_gap(struct tdp_link *link, uint32_t session, uint32_t missing, uint32_t kept, uint32_t last)
{
    (void)put_u32(put_u32(put_u32(put_u32(link_payload(link), session), missing), kept), last);
    link_send(link, TDP_KIND_LINK, 0U, TDP_GAP, 16U);
}

static uint32_t send_event(struct tdp_link *link, uint32_t at, uint32_t number, bool previous)
{
    struct record event = store_read(link, at, &link_payload(link)[8]);
    uint16_t length = (uint16_t)(8U + event.length);
    (void)put_u32(put_u32(link_payload(link), number), event.device_ms);
    if (previous) {
        link_payload(link)[length] = SESSION_EXTENSION;
        link_payload(link)[length + 1U] = 4U;
        (void)put_u32(&link_payload(link)[length + 2U], link->head.previous_session);
        length = (uint16_t)(length + 6U);
    }
    link_send(link, TDP_KIND_EVENT, event.request, event.message, length);
    return event.next;
}

/* Send events of the previous session. The ring advances meanwhile: new events may have overwritten the next ones, and
   another GAP reports that. Return true when all are out. */
static bool send_old_events(struct tdp_link *link)
{
    const struct tdp_head *head = &link->head;
    if (link->old_next < head->previous_oldest) {
        send_gap(link, head->previous_session, link->old_next, head->previous_oldest, head->previous_last);
        link->old_next = head->previous_oldest;
        link->old_at = head->from;
    }
    for (uint8_t i = 0U; i < OLD_AT_ONCE && link->old_next <= head->previous_last; i++) {
        link->old_at = send_event(link, link->old_at, link->old_next, true);
        link->old_next++;
    }
    return link->old_next > head->previous_last;
}

/* Report due events that are no longer stored as lost. */
static void skip_lost(struct tdp_link *link)
{
    const struct tdp_head *head = &link->head;
    if (link->acknowledged + 1U < head->oldest) {
        send_gap(link, head->session, link->acknowledged + 1U, head->oldest, head->last);
        link->acknowledged = head->oldest - 1U;
        link->acknowledged_at = head->middle;
    }
}

/* The place of the next event is remembered, so that no ACK makes the core read the store from its start. */
static void acknowledge(struct tdp_link *link, uint32_t up_to)
{
    if (up_to + 1U < link->head.oldest) {
        /* the next one is lost, which is reported when it is due */
    } else if (up_to == link->sent && up_to > link->acknowledged) {
        link->acknowledged_at = link->sent_at;
    } else if (up_to >= link->acknowledged && link->acknowledged + 1U >= link->head.oldest) {
        link->acknowledged_at = store_skip(link, link->acknowledged_at, up_to - link->acknowledged);
    } else {
        link->acknowledged_at = store_at(link, up_to + 1U, false);
    }
    link->acknowledged = up_to;
}

/* Send what the window allows, after a change or after a while without an acknowledgment. */
static void pump(struct tdp_link *link)
{
    const struct tdp_head *head = &link->head;
    bool again = link->now_ms - link->resend_ms >= RESEND_MS;
    if (!link->open || link->acknowledged >= head->last || (!link->pump_due && !again)) {
        return;
    }
    link->pump_due = false;
    skip_lost(link);
    if (again || link->sent <= link->acknowledged) {
        link->sent = link->acknowledged;
        link->sent_at = link->acknowledged_at;
        link->resend_ms = link->now_ms;
    }
    while (link->sent < head->last && link->sent < link->acknowledged + TDP_WINDOW) {
        link->sent++;
        link->sent_at = send_event(link, link->sent_at, link->sent, false);
    }
}

void tdp_emit(struct tdp_link *link, uint16_t message, uint16_t request, const uint8_t *fields, size_t length)
{
    struct record event;
    event.message = message;
    event.request = request;
    event.device_ms = link_uptime(link);
    event.length = length < TDP_EVENT_MAX ? (uint8_t)length : (uint8_t)TDP_EVENT_MAX;
    event.next = 0U;
    meters_count_event(link, message, fields); /* before: both go into the store at once */
    store_append(link, &event, fields);
    link->pump_due = link->open; /* events waiting for a host go out with the next one, or when resending is due */
}

uint16_t events_read(struct tdp_link *link, const uint8_t *bytes)
{
    const struct tdp_head *head = &link->head;
    uint32_t session = get_u32(bytes);
    uint32_t first = get_u32(&bytes[4]) == 0U ? 1U : get_u32(&bytes[4]);
    uint16_t reason = TDP_REASON_NONE;
    if (session == head->session) {
        acknowledge(link, first - 1U < link->last_before ? first - 1U : link->last_before);
        link->sent = link->acknowledged;
        link->pump_due = true;
    } else if (session == head->previous_session && session != 0U) {
        link->old_first = first < head->previous_last + 1U ? first : head->previous_last + 1U;
        link->old_asked = true;
    } else {
        reason = TDP_REASON_BAD_PARAMETER;
    }
    return reason;
}

void events_begin_old(struct tdp_link *link)
{
    const struct tdp_head *head = &link->head;
    uint32_t kept = link->old_first > head->previous_oldest ? link->old_first : head->previous_oldest;
    link->old_asked = false;
    send_gap(link, head->previous_session, link->old_first, kept, head->previous_last);
    link->old_next = kept;
    link->old_at = store_at(link, kept, true);
}

void events_acknowledged(struct tdp_link *link, const uint8_t *bytes)
{
    uint32_t up_to = get_u32(&bytes[4]);
    if (get_u32(bytes) == link->head.session && up_to > link->acknowledged && up_to <= link->last_before) {
        acknowledge(link, up_to);
        link->pump_due = link->open;
        link->resend_ms = link->now_ms;
    }
}

bool events_step(struct tdp_link *link)
{
    bool others = send_old_events(link) || link->now_ms - link->turn_ms >= OLD_HOLDS_MS;
    if (others) {
        link->turn_ms = link->now_ms;
        pump(link);
    }
    return others;
}
