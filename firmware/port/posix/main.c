/* SPDX-License-Identifier: Apache-2.0 */
/* tdp-device: the reference device as a program, with its line on a pseudo-terminal or a TCP port and its hands on a
   Unix socket. */
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "device.h"
#include "gat_line.h"
#include "port.h"

#define TURN_MS 5
#define PORTIONS 64 /* of one connection, before another gets its turn */
#define LINE_MAX_ 128

static const struct device *const devices[] = DEVICES;

struct program {
    const struct device *device;
    const char *store_path, *line_path, *control_path, *image_path, *identity_path, *gat_path;
    struct tdp_image image; /* reported as its firmware */
    int tcp_port;                  /* -1: a pseudo-terminal */
    int line, slave, listener;     /* -1: none */
    int control, caller;
    bool powered;
    bool loaded; /* the store was loaded from the file */
    uint32_t saved_turn, saved_keys;
    size_t heard;
    bool too_long; /* the incoming line is too long to be an order */
    char order[LINE_MAX_];
};

static volatile sig_atomic_t over;

static void end(int number)
{
    (void)number;
    over = 1;
}

static void fail(const char *what)
{
    (void)fprintf(stderr, "tdp-device: %s: %s\n", what, strerror(errno));
    exit(2);
}

static uint32_t now_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint32_t)((uint64_t)now.tv_sec * 1000U + (uint64_t)now.tv_nsec / 1000000U);
}

/* Remove a leftover with our name; anything else with this name belongs to someone. */
static void free_name(const char *path, mode_t kind)
{
    struct stat about;
    if (lstat(path, &about) == 0 && (about.st_mode & S_IFMT) != kind) {
        errno = EEXIST;
        fail(path);
    }
    (void)unlink(path);
}

/* ------------------------------------------------------------------ the line */

static uint8_t out[4096];
static size_t out_count;

static void flush(struct program *program)
{
    if (program->line >= 0 && out_count > 0U) {
        /* bytes without room are lost, as on a cable that no one reads */
        ssize_t written = write(program->line, out, out_count);
        (void)written;
    }
    out_count = 0U;
}

static void put(void *context, uint8_t byte)
{
    if (out_count == sizeof out) {
        flush(context);
    }
    out[out_count] = byte;
    out_count++;
}

static void plug_out(struct program *program)
{
    if (program->tcp_port < 0) {
        (void)unlink(program->line_path);
    }
    if (program->slave >= 0) {
        (void)close(program->slave);
    }
    if (program->line >= 0) {
        (void)close(program->line);
    }
    program->line = program->slave = -1;
}

/* A TCP connection ended: the next host has to open the session. */
static void end_line(struct program *program)
{
    plug_out(program);
    if (program->powered) {
        tdp_line_ended(program->device->link);
    }
}

static void plug_in(struct program *program)
{
    struct termios raw;
    if (program->tcp_port >= 0) {
        return; /* the connection itself is the cable */
    }
    program->line = posix_openpt(O_RDWR | O_NOCTTY);
    if (program->line < 0 || grantpt(program->line) != 0 || unlockpt(program->line) != 0) {
        fail("no pseudo-terminal");
    }
    const char *name = ptsname(program->line);
    program->slave = name == NULL ? -1 : open(name, O_RDWR | O_NOCTTY);
    if (program->slave < 0 || tcgetattr(program->slave, &raw) != 0) {
        fail("no pseudo-terminal");
    }
    cfmakeraw(&raw);
    (void)tcsetattr(program->slave, TCSANOW, &raw);
    (void)fcntl(program->line, F_SETFL, O_NONBLOCK);
    free_name(program->line_path, S_IFLNK);
    if (symlink(name, program->line_path) != 0) {
        fail(program->line_path);
    }
}

static void listen_tcp(struct program *program)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    int yes = 1;
    program->listener = socket(AF_INET, SOCK_STREAM, 0);
    address.sin_port = htons((uint16_t)program->tcp_port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    (void)setsockopt(program->listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(program->listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(program->listener, 1) != 0 ||
        getsockname(program->listener, (struct sockaddr *)&address, &size) != 0) {
        fail("the TCP port");
    }
    program->tcp_port = ntohs(address.sin_port);
}

/* Process one portion of input. Return false if there was none. */
static bool hear_host(struct program *program)
{
    uint8_t bytes[512];
    ssize_t count = read(program->line, bytes, sizeof bytes);
    bool ended = count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR);
    if (ended && program->tcp_port >= 0) {
        end_line(program);
    }
    for (ssize_t i = 0; i < count && program->powered; i++) {
        tdp_byte(program->device->link, bytes[i], now_ms());
    }
    return count > 0;
}

/* One host a line: while the host that opened the session is active, another connection is closed at once. A connection
   whose host is lost, or never opened the session, is replaced; the new host has to open the session. */
static void accept_host(struct program *program)
{
    int yes = 1;
    int caller = accept(program->listener, NULL, NULL);
    for (int i = 0; i < PORTIONS && program->line >= 0 && hear_host(program); i++) {
        /* it may have ended after its last bytes */
    }
    const struct tdp_link *link = program->device->link;
    if (caller >= 0 && program->line >= 0 && program->powered && link->open && !link->lost) {
        (void)close(caller);
    } else if (caller >= 0) {
        end_line(program);
        (void)setsockopt(caller, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        (void)fcntl(caller, F_SETFL, O_NONBLOCK);
        program->line = caller;
    } else {
        /* it disconnected before it was accepted */
    }
}

/* ------------------------------------------------------------------ storage */

static uint8_t kept[TDP_MEMORY_BYTES]; /* events: start of the file; the mechanism's state follows, then the key pages */

#define KEY_PAGES (TDP_MEMORY_BYTES - TDP_EVENT_BYTES)

/* The file of a program without a sealed line ends before the key pages: they are then as never written. */
static bool load_keys(FILE *file)
{
    size_t count = KEY_PAGES == 0U ? 0U : fread(&kept[TDP_EVENT_BYTES], 1, KEY_PAGES, file);
    return count == KEY_PAGES || count == 0U;
}

/* A file of another size does not belong to this device: it is left unchanged, and no part of it is used. */
static void load_store(struct program *program)
{
    size_t size = sizeof kept + program->device->mechanism_size;
    FILE *file = program->store_path == NULL ? NULL : fopen(program->store_path, "rb");
    if (file == NULL) {
        if (program->store_path != NULL && errno != ENOENT) {
            fail(program->store_path);
        }
        return;
    }
    bool whole = fread(kept, TDP_EVENT_BYTES, 1, file) == 1;
    whole = whole && (program->device->mechanism == NULL ||
                      fread(program->device->mechanism, program->device->mechanism_size, 1, file) == 1);
    whole = whole && load_keys(file) && fgetc(file) == EOF;
    (void)fclose(file);
    if (!whole) {
        (void)fprintf(stderr, "tdp-device: %s: not a store of this device, which has %zu bytes\n", program->store_path,
                      size);
        exit(2);
    }
    program->loaded = true;
}

/* Flush the folder's entry to the disk too. */
static bool sync_folder(const char *path)
{
    static char folder[4096];
    const char *slash = strrchr(path, '/');
    (void)snprintf(folder, sizeof folder, "%.*s", slash == NULL ? 1 : (int)(slash - path) + 1, slash == NULL ? "." : path);
    int at = open(folder, O_RDONLY | O_DIRECTORY);
    bool synced = at >= 0 && fsync(at) == 0;
    if (at >= 0) {
        (void)close(at);
    }
    return synced;
}

static bool write_whole(int file, const void *bytes, size_t size)
{
    return size == 0U || write(file, bytes, size) == (ssize_t)size;
}

/* Written to a temporary file, synced, then renamed: whatever ends the program or the machine meanwhile, one of the two
   is complete. A leftover of that name is removed if it is a file, and never followed if it is a link. */
static void save_store(struct program *program)
{
    static char beside[4096];
    const struct device *device = program->device;
    uint32_t saved = device->link->head.turn;
    uint32_t keys = tdp_crc(0U, &kept[TDP_EVENT_BYTES], KEY_PAGES);
    if (program->store_path == NULL || (saved == program->saved_turn && keys == program->saved_keys)) {
        return;
    }
    int length = snprintf(beside, sizeof beside, "%s.new", program->store_path);
    if (length >= (int)sizeof beside) {
        errno = ENAMETOOLONG;
        fail(program->store_path);
    }
    free_name(beside, S_IFREG);
    int file = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, KEY_PAGES > 0U ? 0600 : 0666);
    bool written = file >= 0 && write_whole(file, kept, TDP_EVENT_BYTES) &&
                   write_whole(file, device->mechanism, device->mechanism_size) &&
                   write_whole(file, &kept[TDP_EVENT_BYTES], KEY_PAGES) && fsync(file) == 0;
    written = written && close(file) == 0;
    if (!written || rename(beside, program->store_path) != 0 || !sync_folder(program->store_path)) {
        fail(program->store_path);
    }
    program->saved_turn = saved;
    program->saved_keys = keys;
}

/* Map the file on the disk. Without one a program has no image of its own, and measures its version's text. */
static void map_image(struct program *program)
{
    struct stat about;
    program->image.bytes = (const uint8_t *)port_identity.firmware;
    program->image.length = (uint32_t)strlen(port_identity.firmware);
    if (program->image_path == NULL) {
        return;
    }
    int file = open(program->image_path, O_RDONLY);
    if (file < 0 || fstat(file, &about) != 0) {
        fail(program->image_path);
    }
    if (!S_ISREG(about.st_mode) || about.st_size > INT32_MAX) {
        errno = S_ISREG(about.st_mode) ? EFBIG : EINVAL;
        fail(program->image_path);
    }
    program->image.length = (uint32_t)about.st_size;
    if (about.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        if (bytes == MAP_FAILED) {
            fail(program->image_path);
        }
        program->image.bytes = bytes;
    }
    (void)close(file);
}

/* ------------------------------------------------------------------ keys */

#if TDP_SEAL

static struct tdp_seal seal;
static struct tdp_own_keys own;

static void refuse_identity(const struct program *program, const char *why)
{
    (void)fprintf(stderr, "tdp-device: %s: %s\n", program->identity_path, why);
    exit(2);
}

/* Read the next word: so many bytes in hexadecimal digits. Return false if it is anything else. */
static bool read_hex(char **at, uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < 2U * count; i++) {
        static const char digits[] = "0123456789abcdef";
        const char *digit = **at == '\0' ? NULL : strchr(digits, **at);
        if (digit == NULL) {
            return false;
        }
        bytes[i / 2U] = (uint8_t)((bytes[i / 2U] << 4) | (uint8_t)(digit - digits));
        (*at)++;
    }
    bool ends = **at == ' ' || **at == '\n';
    (*at)++;
    return ends;
}

/* The keys that a maker put in: one line, "tdp-identity", the X25519 key, the seed of the Ed25519 key, and the maker's
   signature of the certificate; a hyphen for each of the last two that there is not. */
static void read_identity(struct program *program)
{
    static const char name[] = "tdp-identity ";
    char line[512] = "";
    struct stat about;
    FILE *file = fopen(program->identity_path, "r");
    if (file == NULL || fstat(fileno(file), &about) != 0) {
        fail(program->identity_path);
    }
    if ((about.st_mode & 077) != 0) {
        refuse_identity(program, "others may read these keys; chmod 600");
    }
    bool read = fgets(line, sizeof line, file) != NULL && fgetc(file) == EOF;
    (void)fclose(file);
    char *at = &line[sizeof name - 1U];
    bool valid = read && strncmp(line, name, sizeof name - 1U) == 0 && read_hex(&at, own.x25519, sizeof own.x25519);
    bool plain = valid && strcmp(at, "- -\n") == 0;
    valid = valid && (plain || read_hex(&at, own.ed25519, sizeof own.ed25519));
    own.certified = valid && !plain && strcmp(at, "-\n") != 0;
    if (!valid || (own.certified && (!read_hex(&at, own.maker, sizeof own.maker) || *at != '\0'))) {
        refuse_identity(program, "not an identity: tdp-identity, two keys of 64 digits, a signature of 128 or -");
    }
    (void)memset(line, 0, sizeof line);
    seal.own = &own;
}

static void prepare_seal(struct device_port *port)
{
    if (getrandom(seal.noise, sizeof seal.noise, 0) != (ssize_t)sizeof seal.noise) {
        fail("no randomness");
    }
    port->seal = &seal;
}

#else

static void read_identity(struct program *program)
{
    (void)fprintf(stderr, "tdp-device: %s: this program has no sealed line\n", program->identity_path);
    exit(2);
}

static void prepare_seal(struct device_port *port)
{
    (void)port;
}

#endif

static void power_on(struct program *program)
{
    static const struct tdp_memory memory = {
        .read = tdp_ram_read, .write = tdp_ram_write, .barrier = tdp_ram_barrier, .context = kept};
    struct device_port port = {.put = put, .context = program, .identity = &port_identity, .memory = &memory,
                                     .image = &program->image};
    uint32_t random = 0U;
    if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random) {
        fail("no randomness");
    }
    prepare_seal(&port);
    program->powered = true;
    gat_line_start(now_ms());
    program->device->start(&port, now_ms(), random, TDP_BOOT_CAUSE_POWER_ON);
    if (program->loaded && program->device->link->head.boots == 1U) {
        (void)fprintf(stderr, "tdp-device: %s: its check is wrong or it is of another device: started over\n",
                      program->store_path);
    }
    program->loaded = false;
}

/* ------------------------------------------------------------------ orders */

/* On a serial line a device does not notice this. */
static void pull_cable(struct program *program)
{
    if (program->tcp_port >= 0) {
        end_line(program);
    } else {
        plug_out(program);
    }
}

static const char *obey(struct program *program, const char *order)
{
    const char *answer = "ok";
    if (strcmp(order, "power off") == 0) {
        program->powered = false;
    } else if (strcmp(order, "power on") == 0) {
        power_on(program);
    } else if (strcmp(order, "cable out") == 0) {
        pull_cable(program);
    } else if (strcmp(order, "cable in") == 0) {
        pull_cable(program);
        plug_in(program);
    } else if (!program->powered) {
        answer = "no power";
    } else {
        answer = device_hear(program->device, order);
    }
    return answer;
}

static void listen_control(struct program *program)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(program->control_path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        fail(program->control_path);
    }
    (void)strcpy(address.sun_path, program->control_path);
    free_name(program->control_path, S_IFSOCK);
    program->control = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(program->control, (struct sockaddr *)&address, sizeof address) != 0 || listen(program->control, 4) != 0) {
        fail(program->control_path);
    }
}

static void hear_orders(struct program *program)
{
    char bytes[LINE_MAX_];
    ssize_t count = read(program->caller, bytes, sizeof bytes);
    if (count <= 0) {
        (void)close(program->caller);
        program->caller = -1;
        program->heard = 0;
        program->too_long = false;
    }
    for (ssize_t i = 0; i < count; i++) {
        if (bytes[i] == '\n') {
            program->order[program->heard] = '\0';
            const char *answer = obey(program, program->too_long ? "" : program->order);
            program->heard = 0;
            program->too_long = false;
            if (program->powered) {
                tdp_tick(program->device->link, now_ms()); /* the consequences are on the line before the answer */
                flush(program);
            }
            (void)dprintf(program->caller, "%s\n", answer);
        } else if (program->heard < sizeof program->order - 1U) {
            program->order[program->heard] = bytes[i];
            program->heard++;
        } else {
            program->too_long = true;
        }
    }
}

/* ------------------------------------------------------------------ the program */

static void turn(struct program *program)
{
    struct pollfd ends[4] = {{.fd = program->line, .events = POLLIN},
                             {.fd = program->listener, .events = POLLIN},
                             {.fd = program->control, .events = POLLIN},
                             {.fd = program->caller, .events = POLLIN}};
    (void)poll(ends, 4, TURN_MS);
    if ((ends[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0) {
        (void)hear_host(program);
    }
    if ((ends[1].revents & POLLIN) != 0) {
        accept_host(program);
    }
    if ((ends[2].revents & POLLIN) != 0 && program->caller < 0) {
        program->caller = accept(program->control, NULL, NULL);
    }
    if (program->caller >= 0 && (ends[3].revents & (POLLIN | POLLHUP)) != 0) {
        hear_orders(program);
    }
    if (program->powered) {
        tdp_tick(program->device->link, now_ms());
        flush(program);
        save_store(program);
        gat_line_turn(now_ms());
    }
}

static int usage(void)
{
    (void)fprintf(stderr, "usage: tdp-device DEVICE [--line PATH | --tcp PORT] [--control PATH] [--store FILE] [--image FILE]\n"
                          "                  [--identity FILE] [--gat PATH | --gat tcp:PORT]\n"
                          "  DEVICE is");
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
        (void)fprintf(stderr, "%s %s", i > 0 ? "," : "", devices[i]->name);
    }
    (void)fprintf(stderr, ".\n  --line     link to the pseudo-terminal; default: tdp-line\n"
                          "  --tcp      listen on this port of 127.0.0.1 instead; 0: a free port\n"
                          "  --control  a Unix socket for orders: power off, power on, cable out, cable in, and acts\n"
                          "  --store    file for the state that survives a power cut\n"
                          "  --image    firmware image for VERIFY; default: the text of the version\n"
                          "  --identity the device's own keys, in a file that only its user can read\n"
                          "  --gat      answer GAT on a line of its own\n");
    return 2;
}

static bool read_options(struct program *program, int count, char **words)
{
    for (int i = 2; i + 1 < count; i += 2) {
        char *rest = NULL;
        if (strcmp(words[i], "--line") == 0) {
            program->line_path = words[i + 1];
        } else if (strcmp(words[i], "--control") == 0) {
            program->control_path = words[i + 1];
        } else if (strcmp(words[i], "--store") == 0) {
            program->store_path = words[i + 1];
        } else if (strcmp(words[i], "--image") == 0) {
            program->image_path = words[i + 1];
        } else if (strcmp(words[i], "--identity") == 0) {
            program->identity_path = words[i + 1];
        } else if (strcmp(words[i], "--gat") == 0) {
            program->gat_path = words[i + 1];
        } else if (strcmp(words[i], "--tcp") == 0) {
            long port = strtol(words[i + 1], &rest, 10);
            if (*words[i + 1] == '\0' || *rest != '\0' || port < 0 || port > 65535) {
                return false;
            }
            program->tcp_port = (int)port;
        } else {
            return false;
        }
    }
    return count % 2 == 0;
}

int main(int count, char **words)
{
    struct program program = {.line_path = "tdp-line", .tcp_port = -1, .line = -1, .slave = -1, .listener = -1,
                              .control = -1, .caller = -1};
    for (size_t i = 0; count > 1 && i < sizeof devices / sizeof devices[0]; i++) {
        if (strcmp(words[1], devices[i]->name) == 0) {
            program.device = devices[i];
        }
    }
    if (program.device == NULL || !read_options(&program, count, words)) {
        return usage();
    }
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGTERM, end);
    (void)signal(SIGINT, end);
    map_image(&program);
    if (program.identity_path != NULL) {
        read_identity(&program);
    }
    load_store(&program);
    plug_in(&program);
    if (program.tcp_port >= 0) {
        listen_tcp(&program);
    }
    if (program.control_path != NULL) {
        listen_control(&program);
    }
    const char *gat = program.gat_path == NULL ? "" : gat_line_open(program.gat_path, &program.image, now_ms());
    if (gat == NULL) {
        fail(program.gat_path);
    }
    power_on(&program);
    if (program.tcp_port >= 0) {
        (void)printf("{\"line\": \"tcp://127.0.0.1:%d\", \"device\": \"%s\"", program.tcp_port, program.device->name);
    } else {
        (void)printf("{\"line\": \"%s\", \"device\": \"%s\"", program.line_path, program.device->name);
    }
    if (*gat != '\0') {
        (void)printf(", \"gat\": \"%s\"", gat);
    }
    (void)printf("}\n");
    (void)fflush(stdout);
    while (!over) {
        turn(&program);
    }
    plug_out(&program);
    gat_line_close();
    if (program.control_path != NULL) {
        (void)unlink(program.control_path);
    }
    return 0;
}
