/** @file things.h
 *  An api with an attribute of each type, and structs with tables of fields for its entities.
 */
#ifndef RESTWAY_HARNESS_THINGS_H
#define RESTWAY_HARNESS_THINGS_H

#include "harness.h"

struct part {
    int64_t id;
    const char *text;
};

struct thing {
    int64_t id;
    int32_t flag;
    int32_t small;
    double ratio;
    int64_t at;
    const char *text;
    restway_bytes blob;
    const char *doc;
    restway_value any;
    const struct thing *owner;
    const struct part *parts;
    size_t part_count;
    int untouched;
    struct {
        uint8_t id, flag, small, ratio, at, text, blob, doc, any;
    } states;
};

/** A struct with one member, for tables that do not fit. */
struct one {
    int32_t member;
    int64_t large;
};

extern const restway_fields part_fields, thing_fields;

/** A client whose store has the objects of a test. */
struct things {
    restway_client *client;
    restway_store *store;
};

struct things things_begin(void);
void things_end(struct things *own);

/** Makes a new draft of @p entity with an identity. */
restway_draft *drafted_thing(struct things *own, const char *entity, int64_t id);

/** Puts a draft into the store, and releases it. */
restway_object *inserted(restway_draft *draft);

/** The bytes of full_thing(). */
extern const uint8_t some_bytes[3];

/** A struct with a value for each attribute. */
struct thing full_thing(int64_t id);

/** Inserts a Thing with the values of full_thing(). */
restway_object *insert_full(struct things *own, int64_t id);

#endif
