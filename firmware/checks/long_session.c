/* SPDX-License-Identifier: Apache-2.0 */
/* A session may last for more bytes of events than 32 bits count: the ring's positions stay far below that, and stored
   events are read correctly from every place in the ring. */
#include "checks.h"

static uint32_t right, false_ones;

static void read(const uint8_t *frame, size_t length)
{
    if (frame[2] == TDP_KIND_EVENT) {
        bool is = get_u16(&frame[6]) == TDP_GREEN_BUTTON && length == 16;
        right += is ? 1 : 0;
        false_ones += is ? 0 : 1;
    }
}

int main(void)
{
    const struct device *device = &shuffler_device;
    struct tdp_link *link = device->link;
    check_new(device, 5, 5000);
    check_open(device, TDP_ROLE_SERVICE);
    for (uint32_t i = 0; i < 20000; i++) {
        check_do(device, "green", 1);
        check_acknowledge(device, link->head.last - 1);
        check(link->head.to < 3 * TDP_STORE_BYTES, "positions stay below the wrap", (long)link->head.to);
        if (i % 997 == 0) {
            check_heard(NULL);
            right = false_ones = 0;
            check_read(device, 5, link->head.oldest);
            for (uint32_t turns = 0; turns < 200 && link->acknowledged < link->head.last; turns++) {
                check_run(device, 2);
                check_acknowledge(device, link->sent);
            }
            check_heard(read);
            bool whole = right > 1300 && false_ones == 0;
            check(link->head.last < 1500 || whole, "stored events are read correctly", (long)false_ones);
        }
    }
    return check_failed;
}
