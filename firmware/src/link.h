/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of the link core; a device class sees only `tdp.h`. */
#ifndef TDP_LINK_H
#define TDP_LINK_H

#include "tdp.h"

/* ------------------------------------------------------------------ link.c: frames out */

/* Return the buffer for the payload of the next frame. */
uint8_t *link_payload(struct tdp_link *link);

/* Send the frame with this many bytes of payload in the buffer. */
void link_send(struct tdp_link *link, uint8_t kind, uint16_t request, uint16_t message, uint16_t payload);

/* Return true if this is the payload of a HELLO. */
bool link_is_hello(const uint8_t *bytes, uint16_t length);

/* Write the payload of HELLO-REPLY into the buffer and return its length. It is the same for as long as a session lasts. */
uint16_t link_introduction(struct tdp_link *link);

void link_nak(struct tdp_link *link, uint16_t request, uint16_t message, uint16_t reason);

/* Return milliseconds since power-up: the clock of events. */
uint32_t link_uptime(const struct tdp_link *link);

/* Return the device's state, as a STATUS sent now would show it. It overwrites the payload buffer. */
uint8_t link_state(struct tdp_link *link);

/* ------------------------------------------------------------------ commands.c */

/* Check a command that arrived whole, carry it out once, and answer it. */
void commands_take(struct tdp_link *link, uint16_t request, uint16_t message, const uint8_t *bytes, uint16_t length);

/* Forget requests so old that their ids may be reused. */
void commands_forget(struct tdp_link *link);

/* ------------------------------------------------------------------ events.c */

/* READ-EVENTS. Return TDP_REASON_NONE if events will follow, or the reason why not. */
uint16_t events_read(struct tdp_link *link, const uint8_t *bytes);

/* After its reply: send the GAP that names the end of the previous session; its events follow. */
void events_begin_old(struct tdp_link *link);

void events_acknowledged(struct tdp_link *link, const uint8_t *bytes);

/* Send the requested events of the previous session, in portions; then what the window allows. Return true if other
   output has its turn: it comes after those, and waits for them a tenth of a second at most. */
bool events_step(struct tdp_link *link);

#endif
