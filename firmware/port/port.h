/* SPDX-License-Identifier: Apache-2.0 */
/* What the reference device is called, on every port. */
#ifndef TDP_PORT_H
#define TDP_PORT_H

#include "tdp.h"

/* The digest is zeros: an image cannot hold its own, and a loader that measures one is a maker's. */
static const struct tdp_identity port_identity = {.maker = "dealwire", .serial = "TDP-0001", .firmware = "1.0.0",
                                                  .grants = TDP_ROLE_SERVICE};

#endif
