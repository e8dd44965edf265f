/* SPDX-License-Identifier: Apache-2.0 */
/* Measurement of the device's own image, one portion a tick, so that the link is never delayed. */
#ifndef TDP_VERIFY_H
#define TDP_VERIFY_H

#include "tdp.h"

/* VERIFY. Return TDP_REASON_ACCEPTED if MEASURED will follow, TDP_REASON_NONE if it is ready at once, or the reason why
   not. */
uint16_t verify_begin(struct tdp_link *link, uint16_t request, const uint8_t *bytes);

/* Write the fields of MEASURED and return their end. Once, at the end of the image. */
uint8_t *verify_write(struct tdp_link *link, uint8_t *start);

/* Measure one portion more; at the end of the image send MEASURED. */
void verify_step(struct tdp_link *link);

#endif
