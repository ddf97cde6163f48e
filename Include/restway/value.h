/** @file restway/value.h
 *  Values: the tagged type of attributes, path variables and parameters.
 */
#ifndef RESTWAY_VALUE_H
#define RESTWAY_VALUE_H

#include "base.h"

RESTWAY_BEGIN_DECLS

/** The kind of a value. Frozen; append only. */
typedef enum RESTWAY_OPEN_ENUM restway_value_kind {
    /** Null: it is known that there is no value. */
    RESTWAY_VALUE_NULL = 0,
    /** as.integer is 0 or 1. */
    RESTWAY_VALUE_BOOL = 1,
    /** as.integer */
    RESTWAY_VALUE_INT64 = 2,
    /** as.real */
    RESTWAY_VALUE_DOUBLE = 3,
    /** as.integer: microseconds since 1970-01-01T00:00:00Z, negative before. */
    RESTWAY_VALUE_DATE = 4,
    /** as.text: length bytes of UTF-8, followed by a NUL if the library made the value. */
    RESTWAY_VALUE_STRING = 5,
    /** as.bytes: length bytes. */
    RESTWAY_VALUE_BYTES = 6,
    /** as.text: length bytes of JSON, followed by a NUL if the library made the value. */
    RESTWAY_VALUE_JSON = 7,
    /** as.object: an object handle. */
    RESTWAY_VALUE_OBJECT = 8,
    /** as.list: length values. */
    RESTWAY_VALUE_LIST = 9,
    /** Nothing is known: the attribute has never been received or set. Only the library makes
     *  values of this kind. */
    RESTWAY_VALUE_ABSENT = 10,
    /** Not a kind: pins the type to 32 bits. */
    RESTWAY_VALUE_KIND_PIN_ = 0x7fffffff
} restway_value_kind;

struct restway_object;

/** A tagged value of 16 bytes. The layout is frozen.
 *
 *  A value owns no memory. A value that the library returns is *Borrowed* from the handle that it
 *  was read from; a value that is passed in is *Copied*. In a value that is passed in, strings need
 *  no NUL. */
typedef struct restway_value {
    /** A restway_value_kind. */
    uint32_t kind;
    /** Bytes (string, bytes, JSON) or values (list); otherwise 0. */
    uint32_t length;
    union {
        int64_t integer;
        double real;
        const char *text;
        const uint8_t *bytes;
        const struct restway_object *object;
        const struct restway_value *list;
    } as;
} restway_value;

/** Makes a value. Threads: any. Blocks: never. */
RESTWAY_API restway_value restway_value_null(void);
RESTWAY_API restway_value restway_value_int64(int64_t integer);
RESTWAY_API restway_value restway_value_double(double real);
RESTWAY_API restway_value restway_value_date(int64_t microseconds);

/** Makes a value of true or false.
 *
 *  @param truth 1 or 0.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API restway_value restway_value_bool(int32_t truth);

/** Makes a value that borrows a text. NULL gives null, and so does a text of more than 4 GiB - 1.
 *
 *  @param text NUL-terminated UTF-8. *Borrowed* as long as the value is used.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API restway_value restway_value_string(const char *text);

/** Makes a value that borrows bytes. NULL gives null, also with a length of 0, and so do more than
 *  4 GiB - 1.
 *
 *  @param bytes @p length bytes. *Borrowed* as long as the value is used.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API restway_value restway_value_bytes(const void *bytes, size_t length);

RESTWAY_END_DECLS

#endif
