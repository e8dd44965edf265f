/* SPDX-License-Identifier: Apache-2.0 */
/* What the checks of the core have in common: a device on a clock of their own, a host of a few lines, and power that can
   be cut at any byte which goes into the store. */
#ifndef CHECKS_H
#define CHECKS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "frame.h"
#include "port.h"

extern uint32_t check_now;
extern const struct device_port check_port;

/* What outlives a power cut, and how the device under check gets at it. */
extern uint8_t check_kept[TDP_MEMORY_BYTES];
extern const struct tdp_memory check_memory;

/* Told of each byte that the store writes, and of each head when all of it is written, if set. */
extern void (*check_on_put)(uint32_t at, uint8_t byte);
extern void (*check_on_head)(void);
extern void (*check_on_barrier)(void);

/* What was done since somebody put zeros here: reads and their bytes, bytes written, and bytes sent; and the instructions
   of the longest call, on a board that counts them. */
struct check_work {
    uint32_t reads, read, written, sent, longest;
};
extern struct check_work check_work;

/* A clock, and instructions since it showed so much; both 0 on a machine that does not count them. */
#ifdef CHECK_COUNTS
uint32_t check_clock(void);
uint32_t check_since(uint32_t then);
#else
static inline uint32_t check_clock(void)
{
    return 0U;
}

static inline uint32_t check_since(uint32_t then)
{
    return then;
}
#endif

/* A call of the core is over that began when the clock showed so much. */
void check_took(uint32_t since);

/* The head and the class's part as the next start would find them in the memory, into `link` and its `kept`. */
void check_load(struct tdp_link *link, const struct tdp_class *type, void *kept);

/* One frame that the device sent, its check taken off. */
typedef void (*check_reader)(const uint8_t *frame, size_t length);

/* Memory as it was never written, power on, and so much time until it is up. */
void check_new(const struct device *device, uint32_t session, uint32_t ms);
void check_start(const struct device *device, uint32_t session, uint32_t ms);
void check_run(const struct device *device, uint32_t ms);

/* Given each frame before it arrives, without its check, if set: it may seal it, and returns its length. */
extern uint16_t (*check_on_say)(uint8_t *frame, uint16_t length);

/* A frame arrives; nothing ticks. */
void check_say(const struct device *device, uint8_t kind, uint16_t request, uint16_t message, const uint8_t *payload,
               size_t length);
void check_open(const struct device *device, uint8_t role);
void check_read(const struct device *device, uint32_t session, uint32_t first);
void check_acknowledge(const struct device *device, uint32_t up_to);
void check_do(const struct device *device, const char *act, int times);

/* Hand over what it sent since, and forget it; with NULL only that. */
void check_heard(check_reader read);

/* Whether an event is of the session before: its number is read from its payload. */
bool check_is_of(const uint8_t *frame, size_t length, uint32_t session);

/* What must hold. `check_failed` is what main returns. */
void check(bool holds, const char *what, long number);
extern int check_failed;

#endif
