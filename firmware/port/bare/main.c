/* SPDX-License-Identifier: Apache-2.0 */
/* The device on the bare board: one line is the host's, the other the hands channel. `DEVICE` names the device. */
#include "board.h"
#include "device.h"
#include "port.h"

#define LINE_MAX 64U
#define DIGITS 10U
#define BYTES_A_TURN 64U /* a line; a host that never pauses must not delay the mechanism or the watchdog */

static void put_to_host(void *context, uint8_t byte)
{
    (void)context;
    board_put(BOARD_LINE_HOST, byte);
}

static void say(const char *text)
{
    for (const char *at = text; *at != '\0'; at++) {
        board_put(BOARD_LINE_HANDS, (uint8_t)*at);
    }
}

static void say_number(uint32_t number)
{
    char text[DIGITS + 1U];
    uint32_t at = DIGITS;
    uint32_t rest = number;
    text[at] = '\0';
    do {
        at--;
        text[at] = (char)('0' + (char)(rest % 10U));
        rest /= 10U;
    } while (rest > 0U);
    say(&text[at]);
}

/* Orders for this board only: hang, so that its watchdog acts; report the depth of its stack; report the bytes lost on
   its lines. */
static bool hear_board(const char *line)
{
    bool mine = true;
    if (device_same(line, "hang")) {
        for (;;) {
        }
    } else if (device_same(line, "stack")) {
        say_number(board_stack_used());
    } else if (device_same(line, "lost")) {
        say_number(board_lost(BOARD_LINE_HOST) + board_lost(BOARD_LINE_HANDS));
    } else {
        mine = false;
    }
    return mine;
}

static void hear(const char *line)
{
    if (!hear_board(line)) {
        say(device_hear(&DEVICE, line));
    }
    say("\n");
}

static void listen_to_hands(void)
{
    static char line[LINE_MAX];
    static uint32_t length;
    static bool too_long;
    int16_t byte = 0;
    for (uint32_t i = 0U; i < BYTES_A_TURN && byte >= 0; i++) {
        byte = board_get(BOARD_LINE_HANDS);
        if (byte == '\n') {
            line[length] = '\0';
            hear(too_long ? "" : line);
            length = 0U;
            too_long = false;
        } else if (byte >= 0 && length < LINE_MAX - 1U) {
            line[length] = (char)byte;
            length++;
        } else {
            too_long = too_long || byte >= 0;
        }
    }
}

static void listen_to_host(struct tdp_link *link)
{
    int16_t byte = 0;
    for (uint32_t i = 0U; i < BYTES_A_TURN && byte >= 0; i++) {
        byte = board_get(BOARD_LINE_HOST);
        if (byte >= 0) {
            tdp_byte(link, (uint8_t)byte, board_ms());
        }
    }
}

int main(void)
{
    static struct tdp_image image;
    static struct device_port port = {.put = put_to_host, .identity = &port_identity, .image = &image};
#if TDP_SEAL
    static struct tdp_seal seal;
#endif
    struct tdp_link *link = DEVICE.link;
    board_start();
    port.memory = board_memory();
    image.bytes = board_image();
    image.length = board_image_bytes();
#if TDP_SEAL
    for (uint32_t at = 0U; at < SEAL_KEY; at++) {
        seal.noise[at] = (uint8_t)board_noise();
    }
    seal.own = board_own_keys();
    port.seal = &seal;
#endif
    DEVICE.start(&port, board_ms(), board_random(),
                 board_was_watchdog() ? (uint8_t)TDP_BOOT_CAUSE_WATCHDOG : (uint8_t)TDP_BOOT_CAUSE_POWER_ON);
    for (;;) {
        listen_to_host(link);
        listen_to_hands();
        tdp_tick(link, board_ms());
        board_feed();
        board_wait();
    }
}
