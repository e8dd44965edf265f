/* SPDX-License-Identifier: Apache-2.0 */
/* Frames in and out of a sealed line, and the handshakes that give it keys: KK for a host that is paired, XXpsk3 for one
   that pairs. The host begins both, and repeats a call until it has the answer: an equal call gets the same answer. Each
   multiplication is done in steps from tdp_tick. */
#include "seal.h"

#include "curve.h"
#include "frame.h"
#include "keys.h"
#include "link.h"
#include "monocypher.h"
#include "noise.h"
#include "pairing.h"

#define APART_MS 250U  /* between two handshakes, and between two NAKs of what is in clear */
#define ANSWER_MS 100U /* between two answers in clear that are the same for everybody: each counts as a frame */
#define PAIR_CALL 48U
#define SEAL_CALL 56U
#define SEAL_REPLY 48U
#define STATIC_SEALED (SEAL_KEY + SEAL_TAG)
#define PROOF_TEXT (1U + SEAL_NAME)
#define ID_BYTES 8U
#define LABEL 12U

/* What is being computed. In the name of each multiplication the device's key stands first. */
enum { IDLE, KK_ES, KK_SS, KK_OWN, KK_EE, KK_SE, XX_OWN, XX_EE, XX_ES, XX_PROOF_DUE, XX_SE };

bool seal_computes(const struct tdp_seal *seal)
{
    return seal->stage != (uint8_t)IDLE && seal->stage != (uint8_t)XX_PROOF_DUE;
}

static bool is_closed(const struct tdp_link *link)
{
    return link->seal != NULL && keys_hosts(link->seal) > 0U;
}

/* ------------------------------------------------------------------ power */

void seal_start(struct tdp_link *link, uint32_t random)
{
    struct tdp_seal *seal = link->seal;
    if (seal != NULL) {
        crypto_wipe(&seal->page, sizeof *seal - offsetof(struct tdp_seal, page));
        keys_load(link, random);
    }
}

uint8_t seal_grants(const struct tdp_link *link)
{
    const struct tdp_seal *seal = link->seal;
    uint8_t grants = link->identity->grants;
    if (is_closed(link)) {
        uint8_t role = seal->page.hosts[seal->now.host].role;
        grants = role < grants ? role : grants;
    }
    return grants;
}

/* ------------------------------------------------------------------ frames */

bool seal_in_clear(const struct tdp_link *link)
{
    return link->seal != NULL && link->seal->in_clear;
}

void seal_taken(struct tdp_link *link)
{
    if (link->seal != NULL) {
        link->seal->in_clear = false;
    }
}

uint16_t seal_frame(struct tdp_link *link, uint16_t length)
{
    uint16_t sent = length;
    if (is_closed(link) && !link->seal->in_clear) {
        sent = link->seal->now.live ? noise_seal(&link->seal->now, link->out, length) : 0U;
    }
    return sent;
}

static void send_clear(struct tdp_link *link, uint16_t message, const uint8_t *bytes, uint8_t length)
{
    link->seal->in_clear = true;
    copy_bytes(link_payload(link), bytes, length);
    link_send(link, TDP_KIND_LINK, 0U, message, length);
    link->seal->in_clear = false;
}

/* What is refused in clear may be anyone's: four answers a second, so that nobody makes the device fill the line. */
static void refuse(struct tdp_link *link, uint16_t request, uint16_t message, uint16_t reason)
{
    struct tdp_seal *seal = link->seal;
    if (!seal->naked || link->now_ms - seal->nak_ms >= APART_MS) {
        seal->naked = true;
        seal->nak_ms = link->now_ms;
        seal->in_clear = true;
        link_nak(link, request, message, reason);
        seal->in_clear = false;
    }
}

/* Frames opened with the new keys: the host has them, and the old ones are over. */
static void change_over(struct tdp_link *link)
{
    struct tdp_seal *seal = link->seal;
    seal->now = seal->next;
    crypto_wipe(&seal->next, sizeof seal->next);
}

static uint16_t open_frame(struct tdp_link *link, uint8_t *frame, uint16_t length)
{
    struct tdp_seal *seal = link->seal;
    uint16_t size = (uint16_t)(length - FRAME_CHECK);
    uint16_t opened = noise_open(&seal->next, frame, size);
    if (opened != 0U) {
        change_over(link);
    } else {
        opened = noise_open(&seal->now, frame, size);
    }
    return opened;
}

/* ------------------------------------------------------------------ handshakes */

static void compute(struct tdp_seal *seal, uint8_t stage, const uint8_t *scalar, const uint8_t *point)
{
    seal->stage = stage;
    seal->multiplied = false;
    curve_begin(&seal->curve, scalar, point == NULL ? curve_base : point);
}

void seal_forget(struct tdp_seal *seal)
{
    seal->stage = (uint8_t)IDLE;
    seal->called = false;
    seal->proved = false;
    seal->answer_length = 0U;
    crypto_wipe(&seal->handshake, sizeof seal->handshake);
    crypto_wipe(seal->e, sizeof seal->e);
}

static void give_up(struct tdp_link *link, uint16_t reason)
{
    seal_forget(link->seal);
    refuse(link, link->seal->request, link->seal->message_id, reason);
}

/* Begin a handshake whose prologue is the device's introduction in this session: nothing in it can be changed on the way
   without a difference in every key. */
static void begin(struct tdp_link *link, const char *name, const char *label)
{
    uint8_t text[LABEL];
    (void)put_text(text, label, (uint8_t)LABEL);
    uint16_t length = link_introduction(link);
    noise_begin(&link->seal->handshake, name, text, LABEL, link_payload(link), length);
}

static void begin_pairing(struct tdp_link *link, const uint8_t *bytes)
{
    struct tdp_seal *seal = link->seal;
    begin(link, "Noise_XXpsk3_25519_ChaChaPoly_SHA256", "TDP 1.4 pair");
    noise_mix_hash(&seal->handshake, bytes, SEAL_KEY);
    noise_mix_key(&seal->handshake, bytes);
    if (noise_decrypt(&seal->handshake, seal->shared, &bytes[SEAL_KEY], SEAL_TAG)) {
        copy_bytes(seal->re, bytes, SEAL_KEY);
        keys_draw(seal, seal->e, SEAL_KEY);
        compute(seal, (uint8_t)XX_OWN, seal->e, NULL);
    } else {
        give_up(link, TDP_REASON_BAD_PAYLOAD);
    }
}

/* Return the place of the host with this id, the first bytes of the digest of its key; SEAL_HOSTS if there is none. */
static uint8_t host_of(const struct tdp_seal *seal, const uint8_t *id)
{
    uint8_t found = (uint8_t)SEAL_HOSTS;
    for (uint8_t i = 0U; i < keys_hosts(seal); i++) {
        uint8_t digest[SHA256_BYTES];
        struct sha256 hash;
        bool same = true;
        sha256_begin(&hash);
        sha256_add(&hash, seal->page.hosts[i].key, SEAL_KEY);
        sha256_end(&hash, digest);
        for (uint32_t j = 0U; j < ID_BYTES; j++) {
            same = same && digest[j] == id[j];
        }
        found = same ? i : found;
    }
    return found;
}

static void begin_sealing(struct tdp_link *link, const uint8_t *bytes)
{
    struct tdp_seal *seal = link->seal;
    copy_bytes(seal->rs, seal->page.hosts[seal->host].key, SEAL_KEY);
    copy_bytes(seal->re, &bytes[ID_BYTES], SEAL_KEY);
    copy_bytes(seal->message, &bytes[ID_BYTES + SEAL_KEY], SEAL_TAG);
    begin(link, "Noise_KK_25519_ChaChaPoly_SHA256", "TDP 1.4 seal");
    noise_mix_hash(&seal->handshake, seal->rs, SEAL_KEY);
    noise_mix_hash(&seal->handshake, seal->x25519, SEAL_KEY);
    noise_mix_hash(&seal->handshake, seal->re, SEAL_KEY);
    compute(seal, (uint8_t)KK_ES, seal->page.own.x25519, seal->re);
}

static void take_proof(struct tdp_link *link, const uint8_t *bytes)
{
    struct tdp_seal *seal = link->seal;
    copy_bytes(seal->message, bytes, SEAL_PROOF);
    if (noise_decrypt(&seal->handshake, seal->rs, seal->message, STATIC_SEALED)) {
        compute(seal, (uint8_t)XX_SE, seal->e, seal->rs);
    } else {
        pairing_end(seal);
        give_up(link, TDP_REASON_NOT_PERMITTED);
    }
}

/* The host proved that it knows the code: one attempt, right or wrong. */
static void finish_pairing(struct tdp_link *link)
{
    struct tdp_seal *seal = link->seal;
    uint8_t psk[SEAL_KEY];
    uint8_t text[PROOF_TEXT];
    bool on = pairing_is_on(link);
    pairing_psk(seal, psk);
    noise_mix_psk(&seal->handshake, psk);
    crypto_wipe(psk, sizeof psk);
    if (on && noise_decrypt(&seal->handshake, text, &seal->message[STATIC_SEALED], PROOF_TEXT + SEAL_TAG)) {
        pairing_store(link, text);
        noise_split(&seal->handshake, &seal->now);
        seal->now.host = seal->host;
        crypto_wipe(&seal->next, sizeof seal->next);
        crypto_wipe(seal->e, sizeof seal->e);
        seal->stage = (uint8_t)IDLE;
        seal->proved = true;
        seal->proof_ms = link->now_ms;
        link->status_asked = true;
    } else {
        pairing_end(seal);
        give_up(link, TDP_REASON_NOT_PERMITTED);
    }
}

static void send_answer(struct tdp_link *link)
{
    struct tdp_seal *seal = link->seal;
    uint16_t message = seal->answer_length == SEAL_ANSWER ? (uint16_t)TDP_PAIR_ANSWER : (uint16_t)TDP_SEAL_ANSWER;
    seal->answer_ms = link->now_ms;
    send_clear(link, message, seal->answer, seal->answer_length);
}

static void finish_sealing(struct tdp_link *link)
{
    struct tdp_seal *seal = link->seal;
    noise_encrypt(&seal->handshake, &seal->answer[SEAL_KEY], seal->shared, 0U);
    noise_split(&seal->handshake, &seal->next);
    seal->next.host = seal->host;
    crypto_wipe(seal->e, sizeof seal->e);
    seal->stage = (uint8_t)IDLE;
    seal->answer_length = (uint8_t)SEAL_REPLY;
    send_answer(link);
}

/* The device's fresh key is public: it begins the answer. */
static void take_fresh(struct tdp_seal *seal)
{
    copy_bytes(seal->answer, seal->shared, SEAL_KEY);
    noise_mix_hash(&seal->handshake, seal->answer, SEAL_KEY);
}

/* A multiplication is done; its result is mixed in. */
static void go_on(struct tdp_link *link)
{
    struct tdp_seal *seal = link->seal;
    struct noise *noise = &seal->handshake;
    switch (seal->stage) {
    case KK_ES:
        compute(seal, (uint8_t)KK_SS, seal->page.own.x25519, seal->rs);
        break;
    case KK_SS:
        if (noise_decrypt(noise, seal->shared, seal->message, SEAL_TAG)) {
            keys_draw(seal, seal->e, SEAL_KEY);
            compute(seal, (uint8_t)KK_OWN, seal->e, NULL);
        } else {
            give_up(link, TDP_REASON_BAD_PAYLOAD);
        }
        break;
    case KK_EE:
        compute(seal, (uint8_t)KK_SE, seal->e, seal->rs);
        break;
    case KK_SE:
        finish_sealing(link);
        break;
    case XX_EE:
        noise_encrypt(noise, &seal->answer[SEAL_KEY], seal->x25519, SEAL_KEY);
        compute(seal, (uint8_t)XX_ES, seal->page.own.x25519, seal->re);
        break;
    case XX_ES:
        noise_encrypt(noise, &seal->answer[SEAL_KEY + STATIC_SEALED], seal->shared, 0U);
        seal->stage = (uint8_t)XX_PROOF_DUE;
        seal->answer_length = (uint8_t)SEAL_ANSWER;
        send_answer(link);
        break;
    default: /* XX_SE */
        finish_pairing(link);
        break;
    }
}

static void take_result(struct tdp_link *link)
{
    static const uint8_t none[SEAL_KEY];
    struct tdp_seal *seal = link->seal;
    if (seal->stage == (uint8_t)KK_OWN) {
        take_fresh(seal);
        compute(seal, (uint8_t)KK_EE, seal->e, seal->re);
    } else if (seal->stage == (uint8_t)XX_OWN) {
        take_fresh(seal);
        noise_mix_key(&seal->handshake, seal->answer);
        compute(seal, (uint8_t)XX_EE, seal->e, seal->re);
    } else if (crypto_verify32(seal->shared, none) == 0) { /* a point of small order: everybody knows this result */
        if (seal->stage == (uint8_t)XX_SE) {
            pairing_end(seal);
            give_up(link, TDP_REASON_NOT_PERMITTED);
        } else {
            give_up(link, TDP_REASON_BAD_PAYLOAD);
        }
    } else {
        noise_mix_key(&seal->handshake, seal->shared);
        go_on(link);
    }
    crypto_wipe(seal->shared, sizeof seal->shared);
}

void seal_step(struct tdp_link *link)
{
    struct tdp_seal *seal = link->seal;
    if (seal == NULL) {
        return;
    }
    (void)pairing_is_on(link);
    if (!seal_computes(seal) || seal->signing_now) {
        return;
    }
    if (seal->multiplied) { /* a tick after the last step: both take their time */
        seal->multiplied = false;
        take_result(link);
    } else {
        seal->multiplied = curve_step(&seal->curve, TDP_SEAL_STEPS, seal->shared);
    }
}

/* ------------------------------------------------------------------ what a host sends */

static void digest_of(uint8_t *digest, uint16_t message, const uint8_t *bytes, uint16_t length)
{
    struct sha256 hash;
    uint8_t id = (uint8_t)message;
    sha256_begin(&hash);
    sha256_add(&hash, &id, 1U);
    sha256_add(&hash, bytes, length);
    sha256_end(&hash, digest);
}

/* Begin with a new call. Every call costs work: one at a time, and four a second. */
static void take_call(struct tdp_link *link, uint8_t host, const uint8_t *bytes, const uint8_t *digest)
{
    struct tdp_seal *seal = link->seal;
    seal_forget(seal);
    copy_bytes(seal->call, digest, SEAL_KEY);
    seal->called = true;
    if (seal->message_id == (uint16_t)TDP_PAIR_CALL) {
        begin_pairing(link, bytes);
    } else {
        seal->host = host;
        begin_sealing(link, bytes);
    }
    if (seal_computes(seal)) {
        seal->call_ms = link->now_ms; /* one that was refused at once cost nothing */
    }
}

static void take_handshake(struct tdp_link *link, uint16_t request, uint16_t message, const uint8_t *bytes)
{
    struct tdp_seal *seal = link->seal;
    uint8_t digest[SHA256_BYTES];
    bool proof = message == TDP_PAIR_PROOF;
    uint8_t host = message == TDP_SEAL_CALL ? host_of(seal, bytes) : (uint8_t)SEAL_HOSTS;
    bool permitted = message == TDP_PAIR_CALL ? pairing_is_on(link) : host < (uint8_t)SEAL_HOSTS;
    uint16_t fixed = message == TDP_PAIR_CALL ? (uint16_t)PAIR_CALL : (uint16_t)SEAL_CALL;
    digest_of(digest, message, bytes, proof ? (uint16_t)SEAL_PROOF : fixed);
    bool again = crypto_verify32(digest, proof ? seal->proof : seal->call) == 0;
    if (seal->signing_now) {
        refuse(link, request, message, TDP_REASON_BUSY); /* the work space is in use */
    } else if (proof && seal->stage == (uint8_t)XX_PROOF_DUE) {
        copy_bytes(seal->proof, digest, SEAL_KEY);
        seal->request = request;
        seal->message_id = message;
        take_proof(link, bytes);
    } else if (proof && again && seal->proved) {
        if (link->now_ms - seal->proof_ms >= APART_MS) { /* not often: it may be anyone's recording */
            seal->proof_ms = link->now_ms;
            link->status_asked = true;
        }
    } else if (proof ? !(again && seal_computes(seal)) : !permitted) {
        refuse(link, request, message, TDP_REASON_NOT_PERMITTED);
    } else if (proof) {
        /* it is being computed */
    } else if (again && seal->called) {
        if (seal->answer_length > 0U && link->now_ms - seal->answer_ms >= ANSWER_MS) {
            send_answer(link);
        }
    } else if (seal_computes(seal) || (seal->call_ms != 0U && link->now_ms - seal->call_ms < APART_MS)) {
        refuse(link, request, message, TDP_REASON_BUSY);
    } else {
        seal->request = request;
        seal->message_id = message;
        take_call(link, host, bytes, digest);
    }
}

static bool is_handshake(uint8_t kind, uint16_t message)
{
    return kind == TDP_KIND_LINK && (message == TDP_PAIR_CALL || message == TDP_PAIR_PROOF || message == TDP_SEAL_CALL);
}

/* HELLO is answered in clear, and is no sign of life. */
static uint16_t admit_hello(struct tdp_link *link, uint16_t length)
{
    struct tdp_seal *seal = link->seal;
    bool due = !seal->greeted || link->now_ms - seal->hello_ms >= ANSWER_MS;
    if (due) {
        seal->greeted = true;
        seal->hello_ms = link->now_ms;
        seal->in_clear = true;
    }
    return due ? length : 0U;
}

static uint16_t admit_clear(struct tdp_link *link, const uint8_t *frame, uint16_t length)
{
    uint8_t kind = frame[2];
    uint16_t request = get_u16(&frame[4]);
    uint16_t message = get_u16(&frame[6]);
    uint16_t size = (uint16_t)(length - FRAME_MIN);
    uint16_t passes = 0U;
    if (is_handshake(kind, message) && frame[0] == TDP_MAJOR && (frame[1] & 0xF0U) == 0U) {
        uint16_t fixed = message == TDP_PAIR_CALL ? (uint16_t)PAIR_CALL : (uint16_t)SEAL_CALL;
        fixed = message == TDP_PAIR_PROOF ? (uint16_t)SEAL_PROOF : fixed;
        if (size >= fixed && frame_extensions_fit(&frame[FRAME_HEADER], fixed, size)) {
            take_handshake(link, request, message, &frame[FRAME_HEADER]);
        } else {
            refuse(link, request, message, TDP_REASON_BAD_PAYLOAD);
        }
    } else if (!is_closed(link)) {
        passes = length;
    } else if (kind == TDP_KIND_LINK && message == TDP_HELLO && (frame[1] & 0xF0U) == 0U &&
               link_is_hello(&frame[FRAME_HEADER], size)) {
        passes = admit_hello(link, length);
    } else {
        link->seal->refused++;
        if (kind == TDP_KIND_COMMAND) {
            refuse(link, request, message, TDP_REASON_NOT_SEALED);
        }
    }
    return passes;
}

uint16_t seal_admit(struct tdp_link *link, uint8_t *frame, uint16_t length)
{
    struct tdp_seal *seal = link->seal;
    uint16_t admitted = length;
    if (seal == NULL) {
        return length;
    }
    if ((frame[1] & TDP_FRAME_FLAG_SEALED) == 0U) {
        admitted = admit_clear(link, frame, length);
    } else {
        uint16_t opened = open_frame(link, frame, length);
        admitted = opened == 0U ? 0U : (uint16_t)(opened + FRAME_CHECK);
        if (opened == 0U) {
            seal->refused++;
        }
        if (opened == 0U && !seal->now.live && !seal->next.live) {
            refuse(link, get_u16(&frame[4]), get_u16(&frame[6]), TDP_REASON_NOT_SEALED); /* a hint for an honest host */
        }
    }
    return admitted;
}
