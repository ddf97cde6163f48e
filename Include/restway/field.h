/** @file restway/field.h
 *  Tables of fields: which member of a struct has the value of which attribute. fields.h has the
 *  functions that use them. The layouts of the structs belong to this header, not to the library.
 */
#ifndef RESTWAY_FIELD_H
#define RESTWAY_FIELD_H

#include "list.h"

#include <stdlib.h>
#include <string.h>

RESTWAY_BEGIN_DECLS

/** The type of a member, and of the values that it takes. A value of another kind is an error. */
typedef enum RESTWAY_OPEN_ENUM restway_field_type {
    /** int32_t, 1 or 0: a bool. */
    RESTWAY_FIELD_BOOL = 1,
    /** int32_t: an int64 that fits. */
    RESTWAY_FIELD_INT32 = 2,
    /** int64_t: an int64. */
    RESTWAY_FIELD_INT64 = 3,
    /** double: a double, or an int64. */
    RESTWAY_FIELD_DOUBLE = 4,
    /** int64_t: a date, in microseconds since 1970-01-01T00:00:00Z. */
    RESTWAY_FIELD_DATE = 5,
    /** const char *: a string, NUL-terminated. A text that holds a NUL seems to end there. */
    RESTWAY_FIELD_STRING = 6,
    /** const char *: JSON, also the elements of a list or a map of values, NUL-terminated. */
    RESTWAY_FIELD_JSON = 7,
    /** restway_bytes: bytes. */
    RESTWAY_FIELD_BYTES = 8,
    /** restway_value: a value of any kind. */
    RESTWAY_FIELD_VALUE = 9,
    /** const Other *: the struct of the object that a relationship to one leads to. */
    RESTWAY_FIELD_ONE = 10,
    /** const Other *: the structs of the objects that a relationship to many leads to. */
    RESTWAY_FIELD_MANY = 11,
    /** Not a type: pins the type to 32 bits. */
    RESTWAY_FIELD_TYPE_PIN_ = 0x7fffffff
} restway_field_type;

/** A member of the type RESTWAY_FIELD_BYTES. */
typedef struct restway_bytes {
    const uint8_t *bytes;
    size_t length;
} restway_bytes;

/** The states of a field, which tell null and missing values apart from 0. */
#define RESTWAY_FIELD_ABSENT 0 /**< Never received or set. The member is 0 or NULL. */
#define RESTWAY_FIELD_SET 1    /**< The member has a value. */
#define RESTWAY_FIELD_NULL 2   /**< Null. The member is 0 or NULL. */

/** The offset of a state or a count that a struct does not have. */
#define RESTWAY_FIELD_NOWHERE SIZE_MAX

/** A field: an attribute or a relationship, and the member of a struct that has its value. Use
 *  RESTWAY_FIELD and the macros beside it, which take sizes and offsets from the struct. */
typedef struct restway_field {
    /** The name of the attribute or the relationship. */
    const char *name;
    /** A restway_field_type. */
    uint32_t type;
    /** The size of the member. */
    uint32_t size;
    /** The offset of the member. */
    size_t offset;
    /** The offset of a uint8_t that has the state, or RESTWAY_FIELD_NOWHERE. */
    size_t state_offset;
    /** For RESTWAY_FIELD_MANY, the offset of a size_t that has the number of structs. */
    size_t count_offset;
    /** For a relationship, the table of the other struct. */
    const struct restway_fields *related;
} restway_field;

/** A table: the fields of a struct. */
typedef struct restway_fields {
    /** The entity of the objects; NULL takes objects of every entity that has the attributes. */
    const char *entity;
    /** The size of the struct. */
    size_t size;
    const restway_field *fields;
    size_t count;
} restway_fields;

#ifdef __cplusplus
#define RESTWAY_FIELD_SIZE(Struct, member) sizeof(Struct::member)
#define RESTWAY_FIELD_CAST(Type, value) static_cast<Type>(value)
#else
#define RESTWAY_FIELD_SIZE(Struct, member) sizeof(((Struct *)0)->member)
#define RESTWAY_FIELD_CAST(Type, value) ((Type)(value))
#endif

/** A field whose member has a state: `uint8_t` @p member in the struct `states` of the struct.
 *  @p TYPE is BOOL, INT32, INT64, DOUBLE, DATE, STRING, JSON, BYTES or VALUE. */
#define RESTWAY_FIELD(Struct, member, name, TYPE)                                                  \
    {                                                                                              \
        name, RESTWAY_FIELD_##TYPE, RESTWAY_FIELD_SIZE(Struct, member), offsetof(Struct, member),  \
            offsetof(Struct, states.member), RESTWAY_FIELD_NOWHERE, NULL                           \
    }

/** A field without a state: null and missing values are 0 or NULL. */
#define RESTWAY_PLAIN_FIELD(Struct, member, name, TYPE)                                            \
    {                                                                                              \
        name, RESTWAY_FIELD_##TYPE, RESTWAY_FIELD_SIZE(Struct, member), offsetof(Struct, member),  \
            RESTWAY_FIELD_NOWHERE, RESTWAY_FIELD_NOWHERE, NULL                                     \
    }

/** A relationship to one object. @p member is a `const Other *`, NULL if there is no object; the
 *  table @p related (a pointer) describes `Other`. */
#define RESTWAY_ONE_FIELD(Struct, member, name, related)                                           \
    {                                                                                              \
        name, RESTWAY_FIELD_ONE, RESTWAY_FIELD_SIZE(Struct, member), offsetof(Struct, member),     \
            RESTWAY_FIELD_NOWHERE, RESTWAY_FIELD_NOWHERE, related                                  \
    }

/** A relationship to many objects. @p member is a `const Other *` to the first of their structs,
 *  and the `size_t` @p count_member has their number. */
#define RESTWAY_MANY_FIELD(Struct, member, count_member, name, related)                            \
    {                                                                                              \
        name, RESTWAY_FIELD_MANY, RESTWAY_FIELD_SIZE(Struct, member), offsetof(Struct, member),    \
            RESTWAY_FIELD_NOWHERE, offsetof(Struct, count_member), related                         \
    }

/** The table of an array of fields. */
#define RESTWAY_FIELDS(Struct, entity, fields)                                                     \
    { entity, sizeof(Struct), fields, sizeof(fields) / sizeof((fields)[0]) }

/** Gives a member of a struct a value, and its state RESTWAY_FIELD_SET. */
#define RESTWAY_SET(values, member, value)                                                         \
    ((values).member = (value), (void)((values).states.member = RESTWAY_FIELD_SET))

/** Gives a member of a struct the state RESTWAY_FIELD_NULL. */
#define RESTWAY_SET_NULL(values, member) ((void)((values).states.member = RESTWAY_FIELD_NULL))

/** Memory for the structs of related objects. It also keeps the objects, which their texts belong
 *  to. Start from RESTWAY_ARENA_INIT; one thread at a time uses an arena. */
typedef struct restway_arena {
    /** The largest size of the structs in bytes; 0 for 1 GiB. */
    size_t byte_count_max;
    /** How many bytes the structs have. */
    size_t byte_count;
    /** The newest piece of memory, for the functions of this header. */
    void *newest;
} restway_arena;

#define RESTWAY_ARENA_INIT                                                                         \
    { 0, 0, NULL }

/* A piece of memory of an arena, which the structs follow, and the list that it keeps. */
typedef struct restway_internal_piece {
    struct restway_internal_piece *older;
    restway_list *list;
    restway_object *object;
    /* Aligns the structs behind it. */
    restway_value end;
} restway_internal_piece;

/** Frees the structs of an arena, and releases the objects that it keeps. The arena can then be
 *  used again. NULL is fine.
 *
 *  Threads: one at a time. Blocks: never. */
RESTWAY_INLINE void restway_arena_free(restway_arena *arena) {
    while (arena != NULL && arena->newest != NULL) {
        restway_internal_piece *piece = RESTWAY_FIELD_CAST(restway_internal_piece *, arena->newest);
        arena->newest = piece->older;
        restway_list_release(piece->list);
        restway_object_release(piece->object);
        free(piece);
    }
    if (arena != NULL) {
        arena->byte_count = 0;
    }
}

/* Makes an error whose message is the texts up to the first NULL. */
RESTWAY_INLINE restway_status restway_internal_fail(
    restway_status status, const char *field, const char *const *texts, restway_error **out_error) {
    size_t length = 1, index;
    char *message;
    if (out_error == NULL) {
        return status;
    }
    for (index = 0; texts[index] != NULL; index++) {
        length += strlen(texts[index]);
    }
    message = RESTWAY_FIELD_CAST(char *, malloc(length));
    if (message != NULL) {
        message[0] = '\0';
        for (index = 0; texts[index] != NULL; index++) {
            strcat(message, texts[index]);
        }
    }
    *out_error = restway_error_create(status, message, field);
    free(message);
    return status;
}

/* Fails about a field: "Issue.title" and then what is wrong with it. */
RESTWAY_INLINE restway_status restway_internal_fail_field(
    restway_status status, const char *entity, const restway_field *field, const char *problem,
    const char *more, const char *end, restway_error **out_error) {
    const char *texts[] = {entity, ".", field->name, problem, more, end, NULL};
    return restway_internal_fail(status, field->name, texts, out_error);
}

RESTWAY_INLINE restway_status
restway_internal_fail_argument(const char *name, const char *problem, restway_error **out_error) {
    const char *texts[] = {name, problem, NULL};
    return restway_internal_fail(RESTWAY_E_INVALID_ARGUMENT, name, texts, out_error);
}

/* Allocates memory of an arena. The piece keeps the list, and one more object. */
RESTWAY_INLINE restway_status restway_internal_take(
    restway_arena *arena, restway_list *list, restway_object *object, size_t count, size_t size,
    void **out_structs, restway_error **out_error) {
    static const size_t usual_max = RESTWAY_FIELD_CAST(size_t, 1) << 30;
    size_t most = arena->byte_count_max == 0 ? usual_max : arena->byte_count_max;
    restway_internal_piece *piece = NULL;
    restway_status status = RESTWAY_E_OUT_OF_MEMORY;
    const char *problem = "the structs do not fit into memory";
    if (arena->byte_count > most || count > (most - arena->byte_count) / size) {
        status = RESTWAY_E_TOO_LARGE;
        problem = "the structs are larger than the byte_count_max of their arena";
    } else {
        piece = RESTWAY_FIELD_CAST(
            restway_internal_piece *, malloc(sizeof(restway_internal_piece) + count * size));
    }
    if (piece == NULL) {
        const char *texts[] = {problem, NULL};
        restway_list_release(list);
        restway_object_release(object);
        return restway_internal_fail(status, NULL, texts, out_error);
    }
    piece->older = RESTWAY_FIELD_CAST(restway_internal_piece *, arena->newest);
    piece->list = list;
    piece->object = object;
    arena->newest = piece;
    arena->byte_count += count * size;
    *out_structs = piece + 1;
    memset(*out_structs, 0, count * size);
    return RESTWAY_OK;
}

RESTWAY_END_DECLS

#endif
