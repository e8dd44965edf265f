/* SPDX-License-Identifier: Apache-2.0 */
/* The measurement signed by the device's own key, and the certificate of that key by its maker. */
#include "ed25519.h"
#include "frame.h"
#include "keys.h"
#include "link.h"
#include "pairing.h"
#include "seal.h"
#include "verify.h"

#define MEASURED_EXTENSION 0x02U
#define CERTIFICATE_EXTENSION 0x03U
#define LABEL 12U
#define FIELDS 54U
#define SIGNED 68U /* of the extension: length, digest, X25519 key */
#define TURNS (TDP_SEAL_STEPS / 4U)

static bool is_certified(const struct tdp_link *link)
{
    return link->seal != NULL && (link->seal->page.flags & KEYS_CERTIFIED) != 0U;
}

uint32_t seal_capabilities(const struct tdp_link *link)
{
    uint32_t sealing = link->seal != NULL ? (uint32_t)TDP_CAPABILITY_SEALING : 0U;
    uint32_t attests = is_certified(link) && link->image != NULL ? (uint32_t)TDP_CAPABILITY_ATTESTATION : 0U;
    return sealing | attests;
}

uint8_t *seal_certificate(const struct tdp_link *link, uint8_t *at)
{
    if (!is_certified(link)) {
        return at;
    }
    at[0] = CERTIFICATE_EXTENSION;
    at[1] = (uint8_t)(SEAL_KEY + SEAL_SIGNATURE);
    copy_bytes(&at[2], link->seal->ed25519, SEAL_KEY);
    copy_bytes(&at[2U + SEAL_KEY], link->seal->page.own.maker, SEAL_SIGNATURE);
    return &at[2U + SEAL_KEY + SEAL_SIGNATURE];
}

void attest_begin(struct tdp_link *link)
{
    if (is_certified(link)) {
        link->seal->signing_now = false;
        sha256_begin(&link->seal->image_hash);
    }
}

void attest_add(struct tdp_link *link, const uint8_t *bytes, uint32_t count)
{
    if (is_certified(link)) {
        sha256_add(&link->seal->image_hash, bytes, count);
    }
}

static void begin_signing(struct tdp_link *link)
{
    struct tdp_seal *seal = link->seal;
    uint8_t *at = put_text(seal->text, "TDP measured", LABEL);
    at = put_u32(verify_write(link, at), link->image->length);
    sha256_end(&seal->image_hash, at);
    copy_bytes(&at[SHA256_BYTES], seal->x25519, SEAL_KEY);
    ed25519_begin(&seal->signing, &seal->curve, seal->page.own.ed25519, seal->text, SEAL_TEXT);
    seal->signing_now = true;
}

static void send(struct tdp_link *link)
{
    struct tdp_seal *seal = link->seal;
    uint8_t *at = link_payload(link);
    ed25519_end(&seal->signing, seal->page.own.ed25519, seal->ed25519, seal->text, SEAL_TEXT);
    seal->signing_now = false;
    link->measuring.running = false;
    copy_bytes(at, &seal->text[LABEL], FIELDS);
    at = &at[FIELDS];
    *at++ = MEASURED_EXTENSION;
    *at++ = (uint8_t)(SIGNED + SEAL_SIGNATURE);
    copy_bytes(at, &seal->text[LABEL + FIELDS], SIGNED);
    copy_bytes(&at[SIGNED], seal->signing.signature, SEAL_SIGNATURE);
    link_send(link, TDP_KIND_LINK, link->measuring.request, TDP_MEASURED,
              (uint16_t)(FIELDS + 2U + SIGNED + SEAL_SIGNATURE));
}

/* A handshake uses the same work space: the signature begins when it is done. */
bool attest_step(struct tdp_link *link)
{
    struct tdp_seal *seal = link->seal;
    if (!is_certified(link)) {
        return false;
    }
    if (seal->signing_now) {
        if (ed25519_step(&seal->signing, &seal->curve, TURNS > 0U ? TURNS : 1U)) {
            send(link);
        }
    } else if (!seal_computes(seal)) {
        begin_signing(link);
    } else {
        /* later */
    }
    return true;
}
