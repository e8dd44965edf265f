/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the link core share among themselves; a class of device sees `tdp.h` alone. */
#ifndef TDP_LINK_H
#define TDP_LINK_H

#include "tdp.h"

/* ------------------------------------------------------------------ link.c: frames out */

/* Where the payload of the frame to be sent is put together. */
uint8_t *link_payload(struct tdp_link *link);

/* Send the frame whose payload of so many bytes lies there. */
void link_send(struct tdp_link *link, uint8_t kind, uint16_t request, uint16_t message, uint16_t payload);

void link_nak(struct tdp_link *link, uint16_t request, uint16_t message, uint16_t reason);

/* Milliseconds since power-up: the clock of events. */
uint32_t link_uptime(const struct tdp_link *link);

/* The device's state, as a STATUS sent now would show it. What lies in the payload is lost. */
uint8_t link_state(struct tdp_link *link);

/* ------------------------------------------------------------------ commands.c */

/* Judge a command that arrived whole, carry it out once, and answer it. */
void commands_take(struct tdp_link *link, uint16_t request, uint16_t message, const uint8_t *bytes, uint16_t length);

/* Forget the requests that are so old that their ids may be new ones again. */
void commands_forget(struct tdp_link *link);

/* ------------------------------------------------------------------ events.c */

/* READ-EVENTS: a reason, TDP_REASON_NONE when they will come. */
uint16_t events_read(struct tdp_link *link, const uint8_t *bytes);

/* After its reply: one GAP that says where the session before ends; then its events follow. */
void events_begin_old(struct tdp_link *link);

void events_acknowledged(struct tdp_link *link, const uint8_t *bytes);

/* Send those of the session before that were asked for, in portions; then what the window lets go. Whether what else is
   due has its turn: it comes after the former, and waits for them a tenth of a second at most. */
bool events_step(struct tdp_link *link);

#endif
