/* SPDX-License-Identifier: Apache-2.0 */
/* A device's end of a Game Authentication Terminal line (GAT 3.50, as far as it is known): bytes and milliseconds in,
   bytes out. It measures the image of VERIFY, on a line of its own and independent of the link. */
#ifndef TDP_GAT_H
#define TDP_GAT_H

#include <stdbool.h>
#include <stdint.h>

#include "sha1.h"
#include "tdp.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GAT_FRAME_MAX 255U
#define GAT_GAP_MS 50U /* of silence that ends a frame; a terminal is silent for longer after a query without an answer */

/* The product, its maker, and the one component: its name and its image. The texts are plain ASCII without &, < and >. */
struct gat_software {
    const char *game, *manufacturer, *component;
    const struct tdp_image *image;
};

enum gat_progress { GAT_REQUESTED, GAT_FINISHED, GAT_CALCULATING, GAT_FAILED };

/* Set `software`, `put` and `context`, and let everything else be zeros; then call gat_start. */
struct gat {
    const struct gat_software *software;
    void (*put)(void *context, uint8_t byte);
    void *context;
    struct sha1 hash;
    uint32_t heard_ms; /* the last byte */
    uint32_t at;       /* bytes of the image measured so far */
    uint32_t age_s, second_ms; /* since the last calculation */
    enum gat_progress progress;
    bool deaf; /* until the next silence */
    bool running, available, listing, keyed;
    uint8_t length; /* of the frame so far */
    uint8_t frame[GAT_FRAME_MAX]; /* the query, then its response */
    uint8_t key[SHA1_BLOCK];
    uint8_t digest[SHA1_BYTES];
};

/* Power is on: nothing is calculated yet. */
void gat_start(struct gat *gat, uint32_t now_ms);

/* Take a byte of the terminal. The response to a query goes out at its last byte. */
void gat_byte(struct gat *gat, uint8_t byte, uint32_t now_ms);

/* Measure one portion of the image. */
void gat_tick(struct gat *gat, uint32_t now_ms);

#ifdef __cplusplus
}
#endif

#endif
