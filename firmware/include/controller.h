/* SPDX-License-Identifier: Apache-2.0 */
/* A table controller as a state machine on the link core: the dealer's keypad, the bet sensors, a reader in the layout. */
#ifndef TDP_CONTROLLER_H
#define TDP_CONTROLLER_H

#include <stdbool.h>
#include <stdint.h>

#include "body.h"
#include "tdp.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CONTROLLER_TEXT 40U
#define CONTROLLER_METERS 8U

/* State that survives a power cut. */
struct controller_kept {
    uint32_t round;
    uint32_t sensors; /* bit 0: seat 1 */
    bool in_game;
};

struct controller {
    struct tdp_link *link;
    struct controller_kept *kept;
    uint32_t boot_due_ms;
    uint32_t lights; /* bit 0: seat 1's */
    uint32_t meters[CONTROLLER_METERS][2]; /* cents, the low half first */
    uint8_t text[CONTROLLER_TEXT];
    uint8_t hands[32]; /* a bit for each hand button that is on */
    uint8_t state;
    bool booting, in_setup, host_lost;
};

extern const struct tdp_class controller_class;

/* Reports of the keypad and the sensors. Each returns true if it had an effect. */
bool controller_start_game(struct controller *controller);
bool controller_end_game(struct controller *controller);
bool controller_bet(struct controller *controller, uint8_t seat, bool on);
bool controller_hand_button(struct controller *controller, uint8_t hand);
bool controller_setup_moved(struct controller *controller, bool open);

/* A key whose event contains only the keyed data: its message and the fields after number and clock. */
bool controller_key(struct controller *controller, uint16_t message, const struct body *fields);

#ifdef __cplusplus
}
#endif

#endif
