/* SPDX-License-Identifier: Apache-2.0 */
#include "verify.h"

#include "frame.h"
#include "link.h"
#include "seal.h"

uint16_t verify_begin(struct tdp_link *link, uint16_t request, const uint8_t *bytes)
{
    struct tdp_measuring *measuring = &link->measuring;
    uint16_t reason = TDP_REASON_NONE;
    if (link->image == NULL) {
        reason = TDP_REASON_NOT_SUPPORTED;
    } else if (bytes[TDP_NONCE_BYTES] != TDP_REGION_FIRMWARE) {
        reason = TDP_REASON_BAD_PARAMETER;
    } else if (measuring->running) {
        reason = TDP_REASON_BUSY; /* the current one was promised its answer */
    } else {
        measuring->running = true;
        measuring->request = request;
        measuring->at = 0U;
        copy_bytes(measuring->nonce, bytes, TDP_NONCE_BYTES);
        sha256_begin(&measuring->hash);
        sha256_add(&measuring->hash, bytes, TDP_NONCE_BYTES);
        attest_begin(link);
        reason = link->image->length > TDP_VERIFY_PORTION ? (uint16_t)TDP_REASON_ACCEPTED : (uint16_t)TDP_REASON_NONE;
    }
    return reason;
}

uint8_t *verify_write(struct tdp_link *link, uint8_t *start)
{
    struct tdp_measuring *measuring = &link->measuring;
    uint8_t *at = put_u32(start, link->head.session);
    copy_bytes(at, measuring->nonce, TDP_NONCE_BYTES);
    at = &at[TDP_NONCE_BYTES];
    *at++ = TDP_REGION_FIRMWARE;
    *at++ = TDP_ALGORITHM_SHA256;
    sha256_end(&measuring->hash, at);
    return &at[SHA256_BYTES];
}

static void send_measured(struct tdp_link *link)
{
    uint16_t length = (uint16_t)(verify_write(link, link_payload(link)) - link_payload(link));
    link->measuring.running = false;
    link_send(link, TDP_KIND_LINK, link->measuring.request, TDP_MEASURED, length);
}

void verify_step(struct tdp_link *link)
{
    struct tdp_measuring *measuring = &link->measuring;
    if (measuring->running) {
        uint32_t left = link->image->length - measuring->at;
        uint32_t portion = left < TDP_VERIFY_PORTION ? left : TDP_VERIFY_PORTION;
        sha256_add(&measuring->hash, &link->image->bytes[measuring->at], portion);
        attest_add(link, &link->image->bytes[measuring->at], portion);
        measuring->at += portion;
        if (measuring->at == link->image->length && !attest_step(link)) {
            send_measured(link);
        }
    }
}
