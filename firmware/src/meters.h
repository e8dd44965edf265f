/* SPDX-License-Identifier: Apache-2.0 */
/* What a device counts for as long as it exists. The numbers lie in the store's head, so a power cut leaves them alone. */
#ifndef TDP_METERS_H
#define TDP_METERS_H

#include "tdp.h"

/* Count what an event says was done. */
void meters_count_event(struct tdp_link *link, uint16_t message, const uint8_t *fields);

/* Count a command that was refused: any host can cause them on end, so they are saved with whatever is saved next, each
   minute, and before they are told. A power cut takes at most a minute of them, none that anybody was told of. */
void meters_count_refusal(struct tdp_link *link);

/* Time goes on: hours under power. */
void meters_tick(struct tdp_link *link);

/* METERS, as the answer to the command `request`: those from index `first` on, as many as fit. */
void meters_send(struct tdp_link *link, uint16_t request, uint16_t first);

#endif
