/* SPDX-License-Identifier: Apache-2.0 */
/* Commands: each carried out once, checked in the order of the protocol, and answered. */
#include "frame.h"
#include "link.h"
#include "meters.h"
#include "seal.h"
#include "verify.h"

#define REMEMBERED_MS 10000U
#define VERIFY_AT_ONCE 40U

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

void commands_forget(struct tdp_link *link)
{
    for (uint8_t i = 0U; i < TDP_REQUESTS; i++) {
        struct tdp_request *entry = &link->requests[i];
        entry->used = entry->used && link->now_ms - entry->at_ms < REMEMBERED_MS;
    }
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
    } else if (bytes[6] > seal_grants(link)) {
        reason = TDP_REASON_NOT_PERMITTED;
    } else {
        link->open = true;
        link->awaited = true;
        link->role = bytes[6];
        link->resend_ms = link->now_ms;
    }
    return reason;
}

/* A class without meters claims none in HELLO-REPLY. */
static uint16_t read_meters(struct tdp_link *link, const uint8_t *bytes)
{
    link->meters_first = get_u16(bytes);
    link->meters_asked = link->type->meter_count > 0U;
    return link->meters_asked ? TDP_REASON_NONE : TDP_REASON_NOT_SUPPORTED;
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
    } else if (command->role > link->role || command->role > seal_grants(link)) { /* another host may have opened it */
        reason = TDP_REASON_NOT_PERMITTED;
    } else if (command->message == TDP_READ_EVENTS) {
        reason = events_read(link, bytes);
    } else if (command->message == TDP_READ_METERS) {
        reason = read_meters(link, bytes);
    } else if (command->message == TDP_VERIFY) {
        reason = verify_begin(link, request, bytes);
    } else if (command->device_class != 0U && command->device_class != link->type->device_class) {
        reason = TDP_REASON_UNKNOWN_COMMAND;
    } else {
        reason = link->type->obey(link->device, request, command->message, bytes);
    }
    return reason;
}

static void send_reply(struct tdp_link *link, uint16_t request, uint16_t message, const uint8_t *reply)
{
    copy_bytes(link_payload(link), reply, 4U);
    link_send(link, TDP_KIND_REPLY, request, message, 4U);
}

static void make_reply(struct tdp_link *link, uint8_t *reply, uint16_t reason)
{
    uint16_t refused_for = TDP_REASON_NONE;
    if (reason == TDP_REASON_ACCEPTED) {
        reply[0] = TDP_STATUS_ACCEPTED;
    } else if (reason == TDP_REASON_NONE) {
        reply[0] = TDP_STATUS_DONE;
    } else {
        reply[0] = TDP_STATUS_REFUSED;
        refused_for = reason;
        meters_count_refusal(link);
    }
    (void)put_u16(&reply[1], refused_for);
    reply[3] = link_state(link);
}

/* Output or actions that follow the reply of a command. */
static void follow_up(struct tdp_link *link, uint16_t request)
{
    if (link->old_asked) {
        events_begin_old(link);
    }
    if (link->meters_asked) {
        link->meters_asked = false;
        meters_send(link, request, link->meters_first);
    }
    for (uint8_t i = 0U; i < VERIFY_AT_ONCE && link->measuring.running && link->image->length <= TDP_VERIFY_PORTION; i++) {
        verify_step(link); /* the whole image is one portion; a signature takes a few calls more */
    }
}

void commands_take(struct tdp_link *link, uint16_t request, uint16_t message, const uint8_t *bytes, uint16_t length)
{
    const struct command *command = command_of(message);
    uint8_t reply[4];
    if (command == NULL) {
        link_nak(link, request, message, TDP_REASON_UNKNOWN_COMMAND);
        return;
    }
    if (!command_fits(command, bytes, length)) {
        link_nak(link, request, message, TDP_REASON_BAD_PAYLOAD);
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
    follow_up(link, request);
}

void tdp_progress(struct tdp_link *link, uint16_t request, uint8_t percent)
{
    const struct tdp_request *entry = remembered(link, request);
    if (entry != NULL) {
        (void)events_step(link); /* earlier events go first */
        uint8_t state = link_state(link);
        link_payload(link)[0] = percent;
        link_payload(link)[1] = state;
        link_send(link, TDP_KIND_PROGRESS, request, entry->message, 2U);
    }
}
