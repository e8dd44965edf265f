/* SPDX-License-Identifier: Apache-2.0 */
/* The GAT line of tdp-device: a pseudo-terminal of its own, or a TCP port. */
#ifndef GAT_LINE_H
#define GAT_LINE_H

#include "tdp.h"

/* Open it: `tcp:PORT`, or the path of a link to a pseudo-terminal. Return its address, NULL with errno for a failure. */
const char *gat_line_open(const char *where, const struct tdp_image *image, uint32_t now_ms);

/* Power is on: nothing is calculated yet. */
void gat_line_start(uint32_t now_ms);

/* Take what arrived, measure a portion, and send. */
void gat_line_turn(uint32_t now_ms);

void gat_line_close(void);

#endif
