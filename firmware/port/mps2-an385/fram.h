/* SPDX-License-Identifier: Apache-2.0 */
/* 32 KiB of FRAM on the two-wire bus, an MB85RC256V or another part with the commands of a 24C256. */
#ifndef FRAM_H
#define FRAM_H

#include "tdp.h"

extern const struct tdp_memory fram_memory;

#endif
