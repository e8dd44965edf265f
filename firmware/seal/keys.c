/* SPDX-License-Identifier: Apache-2.0 */
#include "keys.h"

#include "curve.h"
#include "ed25519.h"
#include "frame.h"
#include "monocypher.h"

#define LAYOUT 0xC1U
#define CHECKED ((uint32_t)offsetof(struct seal_page, check))

TDP_ASSERT(a_page_is_bytes_alone, 2U * sizeof(struct seal_page) == TDP_KEY_BYTES);

static uint32_t page_at(uint32_t turn)
{
    return TDP_EVENT_BYTES + (turn & 1U) * (uint32_t)sizeof(struct seal_page);
}

static void fetch(const struct tdp_link *link, uint32_t slot, struct seal_page *page)
{
    link->memory->read(link->memory->context, page_at(slot), (uint8_t *)page, (uint32_t)sizeof *page);
}

static bool is_whole(const struct seal_page *page)
{
    return page->layout == LAYOUT && get_u32(page->check) == ~tdp_crc(0U, (const uint8_t *)page, CHECKED);
}

void keys_save(struct tdp_link *link)
{
    const struct tdp_memory *memory = link->memory;
    struct seal_page *page = &link->seal->page;
    uint32_t turn = get_u32(page->turn) + 1U;
    (void)put_u32(page->turn, turn);
    (void)put_u32(page->check, ~tdp_crc(0U, (const uint8_t *)page, CHECKED));
    memory->barrier(memory->context);
    memory->write(memory->context, page_at(turn), (const uint8_t *)page, (uint32_t)sizeof *page);
    memory->barrier(memory->context);
}

static void load(struct tdp_link *link)
{
    struct seal_page *page = &link->seal->page;
    uint32_t turn = 0U;
    bool found = false;
    for (uint32_t slot = 0U; slot < 2U; slot++) {
        fetch(link, slot, page);
        if (is_whole(page) && (!found || (int32_t)(get_u32(page->turn) - turn) > 0)) {
            turn = get_u32(page->turn);
            found = true;
        }
    }
    if (found) {
        fetch(link, turn, page);
    } else {
        crypto_wipe(page, sizeof *page);
        page->layout = LAYOUT;
    }
}

/* One half of the pool's hash goes out, the other is the new pool: no output tells another. */
void keys_draw(struct tdp_seal *seal, uint8_t *bytes, uint32_t count)
{
    uint8_t drawn[SHA256_BYTES];
    uint8_t *pool = seal->page.pool;
    for (uint8_t part = 1U; part <= 2U; part++) {
        struct sha256 hash;
        sha256_begin(&hash);
        sha256_add(&hash, pool, SEAL_KEY);
        sha256_add(&hash, &part, 1U);
        sha256_end(&hash, part == 1U ? drawn : pool);
    }
    copy_bytes(bytes, drawn, count);
    crypto_wipe(drawn, sizeof drawn);
}

static void stir(struct tdp_seal *seal, uint32_t random)
{
    struct sha256 hash;
    uint8_t number[4];
    (void)put_u32(number, random);
    sha256_begin(&hash);
    sha256_add(&hash, seal->page.pool, SEAL_KEY);
    sha256_add(&hash, seal->noise, SEAL_KEY);
    sha256_add(&hash, number, sizeof number);
    sha256_end(&hash, seal->page.pool);
}

static void take_own(struct tdp_seal *seal)
{
    struct tdp_page_keys *keys = &seal->page.own;
    if (seal->own != NULL) {
        copy_bytes(keys->x25519, seal->own->x25519, SEAL_KEY);
        copy_bytes(keys->ed25519, seal->own->ed25519, SEAL_KEY);
        copy_bytes(keys->maker, seal->own->maker, SEAL_SIGNATURE);
        seal->page.flags = (uint8_t)(KEYS_OWN | (seal->own->certified ? KEYS_CERTIFIED : 0U));
    } else if ((seal->page.flags & KEYS_OWN) == 0U) {
        keys_draw(seal, keys->x25519, SEAL_KEY);
        seal->page.flags = (uint8_t)(seal->page.flags | KEYS_OWN);
    } else {
        /* it has its own already */
    }
}

void keys_load(struct tdp_link *link, uint32_t random)
{
    struct tdp_seal *seal = link->seal;
    uint8_t pool[SEAL_KEY];
    load(link);
    stir(seal, random);
    take_own(seal);
    keys_draw(seal, pool, SEAL_KEY);
    keys_save(link);
    copy_bytes(seal->page.pool, pool, SEAL_KEY);
    crypto_wipe(pool, sizeof pool);
    curve_begin(&seal->curve, seal->page.own.x25519, curve_base);
    (void)curve_step(&seal->curve, 255U, seal->x25519);
    if ((seal->page.flags & KEYS_CERTIFIED) != 0U) {
        ed25519_public(seal->ed25519, &seal->curve, seal->page.own.ed25519);
    }
}

uint8_t keys_hosts(const struct tdp_seal *seal)
{
    uint8_t count = 0U;
    for (uint8_t i = 0U; i < SEAL_HOSTS; i++) {
        uint8_t any = 0U;
        for (uint8_t j = 0U; j < SEAL_KEY; j++) {
            any |= seal->page.hosts[i].key[j];
        }
        count = any != 0U ? (uint8_t)(i + 1U) : count;
    }
    return count;
}
