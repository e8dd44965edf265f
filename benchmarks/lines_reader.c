/* The floor for benchmarks/lines.py: epoll, read, look at each frame's stamp. Names of terminals as arguments, then
   runs until standard input closes. Prints frames, CPU seconds and latencies in microseconds, p50 p99 p99.9. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define LINES 1024
#define KEPT 65536
static unsigned char rest[LINES][512];
static int rest_length[LINES];
static uint32_t *ages;
static size_t ages_length, ages_room;

static uint64_t now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000ull + t.tv_nsec / 1000;
}

static void keep(uint32_t age) {
    if (ages_length == ages_room) ages = realloc(ages, (ages_room = ages_room ? ages_room * 2 : 65536) * sizeof *ages);
    ages[ages_length++] = age;
}

static int by_size(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void take(int line, const unsigned char *data, int length, int frame) {
    for (int i = 0; i < length; i++) {
        if (data[i]) {
            if (rest_length[line] < 512) rest[line][rest_length[line]++] = data[i];
            continue;
        }
        int n = rest_length[line] + 1;
        if (n == frame) {
            const unsigned char *s = rest[line] + n - 9;
            uint32_t sent = (s[0] & 127) | (s[1] & 127) << 7 | (s[2] & 127) << 14 | (uint32_t)(s[3] & 127) << 21;
            keep((uint32_t)(now_us() - sent) & 0xFFFFFFF);
        }
        rest_length[line] = 0;
    }
}

int main(int count, char **names) {
    static unsigned char buffer[KEPT];
    int frame = atoi(names[1]), lines = count - 2, watch = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN}, found[256];
    int files[LINES];
    for (int i = 0; i < lines; i++) {
        struct termios t;
        files[i] = open(names[i + 2], O_RDWR | O_NOCTTY | O_NONBLOCK);
        if (files[i] < 0 || tcgetattr(files[i], &t)) return 1;
        cfmakeraw(&t);
        tcsetattr(files[i], TCSANOW, &t);
        event.data.u32 = i;
        epoll_ctl(watch, EPOLL_CTL_ADD, files[i], &event);
    }
    event.data.u32 = LINES;
    epoll_ctl(watch, EPOLL_CTL_ADD, 0, &event);
    printf("ready\n");
    fflush(stdout);
    for (int open_end = 1; open_end;) {
        int n = epoll_wait(watch, found, 256, -1);
        for (int i = 0; i < n; i++) {
            uint32_t line = found[i].data.u32;
            if (line == LINES) { open_end = 0; continue; }
            ssize_t got = read(files[line], buffer, KEPT);
            if (got > 0) take(line, buffer, got, frame);
        }
    }
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    double cpu = used.ru_utime.tv_sec + used.ru_stime.tv_sec + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
    qsort(ages, ages_length, sizeof *ages, by_size);
    printf("%zu %f %u %u %u\n", ages_length, cpu, ages_length ? ages[ages_length / 2] : 0,
           ages_length ? ages[ages_length * 99 / 100] : 0, ages_length ? ages[ages_length * 999 / 1000] : 0);
    return 0;
}
