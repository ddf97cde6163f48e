/** @file restway/fields.h
 *  Structs of the program that are filled from objects, and drafts that are filled from structs. A
 *  table of fields says which member of a struct has the value of which attribute. docs/C.md shows
 *  how tables are used; `restway-stubs --c` writes structs and tables for a document.
 *
 *  The functions of this header are inline, like the functions of short.h.
 */
#ifndef RESTWAY_FIELDS_H
#define RESTWAY_FIELDS_H

#include "draft.h"
#include "filling.h"
#include "response.h"

RESTWAY_BEGIN_DECLS

/** Fills a struct from an object. Members that the table does not name keep their values, and
 *  relationships are left empty.
 *
 *  @param object     Borrowed.
 *  @param fields     The table. *Borrowed*.
 *  @param out_struct The struct. Its texts, bytes and values are *Borrowed* from @p object.
 *  @return RESTWAY_OK; RESTWAY_E_UNKNOWN_ENTITY (restway_object_is_a() is 0 for the object and the
 *          entity of the table);
 *          RESTWAY_E_UNKNOWN_ATTRIBUTE; RESTWAY_E_INVALID_ARGUMENT (also for a value of another
 *          type than the field, and for a member whose size does not fit its type; the message and
 *          the error's field name it); RESTWAY_E_OUT_OF_MEMORY; RESTWAY_E_FORKED. On failure the
 *          members of the table are 0 or NULL.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_INLINE RESTWAY_MUST_USE restway_status restway_object_fill(
    const restway_object *object, const restway_fields *fields, void *out_struct,
    restway_error **out_error) {
    restway_internal_source source = {0, 0, 0, NULL, object, NULL, NULL};
    return restway_internal_fill(&source, 1, fields, out_struct, out_error);
}

/** Fills an array of structs from the objects of a list, each as restway_object_fill() does.
 *
 *  @param list        Borrowed.
 *  @param first       The index of the first object.
 *  @param count       How many objects to read.
 *  @param fields      The table. *Borrowed*.
 *  @param out_structs Room for @p count structs. Their texts, bytes and values are *Borrowed* from
 *                     the objects of @p list.
 *  @return As restway_object_fill(); RESTWAY_E_INVALID_ARGUMENT also for objects out of range. On
 *          failure the members of the table are 0 or NULL in all structs.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_INLINE RESTWAY_MUST_USE restway_status restway_list_fill(
    const restway_list *list, size_t first, size_t count, const restway_fields *fields,
    void *out_structs, restway_error **out_error) {
    restway_internal_source source = {1, 0, first, list, NULL, NULL, NULL};
    return restway_internal_fill(&source, count, fields, out_structs, out_error);
}

/** Fills an array of structs from the objects of a response, each as restway_object_fill() does.
 *
 *  @param response    Borrowed.
 *  @param first       The index of the first object, as in restway_response_object().
 *  @param count       How many objects to read.
 *  @param fields      The table. *Borrowed*.
 *  @param out_structs Room for @p count structs. Their texts, bytes and values are *Borrowed* from
 *                     the objects of @p response.
 *  @return As restway_list_fill().
 *
 *  Threads: any. Blocks: never. */
RESTWAY_INLINE RESTWAY_MUST_USE restway_status restway_response_fill(
    const restway_response *response, size_t first, size_t count, const restway_fields *fields,
    void *out_structs, restway_error **out_error) {
    restway_list *list = restway_response_list(response);
    restway_status status = restway_list_fill(list, first, count, fields, out_structs, out_error);
    restway_list_release(list);
    return status;
}

/** Fills a struct from an object, and structs from the objects that its relationships lead to, with
 *  the newest snapshots of a store.
 *
 *  @param object     Kept alive (+1) by @p arena.
 *  @param store      Borrowed; the store that the object comes from.
 *  @param depth      How many relationships are followed, one behind the other: 0 to 16. Those that
 *                    are deeper are left empty.
 *  @param fields     The table. *Borrowed*.
 *  @param arena      Receives the structs of related objects, and keeps all objects, until
 *                    restway_arena_free().
 *  @param out_struct The struct. What it points to is *Borrowed* from @p arena.
 *  @return As restway_object_fill(); RESTWAY_E_TOO_LARGE (the structs are larger than the arena may
 *          be); RESTWAY_E_STORE.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, else never. */
RESTWAY_INLINE RESTWAY_MUST_USE restway_status restway_object_fill_related(
    const restway_object *object, restway_store *store, int32_t depth, const restway_fields *fields,
    restway_arena *arena, void *out_struct, restway_error **out_error) {
    restway_internal_source source = {0, depth, 0, NULL, object, store, arena};
    return restway_internal_fill_related(&source, 1, fields, out_struct, out_error);
}

/** Fills an array of structs from the objects of a list, each as restway_object_fill_related()
 *  does.
 *
 *  @param list        Kept alive (+1) by @p arena.
 *  @param first       The index of the first object.
 *  @param count       How many objects to read.
 *  @param store, depth, fields, arena As in restway_object_fill_related().
 *  @param out_structs Room for @p count structs. What they point to is *Borrowed* from @p arena.
 *  @return As restway_object_fill_related(); RESTWAY_E_INVALID_ARGUMENT also for objects out of
 *          range.
 *
 *  Threads: any. Blocks: as restway_object_fill_related(). */
RESTWAY_INLINE RESTWAY_MUST_USE restway_status restway_list_fill_related(
    const restway_list *list, size_t first, size_t count, restway_store *store, int32_t depth,
    const restway_fields *fields, restway_arena *arena, void *out_structs,
    restway_error **out_error) {
    restway_internal_source source = {1, depth, first, list, NULL, store, arena};
    return restway_internal_fill_related(&source, count, fields, out_structs, out_error);
}

/* Makes a value of a member. A text that is NULL is null. */
RESTWAY_INLINE restway_value
restway_internal_value_of(const restway_field *field, const char *from) {
    restway_value value = restway_value_null();
    const char *text = NULL;
    restway_bytes bytes = {NULL, 0};
    int32_t small = 0;
    int64_t whole = 0;
    double real = 0;
    switch (field->type) {
    case RESTWAY_FIELD_BOOL:
        memcpy(&small, from, sizeof small);
        return restway_value_bool(small);
    case RESTWAY_FIELD_INT32:
        memcpy(&small, from, sizeof small);
        return restway_value_int64(small);
    case RESTWAY_FIELD_INT64:
        memcpy(&whole, from, sizeof whole);
        return restway_value_int64(whole);
    case RESTWAY_FIELD_DOUBLE:
        memcpy(&real, from, sizeof real);
        return restway_value_double(real);
    case RESTWAY_FIELD_DATE:
        memcpy(&whole, from, sizeof whole);
        return restway_value_date(whole);
    case RESTWAY_FIELD_STRING:
    case RESTWAY_FIELD_JSON:
        memcpy(&text, from, sizeof text);
        value = restway_value_string(text);
        if (text != NULL && field->type == RESTWAY_FIELD_JSON) {
            value.kind = RESTWAY_VALUE_JSON;
        }
        return value;
    case RESTWAY_FIELD_BYTES:
        memcpy(&bytes, from, sizeof bytes);
        if (bytes.bytes != NULL) {
            value.kind = RESTWAY_VALUE_BYTES;
            value.length = RESTWAY_FIELD_CAST(uint32_t, bytes.length);
            value.as.bytes = bytes.bytes;
        }
        return value;
    default:
        memcpy(&value, from, sizeof value);
        return value;
    }
}

/* Sets an attribute of a draft from its member. */
RESTWAY_INLINE restway_status restway_internal_set_field(
    restway_draft *draft, const restway_field *field, const char *values, int32_t is_named,
    restway_error **out_error) {
    restway_value value = restway_value_null();
    uint8_t state = is_named ? RESTWAY_FIELD_SET : RESTWAY_FIELD_ABSENT;
    if (field->state_offset != RESTWAY_FIELD_NOWHERE) {
        uint8_t own = RESTWAY_FIELD_CAST(uint8_t, values[field->state_offset]);
        state = is_named && own == RESTWAY_FIELD_ABSENT ? state : own;
    }
    if (state == RESTWAY_FIELD_ABSENT) {
        return RESTWAY_OK;
    }
    if (state != RESTWAY_FIELD_NULL) {
        value = restway_internal_value_of(field, values + field->offset);
    }
    return restway_draft_set(draft, field->name, &value, out_error);
}

/* Finds the attribute of a table that has a name; NULL if the table has no such attribute. */
RESTWAY_INLINE const restway_field *restway_internal_find_field(
    const restway_fields *fields, const char *name) {
    size_t index;
    for (index = 0; index < fields->count && name != NULL; index++) {
        const restway_field *field = &fields->fields[index];
        if (!restway_internal_is_relationship(field) && strcmp(field->name, name) == 0) {
            return field;
        }
    }
    return NULL;
}

/* Checks that a table is for drafts of an entity, or of an entity that it extends. */
RESTWAY_INLINE restway_status restway_internal_check_draft(
    const restway_fields *fields, const restway_draft *draft, restway_error **out_error) {
    const char *entity = restway_draft_entity(draft);
    restway_object *object = NULL;
    restway_status status;
    int32_t is_one;
    if (fields->entity == NULL || strcmp(fields->entity, entity) == 0) {
        return RESTWAY_OK;
    }
    status = restway_draft_snapshot(draft, &object, out_error);
    if (status != RESTWAY_OK) {
        return status;
    }
    is_one = restway_object_is_a(object, fields->entity);
    restway_object_release(object);
    return is_one ? RESTWAY_OK : restway_internal_check_entity(fields, entity, out_error);
}

/* Sets the named attributes of a draft, or those that have a state. */
RESTWAY_INLINE restway_status restway_internal_set(
    restway_draft *draft, const restway_fields *fields, const void *values, int32_t are_named,
    const char *const *names, size_t count, restway_error **out_error) {
    const char *from = RESTWAY_FIELD_CAST(const char *, values);
    restway_status status = restway_internal_check_table(fields, out_error);
    size_t index;
    if (status == RESTWAY_OK && (values == NULL || (are_named && names == NULL && count > 0))) {
        const char *name = values == NULL ? "values" : "names";
        status = restway_internal_fail_argument(name, " is NULL", out_error);
    }
    if (status == RESTWAY_OK) {
        status = restway_draft_changes(draft, NULL, 0, NULL, out_error);
    }
    if (status == RESTWAY_OK) {
        status = restway_internal_check_draft(fields, draft, out_error);
    }
    if (status != RESTWAY_OK) {
        return status;
    }
    for (index = 0; index < (are_named ? count : fields->count) && status == RESTWAY_OK; index++) {
        const restway_field *field =
            are_named ? restway_internal_find_field(fields, names[index]) : &fields->fields[index];
        if (field == NULL) {
            const char *texts[] = {"the table has no attribute called ", names[index], NULL};
            return restway_internal_fail(
                RESTWAY_E_UNKNOWN_ATTRIBUTE, names[index], texts, out_error);
        }
        if (!restway_internal_is_relationship(field)) {
            status = restway_internal_set_field(draft, field, from, are_named, out_error);
        }
    }
    return status;
}

/** Sets the attributes of a draft from a struct: those whose state is RESTWAY_FIELD_SET or
 *  RESTWAY_FIELD_NULL. Fields without a state, and relationships, are left out. A value that the
 *  base of the draft has already is no change (restway_draft_changes()).
 *
 *  @param draft  Borrowed.
 *  @param fields The table. *Borrowed*.
 *  @param values The struct. *Copied*. A text that is NULL sets null.
 *  @return The statuses of restway_draft_set(); RESTWAY_E_UNKNOWN_ENTITY (the draft is of another
 *          entity than the table). After a failure, the fields before the one that the error names
 *          have been set.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_INLINE RESTWAY_MUST_USE restway_status restway_draft_set_fields(
    restway_draft *draft, const restway_fields *fields, const void *values,
    restway_error **out_error) {
    return restway_internal_set(draft, fields, values, 0, NULL, 0, out_error);
}

/** Sets the named attributes of a draft from a struct, whatever the states of the other fields are.
 *
 *  @param draft  Borrowed.
 *  @param fields The table. *Borrowed*.
 *  @param values The struct. *Copied*. A named field is set to null if its state is
 *                RESTWAY_FIELD_NULL or its text is NULL, else to the value of its member.
 *  @param names  @p count names of attributes of the table. *Borrowed*.
 *  @param count  How many names there are.
 *  @return As restway_draft_set_fields(); RESTWAY_E_UNKNOWN_ATTRIBUTE also for a name that is not
 *          the name of an attribute of the table.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_INLINE RESTWAY_MUST_USE restway_status restway_draft_set_named_fields(
    restway_draft *draft, const restway_fields *fields, const void *values,
    const char *const *names, size_t count, restway_error **out_error) {
    return restway_internal_set(draft, fields, values, 1, names, count, out_error);
}

RESTWAY_END_DECLS

#endif
