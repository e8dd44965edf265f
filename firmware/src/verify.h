/* SPDX-License-Identifier: Apache-2.0 */
/* The device measures its own image, a portion with each tick: the link is never kept waiting. */
#ifndef TDP_VERIFY_H
#define TDP_VERIFY_H

#include "tdp.h"

/* VERIFY. TDP_REASON_ACCEPTED when MEASURED will follow, TDP_REASON_NONE when it is ready at once, or why not. */
uint16_t verify_begin(struct tdp_link *link, uint16_t request, const uint8_t *bytes);

/* Go on by one portion; at the end of the image MEASURED is sent. */
void verify_step(struct tdp_link *link);

#endif
