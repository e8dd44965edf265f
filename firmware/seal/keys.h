/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of a device: two pages behind its events, written alternately, each with its check; and its randomness. */
#ifndef TDP_KEYS_H
#define TDP_KEYS_H

#include "tdp.h"

#define KEYS_OWN 1U       /* flags of a page: it has an X25519 key, */
#define KEYS_CERTIFIED 2U /* an Ed25519 key with its certificate */

/* Load the newer page that is whole, or begin an empty one; put the port's keys in, or make what is missing; stir the
   pool, and save it advanced, so that no start repeats one. */
void keys_load(struct tdp_link *link, uint32_t random);

void keys_save(struct tdp_link *link);

/* Draw so many random bytes, at most 32. */
void keys_draw(struct tdp_seal *seal, uint8_t *bytes, uint32_t count);

/* Return the number of hosts: their places are the first ones. */
uint8_t keys_hosts(const struct tdp_seal *seal);

#endif
