/* SPDX-License-Identifier: Apache-2.0 */
/* A device's end of a Table Device Protocol link: bytes and milliseconds in, bytes out. It needs no library, no heap
   and no operating system. A device class (shuffler, shoe, table controller) plugs in as a table of functions. */
#ifndef TDP_H
#define TDP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sha256.h"
#include "tdp_numbers.h"
#include "tdp_seal.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Version of the core: it increases with each release of these files, independent of the product around them. */
#define TDP_CORE_VERSION "1.1.0"

#ifndef TDP_STORE_BYTES
#define TDP_STORE_BYTES 12288U /* for the events of two sessions; README.md says how many */
#endif

#ifndef TDP_SEAL
#define TDP_SEAL 0 /* 1: with the sealed line and the signed measurement, of the folder seal */
#endif

#ifndef TDP_VERIFY_PORTION
#define TDP_VERIFY_PORTION 512U /* bytes of the image measured in one tick: some milliseconds of a small processor */
#endif

/* Compile-time assertion with a name of its own. */
#define TDP_ASSERT(name, holds) extern char name[(holds) ? 1 : -1]

enum {
    TDP_CARD_NONE = 0x00,
    TDP_CARD_UNREAD = 0x60,
    TDP_EVENT_DEPTH = 256,
    TDP_WINDOW = 16,
    TDP_REQUESTS = 32,
    TDP_KEPT_MAX = 126,
    TDP_METERS_MAX = 16,
    TDP_HEAD_BYTES = 260, /* room for one head of the store */
    TDP_NONCE_BYTES = 16,
    TDP_EVENT_MAX = 121,   /* fields after number and clock of the longest event: a misdeal of 56 packets */
    TDP_ENCODED_MAX = 258, /* a frame after COBS */
    TDP_PAYLOAD_MAX = 244,
    TDP_REASON_ACCEPTED = 0xFFFF /* from `obey`: started, an event will report the result */
};

/* Bytes of memory that survive a power cut, from address 0 of `struct tdp_memory` on: two heads, and the ring of
   events; then two key pages, if there is a sealed line. */
#define TDP_EVENT_BYTES (2U * (uint32_t)TDP_HEAD_BYTES + TDP_STORE_BYTES)
#if TDP_SEAL
#define TDP_MEMORY_BYTES (TDP_EVENT_BYTES + TDP_KEY_BYTES)
#else
#define TDP_MEMORY_BYTES TDP_EVENT_BYTES
#endif

struct tdp_link;

/* Memory that survives a power cut, TDP_MEMORY_BYTES of it: FRAM or EEPROM on a bus, or RAM with a battery
   (`tdp_ram_...`). None of the functions can fail. A port whose bus does not answer retries, and a product that gives
   up must reset: a device that continued would lose its meters, or report events that it does not store. */
struct tdp_memory {
    /* Read this many bytes from address `at`. */
    void (*read)(void *context, uint32_t at, uint8_t *bytes, uint32_t count);
    /* Write this many bytes. Between two barriers the power may fail after any of them, in any order. */
    void (*write)(void *context, uint32_t at, const uint8_t *bytes, uint32_t count);
    /* Return when everything written survives a power cut. */
    void (*barrier)(void *context);
    void *context;
};

/* One meter of a class: what it counts, and of which component. A class has each number once: the store identifies a
   meter by it, so that other firmware may have more of them, fewer, or in another order. */
struct tdp_meter {
    uint8_t meter, component;
};

/* A device class. Every function gets `device`; none may block. */
struct tdp_class {
    uint32_t capabilities;
    uint16_t kept_size; /* bytes at `kept` that survive a power cut, at most TDP_KEPT_MAX */
    uint8_t kept_version; /* version of their meaning: 1 at first, increased with each change */
    uint8_t device_class;
    uint16_t status_message;
    const char *model;
    const struct tdp_meter *meters; /* in the order of reports; NULL: it has none */
    uint8_t meter_count;            /* at most TDP_METERS_MAX */
    void (*start)(void *device, uint32_t now_ms);
    void (*tick)(void *device, uint32_t now_ms);
    /* Carry out a command that is allowed, has a valid layout and belongs to this class. Return a reason,
       TDP_REASON_NONE when done. */
    uint16_t (*obey)(void *device, uint16_t request, uint16_t message, const uint8_t *payload);
    void (*host)(void *device, bool there); /* lost, or back */
    bool (*mid_round)(const void *device);
    uint8_t (*status)(const void *device, uint8_t *out); /* STATUS from its `state` on; returns its length */
    /* Convert the state kept by other firmware, with another version or size, to `kept`, which is zeroed. NULL: none of
       it is converted. */
    void (*take_over)(void *kept, uint8_t version, const uint8_t *was, uint16_t size);
    /* Return true while a person has it open, by its door or in setup: hosts are paired and forgotten only then. */
    bool (*opened)(const void *device);
};

/* Identification in HELLO-REPLY, and the highest role that the device is set up to grant. */
struct tdp_identity {
    const char *maker, *serial, *firmware;
    uint8_t digest[32];
    uint8_t grants;
};

/* Image for VERIFY: the firmware in addressable memory, with unused space as the maker publishes it. */
struct tdp_image {
    const uint8_t *bytes;
    uint32_t length;
};

/* Measurement in progress. */
struct tdp_measuring {
    struct sha256 hash;
    uint32_t at; /* bytes of the image measured so far */
    uint16_t request;
    bool running;
    uint8_t nonce[TDP_NONCE_BYTES];
};

/* State of the store, saved in the newer of its two heads: they are written alternately, each with its check, so that
   an interrupted write leaves the earlier one. The order of the numbers is that of layout 2, which stored them as they
   are here. */
struct tdp_head {
    uint32_t session, last; /* number of the newest event */
    uint32_t previous_session, previous_last;
    uint32_t boots;
    uint32_t from, middle, to;       /* in the ring: the previous session's records, this one's, and their end;
                                        `from` stays below the ring's size, the others continue beyond it */
    uint32_t oldest, previous_oldest; /* numbers of the first record of each */
    uint32_t turn;                    /* of the two heads, the one with the higher turn is newer; it may wrap */
    uint32_t mid_round;
    uint32_t powered_ms; /* of the current hour */
    uint32_t meters[TDP_METERS_MAX]; /* in the class's order */
};

struct tdp_request {
    uint32_t at_ms, sum;
    uint16_t request, message;
    uint8_t reply[4];
    bool used;
};

struct tdp_link {
    const struct tdp_class *type;
    void *device;
    void *kept; /* the class's state that survives a power cut */
    const struct tdp_identity *identity;
    const struct tdp_image *image; /* NULL: no measurement */
    const struct tdp_memory *memory;
    struct tdp_seal *seal; /* NULL: the line is never sealed */
    void (*put)(void *port, uint8_t byte); /* sends a byte through the port */
    void *port;
    struct tdp_head head;
    uint8_t saved[TDP_HEAD_BYTES]; /* the head as last written */
    struct tdp_measuring measuring;
    uint32_t start_ms, now_ms, byte_ms, heard_ms, sent_ms, status_ms, resend_ms, powered_ms;
    uint32_t acknowledged, sent;       /* events that the host has; events in transit */
    uint32_t sent_at, acknowledged_at; /* in the ring: the record after each */
    uint32_t last_before;              /* newest event before the current frame: no host can have more */
    uint32_t shown_sum;                /* of the last STATUS sent */
    uint16_t received;                 /* bytes of the incoming frame */
    uint8_t sequence, role;
    uint32_t old_first, old_next, old_at; /* of the previous session: requested, to be sent next, and its place */
    uint32_t turn_ms;                     /* time when other output last had its turn between them */
    uint16_t meters_first; /* first index of the next METERS to send */
    bool open, lost, silent, overlong, status_asked, pump_due, old_asked, meters_asked, meters_moved;
    bool refusals_wait; /* counted and not yet saved */
    bool awaited;       /* a host opened the session, and counts as lost if it goes silent */
    struct tdp_request requests[TDP_REQUESTS];
    uint8_t oldest_request;
    uint8_t in[TDP_ENCODED_MAX];
    uint8_t out[TDP_FRAME_MAX];
    uint32_t dropped, frames, naks; /* pieces that were no frame, frames, NAKs sent, since the start, for diagnosis */
};

/* Power is on. `random` becomes the session id; the memory is as the power cut left it, or anything. `kept` gets the
   state that was kept, or zeros. A store of an older layout is converted. */
void tdp_start(struct tdp_link *link, uint32_t now_ms, uint32_t random, uint8_t boot_cause);

/* Process a byte that arrived. */
void tdp_byte(struct tdp_link *link, uint8_t byte, uint32_t now_ms);

/* Do what is due. Call it at least every 10 ms, and after any action of the mechanism. */
void tdp_tick(struct tdp_link *link, uint32_t now_ms);

/* Number, stamp and store an event of at most TDP_EVENT_MAX bytes. `request` is the command that caused it, 0 for none.
   The class's state and its meters are saved with it or not at all: change them before the call. */
void tdp_emit(struct tdp_link *link, uint16_t message, uint16_t request, const uint8_t *fields, size_t length);

/* Increase a meter; one that the class lacks is ignored. Meters that follow from an event are counted automatically. */
void tdp_count(struct tdp_link *link, uint8_t meter, uint32_t by);

/* The line ended, and the device noticed (as with TCP): the next host has to open the session. Not needed on a line
   that does not report this, such as a serial one. */
void tdp_line_ended(struct tdp_link *link);

/* Save now what would otherwise wait for the next event or the next minute, for a supply that warns before it fails. */
void tdp_save(struct tdp_link *link);

/* Let a host pair, for ten minutes and one attempt, with at most this role: `seal->code` is the code to show. Return false
   unless the device is open and has room for a host. Only with TDP_SEAL. */
bool tdp_pair(struct tdp_link *link, uint8_t role);

/* Forget all hosts. Return false unless the device is open. Only with TDP_SEAL. */
bool tdp_forget(struct tdp_link *link);

/* Report the progress of an accepted command. */
void tdp_progress(struct tdp_link *link, uint16_t request, uint8_t percent);

uint32_t tdp_crc(uint32_t before, const uint8_t *bytes, size_t length);

/* Functions of a `struct tdp_memory` that the processor can address, FRAM on its own bus or RAM with a battery;
   `context` is its first byte. */
void tdp_ram_read(void *context, uint32_t at, uint8_t *bytes, uint32_t count);
void tdp_ram_write(void *context, uint32_t at, const uint8_t *bytes, uint32_t count);
void tdp_ram_barrier(void *context);

#ifdef __cplusplus
}
#endif

#endif
