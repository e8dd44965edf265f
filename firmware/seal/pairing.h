/* SPDX-License-Identifier: Apache-2.0 */
/* Pairing: the code that is shown while the device is open, and the hosts that it let in. */
#ifndef TDP_PAIRING_H
#define TDP_PAIRING_H

#include "tdp.h"

/* Return true while a handshake computes. */
bool seal_computes(const struct tdp_seal *seal);

/* Return true while a host may pair. A pairing whose time is over, or whose door was closed, ends here. */
bool pairing_is_on(struct tdp_link *link);

/* Drop the handshake in work, and the answers to the last ones. */
void seal_forget(struct tdp_seal *seal);

void pairing_end(struct tdp_seal *seal);

/* Compute the handshake's key of the code that is shown. */
void pairing_psk(const struct tdp_seal *seal, uint8_t *psk);

/* Keep the host of a proven handshake, with the role and the name of its proof; `compare` is then what both ends show. */
void pairing_store(struct tdp_link *link, const uint8_t *role_and_name);

#endif
