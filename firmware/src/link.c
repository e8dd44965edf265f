/* SPDX-License-Identifier: Apache-2.0 */
#include "frame.h"
#include "store.h"
#include "tdp.h"

#define PARTIAL_MS 50U
#define RESEND_MS 250U
#define STATUS_MS 1000U
#define LOST_MS 3000U
#define REMEMBERED_MS 10000U
#define SESSION_EXTENSION 0x01U
#define MUST_UNDERSTAND 0xF0U
#define STATUS_HEAD 12U
#define HELLO_FIXED 20U
#define OLD_AT_ONCE 8U /* events of the session before that one tick sends */

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
            at++; /* no empty group behind a full one that ends the frame */
        } else {
            /* a full group stands for its bytes alone */
        }
    }
    link->put(link->port, 0U);
}

/* The payload lies in `out` behind the header. */
static void send(struct tdp_link *link, uint8_t kind, uint16_t request, uint16_t message, uint16_t payload)
{
    uint16_t length = (uint16_t)(FRAME_HEADER + payload);
    link->out[0] = TDP_MAJOR;
    link->out[1] = 0U;
    link->out[2] = kind;
    link->out[3] = link->sequence;
    (void)put_u16(put_u16(&link->out[4], request), message);
    (void)put_u32(&link->out[length], tdp_crc(0U, link->out, length));
    link->sequence++;
    if (link->silent || link->now_ms - link->sent_ms >= PARTIAL_MS) {
        link->put(link->port, 0U);
    }
    link->silent = false;
    link->sent_ms = link->now_ms;
    send_stuffed(link, (uint16_t)(length + FRAME_CHECK));
}

static uint8_t *payload(struct tdp_link *link)
{
    return &link->out[FRAME_HEADER];
}

static uint32_t uptime(const struct tdp_link *link)
{
    return link->now_ms - link->start_ms;
}

static void send_nak(struct tdp_link *link, uint16_t request, uint16_t message, uint16_t reason)
{
    link->naks++;
    (void)put_u16(payload(link), reason);
    send(link, TDP_KIND_NAK, request, message, 2U);
}

static void send_status(struct tdp_link *link)
{
    uint8_t *at = payload(link);
    uint8_t length = link->class->status(link->device, at + STATUS_HEAD);
    link->shown_sum = tdp_crc(0U, at + STATUS_HEAD, length);
    link->status_ms = link->now_ms;
    (void)put_u32(put_u32(put_u32(at, link->head.session), link->head.last), uptime(link));
    send(link, TDP_KIND_LINK, 0U, link->class->status_message, (uint16_t)(STATUS_HEAD + length));
}

static uint8_t state_of(struct tdp_link *link)
{
    (void)link->class->status(link->device, payload(link));
    return *payload(link);
}

static bool status_is_stale(struct tdp_link *link)
{
    uint8_t *at = payload(link);
    uint8_t length = link->class->status(link->device, at);
    return tdp_crc(0U, at, length) != link->shown_sum || link->now_ms - link->status_ms >= STATUS_MS;
}

static void send_hello_reply(struct tdp_link *link)
{
    const struct tdp_identity *identity = link->identity;
    uint8_t *at = put_u32(payload(link), link->head.session);
    *at++ = TDP_MAJOR;
    *at++ = 0U;
    *at++ = TDP_MAJOR;
    *at++ = TDP_MINOR;
    *at++ = link->class->device_class;
    at = put_u32(put_u32(at, link->class->capabilities), link->head.boots);
    at = put_u16(put_u16(at, TDP_EVENT_DEPTH), TDP_FRAME_MAX);
    at = put_text(put_text(at, identity->maker, 16U), link->class->model, 16U);
    at = put_text(put_text(at, identity->serial, 16U), identity->firmware, 16U);
    copy_bytes(at, identity->digest, sizeof identity->digest);
    at += sizeof identity->digest;
    send(link, TDP_KIND_LINK, 0U, TDP_HELLO_REPLY, (uint16_t)(at - payload(link)));
}

/* ------------------------------------------------------------------ events */

static void send_gap(struct tdp_link *link, uint32_t session, uint32_t missing, uint32_t kept, uint32_t last)
{
    (void)put_u32(put_u32(put_u32(put_u32(payload(link), session), missing), kept), last);
    send(link, TDP_KIND_LINK, 0U, TDP_GAP, 16U);
}

static uint32_t send_event(struct tdp_link *link, uint32_t at, uint32_t number, bool previous)
{
    struct record event = store_read(link, at, payload(link) + 8);
    uint16_t length = (uint16_t)(8U + event.length);
    (void)put_u32(put_u32(payload(link), number), event.device_ms);
    if (previous) {
        payload(link)[length] = SESSION_EXTENSION;
        payload(link)[length + 1U] = 4U;
        (void)put_u32(&payload(link)[length + 2U], link->head.previous_session);
        length = (uint16_t)(length + 6U);
    }
    send(link, TDP_KIND_EVENT, event.request, event.message, length);
    return event.next;
}

static void send_old_events(struct tdp_link *link)
{
    for (uint8_t i = 0U; i < OLD_AT_ONCE && link->old_next <= link->head.previous_last; i++) {
        link->old_at = send_event(link, link->old_at, link->old_next, true);
        link->old_next++;
    }
}

/* What is due and not kept any more is said to be gone. */
static void skip_lost(struct tdp_link *link)
{
    const struct tdp_head *head = &link->head;
    if (link->acknowledged + 1U < head->oldest) {
        send_gap(link, head->session, link->acknowledged + 1U, head->oldest, head->last);
        link->acknowledged = head->oldest - 1U;
    }
}

/* What the window lets go: when something changed, or nobody acknowledged for a while. */
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
        link->sent_at = store_at(link, link->sent + 1U, false);
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
    event.device_ms = uptime(link);
    event.length = (uint8_t)length;
    event.next = 0U;
    store_append(link, &event, fields);
    link->pump_due = link->open; /* what waits for a host goes with the next event then, or when it is due again */
}

/* ------------------------------------------------------------------ the host is there, or lost */

static void heard(struct tdp_link *link)
{
    link->heard_ms = link->now_ms;
    if (link->lost) {
        link->lost = false;
        link->class->host(link->device, true);
    }
}

/* ------------------------------------------------------------------ commands */

struct command {
    uint16_t message;
    uint8_t device_class, fixed, text_at, text_length, role;
};

#define COMMAND_ROW(message, device_class, fixed, text_at, text_length, role) \
    {message, device_class, fixed, text_at, text_length, role},
static const struct command commands[] = {TDP_COMMANDS(COMMAND_ROW)};

static const struct command *command_of(uint16_t message)
{
    const struct command *found = NULL;
    for (size_t i = 0U; i < sizeof commands / sizeof commands[0]; i++) {
        if (commands[i].message == message) {
            found = &commands[i];
        }
    }
    return found;
}

static bool command_fits(const struct command *command, const uint8_t *bytes, uint16_t length)
{
    return length >= command->fixed && frame_extensions_fit(bytes, command->fixed, length) &&
           frame_is_ascii(&bytes[command->text_at], command->text_length);
}

static struct tdp_request *remembered(struct tdp_link *link, uint16_t request)
{
    struct tdp_request *found = NULL;
    for (uint8_t i = 0U; i < TDP_REQUESTS; i++) {
        struct tdp_request *entry = &link->requests[i];
        if (entry->used && entry->request == request && link->now_ms - entry->at_ms < REMEMBERED_MS) {
            found = entry;
        }
    }
    return found;
}

static struct tdp_request *remember(struct tdp_link *link, uint16_t request, uint16_t message, uint32_t sum)
{
    struct tdp_request *entry = &link->requests[link->oldest_request];
    link->oldest_request = (uint8_t)((link->oldest_request + 1U) % TDP_REQUESTS);
    entry->at_ms = link->now_ms;
    entry->sum = sum;
    entry->request = request;
    entry->message = message;
    entry->used = true;
    return entry;
}

static uint16_t open_session(struct tdp_link *link, const uint8_t *bytes)
{
    uint16_t reason = TDP_REASON_NONE;
    if (get_u32(bytes) != link->head.session) {
        reason = TDP_REASON_NO_SESSION;
    } else if (bytes[4] != TDP_MAJOR) {
        reason = TDP_REASON_UNKNOWN_VERSION;
    } else if (bytes[6] > TDP_ROLE_SERVICE) {
        reason = TDP_REASON_NOT_PERMITTED;
    } else {
        link->open = true;
        link->role = bytes[6];
        link->resend_ms = link->now_ms;
        link->opened = true;
    }
    return reason;
}

static uint16_t read_events(struct tdp_link *link, const uint8_t *bytes)
{
    const struct tdp_head *head = &link->head;
    uint32_t session = get_u32(bytes);
    uint32_t first = get_u32(&bytes[4]) == 0U ? 1U : get_u32(&bytes[4]);
    uint16_t reason = TDP_REASON_NONE;
    if (session == head->session) {
        link->acknowledged = first - 1U < link->last_before ? first - 1U : link->last_before;
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

/* After the reply: one GAP that says where the session before ends, then its events. */
static void begin_old_events(struct tdp_link *link)
{
    const struct tdp_head *head = &link->head;
    uint32_t kept = link->old_first > head->previous_oldest ? link->old_first : head->previous_oldest;
    link->old_asked = false;
    send_gap(link, head->previous_session, link->old_first, kept, head->previous_last);
    link->old_next = kept;
    link->old_at = store_at(link, kept, true);
}

static uint16_t judge(struct tdp_link *link, const struct command *command, uint16_t request, const uint8_t *bytes)
{
    uint16_t reason = TDP_REASON_NONE;
    if (request == 0U) {
        reason = TDP_REASON_BAD_PARAMETER;
    } else if (command->message == TDP_OPEN_SESSION) {
        reason = open_session(link, bytes);
    } else if (command->message == TDP_REPORT_STATUS) {
        link->status_asked = true;
    } else if (!link->open) {
        reason = TDP_REASON_NO_SESSION;
    } else if (command->role > link->role) {
        reason = TDP_REASON_NOT_PERMITTED;
    } else if (command->message == TDP_READ_EVENTS) {
        reason = read_events(link, bytes);
    } else if (command->message == TDP_READ_METERS || command->message == TDP_VERIFY) {
        reason = TDP_REASON_NOT_SUPPORTED; /* it has no such capability, and HELLO-REPLY says so */
    } else if (command->device_class != 0U && command->device_class != link->class->device_class) {
        reason = TDP_REASON_UNKNOWN_COMMAND;
    } else {
        reason = link->class->obey(link->device, request, command->message, bytes);
    }
    return reason;
}

static void send_reply(struct tdp_link *link, uint16_t request, uint16_t message, const uint8_t *reply)
{
    copy_bytes(payload(link), reply, 4U);
    send(link, TDP_KIND_REPLY, request, message, 4U);
}

static void make_reply(struct tdp_link *link, uint8_t *reply, uint16_t reason)
{
    reply[0] = reason == TDP_REASON_NONE ? TDP_STATUS_DONE : TDP_STATUS_REFUSED;
    if (reason == TDP_REASON_ACCEPTED) {
        reply[0] = TDP_STATUS_ACCEPTED;
        reason = TDP_REASON_NONE;
    }
    (void)put_u16(&reply[1], reason);
    reply[3] = state_of(link);
}

static void take_command(struct tdp_link *link, uint16_t request, uint16_t message, const uint8_t *bytes, uint16_t length)
{
    const struct command *command = command_of(message);
    uint8_t reply[4];
    if (command == NULL) {
        send_nak(link, request, message, TDP_REASON_UNKNOWN_COMMAND);
        return;
    }
    if (!command_fits(command, bytes, length)) {
        send_nak(link, request, message, TDP_REASON_BAD_PAYLOAD);
        return;
    }
    struct tdp_request *entry = request == 0U ? NULL : remembered(link, request);
    uint32_t sum = tdp_crc(message, bytes, command->fixed);
    if (entry == NULL) {
        make_reply(link, reply, judge(link, command, request, bytes));
        if (request != 0U) {
            entry = remember(link, request, message, sum);
            copy_bytes(entry->reply, reply, sizeof reply);
        }
    } else if (entry->message == message && entry->sum == sum) {
        copy_bytes(reply, entry->reply, sizeof reply);
    } else {
        make_reply(link, reply, TDP_REASON_REQUEST_ID_REUSED);
    }
    send_reply(link, request, message, reply);
    if (link->old_asked) {
        begin_old_events(link);
    }
    if (link->opened) {
        link->opened = false;
        link->class->host(link->device, true);
    }
}

void tdp_progress(struct tdp_link *link, uint16_t request, uint8_t percent)
{
    const struct tdp_request *entry = remembered(link, request);
    if (entry != NULL) {
        pump(link); /* what was said before goes before */
        uint8_t state = state_of(link);
        payload(link)[0] = percent;
        payload(link)[1] = state;
        send(link, TDP_KIND_PROGRESS, request, entry->message, 2U);
    }
}

/* ------------------------------------------------------------------ receiving */

static void take_ack(struct tdp_link *link, const uint8_t *bytes)
{
    uint32_t up_to = get_u32(&bytes[4]);
    if (get_u32(bytes) == link->head.session && up_to > link->acknowledged && up_to <= link->last_before) {
        link->acknowledged = up_to;
        link->pump_due = link->open;
        link->resend_ms = link->now_ms;
    }
}

static void take_link(struct tdp_link *link, uint16_t request, uint16_t message, const uint8_t *bytes, uint16_t length)
{
    uint16_t fixed = message == TDP_HELLO ? HELLO_FIXED : 4U;
    if (message != TDP_HELLO && message != TDP_HEARTBEAT) {
        send_nak(link, request, message, TDP_REASON_UNKNOWN_COMMAND);
    } else if (length < fixed || !frame_extensions_fit(bytes, fixed, length) ||
               (message == TDP_HELLO && !frame_is_ascii(&bytes[4], 16U))) {
        send_nak(link, request, message, TDP_REASON_BAD_PAYLOAD);
    } else if (message == TDP_HELLO) {
        send_hello_reply(link);
    } else {
        /* a heartbeat says no more than that somebody is there */
    }
}

/* What only a device sends is an echo of the line. */
static bool is_echo(uint8_t kind, uint16_t message)
{
    bool of_device = message == TDP_HELLO_REPLY || message == TDP_GAP || message == TDP_METERS ||
                     message == TDP_MEASURED || message == TDP_SHUFFLER_STATUS || message == TDP_SHOE_STATUS ||
                     message == TDP_CONTROLLER_STATUS;
    return kind == TDP_KIND_LINK ? of_device
                                 : kind != TDP_KIND_COMMAND && kind != TDP_KIND_ACK && kind != TDP_KIND_NAK;
}

/* Why a whole frame cannot be interpreted. HELLO is read in every version. */
static uint16_t problem_with(const uint8_t *frame, uint8_t kind, uint16_t message)
{
    uint16_t reason = TDP_REASON_NONE;
    if ((frame[1] & MUST_UNDERSTAND) != 0U) {
        reason = TDP_REASON_UNKNOWN_FLAG;
    } else if (frame[0] != TDP_MAJOR && !(kind == TDP_KIND_LINK && message == TDP_HELLO)) {
        reason = TDP_REASON_UNKNOWN_VERSION;
    } else {
        /* it is read */
    }
    return reason;
}

static void take_frame(struct tdp_link *link, const uint8_t *frame, uint16_t length)
{
    uint8_t kind = frame[2];
    uint16_t request = get_u16(&frame[4]);
    uint16_t message = get_u16(&frame[6]);
    const uint8_t *bytes = &frame[FRAME_HEADER];
    uint16_t size = (uint16_t)(length - FRAME_MIN);
    if (is_echo(kind, message)) {
        return;
    }
    uint16_t problem = problem_with(frame, kind, message);
    link->last_before = link->head.last;
    link->frames++;
    heard(link);
    if (kind == TDP_KIND_NAK) {
        return;
    }
    if (problem != TDP_REASON_NONE) {
        send_nak(link, request, message, problem);
    } else if (kind == TDP_KIND_COMMAND) {
        take_command(link, request, message, bytes, size);
    } else if (kind == TDP_KIND_LINK) {
        take_link(link, request, message, bytes, size);
    } else if (message != TDP_ACK) {
        send_nak(link, request, message, TDP_REASON_UNKNOWN_COMMAND);
    } else if (size < 8U || !frame_extensions_fit(bytes, 8U, size)) {
        send_nak(link, request, message, TDP_REASON_BAD_PAYLOAD);
    } else {
        take_ack(link, bytes);
    }
}

void tdp_byte(struct tdp_link *link, uint8_t byte, uint32_t now_ms)
{
    if ((link->received > 0U || link->overlong) && now_ms - link->byte_ms >= PARTIAL_MS) {
        link->received = 0U;
        link->overlong = false;
    }
    link->now_ms = now_ms;
    link->byte_ms = now_ms;
    if (byte != 0U) {
        if (link->received < TDP_ENCODED_MAX && !link->overlong) {
            link->in[link->received] = byte;
            link->received++;
        } else {
            link->received = 0U;
            link->overlong = true;
        }
        return;
    }
    uint16_t length = frame_unstuff(link->in, link->received);
    if (link->received > 0U && frame_is_whole(link->in, length)) {
        take_frame(link, link->in, length);
    } else if (link->received > 0U) {
        link->bad_checks++;
    } else {
        /* a zero with nothing before it opens a frame, or is idle */
    }
    link->received = 0U;
    link->overlong = false;
}

/* ------------------------------------------------------------------ time */

void tdp_tick(struct tdp_link *link, uint32_t now_ms)
{
    link->now_ms = now_ms;
    if ((link->received > 0U || link->overlong) && now_ms - link->byte_ms >= PARTIAL_MS) {
        link->received = 0U;
        link->overlong = false;
    }
    if (link->open && !link->lost && now_ms - link->heard_ms >= LOST_MS) {
        link->lost = true;
        link->class->host(link->device, false);
    }
    link->class->tick(link->device, now_ms);
    store_keep(link);
    send_old_events(link);
    if (link->old_next <= link->head.previous_last) {
        return; /* they go first, and in portions */
    }
    pump(link);
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
    link->start_ms = now_ms;
    link->now_ms = now_ms;
    link->heard_ms = now_ms;
    link->silent = true;
    link->old_next = link->head.previous_last + 1U;
    link->class->start(link->device, now_ms);
    (void)put_u32(put_u32(booted, link->head.boots), previous);
    booted[8] = boot_cause;
    booted[9] = mid_round ? 1U : 0U;
    tdp_emit(link, TDP_BOOTED, 0U, booted, sizeof booted);
    send_status(link);
}
