/* SPDX-License-Identifier: Apache-2.0 */
/* Stores of other firmware: those of layout 2, written by its program, and one of this layout with other meters and
   another class state. Meters, events and the round continue, wherever the power fails during the conversion. */
#include "checks.h"
#include "store.h"

#ifndef STORES
#define STORES "tests/firmware/stores"
#endif

/* Offsets in layout 2, as its header defined them. */
#define OLD_HEAD 260U
#define OLD_SESSION 4U
#define OLD_LAST 8U
#define OLD_TURN 44U
#define OLD_METERS 56U
#define OLD_KEPT 120U

static uint8_t file[TDP_MEMORY_BYTES + 1024], disk[TDP_MEMORY_BYTES];
static const uint8_t *old; /* the newer head of the file */
static long cut, written;

static void on_put(uint32_t at, uint8_t byte)
{
    if (cut < 0 || written < cut) {
        disk[at] = byte;
    }
    written++;
}

static void fetch(const struct device *device)
{
    char path[256];
    (void)snprintf(path, sizeof path, STORES "/%s.store", device->name);
    FILE *from = fopen(path, "rb");
    size_t count = from == NULL ? 0 : fread(file, 1, sizeof file, from);
    check(count == TDP_EVENT_BYTES + device->mechanism_size, path, (long)count);
    if (from != NULL) {
        (void)fclose(from);
    }
    old = (int32_t)(get_u32(&file[OLD_HEAD + OLD_TURN]) - get_u32(&file[OLD_TURN])) > 0 ? &file[OLD_HEAD] : file;
}

static void lay_out(const struct device *device)
{
    memcpy(check_kept, file, TDP_EVENT_BYTES);
    memcpy(disk, file, TDP_EVENT_BYTES);
    if (device->mechanism_size > 0) {
        memcpy(device->mechanism, &file[TDP_EVENT_BYTES], device->mechanism_size);
    }
}

/* The events of the old session are byte for byte those of the file, from the start of the ring. */
static void same_events(const struct tdp_link *link, bool previous)
{
    uint32_t at = 2U * TDP_HEAD_BYTES;
    for (uint32_t number = 1; number <= get_u32(&old[OLD_LAST]); number++) {
        uint8_t fields[TDP_EVENT_MAX];
        struct record record = store_read(link, store_at(link, number, previous), fields);
        bool same = record.length == file[at] && record.request == get_u16(&file[at + 1]) &&
                    record.message == get_u16(&file[at + 3]) && record.device_ms == get_u32(&file[at + 5]) &&
                    memcmp(fields, &file[at + 9], record.length) == 0;
        check(same, "an old event is unchanged", cut);
        at += 9U + file[at];
    }
}

/* State that a start finds: the old session, or the new one behind it. */
static void look(const struct device *device)
{
    static struct tdp_link found;
    static uint8_t kept[TDP_KEPT_MAX];
    const struct tdp_class *type = device->link->type;
    memcpy(check_kept, disk, sizeof disk);
    check_load(&found, type, kept);
    bool before = found.head.session == get_u32(&old[OLD_SESSION]);
    check(before || found.head.previous_session == get_u32(&old[OLD_SESSION]), "the old session is known", cut);
    check((before ? found.head.last : found.head.previous_last) == get_u32(&old[OLD_LAST]), "its end is known", cut);
    for (uint8_t i = 0; i < type->meter_count; i++) {
        uint32_t more = !before && type->meters[i].meter == TDP_DEVICE_METER_POWER_CYCLES ? 1U : 0U;
        check(found.head.meters[i] == get_u32(&old[OLD_METERS + 4U * i]) + more, "a meter continues", type->meters[i].meter);
    }
    check(!before || memcmp(kept, &old[OLD_KEPT], type->kept_size) == 0, "the round continues", cut);
    same_events(&found, !before);
}

static long take_over_everywhere(const struct device *device)
{
    long cuts = 0;
    bool over = false;
    fetch(device);
    check(get_u32(old) >> 24 == 2, "the file has layout 2", (long)get_u32(old));
    for (cut = 0; !over && check_failed == 0; cut++) {
        lay_out(device);
        written = 0;
        check_now = 0;
        check_start(device, 77, 0);
        over = written < cut;
        cuts++;
        look(device);
    }
    check(written > 100, "something was written", written);
    cut = -1;
    check_heard(NULL);
    return cuts;
}

/* After a bit error in the old head, the head before it is used, or none. */
static void a_broken_head_is_not_taken(const struct device *device)
{
    static struct tdp_link found;
    static uint8_t kept[TDP_KEPT_MAX];
    fetch(device);
    for (size_t i = 0; i < OLD_HEAD; i++) {
        lay_out(device);
        check_kept[(size_t)(old - file) + i] ^= 0x10U;
        check_load(&found, device->link->type, kept);
        check(found.head.turn != get_u32(&old[OLD_TURN]), "a broken head is not used", (long)i);
    }
}

/* ------------------------------------------------------------------ other firmware with this layout */

struct first_kept {
    uint16_t round;
};

struct second_kept {
    uint8_t version_before;
    uint32_t round;
};

static struct first_kept first;
static struct second_kept second;

static void nothing(void *device, uint32_t now_ms)
{
    (void)device;
    (void)now_ms;
}

static bool mid_round(const void *device)
{
    (void)device;
    return false;
}

static uint8_t status(const void *device, uint8_t *out)
{
    (void)device;
    out[0] = 0;
    return 1;
}

static void take_over(void *kept, uint8_t version, const uint8_t *was, uint16_t size)
{
    struct second_kept *now = kept;
    check(version == 1 && size == sizeof first, "the state to convert is passed", version);
    check(now->version_before == 0 && now->round == 0, "and its target is zeroed", (long)now->round);
    now->version_before = version;
    now->round = get_u16(was);
}

static const struct tdp_meter first_meters[] = {{TDP_DEVICE_METER_ROUNDS, 0}, {TDP_DEVICE_METER_CARDS, 0},
                                                {TDP_DEVICE_METER_POWER_CYCLES, 0}};
static const struct tdp_meter second_meters[] = {{TDP_DEVICE_METER_POWER_CYCLES, 0}, {TDP_DEVICE_METER_JAMS, 0},
                                                 {TDP_DEVICE_METER_CARDS, 0}};
static const struct tdp_class first_class = {.kept_size = sizeof first, .kept_version = 1, .device_class = 2, .model = "a",
                                             .status_message = TDP_SHOE_STATUS, .meters = first_meters, .meter_count = 3,
                                             .start = nothing, .tick = nothing, .mid_round = mid_round, .status = status};
static const struct tdp_class second_class = {.kept_size = sizeof second, .kept_version = 2, .device_class = 2, .model = "b",
                                              .status_message = TDP_SHOE_STATUS, .meters = second_meters, .meter_count = 3,
                                              .start = nothing, .tick = nothing, .mid_round = mid_round, .status = status,
                                              .take_over = take_over};

static void boot(struct tdp_link *link, const struct tdp_class *type, void *kept, uint32_t session)
{
    static const struct tdp_link none;
    *link = none;
    link->type = type;
    link->kept = kept;
    link->identity = check_port.identity;
    link->memory = &check_memory;
    link->put = check_port.put;
    tdp_start(link, 0, session, TDP_BOOT_CAUSE_POWER_ON);
    check_heard(NULL);
}

static void meters_are_known_by_their_numbers(void)
{
    static struct tdp_link link;
    uint8_t fields[4] = {1, 2, 3, 4};
    memset(check_kept, 0, sizeof check_kept);
    boot(&link, &first_class, &first, 5);
    first.round = 4711;
    tdp_count(&link, TDP_DEVICE_METER_ROUNDS, 100);
    tdp_count(&link, TDP_DEVICE_METER_CARDS, 200);
    tdp_emit(&link, TDP_GREEN_BUTTON, 9, fields, sizeof fields);
    boot(&link, &second_class, &second, 6);
    check(link.head.meters[0] == 2, "a meter in another place continues", (long)link.head.meters[0]);
    check(link.head.meters[1] == 0, "a new meter starts at 0", (long)link.head.meters[1]);
    check(link.head.meters[2] == 200, "a meter in another place continues", (long)link.head.meters[2]);
    check(second.version_before == 1 && second.round == 4711, "the class's state was converted", (long)second.round);
    check(link.head.previous_session == 5 && link.head.previous_last == 2, "the events exist", (long)link.head.previous_last);
    boot(&link, &second_class, &second, 7);
    check(link.head.meters[0] == 3 && second.round == 4711, "and it continues", (long)second.round);
    boot(&link, &first_class, &first, 8);
    check(first.round == 0, "state without a conversion starts over", first.round);
    check(link.head.meters[1] == 200 && link.head.meters[2] == 4, "its meters continue", (long)link.head.meters[2]);
}

int main(void)
{
    check_on_put = on_put;
    cut = -1;
    long cuts = take_over_everywhere(&shoe_device);
    cuts += take_over_everywhere(&shuffler_device);
    cuts += take_over_everywhere(&controller_device);
    a_broken_head_is_not_taken(&shoe_device);
    meters_are_known_by_their_numbers();
    (void)printf("%ld cuts\n", cuts);
    return check_failed;
}
