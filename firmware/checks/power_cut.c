/* SPDX-License-Identifier: Apache-2.0 */
/* The power goes after each byte that is written into the store, the ring full of two sessions and not full: whatever is
   found is the state before an event or the state after it, its meters and what the class keeps with it, and each record
   whole. */
#include "checks.h"
#include "store.h"

#define EVENTS_MAX 4000

struct said_event {
    uint32_t session, number;
    uint16_t message;
    uint8_t length, fields[TDP_EVENT_MAX];
};

struct counts {
    uint32_t cards;
    uint8_t dealing;
};

static struct said_event events[EVENTS_MAX];
static size_t event_count;
static struct tdp_store store, disk; /* as the program sees it, and as the cut leaves it */
static struct tdp_link link;
static struct counts kept;
static long cut, written;

static void on_put(volatile uint8_t *at, uint8_t byte)
{
    if (cut < 0 || written < cut) {
        ((uint8_t *)&disk)[at - (volatile uint8_t *)&store] = byte;
    }
    written++;
}

static void nothing(void *device, uint32_t now_ms)
{
    (void)device;
    (void)now_ms;
}

static void host(void *device, bool there)
{
    (void)device;
    (void)there;
}

static uint16_t obey(void *device, uint16_t request, uint16_t message, const uint8_t *payload)
{
    (void)device;
    (void)request;
    (void)message;
    (void)payload;
    return TDP_REASON_NOT_SUPPORTED;
}

static bool mid_round(const void *device)
{
    (void)device;
    return kept.dealing != 0;
}

static uint8_t status(const void *device, uint8_t *out)
{
    (void)device;
    out[0] = 0;
    return 1;
}

static const struct tdp_meter meters[] = {{TDP_DEVICE_METER_CARDS, TDP_COMPONENT_EXIT},
                                          {TDP_DEVICE_METER_POWER_CYCLES, TDP_COMPONENT_DEVICE}};
static const struct tdp_class class = {.kept_size = sizeof kept, .device_class = 2, .status_message = TDP_SHOE_STATUS,
                                       .model = "x", .meters = meters, .meter_count = 2, .start = nothing, .tick = nothing, .obey = obey,
                                       .host = host, .mid_round = mid_round, .status = status};

static void note(uint16_t message, const uint8_t *fields, uint8_t length)
{
    struct said_event *event = &events[event_count];
    event_count++;
    event->session = link.head.session;
    event->number = link.head.last;
    event->message = message;
    event->length = length;
    memcpy(event->fields, fields, length);
}

static void boot(uint32_t session)
{
    static const struct tdp_link none;
    uint8_t booted[10] = {0};
    link = none;
    memset(&kept, 0, sizeof kept);
    link.class = &class;
    link.kept = &kept;
    link.device = &kept;
    link.store = &store;
    link.identity = check_port.identity;
    link.put = check_port.put;
    tdp_start(&link, check_now, session, TDP_BOOT_CAUSE_POWER_ON);
    check_heard(NULL);
    note(TDP_BOOTED, booted, 0);
}

static void emit(int kind)
{
    uint8_t fields[TDP_EVENT_MAX];
    uint8_t length = kind % 3 > 0 ? 6 : (uint8_t)((unsigned)rand() % TDP_EVENT_MAX);
    uint16_t message = kind % 3 > 0 ? TDP_CARD_DRAWN : TDP_MISDEAL;
    for (uint8_t i = 0; i < length; i++) {
        fields[i] = (uint8_t)rand();
    }
    if (message == TDP_CARD_DRAWN) {
        kept.cards++;
        kept.dealing = (uint8_t)(kind % 7 < 5);
        (void)put_u16(fields, (uint16_t)kept.cards);
    }
    check_now += (uint32_t)rand() % 50;
    tdp_emit(&link, message, 0, fields, length);
    note(message, fields, length);
}

static const struct said_event *event_of(uint32_t session, uint32_t number)
{
    for (size_t i = event_count; i > 0; i--) {
        if (events[i - 1].session == session && events[i - 1].number == number) {
            return &events[i - 1];
        }
    }
    return NULL;
}

/* What the next start finds. `session` had `whole` events before the write that was cut. */
static void look(uint32_t session, uint32_t whole)
{
    static struct tdp_store found;
    struct tdp_link after = link;
    struct counts counts = {0, 0};
    uint32_t cards = 0;
    uint32_t shown = 0;
    found = disk;
    after.store = &found;
    after.kept = &counts;
    store_load(&after);
    check(after.head.boots > 0, "a head is found", cut);
    check(after.head.session != session || after.head.last >= whole, "no event that was whole is lost", cut);
    for (size_t i = 0; i < event_count; i++) {
        bool reached = events[i].session != after.head.session || events[i].number <= after.head.last;
        cards += events[i].message == TDP_CARD_DRAWN && reached ? 1U : 0U;
    }
    check(after.head.meters[0] == cards, "the meter counts what the events say", cut);
    uint32_t newest = after.head.session;
    store_begin(&after, 0xFFFF);
    check(after.head.previous_session == newest, "Booted names a session that can be read", cut);
    uint32_t at = store_at(&after, after.head.previous_oldest, true);
    for (uint32_t number = after.head.previous_oldest; number <= after.head.previous_last; number++) {
        uint8_t fields[TDP_EVENT_MAX];
        struct record record = store_read(&after, at, fields);
        const struct said_event *event = event_of(after.head.previous_session, number);
        bool booted = number == 1 && record.message == TDP_BOOTED;
        bool same = event != NULL && event->message == record.message && event->length == record.length &&
                    memcmp(event->fields, fields, record.length) == 0;
        check(booted || same, "an event is kept as it was", cut);
        shown = record.message == TDP_CARD_DRAWN ? get_u16(fields) : shown;
        at = record.next;
    }
    check(shown == 0 || counts.cards == shown, "what the class keeps is what the newest event says", cut);
}

/* One more write from the same state, again and again, the power gone after one byte more each time; the last time whole.
   */
static long cut_everywhere(int kind)
{
    static struct tdp_store store_before, disk_before;
    struct tdp_link link_before = link;
    struct counts kept_before = kept;
    size_t count_before = event_count;
    uint32_t now_before = check_now;
    unsigned seed = (unsigned)rand();
    bool over = false;
    long cuts = 0;
    store_before = store;
    disk_before = disk;
    for (cut = 0; !over; cut++) {
        store = store_before;
        disk = disk_before;
        link = link_before;
        kept = kept_before;
        event_count = count_before;
        check_now = now_before;
        written = 0;
        srand(seed);
        if (kind % 40 == 39) {
            boot(0xC000U + (uint32_t)kind);
        } else {
            emit(kind);
        }
        over = written <= cut;
        cuts++;
        look(link_before.head.session, link_before.head.last);
    }
    cut = -1;
    return cuts;
}

static long play(int first, int second, int events_cut)
{
    long cuts = 0;
    memset(&store, 0, sizeof store);
    memset(&disk, 0, sizeof disk);
    event_count = 0;
    cut = -1;
    boot(0xA1);
    for (int i = 0; i < first; i++) {
        emit(i);
    }
    boot(0xB2);
    for (int i = 0; i < second; i++) {
        emit(i);
    }
    for (int i = 0; i < events_cut && check_failed == 0; i++) {
        cuts += cut_everywhere(i);
    }
    return cuts;
}

int main(void)
{
    check_on_put = on_put;
    srand(7);
    long cuts = play(20, 30, 41);
    cuts += play(600, 20, 41);
    cuts += play(600, 600, 41);
    (void)printf("%ld cuts\n", cuts);
    check(cuts > 30000, "there were cuts", cuts);
    return check_failed;
}
