/* SPDX-License-Identifier: Apache-2.0 */
/* A whole device for a port to run: a class on a link, and a mechanism controlled by hands. */
#ifndef TDP_DEVICE_H
#define TDP_DEVICE_H

#include "tdp.h"

#define DEVICE_NUMBERS 10U /* of one act */

/* Section for a mechanism's cards while the power is off. A port with such memory names its section. */
#ifndef DEVICE_STORE
#define DEVICE_STORE
#endif

struct device_port {
    void (*put)(void *context, uint8_t byte);
    void *context;
    const struct tdp_identity *identity;
    const struct tdp_memory *memory; /* survives a power cut */
    const struct tdp_image *image; /* its firmware; NULL: not measured */
    struct tdp_seal *seal;         /* with `own` and `noise` set; NULL: no sealed line */
};

struct device {
    const char *name;
    struct tdp_link *link;
    void *mechanism; /* the cards, which need no power; NULL: there are none */
    size_t mechanism_size;
    /* Power is on. */
    void (*start)(const struct device_port *port, uint32_t now_ms, uint32_t random, uint8_t boot_cause);
    /* Carry out an act of the hands, by its name in the acceptance plans, with its fields in order and zeros for the
       rest. Return true if it had an effect. */
    bool (*act)(const char *name, const uint32_t *numbers);
};

extern const struct device shoe_device;
extern const struct device controller_device;
extern const struct device shuffler_device;

/* Carry out one line of the hands channel, without its end: an act's name and its numbers. Return "ok", "no" without an
   effect, "what?" for an invalid line. "state" and a number does nothing: "ok" if the device is in that state. On a device
   with a sealed line "pair" and the highest role answers the code to show, "compare" what both ends show after pairing,
   and "forget" forgets all hosts. */
const char *device_hear(const struct device *device, const char *line);

bool device_same(const char *one, const char *other);

#endif
