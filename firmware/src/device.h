/* SPDX-License-Identifier: Apache-2.0 */
/* A whole device for a port to run: a class on a link, and a mechanism that hands tell what to do. */
#ifndef TDP_DEVICE_H
#define TDP_DEVICE_H

#include "tdp.h"

#define DEVICE_NUMBERS 10U /* of one act */

/* Where the cards of a mechanism lie while the power is off. A port that has such a place names its section. */
#ifndef DEVICE_STORE
#define DEVICE_STORE
#endif

struct device_port {
    void (*put)(void *context, uint8_t byte);
    void *context;
    const struct tdp_identity *identity;
    const struct tdp_memory *memory; /* what outlives a power cut */
    const struct tdp_image *image; /* its firmware, NULL: it is not measured */
};

struct device {
    const char *name;
    struct tdp_link *link;
    void *mechanism; /* the cards where they lie, which need no power; NULL: there are none */
    size_t mechanism_size;
    /* Power is on. */
    void (*start)(const struct device_port *port, uint32_t now_ms, uint32_t random, uint8_t boot_cause);
    /* What hands do, by the name that acceptance plans have for it; its fields in their order, zeros for the others.
       Whether anything came of it. */
    bool (*act)(const char *name, const uint32_t *numbers);
};

extern const struct device shoe_device;
extern const struct device controller_device;
extern const struct device shuffler_device;

/* One line of the hands' channel, without its end: an act's name and its numbers. The answer: "ok", "no" when nothing
   came of it, "what?" when it is no line. "state" and a number does nothing: "ok" when the device is in that state. */
const char *device_hear(const struct device *device, const char *line);

bool device_same(const char *one, const char *other);

#endif
