/* SPDX-License-Identifier: Apache-2.0 */
/* The power fails after each byte written to the store, with a ring full of two sessions and with a partly filled one.
   Of the bytes written since the last barrier, all or any part are there. The state found is always that before an
   event or that after it, with its meters and the class's own state, and every record is whole. */
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
static uint8_t disk[TDP_MEMORY_BYTES]; /* certain content */
static struct {
    uint32_t at;
    uint8_t byte;
} pending[1024]; /* in transit when the power failed */
static size_t pending_count;
static struct tdp_link link;
static struct counts kept;
static long cut, written;

static void on_put(uint32_t at, uint8_t byte)
{
    if (cut < 0 || written < cut) {
        pending[pending_count].at = at;
        pending[pending_count].byte = byte;
        pending_count++;
    }
    written++;
}

static void on_barrier(void)
{
    if (cut < 0 || written < cut) {
        for (size_t i = 0; i < pending_count; i++) {
            disk[pending[i].at] = pending[i].byte;
        }
        pending_count = 0;
    }
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
static const struct tdp_class counting = {.kept_size = sizeof kept, .kept_version = 1, .device_class = 2, .status_message = TDP_SHOE_STATUS,
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
    link.type = &counting;
    link.kept = &kept;
    link.device = &kept;
    link.memory = &check_memory;
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

/* Check the state that the next start finds; with `torn`, some bytes in transit were lost. `session` had `whole` events
   before the interrupted write. */
static void look(uint32_t session, uint32_t whole, bool torn)
{
    static uint8_t found[sizeof disk];
    static struct tdp_memory memory = {.read = tdp_ram_read, .write = tdp_ram_write, .barrier = tdp_ram_barrier, .context = found};
    struct tdp_link after = link;
    struct counts counts = {0, 0};
    uint32_t cards = 0;
    uint32_t shown = 0;
    int manner = 0;
    memcpy(found, disk, sizeof found);
    for (size_t i = 0; i < pending_count; i++) {
        if (torn && (i == 0 || pending[i].at != pending[i - 1].at + 1U)) {
            manner = rand() % 3; /* of this write all, none or some bytes arrive */
        }
        if (manner == 0 || (manner == 2 && rand() % 2 > 0)) {
            found[pending[i].at] = pending[i].byte;
        }
    }
    after.memory = &memory;
    after.kept = &counts;
    store_load(&after);
    check(after.head.boots > 0, "a head is found", cut);
    check(after.head.session != session || after.head.last >= whole, "no complete event is lost", cut);
    for (size_t i = 0; i < event_count; i++) {
        bool reached = events[i].session != after.head.session || events[i].number <= after.head.last;
        cards += events[i].message == TDP_CARD_DRAWN && reached ? 1U : 0U;
    }
    check(after.head.meters[0] == cards, "the meter agrees with the events", cut);
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
        check(booted || same, "a stored event is unchanged", cut);
        shown = record.message == TDP_CARD_DRAWN ? get_u16(fields) : shown;
        at = record.next;
    }
    check(shown == 0 || counts.cards == shown, "the class's state agrees with the newest event", cut);
}

/* Repeat one more write from the same state, with the power failing one byte later each time; the last time complete.
   */
static long cut_everywhere(int kind)
{
    static uint8_t store_before[sizeof disk], disk_before[sizeof disk];
    struct tdp_link link_before = link;
    struct counts kept_before = kept;
    size_t count_before = event_count;
    uint32_t now_before = check_now;
    unsigned seed = (unsigned)rand();
    bool over = false;
    long cuts = 0;
    memcpy(store_before, check_kept, sizeof disk);
    memcpy(disk_before, disk, sizeof disk);
    for (cut = 0; !over; cut++) {
        memcpy(check_kept, store_before, sizeof disk);
        memcpy(disk, disk_before, sizeof disk);
        link = link_before;
        kept = kept_before;
        event_count = count_before;
        check_now = now_before;
        written = 0;
        pending_count = 0;
        srand(seed);
        if (kind % 40 == 39) {
            boot(0xC000U + (uint32_t)kind);
        } else {
            emit(kind);
        }
        over = written < cut;
        cuts += 2;
        look(link_before.head.session, link_before.head.last, false);
        look(link_before.head.session, link_before.head.last, true);
    }
    cut = -1;
    return cuts;
}

static long play(int first, int second, int events_cut)
{
    long cuts = 0;
    memset(check_kept, 0, sizeof check_kept);
    memset(disk, 0, sizeof disk);
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
    check_on_barrier = on_barrier;
    srand(7);
    long cuts = play(20, 30, 81);
    cuts += play(600, 20, 81);
    cuts += play(600, 600, 81);
    (void)printf("%ld cuts\n", cuts);
    check(cuts > 30000, "power cuts happened", cuts);
    return check_failed;
}
