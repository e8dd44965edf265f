/* SPDX-License-Identifier: Apache-2.0 */
/* Multiplication on the curve in steps, so that none of the calls delays the link. */
#ifndef TDP_CURVE_H
#define TDP_CURVE_H

#include "tdp_seal.h"

/* The base point of X25519. */
extern const uint8_t curve_base[SEAL_KEY];

/* Begin X25519 of a scalar and a point. */
void curve_begin(struct curve_work *work, const uint8_t *scalar, const uint8_t *point);

/* Do so many steps more of 255. Return true at the end, with the result in `out`. */
bool curve_step(struct curve_work *work, uint32_t steps, uint8_t *out);

/* Begin the multiplication of the base point of Ed25519 by a scalar. */
void curve_base_begin(struct curve_work *work, const uint8_t *scalar);

/* Do so many turns more of 32. Return true at the end, with the encoded point in `out`. */
bool curve_base_step(struct curve_work *work, uint32_t turns, uint8_t *out);

#endif
