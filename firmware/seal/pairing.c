/* SPDX-License-Identifier: Apache-2.0 */
#include "pairing.h"

#include "frame.h"
#include "keys.h"
#include "monocypher.h"
#include "sha256.h"

#define CODE_MS 600000U
#define CHECKED_BY 31U

/* Crockford's base 32: no letter that is taken for a digit. */
static const char symbols[33] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

bool pairing_is_on(struct tdp_link *link)
{
    struct tdp_seal *seal = link->seal;
    bool opened = link->type->opened != NULL && link->type->opened(link->device);
    if (seal->pairing && (!opened || link->now_ms - seal->code_ms >= CODE_MS)) {
        pairing_end(seal);
    }
    return seal->pairing;
}

void pairing_end(struct tdp_seal *seal)
{
    seal->pairing = false;
    crypto_wipe(seal->code, sizeof seal->code);
}

/* Write so many symbols, a hyphen after each fourth but the last, and a zero. */
static void show(char *shown, const uint8_t *values, uint8_t count)
{
    char *at = shown;
    for (uint8_t i = 0U; i < count; i++) {
        if (i > 0U && i % 4U == 0U) {
            *at++ = '-';
        }
        *at++ = symbols[values[i]];
    }
    *at = '\0';
}

static void make_code(struct tdp_seal *seal)
{
    uint8_t values[SEAL_CODE + 1U];
    uint32_t sum = 0U;
    keys_draw(seal, values, SEAL_CODE);
    for (uint32_t i = 0U; i < SEAL_CODE; i++) {
        values[i] = (uint8_t)(values[i] & 31U);
        sum += (i + 1U) * values[i];
    }
    values[SEAL_CODE] = (uint8_t)(sum % CHECKED_BY);
    show(seal->code, values, (uint8_t)(SEAL_CODE + 1U));
    crypto_wipe(values, sizeof values);
}

void pairing_psk(const struct tdp_seal *seal, uint8_t *psk)
{
    static const uint8_t label[12] = {'T', 'D', 'P', ' ', '1', '.', '4', ' ', 'c', 'o', 'd', 'e'};
    struct sha256 hash;
    sha256_begin(&hash);
    sha256_add(&hash, label, sizeof label);
    for (uint8_t i = 0U; i < 14U; i++) {
        if (seal->code[i] != '-') {
            sha256_add(&hash, (const uint8_t *)&seal->code[i], 1U);
        }
    }
    sha256_end(&hash, psk);
}

/* Forty bits of the handshake's hash, five a symbol. */
static void make_compare(struct tdp_seal *seal)
{
    static const uint8_t label[11] = {'T', 'D', 'P', ' ', '1', '.', '4', ' ', 's', 'a', 's'};
    uint8_t digest[SHA256_BYTES];
    uint8_t values[8];
    struct sha256 hash;
    uint64_t bits = 0U;
    sha256_begin(&hash);
    sha256_add(&hash, label, sizeof label);
    sha256_add(&hash, seal->handshake.h, SEAL_KEY);
    sha256_end(&hash, digest);
    for (uint8_t i = 0U; i < 5U; i++) {
        bits = (bits << 8) | digest[i];
    }
    for (uint8_t i = 0U; i < 8U; i++) {
        values[i] = (uint8_t)((bits >> (35U - 5U * i)) & 31U);
    }
    show(seal->compare, values, 8U);
}

void pairing_store(struct tdp_link *link, const uint8_t *role_and_name)
{
    struct tdp_seal *seal = link->seal;
    uint8_t count = keys_hosts(seal);
    uint8_t place = count;
    for (uint8_t i = 0U; i < count; i++) {
        if (crypto_verify32(seal->page.hosts[i].key, seal->rs) == 0) {
            place = i; /* it is paired again */
        }
    }
    if (place < SEAL_HOSTS) {
        struct seal_host *host = &seal->page.hosts[place];
        copy_bytes(host->key, seal->rs, SEAL_KEY);
        copy_text(host->name, &role_and_name[1], SEAL_NAME);
        host->role = role_and_name[0] < seal->role ? role_and_name[0] : seal->role;
        seal->host = place;
        make_compare(seal);
        keys_save(link);
    }
    pairing_end(seal);
}

bool tdp_pair(struct tdp_link *link, uint8_t role)
{
    struct tdp_seal *seal = link->seal;
    if (seal == NULL || link->type->opened == NULL || !link->type->opened(link->device) ||
        keys_hosts(seal) == SEAL_HOSTS || role > link->identity->grants) {
        return false;
    }
    seal_forget(seal); /* a handshake with an earlier code */
    make_code(seal);
    crypto_wipe(seal->compare, sizeof seal->compare);
    seal->pairing = true;
    seal->role = role;
    seal->code_ms = link->now_ms;
    return true;
}

bool tdp_forget(struct tdp_link *link)
{
    struct tdp_seal *seal = link->seal;
    if (seal == NULL || link->type->opened == NULL || !link->type->opened(link->device)) {
        return false;
    }
    crypto_wipe(seal->page.hosts, sizeof seal->page.hosts);
    crypto_wipe(&seal->now, sizeof seal->now);
    crypto_wipe(&seal->next, sizeof seal->next);
    pairing_end(seal);
    seal_forget(seal);
    keys_save(link);
    return true;
}
