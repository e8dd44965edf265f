/* SPDX-License-Identifier: Apache-2.0 */
/* Meters, which count for as long as the device exists. They are in the store's head, so they survive a power cut. */
#ifndef TDP_METERS_H
#define TDP_METERS_H

#include "tdp.h"

/* Count the actions that an event reports. */
void meters_count_event(struct tdp_link *link, uint16_t message, const uint8_t *fields);

/* Count a refused command. Any host can cause many, so they are saved with the next save, once a minute, and before
   they are reported. A power cut loses at most a minute of them, and never a reported one. */
void meters_count_refusal(struct tdp_link *link);

/* Advance the time under power. */
void meters_tick(struct tdp_link *link);

/* Send METERS, in answer to the command `request`: those from index `first` on, as many as fit. */
void meters_send(struct tdp_link *link, uint16_t request, uint16_t first);

#endif
