/* SPDX-License-Identifier: Apache-2.0 */
#include "device.h"

#define NAME_MAX 24U
#define STATUS_MAX 64U /* a shuffler with every possible fault has fewer bytes */

bool device_same(const char *one, const char *other)
{
    size_t i = 0U;
    while (one[i] != '\0' && one[i] == other[i]) {
        i++;
    }
    return one[i] == other[i];
}

/* At most eleven digits, so that an overflow is detected; a negative number as its two's complement. */
static bool read_number(const char **at, uint32_t *number)
{
    uint64_t value = 0U;
    uint8_t digits = 0U;
    bool below = **at == '-';
    if (below) {
        (*at)++;
    }
    while (**at >= '0' && **at <= '9' && digits < 11U) {
        value = value * 10U + (uint64_t)(**at - '0');
        digits++;
        (*at)++;
    }
    *number = below ? 0U - (uint32_t)value : (uint32_t)value;
    return digits > 0U && value <= UINT32_MAX && (**at == ' ' || **at == '\0');
}

static bool is_in(const struct device *device, uint32_t state)
{
    uint8_t status[STATUS_MAX];
    (void)device->link->type->status(device->link->device, status);
    return status[0] == state;
}

/* A person at the device and its sealed line: what the display shows. NULL: another act. */
static const char *hear_seal(const struct device *device, const char *name, const uint32_t *numbers)
{
    const char *shown = NULL;
#if TDP_SEAL
    struct tdp_link *link = device->link;
    if (link->seal == NULL) {
        /* it has none */
    } else if (device_same(name, "pair")) {
        shown = numbers[0] <= 255U && tdp_pair(link, (uint8_t)numbers[0]) ? link->seal->code : "no";
    } else if (device_same(name, "forget")) {
        shown = tdp_forget(link) ? "ok" : "no";
    } else if (device_same(name, "compare")) {
        shown = link->seal->compare[0] != '\0' ? link->seal->compare : "no";
    } else {
        /* another act */
    }
#else
    (void)device;
    (void)name;
    (void)numbers;
#endif
    return shown;
}

const char *device_hear(const struct device *device, const char *line)
{
    char name[NAME_MAX];
    uint32_t numbers[DEVICE_NUMBERS] = {0};
    const char *at = line;
    uint8_t length = 0U;
    uint8_t count = 0U;
    while (*at != '\0' && *at != ' ' && length < NAME_MAX - 1U) {
        name[length] = *at;
        length++;
        at++;
    }
    name[length] = '\0';
    while (*at == ' ') {
        at++;
        if (count >= DEVICE_NUMBERS || !read_number(&at, &numbers[count])) {
            return "what?";
        }
        count++;
    }
    if (*at != '\0' || length == 0U) {
        return "what?";
    }
    const char *shown = hear_seal(device, name, numbers);
    if (shown != NULL) {
        return shown;
    }
    bool done = device_same(name, "state") ? is_in(device, numbers[0]) : device->act(name, numbers);
    return done ? "ok" : "no";
}
