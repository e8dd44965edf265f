/* SPDX-License-Identifier: Apache-2.0 */
/* Memory in its state at the very first power-up, or as another device left it, is not trusted. */
#include "checks.h"

static void fill_at_random(const struct device *device)
{
    for (size_t i = 0; i < sizeof check_kept; i++) {
        check_kept[i] = (uint8_t)rand();
    }
    for (size_t i = 0; i < device->mechanism_size; i++) {
        ((uint8_t *)device->mechanism)[i] = (uint8_t)rand();
    }
}

static void begins_anew(const struct device *device, uint8_t empty)
{
    uint8_t status[64];
    check(device->link->head.boots == 1, "none of it is used as this device's state", (long)device->link->head.boots);
    check_run(device, 6000);
    (void)device->link->type->status(device->link->device, status);
    check(status[0] == empty, "a device that was never filled is empty", status[0]);
    check(device->link->head.meters[0] == 0, "its meters start at 0", (long)device->link->head.meters[0]);
}

/* Leave the memory in the state that another device leaves after some use. */
static void left_by(const struct device *other, const char *act, const struct device *device, uint8_t empty)
{
    static uint8_t left[sizeof check_kept];
    check_new(other, 7, 6000);
    check_do(other, act, 50);
    memcpy(left, check_kept, sizeof left);
    fill_at_random(device);
    memcpy(check_kept, left, sizeof left);
    check_start(device, 8, 0);
    begins_anew(device, empty);
}

/* The counter of saves wraps, and the next write is torn. */
static void saves_wrap(void)
{
    const struct device *device = &controller_device;
    static uint8_t kept[sizeof check_kept];
    check_new(device, 7, 3000);
    device->link->head.turn = 0xFFFFFFFAU;
    check_do(device, "spot 1", 2); /* in both heads */
    for (int i = 0; i < 8; i++) {
        check_do(device, "spot 1", 1);
        uint32_t last = device->link->head.last;
        memcpy(kept, check_kept, sizeof kept);
        check_kept[((device->link->head.turn + 1U) & 1U) * TDP_HEAD_BYTES + 26] ^= 1U;
        device->start(&check_port, check_now, 7U, TDP_BOOT_CAUSE_POWER_ON);
        check(device->link->head.previous_last == last, "the other head is found", (long)device->link->head.previous_last);
        memcpy(check_kept, kept, sizeof kept);
        device->start(&check_port, check_now, 9U + (uint32_t)i, TDP_BOOT_CAUSE_POWER_ON);
        check(device->link->head.previous_last == last, "the newer head is found", (long)device->link->head.previous_last);
    }
}

int main(void)
{
    srand(1);
    for (int i = 0; i < 100; i++) {
        fill_at_random(&shuffler_device);
        check_start(&shuffler_device, 8, 0);
        begins_anew(&shuffler_device, TDP_SHUFFLER_STATE_EMPTY);
        fill_at_random(&shoe_device);
        check_start(&shoe_device, 8, 0);
        begins_anew(&shoe_device, TDP_SHOE_STATE_EMPTY);
    }
    left_by(&shoe_device, "wrong-button", &shuffler_device, TDP_SHUFFLER_STATE_EMPTY);
    left_by(&shuffler_device, "green", &shoe_device, TDP_SHOE_STATE_EMPTY);
    left_by(&controller_device, "spot 1", &shoe_device, TDP_SHOE_STATE_EMPTY);
    left_by(&shoe_device, "wrong-button", &controller_device, TDP_CONTROLLER_STATE_BETS_OPEN);
    saves_wrap();
    return check_failed;
}
