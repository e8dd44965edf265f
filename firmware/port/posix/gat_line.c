/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE

#include "gat_line.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "gat.h"
#include "port.h"

#define TCP "tcp:"

static struct gat gat;
static struct gat_software software = {.game = "dealwire reference device", .manufacturer = "dealwire", .component = "firmware 1.0.0"};
static int line = -1, slave = -1, listener = -1;
static const char *path;
static char address[4096];
static uint8_t said[GAT_FRAME_MAX];
static size_t said_count;

static void put(void *context, uint8_t byte)
{
    (void)context;
    if (said_count < sizeof said) {
        said[said_count] = byte;
        said_count++;
    }
}

/* A terminal that does not read loses bytes, as on a line without flow control. */
static void send_said(void)
{
    for (size_t at = 0U; at < said_count && line >= 0;) {
        ssize_t count = write(line, &said[at], said_count - at);
        if (count <= 0) {
            break;
        }
        at += (size_t)count;
    }
    said_count = 0U;
}

static bool open_pty(const char *where)
{
    struct termios raw;
    struct stat about;
    line = posix_openpt(O_RDWR | O_NOCTTY);
    const char *name = line >= 0 && grantpt(line) == 0 && unlockpt(line) == 0 ? ptsname(line) : NULL;
    slave = name == NULL ? -1 : open(name, O_RDWR | O_NOCTTY);
    if (slave < 0 || tcgetattr(slave, &raw) != 0) {
        return false;
    }
    cfmakeraw(&raw);
    (void)tcsetattr(slave, TCSANOW, &raw);
    (void)fcntl(line, F_SETFL, O_NONBLOCK);
    if (lstat(where, &about) == 0 && S_ISLNK(about.st_mode)) {
        (void)unlink(where); /* a leftover; anything else with this name belongs to someone */
    }
    path = where;
    (void)snprintf(address, sizeof address, "%s", where);
    return symlink(name, where) == 0;
}

static bool open_tcp(const char *port)
{
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t size = sizeof at;
    char *rest = NULL;
    int yes = 1;
    long number = strtol(port, &rest, 10);
    if (*port == '\0' || *rest != '\0' || number < 0 || number > 65535) {
        errno = EINVAL;
        return false;
    }
    listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    at.sin_port = htons((uint16_t)number);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    (void)setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener, (struct sockaddr *)&at, sizeof at) != 0 || listen(listener, 1) != 0 ||
        getsockname(listener, (struct sockaddr *)&at, &size) != 0) {
        return false;
    }
    (void)snprintf(address, sizeof address, "tcp://127.0.0.1:%d", ntohs(at.sin_port));
    return true;
}

const char *gat_line_open(const char *where, const struct tdp_image *image, uint32_t now_ms)
{
    bool open = strncmp(where, TCP, strlen(TCP)) == 0 ? open_tcp(&where[strlen(TCP)]) : open_pty(where);
    software.image = image;
    gat.software = &software;
    gat.put = put;
    gat_line_start(now_ms);
    return open ? address : NULL;
}

void gat_line_start(uint32_t now_ms)
{
    gat_start(&gat, now_ms);
}

/* The newest terminal is served. */
static void accept_terminal(void)
{
    int caller = listener < 0 ? -1 : accept(listener, NULL, NULL);
    if (caller >= 0) {
        if (line >= 0) {
            (void)close(line);
        }
        (void)fcntl(caller, F_SETFL, O_NONBLOCK);
        line = caller;
    }
}

void gat_line_turn(uint32_t now_ms)
{
    uint8_t bytes[512];
    accept_terminal();
    ssize_t count = line < 0 ? 0 : read(line, bytes, sizeof bytes);
    for (ssize_t i = 0; i < count; i++) {
        gat_byte(&gat, bytes[i], now_ms);
        send_said();
    }
    gat_tick(&gat, now_ms);
}

void gat_line_close(void)
{
    if (path != NULL) {
        (void)unlink(path);
    }
}
