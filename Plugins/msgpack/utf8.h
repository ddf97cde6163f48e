/* Checks whether bytes are text. */
#ifndef RESTWAY_MSGPACK_UTF8_H
#define RESTWAY_MSGPACK_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Returns whether the bytes are UTF-8 (RFC 3629): no surrogates, no overlong sequences, nothing
 *  beyond U+10FFFF. */
bool utf8_is_valid(const uint8_t *bytes, size_t length);

#endif
