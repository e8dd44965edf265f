/* SPDX-License-Identifier: Apache-2.0 */
/* Maximum work of one call of tdp_byte, tdp_tick or a hand's act, in the units that take time on a board: bytes on the
   line, reads and bytes of a store behind a slow bus, and instructions where they can be counted (counted/). README.md
   states these limits for the design of a main loop. */
#include "checks.h"

#if TDP_SEAL
#include "curve.h"
#include "link.h"
#include "noise.h"
#include "seal.h"
#endif

/* A host that reads all old events again makes the core search for the first one, with one read a record. */
#define RECORDS_MAX (TDP_STORE_BYTES / 9U)
#define EVENTS_AT_ONCE 12U
#define EVENT_BYTES (9U + TDP_EVENT_MAX + TDP_HEAD_BYTES)

static struct check_work most;
static const struct device *device;
static uint16_t id = 1;

static void begin(void)
{
    static const struct check_work none;
    check_work = none;
}

static void forget(void)
{
    begin();
    most = check_work;
}

static void take_most(void)
{
    most.reads = check_work.reads > most.reads ? check_work.reads : most.reads;
    most.read = check_work.read > most.read ? check_work.read : most.read;
    most.written = check_work.written > most.written ? check_work.written : most.written;
    most.sent = check_work.sent > most.sent ? check_work.sent : most.sent;
    most.longest = check_work.longest > most.longest ? check_work.longest : most.longest;
}

static void tick(uint32_t times, uint32_t ms)
{
    for (uint32_t i = 0; i < times; i++) {
        check_now += ms;
        begin();
        uint32_t since = check_clock();
        tdp_tick(device->link, check_now);
        check_took(since);
        take_most();
    }
}

/* Only the last byte causes work, so a whole frame costs as much as one call. */
static void ask(uint16_t message, const uint8_t *payload, size_t length)
{
    id++;
    begin();
    check_say(device, TDP_KIND_COMMAND, id, message, payload, length);
    take_most();
}

static void do_it(const char *act)
{
    begin();
    uint32_t since = check_clock();
    (void)device_hear(device, act);
    check_took(since);
    take_most();
}

static void read_from(uint32_t session, uint32_t first)
{
    uint8_t payload[8];
    (void)put_u32(put_u32(payload, session), first);
    ask(TDP_READ_EVENTS, payload, sizeof payload);
    tick(1, 1);
    tick(2, 260);
}

/* Two portions of an image, one a tick. */
static void measure(void)
{
    static const uint8_t bytes[2U * TDP_VERIFY_PORTION];
    static const struct tdp_image image = {.bytes = bytes, .length = sizeof bytes};
    static const uint8_t challenge[TDP_NONCE_BYTES + 1U] = {[TDP_NONCE_BYTES] = TDP_REGION_FIRMWARE};
    device->link->image = &image;
    ask(TDP_VERIFY, challenge, sizeof challenge);
    tick(device->link->seal == NULL ? 3 : 40, 1);
    check(!device->link->measuring.running, "measured in as many ticks as there are portions", 0);
}

static void tell(const char *what)
{
    (void)printf("%s: %s: line %lu bytes; store %lu reads of %lu bytes, %lu written; %lu instructions\n", device->name,
                 what, (unsigned long)most.sent, (unsigned long)most.reads, (unsigned long)most.read,
                 (unsigned long)most.written, (unsigned long)most.longest);
    check(most.written <= EVENTS_AT_ONCE * EVENT_BYTES, "written in one call", (long)most.written);
    check(most.sent <= (TDP_WINDOW + 3U) * TDP_ENCODED_MAX, "sent in one call", (long)most.sent);
    forget();
}

/* A session starts with the memory full of earlier ones. */
static void start(void)
{
    begin();
    uint32_t since = check_clock();
    device->start(&check_port, check_now, 6, TDP_BOOT_CAUSE_POWER_ON);
    check_took(since);
    take_most();
}

#if TDP_SEAL

static struct tdp_seal seal;
static struct seal_keys of_host;
static uint8_t sequence;

static uint16_t seal_it(uint8_t *frame, uint16_t length)
{
    frame[3] = sequence;
    sequence++;
    return noise_seal(&of_host, frame, length);
}

static void multiply(uint8_t *out, const uint8_t *scalar, const uint8_t *point)
{
    struct curve_work work;
    curve_begin(&work, scalar, point == NULL ? curve_base : point);
    check(curve_step(&work, 255, out), "a multiplication ends", 0);
}

/* The host's end of KK, for its call alone. */
static void call(void)
{
    static const uint8_t secret[SEAL_KEY] = {1}, fresh[SEAL_KEY] = {2};
    uint8_t payload[56], key[SEAL_KEY], product[SEAL_KEY], digest[SHA256_BYTES];
    struct sha256 hash;
    struct noise noise;
    multiply(key, secret, NULL);
    memcpy(seal.page.hosts[0].key, key, sizeof key);
    seal.page.hosts[0].role = TDP_ROLE_SERVICE;
    sha256_begin(&hash);
    sha256_add(&hash, key, sizeof key);
    sha256_end(&hash, digest);
    memcpy(payload, digest, 8);
    multiply(&payload[8], fresh, NULL);
    uint16_t length = link_introduction(device->link);
    noise_begin(&noise, "Noise_KK_25519_ChaChaPoly_SHA256", (const uint8_t *)"TDP 1.4 seal", 12,
                link_payload(device->link), length);
    noise_mix_hash(&noise, key, sizeof key);
    noise_mix_hash(&noise, seal.x25519, sizeof key);
    noise_mix_hash(&noise, &payload[8], sizeof key);
    multiply(product, fresh, seal.x25519);
    noise_mix_key(&noise, product);
    multiply(product, secret, seal.x25519);
    noise_mix_key(&noise, product);
    noise_encrypt(&noise, &payload[40], product, 0);
    begin();
    check_say(device, TDP_KIND_LINK, 0, TDP_SEAL_CALL, payload, sizeof payload);
    take_most();
}

/* The line of the device that was played is sealed, and the measurement signed. */
static void play_sealed(const char *const *acts, size_t count)
{
    static const struct tdp_own_keys own = {.x25519 = {3}, .ed25519 = {4}, .certified = true};
    static const struct tdp_seal none;
    seal = none;
    seal.own = &own;
    device->link->seal = &seal;
    begin();
    uint32_t since = check_clock();
    seal_start(device->link, 5);
    check_took(since);
    take_most();
    tell("start, its keys");
    call();
    tick(200, 1);
    check(seal.next.live, "the handshake ends", 0);
    tell("a handshake");
    of_host = seal.next;
    memcpy(of_host.in, seal.next.out, SEAL_KEY);
    memcpy(of_host.out, seal.next.in, SEAL_KEY);
    check_on_say = seal_it;
    check_open(device, TDP_ROLE_SERVICE);
    check(seal.now.live && device->link->open, "the line is sealed", 0);
    for (size_t i = 0; i < count; i++) {
        do_it(acts[i]);
        check_acknowledge(device, device->link->head.last);
        tick(1, 1);
        tick(20, 50);
    }
    tell("sealed: a host that keeps up, or a hand");
    read_from(device->link->head.session, 1);
    tell("sealed: READ-EVENTS from the beginning");
    measure();
    tell("sealed: VERIFY, signed");
    check_on_say = NULL;
}

#endif

static void play(const struct device *which, const char *filling, const char *const *acts, size_t count)
{
    static const uint8_t none[2];
    device = which;
    check_new(device, 5, 6000);
    check_do(device, "speed 100", 1);
    check_do(device, filling, 1500);
    forget();
    start();
    tell("start");
    check_run(device, 6000);
    check_do(device, filling, 700);
    check_open(device, TDP_ROLE_SERVICE);
    check_heard(NULL);
    forget();
    for (size_t i = 0; i < count; i++) {
        do_it(acts[i]);
        check_acknowledge(device, device->link->head.last);
        tick(1, 1);
        tick(20, 50);
    }
    check(most.reads <= 64U, "a host that keeps up causes no search", (long)most.reads);
    tell("a host that keeps up, or a hand");
    read_from(device->link->head.session, 1);
    check(most.reads <= 64U, "the first stored event is known", (long)most.reads);
    tell("READ-EVENTS from the beginning");
    read_from(device->link->head.session, device->link->head.last);
    check(most.reads <= RECORDS_MAX, "searched for with one read a record", (long)most.reads);
    tell("READ-EVENTS from elsewhere");
    read_from(5, 1);
    tick(400, 1);
    tell("the session before");
    ask(TDP_REPORT_STATUS, none, 0);
    ask(TDP_END_ROUND, none, 0);
    tell("a command that is refused");
    ask(TDP_READ_METERS, none, sizeof none);
    tell("READ-METERS");
    measure();
    tell("VERIFY");
#if TDP_SEAL
    play_sealed(acts, count);
#endif
    check_heard(NULL);
}

static const char *const of_shoe[] = {"fill 1 30", "begin 2", "draw", "draw", "draw", "draw-unread", "clear-error", "draw",
                                      "push-back", "clear-error", "draw", "end-round", "empty"};
static const char *const of_shuffler[] = {"load 0 0", "green", "lift", "jam 0 4", "lift", "lift", "open-door", "close-door",
                                          "clear-remove", "load 0 0", "green", "lift"};
static const char *const of_controller[] = {"start-game", "wager 1 1 500", "hand-button 3", "end-game", "bet-on 2"};

int main(void)
{
    play(&shoe_device, "wrong-button", of_shoe, sizeof of_shoe / sizeof of_shoe[0]);
    play(&shuffler_device, "green", of_shuffler, sizeof of_shuffler / sizeof of_shuffler[0]);
    play(&controller_device, "spot 1", of_controller, sizeof of_controller / sizeof of_controller[0]);
    return check_failed;
}
