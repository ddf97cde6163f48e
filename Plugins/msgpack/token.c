#include "token.h"

#include <string.h>

static const char truncated[] = "the body ends too early";

static uint64_t big_endian(const uint8_t *at, size_t width) {
    uint64_t number = 0;
    while (width-- > 0)
        number = number << 8 | *at++;
    return number;
}

static double real_of_bits(uint64_t bits, size_t width) {
    if (width == 4) {
        uint32_t half = (uint32_t)bits;
        float number;
        memcpy(&number, &half, sizeof number);
        return (double)number;
    }
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static const char *take_unsigned(struct token *token, uint64_t bits) {
    token->bits = bits;
    token->integer = (int64_t)bits;
    token->kind = bits > INT64_MAX ? TOKEN_UNSIGNED : TOKEN_INTEGER;
    return NULL;
}

static const char *take_signed(struct token *token, uint64_t bits, size_t width) {
    const unsigned int unused = 64 - 8 * (unsigned int)width;
    token->kind = TOKEN_INTEGER;
    token->integer = (int64_t)(bits << unused) >> unused;
    return NULL;
}

/** Reads the content after the head: `length` bytes. */
static const char *take_content(
    struct cursor *cursor, struct token *token, enum token_kind kind, uint64_t length) {
    if (length > (uint64_t)(cursor->end - cursor->at))
        return truncated;
    token->kind = kind;
    token->content = cursor->at;
    token->length = (size_t)length;
    cursor->at += length;
    return NULL;
}

static const char *take_extension(
    struct cursor *cursor, struct token *token, uint64_t length) {
    if (cursor->at == cursor->end)
        return truncated;
    token->integer = (int8_t)*cursor->at++;
    return take_content(cursor, token, TOKEN_EXTENSION, length);
}

/** Each element takes at least one byte, each key with its value at least two. */
static const char *take_count(
    const struct cursor *cursor, struct token *token, enum token_kind kind, uint64_t count) {
    const uint64_t left = (uint64_t)(cursor->end - cursor->at);
    if (count > (kind == TOKEN_MAP ? left / 2 : left))
        return truncated;
    token->kind = kind;
    token->bits = count;
    return NULL;
}

/** How many bytes of a number follow the first byte, for first bytes from 0xC0 on. */
static size_t width_of_number(uint8_t first) {
    switch (first) {
    case 0xC4: case 0xC7: case 0xCC: case 0xD0: case 0xD9:
        return 1;
    case 0xC5: case 0xC8: case 0xCD: case 0xD1: case 0xDA: case 0xDC: case 0xDE:
        return 2;
    case 0xC6: case 0xC9: case 0xCA: case 0xCE: case 0xD2: case 0xDB: case 0xDD: case 0xDF:
        return 4;
    case 0xCB: case 0xCF: case 0xD3:
        return 8;
    default:
        return 0;
    }
}

static const char *take_long(struct cursor *cursor, struct token *token, uint8_t first) {
    const size_t width = width_of_number(first);
    if (width > (size_t)(cursor->end - cursor->at))
        return truncated;
    const uint64_t number = big_endian(cursor->at, width);
    cursor->at += width;
    switch (first) {
    case 0xC0:
        token->kind = TOKEN_NULL;
        return NULL;
    case 0xC1:
        return "a byte stands there that MessagePack never uses (0xc1)";
    case 0xC2: case 0xC3:
        token->kind = TOKEN_BOOLEAN;
        token->integer = first & 1;
        return NULL;
    case 0xC4: case 0xC5: case 0xC6:
        return take_content(cursor, token, TOKEN_BYTES, number);
    case 0xC7: case 0xC8: case 0xC9:
        return take_extension(cursor, token, number);
    case 0xCA: case 0xCB:
        token->kind = TOKEN_REAL;
        token->real = real_of_bits(number, width);
        return NULL;
    case 0xCC: case 0xCD: case 0xCE: case 0xCF:
        return take_unsigned(token, number);
    case 0xD0: case 0xD1: case 0xD2: case 0xD3:
        return take_signed(token, number, width);
    case 0xD4: case 0xD5: case 0xD6: case 0xD7: case 0xD8:
        return take_extension(cursor, token, (uint64_t)1 << (first - 0xD4));
    case 0xD9: case 0xDA: case 0xDB:
        return take_content(cursor, token, TOKEN_TEXT, number);
    case 0xDC: case 0xDD:
        return take_count(cursor, token, TOKEN_LIST, number);
    default:
        return take_count(cursor, token, TOKEN_MAP, number);
    }
}

const char *token_take(struct cursor *cursor, struct token *token) {
    const uint8_t *const start = cursor->at;
    if (start == cursor->end)
        return truncated;
    const uint8_t first = *cursor->at++;
    const char *problem;
    if (first < 0x80)
        problem = take_unsigned(token, first);
    else if (first < 0x90)
        problem = take_count(cursor, token, TOKEN_MAP, first & 0x0F);
    else if (first < 0xA0)
        problem = take_count(cursor, token, TOKEN_LIST, first & 0x0F);
    else if (first < 0xC0)
        problem = take_content(cursor, token, TOKEN_TEXT, first & 0x1F);
    else if (first < 0xE0)
        problem = take_long(cursor, token, first);
    else
        problem = take_signed(token, first, 1);
    if (problem != NULL)
        cursor->at = start;
    return problem;
}
