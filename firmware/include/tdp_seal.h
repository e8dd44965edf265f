/* SPDX-License-Identifier: Apache-2.0 */
/* The sealed line: what a product provides for it, and its state. A link whose `seal` is NULL has none. Only with
   TDP_SEAL; README.md describes it. */
#ifndef TDP_SEAL_H
#define TDP_SEAL_H

#include <stdbool.h>
#include <stdint.h>

#include "sha256.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef TDP_SEAL_STEPS
#define TDP_SEAL_STEPS 8U /* of the 255 of one multiplication, in one tick: about a millisecond of a small processor */
#endif

#define SEAL_KEY 32U
#define SEAL_TAG 16U
#define SEAL_HOSTS 4U
#define SEAL_NAME 16U
#define SEAL_SIGNATURE 64U
#define SEAL_CODE 12U   /* characters of a code, without the check character */
#define SEAL_SHOWN 17U  /* XXXX-XXXX-XXXX-C and a zero */
#define SEAL_TEXT 134U  /* a measurement as it is signed */
#define SEAL_PROOF 81U
#define SEAL_ANSWER 96U /* the longest */

/* Keys that a maker puts in at production. Without them a device makes its own X25519 key at its first start, and has
   no certificate. */
struct tdp_own_keys {
    uint8_t x25519[SEAL_KEY], ed25519[SEAL_KEY]; /* secret key, and seed */
    uint8_t maker[SEAL_SIGNATURE];               /* of the certificate */
    bool certified;
};

/* A host that was paired: bytes, as they are stored. */
struct seal_host {
    uint8_t key[SEAL_KEY], role, name[SEAL_NAME];
};

/* A key page as it is stored: bytes alone, so that every compiler lays it out alike. */
struct seal_page {
    uint8_t layout, turn[4], flags;
    struct tdp_page_keys {
        uint8_t x25519[SEAL_KEY], ed25519[SEAL_KEY], maker[SEAL_SIGNATURE];
    } own;
    uint8_t pool[SEAL_KEY];
    struct seal_host hosts[SEAL_HOSTS];
    uint8_t check[4];
};

#define TDP_KEY_BYTES 732U /* two pages */

/* A multiplication on the curve in progress: x25519's ladder, or the comb of Ed25519. */
struct curve_work {
    int32_t field[5][10];
    uint8_t scalar[SEAL_KEY];
    int32_t swap;
    int16_t at;
};

/* The symmetric state of a handshake. */
struct noise {
    uint8_t h[SEAL_KEY], ck[SEAL_KEY], k[SEAL_KEY];
    uint32_t n;
};

/* Keys of a line, one for each direction, with the counters of both. */
struct seal_keys {
    uint8_t in[SEAL_KEY], out[SEAL_KEY];
    uint64_t sent, top, seen; /* last counter used; newest that opened, and a bit for each of the 64 up to it */
    bool live, began, heard;
    uint8_t host; /* place in the page */
};

/* A signature in progress. */
struct seal_signing {
    uint8_t nonce[SEAL_KEY], signature[SEAL_SIGNATURE];
};

struct tdp_seal {
    /* from the port, before tdp_start */
    const struct tdp_own_keys *own; /* NULL: the page's */
    uint8_t noise[SEAL_KEY];        /* from the part's generator, or zeros */
    /* the rest is the core's */
    struct seal_page page;
    uint8_t x25519[SEAL_KEY], ed25519[SEAL_KEY]; /* public */
    struct seal_keys now, next; /* in use; and those that the host has not used yet */
    struct noise handshake;
    struct curve_work curve;
    uint8_t e[SEAL_KEY], re[SEAL_KEY], rs[SEAL_KEY], shared[SEAL_KEY]; /* secret; of the host: fresh, and its own; result */
    uint8_t message[SEAL_PROOF];             /* of the host: what is still to be opened */
    uint8_t call[SEAL_KEY], proof[SEAL_KEY]; /* digests of the last of each */
    uint8_t answer[SEAL_ANSWER];             /* to that call */
    uint8_t answer_length, stage, host;
    uint16_t request, message_id; /* of the message in work */
    uint32_t call_ms, nak_ms, code_ms, proof_ms, hello_ms, answer_ms;
    bool called, proved, naked, greeted, pairing, in_clear, signing_now, multiplied;
    uint8_t role;                              /* the highest that the person allowed */
    char code[SEAL_SHOWN], compare[SEAL_SHOWN]; /* the code; the short authentication string of the last pairing */
    uint32_t refused; /* frames that did not open, or came in clear, since the start, for diagnosis */
    struct sha256 image_hash; /* of the image alone, while it is measured */
    struct seal_signing signing;
    uint8_t text[SEAL_TEXT];
};

#ifdef __cplusplus
}
#endif

#endif
