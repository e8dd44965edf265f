/* SPDX-License-Identifier: Apache-2.0 */
#include "frame.h"
#include "link.h"
#include "meters.h"
#include "seal.h"
#include "store.h"
#include "verify.h"

#define PARTIAL_MS 50U
#define STATUS_MS 1000U
#define LOST_MS 3000U
#define MUST_UNDERSTAND 0xF0U
#define STATUS_HEAD 12U
#define HELLO_FIXED 20U

/* ------------------------------------------------------------------ sending */

static void send_stuffed(const struct tdp_link *link, uint16_t length)
{
    uint16_t at = 0U;
    while (at <= length) {
        uint16_t group = frame_group(link->out, at, length);
        link->put(link->port, (uint8_t)(group + 1U));
        for (uint16_t i = 0U; i < group; i++) {
            link->put(link->port, link->out[at + i]);
        }
        at = (uint16_t)(at + group);
        if (group < 254U) {
            at++; /* the zero that the group stands for, or the end */
        } else if (at == length) {
            at++; /* no empty group after a full one that ends the frame */
        } else {
            /* a full group stands only for its bytes */
        }
    }
    link->put(link->port, 0U);
}

/* The payload is in `out`, after the header. */
void link_send(struct tdp_link *link, uint8_t kind, uint16_t request, uint16_t message, uint16_t payload)
{
    uint16_t length = (uint16_t)(FRAME_HEADER + payload);
    link->out[0] = TDP_MAJOR;
    link->out[1] = 0U;
    link->out[2] = kind;
    link->out[3] = link->sequence;
    (void)put_u16(put_u16(&link->out[4], request), message);
    length = seal_frame(link, length);
    if (length == 0U) {
        return; /* a host that was never paired gets none of it */
    }
    (void)put_u32(&link->out[length], tdp_crc(0U, link->out, length));
    link->sequence++;
    if (link->silent || link->now_ms - link->sent_ms >= PARTIAL_MS) {
        link->put(link->port, 0U);
    }
    link->silent = false;
    link->sent_ms = link->now_ms;
    send_stuffed(link, (uint16_t)(length + FRAME_CHECK));
}

uint8_t *link_payload(struct tdp_link *link)
{
    return &link->out[FRAME_HEADER];
}

uint32_t link_uptime(const struct tdp_link *link)
{
    return link->now_ms - link->start_ms;
}

void link_nak(struct tdp_link *link, uint16_t request, uint16_t message, uint16_t reason)
{
    link->naks++;
    (void)put_u16(link_payload(link), reason);
    link_send(link, TDP_KIND_NAK, request, message, 2U);
}

static void send_status(struct tdp_link *link)
{
    uint8_t *at = link_payload(link);
    uint8_t length = link->type->status(link->device, &at[STATUS_HEAD]);
    link->shown_sum = tdp_crc(0U, &at[STATUS_HEAD], length);
    link->status_ms = link->now_ms;
    (void)put_u32(put_u32(put_u32(at, link->head.session), link->head.last), link_uptime(link));
    link_send(link, TDP_KIND_LINK, 0U, link->type->status_message, (uint16_t)(STATUS_HEAD + length));
}

uint8_t link_state(struct tdp_link *link)
{
    (void)link->type->status(link->device, link_payload(link));
    return *link_payload(link);
}

static bool status_is_stale(struct tdp_link *link)
{
    uint8_t *at = link_payload(link);
    uint8_t length = link->type->status(link->device, at);
    return tdp_crc(0U, at, length) != link->shown_sum || link->now_ms - link->status_ms >= STATUS_MS;
}

uint16_t link_introduction(struct tdp_link *link)
{
    const struct tdp_identity *identity = link->identity;
    uint8_t *at = put_u32(link_payload(link), link->head.session);
    *at++ = TDP_MAJOR;
    *at++ = 0U;
    *at++ = TDP_MAJOR;
    *at++ = TDP_MINOR;
    *at++ = link->type->device_class;
    uint32_t meters = link->type->meter_count > 0U ? (uint32_t)TDP_CAPABILITY_METERS : 0U;
    uint32_t verify = link->image != NULL ? (uint32_t)TDP_CAPABILITY_VERIFY : 0U;
    at = put_u32(put_u32(at, link->type->capabilities | meters | verify | seal_capabilities(link)), link->head.boots);
    at = put_u16(put_u16(at, TDP_EVENT_DEPTH), TDP_FRAME_MAX);
    at = put_text(put_text(at, identity->maker, 16U), link->type->model, 16U);
    at = put_text(put_text(at, identity->serial, 16U), identity->firmware, 16U);
    copy_bytes(at, identity->digest, sizeof identity->digest);
    at = seal_certificate(link, &at[sizeof identity->digest]);
    return (uint16_t)(at - link_payload(link));
}

/* ------------------------------------------------------------------ presence of the host */

static void heard(struct tdp_link *link)
{
    link->heard_ms = link->now_ms;
    if (link->lost) {
        link->lost = false;
        link->type->host(link->device, true);
    }
}

/* ------------------------------------------------------------------ receiving */

bool link_is_hello(const uint8_t *bytes, uint16_t length)
{
    return length >= HELLO_FIXED && frame_extensions_fit(bytes, HELLO_FIXED, length) && frame_is_ascii(&bytes[4], 16U);
}

static void take_link(struct tdp_link *link, uint16_t request, uint16_t message, const uint8_t *bytes, uint16_t length)
{
    bool hello = message == TDP_HELLO && link_is_hello(bytes, length);
    bool beat = message == TDP_HEARTBEAT && length >= 4U && frame_extensions_fit(bytes, 4U, length);
    if (message != TDP_HELLO && message != TDP_HEARTBEAT) {
        link_nak(link, request, message, TDP_REASON_UNKNOWN_COMMAND);
    } else if (!hello && !beat) {
        link_nak(link, request, message, TDP_REASON_BAD_PAYLOAD);
    } else if (hello) {
        link_send(link, TDP_KIND_LINK, 0U, TDP_HELLO_REPLY, link_introduction(link));
    } else {
        /* a heartbeat is only a sign of life */
    }
}

/* Frames that only a device sends are an echo of the line. A NAK may be one: it contains no information, and is no sign
   of life. */
static bool is_echo(uint8_t kind, uint16_t message)
{
    bool of_device = message == TDP_HELLO_REPLY || message == TDP_GAP || message == TDP_METERS ||
                     message == TDP_MEASURED || message == TDP_PAIR_ANSWER || message == TDP_SEAL_ANSWER ||
                     message == TDP_SHUFFLER_STATUS || message == TDP_SHOE_STATUS || message == TDP_CONTROLLER_STATUS;
    return kind == TDP_KIND_LINK ? of_device
                                 : kind != TDP_KIND_COMMAND && kind != TDP_KIND_ACK;
}

/* Return the reason why a whole frame cannot be interpreted. HELLO is read in every version. */
static uint16_t problem_with(const uint8_t *frame, uint8_t kind, uint16_t message)
{
    uint16_t reason = TDP_REASON_NONE;
    if ((frame[1] & MUST_UNDERSTAND) != 0U) {
        reason = TDP_REASON_UNKNOWN_FLAG;
    } else if (frame[0] != TDP_MAJOR && !(kind == TDP_KIND_LINK && message == TDP_HELLO)) {
        reason = TDP_REASON_UNKNOWN_VERSION;
    } else {
        /* it can be read */
    }
    return reason;
}

static void take_frame(struct tdp_link *link, uint8_t *frame, uint16_t whole)
{
    uint8_t kind = frame[2];
    uint16_t request = get_u16(&frame[4]);
    uint16_t message = get_u16(&frame[6]);
    const uint8_t *bytes = &frame[FRAME_HEADER];
    uint16_t length = is_echo(kind, message) ? 0U : seal_admit(link, frame, whole);
    if (length == 0U) {
        return;
    }
    uint16_t size = (uint16_t)(length - FRAME_MIN);
    uint16_t problem = problem_with(frame, kind, message);
    link->last_before = link->head.last;
    link->frames++;
    if (!seal_in_clear(link)) {
        heard(link);
    }
    if (problem != TDP_REASON_NONE) {
        link_nak(link, request, message, problem);
    } else if (kind == TDP_KIND_COMMAND) {
        commands_take(link, request, message, bytes, size);
    } else if (kind == TDP_KIND_LINK) {
        take_link(link, request, message, bytes, size);
    } else if (message != TDP_ACK) {
        link_nak(link, request, message, TDP_REASON_UNKNOWN_COMMAND);
    } else if (size < 8U || !frame_extensions_fit(bytes, 8U, size)) {
        link_nak(link, request, message, TDP_REASON_BAD_PAYLOAD);
    } else {
        events_acknowledged(link, bytes);
    }
}

/* Drop the input, which cannot become a frame; one that was too long was already counted. */
static void drop(struct tdp_link *link)
{
    link->dropped += link->received > 0U ? 1U : 0U;
    link->received = 0U;
    link->overlong = false;
}

static void take_byte(struct tdp_link *link, uint8_t byte)
{
    if (link->overlong) {
        /* no byte before the next zero can belong to a frame */
    } else if (link->received < TDP_ENCODED_MAX) {
        link->in[link->received] = byte;
        link->received++;
    } else {
        drop(link);
        link->overlong = true;
    }
}

void tdp_byte(struct tdp_link *link, uint8_t byte, uint32_t now_ms)
{
    if (now_ms - link->byte_ms >= PARTIAL_MS) {
        drop(link);
    }
    link->now_ms = now_ms;
    link->byte_ms = now_ms;
    if (byte != 0U) {
        take_byte(link, byte);
        return;
    }
    uint16_t length = frame_unstuff(link->in, link->received);
    if (link->received > 0U && frame_is_whole(link->in, length)) {
        take_frame(link, link->in, length);
        seal_taken(link);
        link->received = 0U;
    }
    drop(link); /* nothing if a zero opens a frame, or is idle */
}

void tdp_line_ended(struct tdp_link *link)
{
    link->open = false;
    link->old_next = link->head.previous_last + 1U; /* requested events are not for the next host */
    drop(link);
}

/* ------------------------------------------------------------------ time */

void tdp_tick(struct tdp_link *link, uint32_t now_ms)
{
    link->now_ms = now_ms;
    if (now_ms - link->byte_ms >= PARTIAL_MS) {
        drop(link);
    }
    if (link->awaited && !link->lost && now_ms - link->heard_ms >= LOST_MS) {
        link->lost = true;
        link->type->host(link->device, false);
    }
    link->type->tick(link->device, now_ms);
    commands_forget(link);
    meters_tick(link);
    store_keep(link);
    seal_step(link);
    if (!events_step(link)) {
        return;
    }
    verify_step(link);
    if (link->status_asked || status_is_stale(link)) {
        link->status_asked = false;
        send_status(link);
    }
}

void tdp_start(struct tdp_link *link, uint32_t now_ms, uint32_t random, uint8_t boot_cause)
{
    uint8_t booted[10];
    store_load(link);
    uint32_t previous = link->head.session;
    uint32_t session = random;
    while (session == 0U || session == previous) {
        session = session * 1664525U + 1013904223U;
    }
    bool mid_round = link->head.mid_round != 0U;
    store_begin(link, session);
    seal_start(link, session);
    link->start_ms = now_ms;
    link->now_ms = now_ms;
    link->heard_ms = now_ms;
    link->turn_ms = now_ms;
    link->silent = true;
    link->old_next = link->head.previous_last + 1U;
    link->powered_ms = now_ms;
    tdp_count(link, TDP_DEVICE_METER_POWER_CYCLES, 1U);
    link->type->start(link->device, now_ms);
    (void)put_u32(put_u32(booted, link->head.boots), previous);
    booted[8] = boot_cause;
    booted[9] = mid_round ? 1U : 0U;
    tdp_emit(link, TDP_BOOTED, 0U, booted, sizeof booted);
    send_status(link);
}
