/* One token of MessagePack: a whole scalar, or the head of a list or a map.
 *
 * Nothing is copied or allocated: texts point into the body. A length that exceeds the body is
 * refused here, before any other code uses it. */
#ifndef RESTWAY_MSGPACK_TOKEN_H
#define RESTWAY_MSGPACK_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum token_kind {
    TOKEN_NULL,
    TOKEN_BOOLEAN,  /**< integer: 0 or 1 */
    TOKEN_INTEGER,  /**< integer */
    TOKEN_UNSIGNED, /**< bits: beyond what an int64_t holds */
    TOKEN_REAL,     /**< real */
    TOKEN_TEXT,     /**< content, length; not looked at yet */
    TOKEN_BYTES,    /**< content, length */
    TOKEN_EXTENSION, /**< content, length, integer: its type */
    TOKEN_LIST,     /**< bits: how many elements follow */
    TOKEN_MAP,      /**< bits: how many keys with their values follow */
};

struct token {
    enum token_kind kind;
    int64_t integer;
    uint64_t bits;
    double real;
    const uint8_t *content;
    size_t length;
};

/** The rest of a body. */
struct cursor {
    const uint8_t *at;
    const uint8_t *end;
};

/** Reads one token.
 *
 *  @return NULL, or what is wrong; the cursor then stands where that token begins. */
const char *token_take(struct cursor *cursor, struct token *token);

#endif
