/* SPDX-License-Identifier: Apache-2.0 */
/* A device's end of a Table Device Protocol link: bytes and milliseconds in, bytes out. It needs no library, no heap and no
   operating system. A class of device (shuffler, shoe, table controller) hangs on it as a table of functions. */
#ifndef TDP_H
#define TDP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sha256.h"
#include "tdp_numbers.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The core's own version: it goes up with each release of these files, whatever the product around them is called. */
#define TDP_CORE_VERSION "1.1.0"

#ifndef TDP_STORE_BYTES
#define TDP_STORE_BYTES 12288U /* for the events of two sessions; README.md says how many those are */
#endif

#ifndef TDP_VERIFY_PORTION
#define TDP_VERIFY_PORTION 512U /* bytes of the image that one tick measures: some milliseconds of a small processor */
#endif

/* What must hold when a file is compiled, by a name of its own. */
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
    TDP_EVENT_MAX = 121,   /* fields behind number and clock of the longest event there is: a misdeal of 56 packets */
    TDP_ENCODED_MAX = 258, /* a frame after COBS */
    TDP_PAYLOAD_MAX = 244,
    TDP_REASON_ACCEPTED = 0xFFFF /* of `obey`: it was begun, an event will say what came of it */
};

/* Bytes of memory that outlive a power cut, from address 0 of `struct tdp_memory` on: two heads, and the ring of events. */
#define TDP_MEMORY_BYTES (2U * (uint32_t)TDP_HEAD_BYTES + TDP_STORE_BYTES)

struct tdp_link;

/* Where a power cut does not reach, TDP_MEMORY_BYTES of it: FRAM or EEPROM on a bus, or RAM with a battery (`tdp_ram_...`).
   None of the functions can fail. One whose bus does not answer tries again, and a product that gives up ends in a reset:
   a device that went on would have forgotten its meters, or would say what it does not keep. */
struct tdp_memory {
    /* Fetch so many bytes from address `at` on. */
    void (*read)(void *context, uint32_t at, uint8_t *bytes, uint32_t count);
    /* Put so many bytes there. Between two barriers the power may go after any of them, in any order. */
    void (*write)(void *context, uint32_t at, const uint8_t *bytes, uint32_t count);
    /* Return when all that was written outlives a power cut. */
    void (*barrier)(void *context);
    void *context;
};

/* One meter of a class: what it counts, and of which component. A class has each number once: by it the store knows a
   meter, so that other firmware may have more of them, fewer, or in another order. */
struct tdp_meter {
    uint8_t meter, component;
};

/* What a class of device is. Every function is given `device`; none may wait. */
struct tdp_class {
    uint32_t capabilities;
    uint16_t kept_size; /* bytes at `kept` that outlive a power cut, at most TDP_KEPT_MAX */
    uint8_t kept_version; /* of what they mean: another number with each change of it, and 1 at first */
    uint8_t device_class;
    uint16_t status_message;
    const char *model;
    const struct tdp_meter *meters; /* in the order in which they are told; NULL: it has none */
    uint8_t meter_count;            /* at most TDP_METERS_MAX */
    void (*start)(void *device, uint32_t now_ms);
    void (*tick)(void *device, uint32_t now_ms);
    /* Carry out a command that is allowed, right in its layout and of this class. A reason, TDP_REASON_NONE when done. */
    uint16_t (*obey)(void *device, uint16_t request, uint16_t message, const uint8_t *payload);
    void (*host)(void *device, bool there); /* it is lost, or back */
    bool (*mid_round)(const void *device);
    uint8_t (*status)(const void *device, uint8_t *out); /* STATUS from its `state` on; its bytes */
    /* Make what is kept, all zeros so far, of what other firmware kept, whose version or size is another. NULL: nothing of
       it is taken over. */
    void (*take_over)(void *kept, uint8_t version, const uint8_t *was, uint16_t size);
};

/* What a device is called, in HELLO-REPLY, and the highest role it is set up to grant. */
struct tdp_identity {
    const char *maker, *serial, *firmware;
    uint8_t digest[32];
    uint8_t grants;
};

/* What VERIFY measures: the firmware as it lies in memory that can be addressed, unused space as the maker publishes it. */
struct tdp_image {
    const uint8_t *bytes;
    uint32_t length;
};

/* A measurement under way. */
struct tdp_measuring {
    struct sha256 hash;
    uint32_t at; /* bytes of the image measured so far */
    uint16_t request;
    bool running;
    uint8_t nonce[TDP_NONCE_BYTES];
};

/* What is known of the store, and lies in the newer of its two heads: they are written in turn, each with its check, so
   that a cut in mid-write leaves the one before. The order of the numbers is that of layout 2, which kept them as they lie
   here. */
struct tdp_head {
    uint32_t session, last; /* the newest event's number */
    uint32_t previous_session, previous_last;
    uint32_t boots;
    uint32_t from, middle, to;       /* in the ring: the previous session's records, this one's, and their end; `from` stays below
                                        the ring's size, the others go on beyond it */
    uint32_t oldest, previous_oldest; /* numbers of the first record of each */
    uint32_t turn;                    /* the head that is ahead of the other is the newer; it may wrap */
    uint32_t mid_round;
    uint32_t powered_ms; /* of the hour under way */
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
    void *kept; /* the class's part that outlives a power cut */
    const struct tdp_identity *identity;
    const struct tdp_image *image; /* NULL: nothing is measured */
    const struct tdp_memory *memory;
    void (*put)(void *port, uint8_t byte); /* the port sends it */
    void *port;
    struct tdp_head head;
    uint8_t saved[TDP_HEAD_BYTES]; /* the head as it was last written */
    struct tdp_measuring measuring;
    uint32_t start_ms, now_ms, byte_ms, heard_ms, sent_ms, status_ms, resend_ms, powered_ms;
    uint32_t acknowledged, sent;       /* events: the host has them, on their way */
    uint32_t sent_at, acknowledged_at; /* in the ring: the record after each */
    uint32_t last_before;              /* the newest event before the frame under way: no host can have more */
    uint32_t shown_sum;                /* of the status that was sent */
    uint16_t received;                 /* bytes of the frame that is coming in */
    uint8_t sequence, role;
    uint32_t old_first, old_next, old_at; /* of the session before: asked for, to be sent next, where that lies */
    uint32_t turn_ms;                     /* when what else is due last had its turn beside them */
    uint16_t meters_first; /* READ-METERS wants those from here on */
    bool open, lost, silent, overlong, status_asked, pump_due, old_asked, meters_asked, meters_moved;
    bool refusals_wait; /* counted and not saved yet */
    bool awaited;       /* a host opened the session, and is lost when it falls silent */
    struct tdp_request requests[TDP_REQUESTS];
    uint8_t oldest_request;
    uint8_t in[TDP_ENCODED_MAX];
    uint8_t out[TDP_FRAME_MAX];
    uint32_t dropped, frames, naks; /* pieces that were no frame, frames, NAKs sent: since the start, for whoever asks */
};

/* Power is on. `random` becomes the session's id; the memory is as the power cut left it, or anything. `kept` is filled with
   what was kept, zeros when nothing was. A store of an older layout is taken over, and goes on in this one. */
void tdp_start(struct tdp_link *link, uint32_t now_ms, uint32_t random, uint8_t boot_cause);

/* A byte arrived. */
void tdp_byte(struct tdp_link *link, uint8_t byte, uint32_t now_ms);

/* Do what is due; at least every 10 ms, and after hands did something. */
void tdp_tick(struct tdp_link *link, uint32_t now_ms);

/* Number, stamp and keep an event of at most TDP_EVENT_MAX bytes. `request` is the command's that caused it, 0 for none.
   What the class keeps, and its meters, go into the store with it, or nothing does: change them before. */
void tdp_emit(struct tdp_link *link, uint16_t message, uint16_t request, const uint8_t *fields, size_t length);

/* A meter goes on by so many; one that the class does not have is left alone. What an event says is counted by itself. */
void tdp_count(struct tdp_link *link, uint8_t meter, uint32_t by);

/* The line ended, and the device was told so (TCP does): whoever comes next has not opened the session yet. On a line that
   tells nothing, as a serial one, there is no need of it. */
void tdp_line_ended(struct tdp_link *link);

/* Save now what else would wait for the next event or the next minute: for a supply that warns before it fails. */
void tdp_save(struct tdp_link *link);

/* How far an accepted command came. */
void tdp_progress(struct tdp_link *link, uint16_t request, uint8_t percent);

uint32_t tdp_crc(uint32_t before, const uint8_t *bytes, size_t length);

/* The functions of a `struct tdp_memory` that the processor can address, FRAM on its own bus or RAM with a battery;
   `context` is its first byte. */
void tdp_ram_read(void *context, uint32_t at, uint8_t *bytes, uint32_t count);
void tdp_ram_write(void *context, uint32_t at, const uint8_t *bytes, uint32_t count);
void tdp_ram_barrier(void *context);

#ifdef __cplusplus
}
#endif

#endif
