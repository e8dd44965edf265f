/* SPDX-License-Identifier: Apache-2.0 */
/* The choices where the protocol is unknown are those of protocol/gat/device_end.py. A result is never held: each frame of
   it is written afresh from the digest, and the bytes outside that frame are only counted. */
#include "gat.h"

#define HEAD 2U
#define CHECK 2U
#define CHUNK 248U
#define FIELDS 3U
#define LEVEL 0xBAU
#define XML 2U

enum code { SQ = 1, LASQ, LARQ, IACQ };

struct field {
    const uint8_t *bytes;
    uint32_t length;
};

/* Bytes of a result from `from` on go to `out`, at most CHUNK of them. */
struct writer {
    uint8_t *out;
    uint32_t from, total;
};

/* ------------------------------------------------------------------ frames */

static uint16_t crc16(const uint8_t *bytes, uint32_t count)
{
    uint32_t crc = 0xFFFFU;
    for (uint32_t i = 0U; i < count; i++) {
        crc ^= bytes[i];
        for (uint32_t bit = 0U; bit < 8U; bit++) {
            crc = (crc & 1U) != 0U ? (crc >> 1) ^ 0xA001U : crc >> 1;
        }
    }
    return (uint16_t)crc;
}

/* Send the response whose `count` bytes of data are in place. */
static void send_response(struct gat *gat, uint8_t code, uint32_t count)
{
    uint8_t *frame = gat->frame;
    uint32_t checked = count + HEAD;
    frame[0] = code | 0x80U;
    frame[1] = (uint8_t)(checked + CHECK);
    uint16_t crc = crc16(frame, checked);
    frame[checked] = (uint8_t)(crc >> 8);
    frame[checked + 1U] = (uint8_t)crc;
    for (uint32_t i = 0U; i < checked + CHECK; i++) {
        gat->put(gat->context, frame[i]);
    }
}

static bool can_begin(const uint8_t *frame, uint32_t length)
{
    bool fine = frame[0] >= (uint8_t)SQ && frame[0] <= (uint8_t)IACQ;
    if (fine && length >= HEAD) {
        uint8_t size = frame[1];
        fine = frame[0] == (uint8_t)IACQ ? size >= 5U : size == (frame[0] == (uint8_t)LARQ ? 7U : 4U);
    }
    return fine;
}

/* ------------------------------------------------------------------ results */

static void write_text(struct writer *writer, const char *text)
{
    for (const char *at = text; *at != '\0'; at++) {
        if (writer->total >= writer->from && writer->total - writer->from < CHUNK) {
            writer->out[writer->total - writer->from] = (uint8_t)*at;
        }
        writer->total++;
    }
}

static void write_indent(struct writer *writer, uint32_t depth)
{
    for (uint32_t i = 0U; i < depth; i++) {
        write_text(writer, "  ");
    }
}

static void write_element(struct writer *writer, uint32_t depth, const char *name, const char *text)
{
    write_indent(writer, depth);
    write_text(writer, "<");
    write_text(writer, name);
    write_text(writer, ">");
    write_text(writer, text);
    write_text(writer, "</");
    write_text(writer, name);
    write_text(writer, ">\r\n");
}

/* An opening or closing tag on a line of its own. */
static void write_tag(struct writer *writer, uint32_t depth, const char *tag)
{
    write_indent(writer, depth);
    write_text(writer, tag);
    write_text(writer, "\r\n");
}

static void write_function(struct writer *writer, const char *feature, const char *parameter)
{
    write_tag(writer, 1U, "<Function>");
    write_element(writer, 2U, "Feature", feature);
    write_element(writer, 2U, "Parameter", parameter);
    write_element(writer, 2U, "Parameter", "%%SHA1_HMAC%%");
    write_tag(writer, 1U, "</Function>");
}

static void write_product(struct writer *writer, uint32_t depth, const struct gat_software *software)
{
    write_element(writer, depth, "Name", software->game);
    write_element(writer, depth, "Manufacturer", software->manufacturer);
}

static void write_functions(struct writer *writer, const struct gat_software *software)
{
    write_tag(writer, 0U, "<SpecialFunctions GatExec=\"default\">");
    write_product(writer, 1U, software);
    write_function(writer, "Get File", "AuthenticationResponse.xml");
    write_function(writer, "Component", software->component);
    write_tag(writer, 0U, "</SpecialFunctions>");
}

static void write_components(struct writer *writer, const struct gat *gat)
{
    static const char digits[] = "0123456789ABCDEF";
    char text[2U * SHA1_BYTES + 1U];
    for (uint32_t i = 0U; i < SHA1_BYTES; i++) {
        text[2U * i] = digits[gat->digest[i] >> 4];
        text[2U * i + 1U] = digits[gat->digest[i] & 0xFU];
    }
    text[2U * SHA1_BYTES] = '\0';
    write_tag(writer, 0U, "<Components GatExec=\"default\">");
    write_tag(writer, 1U, "<Game>");
    write_product(writer, 2U, gat->software);
    write_tag(writer, 2U, "<Component>");
    write_element(writer, 3U, "Name", gat->software->component);
    write_element(writer, 3U, "Checksum", text);
    write_tag(writer, 2U, "</Component>");
    write_tag(writer, 1U, "</Game>");
    write_tag(writer, 0U, "</Components>");
}

static void answer_results(struct gat *gat)
{
    uint8_t *data = &gat->frame[HEAD]; /* status, then the number as it came */
    uint32_t number = ((uint32_t)data[1] << 8) | data[2];
    uint32_t count = 0U;
    struct writer writer = {.out = &data[3], .from = (number - 1U) * CHUNK, .total = 0U};
    if (data[0] == XML && gat->available && number > 0U) {
        write_tag(&writer, 0U, "<?xml version=\"1.0\"?>");
        if (gat->listing) {
            write_functions(&writer, gat->software);
        } else {
            write_components(&writer, gat);
        }
    }
    data[0] = 3U; /* an error, and the last frame */
    if (writer.from < writer.total) {
        count = writer.total - writer.from;
        data[0] = count <= CHUNK ? 2U : 0U;
        count = count < CHUNK ? count : CHUNK;
    }
    send_response(gat, (uint8_t)LARQ, 3U + count);
}

/* ------------------------------------------------------------------ calculations */

static bool same(const struct field *field, const char *text)
{
    uint32_t i = 0U;
    while (i < field->length && text[i] != '\0' && field->bytes[i] == (uint8_t)text[i]) {
        i++;
    }
    return i == field->length && text[i] == '\0';
}

/* Split a text at its tabs. Return the number of fields; 0 for a text with other unprintable bytes, or too many fields. */
static uint32_t split(const uint8_t *text, uint32_t length, struct field *fields)
{
    uint32_t count = 1U;
    fields[0].bytes = text;
    fields[0].length = 0U;
    for (uint32_t i = 0U; i < length && count > 0U; i++) {
        if (text[i] == (uint8_t)'\t') {
            count = count < FIELDS ? count + 1U : 0U;
            if (count > 0U) {
                fields[count - 1U].bytes = &text[i + 1U];
                fields[count - 1U].length = 0U;
            }
        } else if (text[i] >= 0x20U && text[i] < 0x7FU) {
            fields[count - 1U].length++;
        } else {
            count = 0U;
        }
    }
    return count;
}

/* Return the value of a hexadecimal digit, 16 for any other byte. */
static uint8_t digit(uint8_t byte)
{
    uint8_t value = 16U;
    if (byte >= (uint8_t)'0' && byte <= (uint8_t)'9') {
        value = byte - (uint8_t)'0';
    } else {
        uint8_t upper = byte & 0xDFU;
        if (upper >= (uint8_t)'A' && upper <= (uint8_t)'F') {
            value = (uint8_t)(upper - (uint8_t)'A' + 10U);
        }
    }
    return value;
}

/* Take the key that a field means; a key longer than a block is its digest. Return false if it is not hexadecimal. */
static bool take_key(struct gat *gat, const struct field *field)
{
    uint32_t from = field->length >= 2U && field->bytes[0] == (uint8_t)'0' && (field->bytes[1] | 0x20U) == (uint8_t)'x' ? 2U : 0U;
    uint32_t count = (field->length - from) / 2U;
    bool fine = count > 0U && (field->length - from) % 2U == 0U;
    for (uint32_t i = 0U; i < SHA1_BLOCK; i++) {
        gat->key[i] = 0U;
    }
    sha1_begin(&gat->hash);
    for (uint32_t i = 0U; i < count && fine; i++) {
        uint8_t high = digit(field->bytes[from + 2U * i]);
        uint8_t low = digit(field->bytes[from + 2U * i + 1U]);
        uint8_t byte = (uint8_t)(high * 16U + low);
        fine = high < 16U && low < 16U;
        sha1_add(&gat->hash, &byte, 1U);
        if (i < SHA1_BLOCK) {
            gat->key[i] = byte;
        }
    }
    if (count > SHA1_BLOCK) {
        sha1_end(&gat->hash, gat->key);
        for (uint32_t i = SHA1_BYTES; i < SHA1_BLOCK; i++) {
            gat->key[i] = 0U;
        }
    }
    return fine;
}

/* Take over the function that a parameter names. Return false if there is no such function. */
static bool take_function(struct gat *gat, const uint8_t *parameter, uint32_t length)
{
    struct field fields[FIELDS] = {{parameter, 0U}, {parameter, 0U}, {parameter, 0U}};
    uint32_t count = length > 0U && parameter[0] == 0U ? split(&parameter[1], length - 1U, fields) : 0U;
    bool fine = false;
    gat->listing = count == 1U && same(&fields[0], "Get Special Functions");
    gat->keyed = false;
    if (gat->listing) {
        fine = true;
    } else if (count >= 2U) {
        fine = (same(&fields[0], "Get File") && same(&fields[1], "AuthenticationResponse.xml")) ||
               (same(&fields[0], "Component") && same(&fields[1], gat->software->component));
        gat->keyed = fine && count == 3U && fields[2].length > 0U && !same(&fields[2], "(none)");
    } else {
        /* not a function */
    }
    return fine && (!gat->keyed || take_key(gat, &fields[2]));
}

static void answer_calculation(struct gat *gat)
{
    uint8_t *data = &gat->frame[HEAD];
    bool level = data[0] == LEVEL;
    gat->available = false;
    gat->running = level && take_function(gat, &data[1], (uint32_t)gat->frame[1] - HEAD - CHECK - 1U);
    gat->progress = gat->running ? GAT_REQUESTED : GAT_FAILED;
    gat->at = 0U;
    if (gat->keyed) {
        sha1_begin_keyed(&gat->hash, gat->key);
    } else {
        sha1_begin(&gat->hash);
    }
    data[0] = level ? 0U : 4U;
    data[0] = gat->running ? 3U : data[0];
    send_response(gat, (uint8_t)IACQ, 1U);
}

static void measure(struct gat *gat, uint32_t now_ms)
{
    const struct tdp_image *image = gat->software->image;
    uint32_t left = image->length - gat->at;
    uint32_t portion = left < TDP_VERIFY_PORTION ? left : TDP_VERIFY_PORTION;
    if (!gat->listing) {
        sha1_add(&gat->hash, &image->bytes[gat->at], portion);
        gat->at += portion;
    }
    if (gat->listing || gat->at == image->length) {
        if (gat->keyed) {
            sha1_end_keyed(&gat->hash, gat->key, gat->digest);
        } else {
            sha1_end(&gat->hash, gat->digest);
        }
        gat->progress = GAT_FINISHED;
        gat->running = false;
        gat->available = true;
        gat->age_s = 0U;
        gat->second_ms = now_ms;
    }
}

/* ------------------------------------------------------------------ the interface */

static void answer_status(struct gat *gat)
{
    uint8_t *data = &gat->frame[HEAD];
    data[0] = 0x03U; /* the version, in decimal digits */
    data[1] = 0x50U;
    data[2] = (uint8_t)((gat->running ? 1U : 0U) | (gat->available ? 2U : 0U) | ((uint32_t)gat->progress << 2));
    data[3] = XML;
    send_response(gat, (uint8_t)SQ, 4U);
}

static void answer_last(struct gat *gat)
{
    uint8_t *data = &gat->frame[HEAD];
    uint32_t age_s = gat->available ? gat->age_s : 0U;
    data[0] = gat->available ? LEVEL : 0U;
    for (uint32_t i = 0U; i < 4U; i++) {
        data[1U + i] = (uint8_t)(age_s >> (24U - 8U * i));
    }
    send_response(gat, (uint8_t)LASQ, 5U);
}

static void answer(struct gat *gat)
{
    switch (gat->frame[0]) {
    case SQ:
        answer_status(gat);
        break;
    case LASQ:
        answer_last(gat);
        break;
    case LARQ:
        answer_results(gat);
        break;
    default:
        answer_calculation(gat);
        break;
    }
}

static void pass_time(struct gat *gat, uint32_t now_ms)
{
    uint32_t passed_s = (now_ms - gat->second_ms) / 1000U;
    gat->age_s += passed_s;
    gat->second_ms += passed_s * 1000U;
}

void gat_start(struct gat *gat, uint32_t now_ms)
{
    gat->progress = GAT_FINISHED;
    gat->running = false;
    gat->available = false;
    gat->length = 0U;
    gat->deaf = false;
    gat->heard_ms = now_ms;
    gat->second_ms = now_ms;
}

void gat_byte(struct gat *gat, uint8_t byte, uint32_t now_ms)
{
    pass_time(gat, now_ms);
    if (now_ms - gat->heard_ms >= GAT_GAP_MS) {
        gat->length = 0U;
        gat->deaf = false;
    }
    gat->heard_ms = now_ms;
    if (!gat->deaf) {
        gat->frame[gat->length] = byte;
        gat->length++;
        gat->deaf = !can_begin(gat->frame, gat->length);
        if (!gat->deaf && gat->length >= HEAD && gat->length == gat->frame[1]) {
            const uint8_t *check = &gat->frame[gat->length - CHECK];
            uint16_t crc = crc16(gat->frame, gat->length - CHECK);
            gat->length = 0U;
            gat->deaf = check[0] != (uint8_t)(crc >> 8) || check[1] != (uint8_t)crc;
            if (!gat->deaf) {
                answer(gat);
            }
        }
    }
}

void gat_tick(struct gat *gat, uint32_t now_ms)
{
    pass_time(gat, now_ms);
    if (gat->running && gat->progress == GAT_REQUESTED) {
        gat->progress = GAT_CALCULATING;
    } else if (gat->running) {
        measure(gat, now_ms);
    } else {
        /* nothing to do */
    }
}
