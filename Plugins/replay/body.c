#include "body.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

/* A deeper body is kept as text, because the cassette that contains it must be readable. */
#define DEPTH_MAX 500
#define DECODED_MAX ((size_t)256 << 20)

int bytes_put(struct bytes *bytes, size_t offset, const void *from, size_t length) {
    const size_t needed = offset + length + 1;
    if (needed > bytes->capacity) {
        const size_t capacity = needed > 2 * bytes->capacity ? needed : 2 * bytes->capacity;
        char *start = realloc(bytes->start, capacity);
        if (start == NULL) {
            return 0;
        }
        bytes->start = start;
        bytes->capacity = capacity;
    }
    if (length > 0) {
        memcpy(bytes->start + offset, from, length);
    }
    bytes->length = offset + length;
    bytes->start[bytes->length] = '\0';
    return 1;
}

void bytes_free(struct bytes *bytes) {
    free(bytes->start);
    memset(bytes, 0, sizeof *bytes);
}

/* Undoes gzip and deflate; returns false when that fails. */
static int inflate_all(const struct bytes *bytes, struct bytes *out) {
    z_stream stream;
    char buffer[16384];
    int result = Z_OK;
    memset(&stream, 0, sizeof stream);
    if (bytes->length > DECODED_MAX || inflateInit2(&stream, 15 + 32) != Z_OK) {
        return 0;
    }
    stream.next_in = (Bytef *)bytes->start;
    stream.avail_in = (uInt)bytes->length;
    while (result == Z_OK && out->length <= DECODED_MAX) {
        stream.next_out = (Bytef *)buffer;
        stream.avail_out = sizeof buffer;
        result = inflate(&stream, Z_NO_FLUSH);
        if ((result == Z_OK || result == Z_STREAM_END)
            && !bytes_put(out, out->length, buffer, sizeof buffer - stream.avail_out)) {
            result = Z_MEM_ERROR;
        }
    }
    const int is_whole = result == Z_STREAM_END && stream.avail_in == 0;
    inflateEnd(&stream);
    return is_whole;
}

static int is_coded(const char *coding) {
    return strcasecmp(coding, "gzip") == 0 || strcasecmp(coding, "x-gzip") == 0
        || strcasecmp(coding, "deflate") == 0;
}

static int is_of_type(const char *type, const char *wanted) {
    const size_t length = strcspn(type, "; ");
    return length == strlen(wanted) && strncasecmp(type, wanted, length) == 0;
}

static int is_json(const char *type) {
    const size_t length = strcspn(type, "; ");
    return is_of_type(type, "application/json") || is_of_type(type, "text/json")
        || (length > 5 && strncasecmp(type + length - 5, "+json", 5) == 0);
}

static int is_deeper(json_t *value, int depth) {
    size_t index;
    const char *key;
    json_t *child;
    if (depth == 0) {
        return json_is_array(value) || json_is_object(value);
    }
    json_array_foreach(value, index, child) {
        if (is_deeper(child, depth - 1)) {
            return 1;
        }
    }
    json_object_foreach(value, key, child) {
        if (is_deeper(child, depth - 1)) {
            return 1;
        }
    }
    return 0;
}

static json_t *wrapped(const char *kind, json_t *value) {
    json_t *object = value == NULL ? NULL : json_object();
    if (object == NULL || json_object_set_new(object, kind, value) != 0) {
        json_decref(object);
        return NULL;
    }
    return object;
}

static json_t *base64(const struct bytes *bytes) {
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *from = (const unsigned char *)bytes->start;
    char *text = malloc((bytes->length + 2) / 3 * 4 + 1);
    char *to = text;
    if (text == NULL) {
        return NULL;
    }
    for (size_t index = 0; index < bytes->length; index += 3) {
        const size_t left = bytes->length - index;
        const unsigned group = (unsigned)from[index] << 16
            | (left > 1 ? (unsigned)from[index + 1] << 8 : 0) | (left > 2 ? from[index + 2] : 0);
        *to++ = digits[group >> 18];
        *to++ = digits[group >> 12 & 63];
        *to++ = left > 1 ? digits[group >> 6 & 63] : '=';
        *to++ = left > 2 ? digits[group & 63] : '=';
    }
    *to = '\0';
    json_t *value = json_string(text);
    free(text);
    return wrapped("base64", value);
}

static int digit_of(char c) {
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
        return c - '0' + 52;
    }
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static int put_base64(const char *text, struct bytes *out) {
    const size_t length = strlen(text);
    if (length % 4 != 0) {
        return 0;
    }
    for (size_t index = 0; index < length; index += 4) {
        unsigned group = 0;
        int padding = 0;
        for (int place = 0; place < 4; place++) {
            const char c = text[index + (size_t)place];
            const int is_padding = c == '=' && place >= 2 && index + 4 == length;
            if ((!is_padding && digit_of(c) < 0) || (padding > 0 && !is_padding)) {
                return 0;
            }
            padding += is_padding;
            group = group << 6 | (is_padding ? 0 : (unsigned)digit_of(c));
        }
        const char three[] = {(char)(group >> 16), (char)(group >> 8), (char)group};
        if (!bytes_put(out, out->length, three, 3 - (size_t)padding)) {
            return 0;
        }
    }
    return 1;
}

static json_t *text_body(
    const struct bytes *bytes, const char *type, const struct redaction *redaction) {
    char *redacted = NULL;
    if (is_of_type(type, "application/x-www-form-urlencoded")) {
        redacted = redaction_form(redaction, bytes->start);
        if (redacted == NULL) {
            return NULL;
        }
    }
    /* The result is also NULL when the text is not UTF-8. */
    json_t *text = redacted != NULL ? json_string(redacted)
                                    : json_stringn(bytes->start, bytes->length);
    free(redacted);
    return text == NULL ? base64(bytes) : wrapped("text", text);
}

static json_t *plain_body(
    const struct bytes *bytes, const char *type, const struct redaction *redaction) {
    if (is_json(type)) {
        /* JSON that Jansson would change, such as a number that it cannot hold, is kept as text. */
        json_t *value = json_loadb(
            bytes->start, bytes->length, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
        if (value != NULL && !is_deeper(value, DEPTH_MAX)) {
            if (!redaction_json(redaction, value)) {
                json_decref(value);
                return NULL;
            }
            return wrapped("json", value);
        }
        json_decref(value);
        if (redaction_is_named_in(redaction, bytes->start)) {
            return wrapped("text", json_string(REDACTED));
        }
    }
    if (memchr(bytes->start, '\0', bytes->length) != NULL) {
        return base64(bytes);
    }
    return text_body(bytes, type, redaction);
}

json_t *body_to_json(
    const struct bytes *bytes, const char *type, const char *coding,
    const struct redaction *redaction, int *out_is_decoded) {
    struct bytes decoded = {0};
    json_t *body;
    *out_is_decoded = 0;
    if (bytes->length == 0) {
        return json_null();
    }
    if (*coding == '\0') {
        return plain_body(bytes, type, redaction);
    }
    if (is_coded(coding) && inflate_all(bytes, &decoded) && decoded.length > 0) {
        *out_is_decoded = 1;
        body = plain_body(&decoded, type, redaction);
    } else {
        body = base64(bytes);
    }
    bytes_free(&decoded);
    return body;
}

int body_from_json(json_t *body, struct bytes *out_bytes) {
    json_t *value;
    if (body == NULL || json_is_null(body)) {
        return bytes_put(out_bytes, 0, "", 0);
    }
    if (!json_is_object(body) || json_object_size(body) != 1) {
        return 0;
    }
    if ((value = json_object_get(body, "text")) != NULL) {
        return json_is_string(value)
            && bytes_put(out_bytes, 0, json_string_value(value), json_string_length(value));
    }
    if ((value = json_object_get(body, "base64")) != NULL) {
        return json_is_string(value) && bytes_put(out_bytes, 0, "", 0)
            && put_base64(json_string_value(value), out_bytes);
    }
    if ((value = json_object_get(body, "json")) != NULL) {
        char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
        const int is_put = text != NULL && bytes_put(out_bytes, 0, text, strlen(text));
        free(text);
        return is_put;
    }
    return 0;
}
