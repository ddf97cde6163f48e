/** @file restway/filling.h
 *  The parts of the functions of fields.h that fill structs. Programs do not use them.
 */
#ifndef RESTWAY_FILLING_H
#define RESTWAY_FILLING_H

#include "field.h"
#include "store.h"

#include <stdio.h>

RESTWAY_BEGIN_DECLS

enum { RESTWAY_INTERNAL_DEPTH_MAX = 16 };

/* Where structs come from: objects of a list from an index on, or one object. */
typedef struct restway_internal_source {
    int32_t is_list;
    int32_t depth;
    size_t first;
    const restway_list *list;
    const restway_object *object;
    /* For relationships; otherwise NULL. */
    restway_store *store;
    restway_arena *arena;
} restway_internal_source;

/* The columns of a table of fields for one entity, which are found once for many objects. */
typedef struct restway_internal_columns {
    const restway_fields *fields;
    /* The entity for which the indices are known. */
    const char *entity;
    /* The number of fields that are attributes. */
    size_t count;
    restway_value *values;
    uint32_t *indices;
    void *room;
} restway_internal_columns;

RESTWAY_INLINE restway_status restway_internal_fill(
    const restway_internal_source *source, size_t count, const restway_fields *fields,
    void *out_structs, restway_error **out_error);

RESTWAY_INLINE int32_t restway_internal_is_relationship(const restway_field *field) {
    return field->type == RESTWAY_FIELD_ONE || field->type == RESTWAY_FIELD_MANY;
}

/* The size of a member of a type; 0 for an unknown type. */
RESTWAY_INLINE size_t restway_internal_size(uint32_t type) {
    switch (type) {
    case RESTWAY_FIELD_BOOL:
    case RESTWAY_FIELD_INT32:
        return sizeof(int32_t);
    case RESTWAY_FIELD_INT64:
    case RESTWAY_FIELD_DATE:
        return sizeof(int64_t);
    case RESTWAY_FIELD_DOUBLE:
        return sizeof(double);
    case RESTWAY_FIELD_STRING:
    case RESTWAY_FIELD_JSON:
        return sizeof(const char *);
    case RESTWAY_FIELD_BYTES:
        return sizeof(restway_bytes);
    case RESTWAY_FIELD_VALUE:
        return sizeof(restway_value);
    case RESTWAY_FIELD_ONE:
    case RESTWAY_FIELD_MANY:
        return sizeof(const void *);
    default:
        return 0;
    }
}

/* The values that a field takes, for messages. */
RESTWAY_INLINE const char *restway_internal_wanted(uint32_t type) {
    static const char *const names[] = {
        "nothing", "a bool", "an integer of 32 bits", "an int64",  "a double", "a date", "a string",
        "JSON",    "bytes",  "every value",           "an object", "a list"};
    return type < sizeof(names) / sizeof(names[0]) ? names[type] : "nothing that is known";
}

/* The name of a kind of values, for messages. */
RESTWAY_INLINE const char *restway_internal_found(uint32_t kind) {
    static const char *const names[] = {"null",     "a bool", "an int64", "a double",  "a date",
                                        "a string", "bytes",  "JSON",     "an object", "a list"};
    return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "of an unknown kind";
}

/* Puts a value that is neither null nor absent into a member; returns 0 if it does not fit. */
RESTWAY_INLINE int32_t
restway_internal_put(const restway_value *value, uint32_t type, void *member) {
    int32_t small = RESTWAY_FIELD_CAST(int32_t, value->as.integer);
    double real = value->as.real;
    restway_bytes bytes = {value->as.bytes, value->length};
    const void *from = &value->as;
    int32_t fits = 0;
    switch (type) {
    case RESTWAY_FIELD_BOOL:
        fits = value->kind == RESTWAY_VALUE_BOOL;
        from = &small;
        break;
    case RESTWAY_FIELD_INT32:
        fits = value->kind == RESTWAY_VALUE_INT64 && small == value->as.integer;
        from = &small;
        break;
    case RESTWAY_FIELD_INT64:
        fits = value->kind == RESTWAY_VALUE_INT64;
        break;
    case RESTWAY_FIELD_DOUBLE:
        if (value->kind == RESTWAY_VALUE_INT64) {
            real = RESTWAY_FIELD_CAST(double, value->as.integer);
        }
        fits = value->kind == RESTWAY_VALUE_DOUBLE || value->kind == RESTWAY_VALUE_INT64;
        from = &real;
        break;
    case RESTWAY_FIELD_DATE:
        fits = value->kind == RESTWAY_VALUE_DATE;
        break;
    case RESTWAY_FIELD_STRING:
        fits = value->kind == RESTWAY_VALUE_STRING;
        break;
    case RESTWAY_FIELD_JSON:
        fits = value->kind == RESTWAY_VALUE_JSON;
        break;
    case RESTWAY_FIELD_BYTES:
        fits = value->kind == RESTWAY_VALUE_BYTES;
        from = &bytes;
        break;
    case RESTWAY_FIELD_VALUE:
        fits = 1;
        from = value;
        break;
    default:
        break;
    }
    if (fits) {
        memcpy(member, from, restway_internal_size(type));
    }
    return fits;
}

RESTWAY_INLINE void restway_internal_put_state(
    const restway_field *field, char *to, uint32_t kind) {
    if (field->state_offset != RESTWAY_FIELD_NOWHERE) {
        to[field->state_offset] = kind == RESTWAY_VALUE_ABSENT ? RESTWAY_FIELD_ABSENT
                                  : kind == RESTWAY_VALUE_NULL ? RESTWAY_FIELD_NULL
                                                               : RESTWAY_FIELD_SET;
    }
}

/* Makes the members of a table 0 or NULL in an array of structs. */
RESTWAY_INLINE void restway_internal_clear(
    const restway_fields *fields, void *structs, size_t count) {
    static const restway_value absent = {RESTWAY_VALUE_ABSENT, 0, {0}};
    size_t row, index;
    for (row = 0; row < count; row++) {
        char *to = RESTWAY_FIELD_CAST(char *, structs) + row * fields->size;
        for (index = 0; index < fields->count; index++) {
            const restway_field *field = &fields->fields[index];
            memset(to + field->offset, 0, field->size);
            if (field->type == RESTWAY_FIELD_VALUE) {
                memcpy(to + field->offset, &absent, sizeof absent);
            }
            if (field->count_offset != RESTWAY_FIELD_NOWHERE) {
                memset(to + field->count_offset, 0, sizeof(size_t));
            }
            restway_internal_put_state(field, to, RESTWAY_VALUE_ABSENT);
        }
    }
}

/* Checks that there is a table, and that each member is as large as its type. */
RESTWAY_INLINE restway_status
restway_internal_check_table(const restway_fields *fields, restway_error **out_error) {
    size_t index;
    if (out_error != NULL) {
        *out_error = NULL;
    }
    if (fields == NULL || (fields->fields == NULL && fields->count > 0)) {
        return restway_internal_fail_argument("fields", " is NULL", out_error);
    }
    for (index = 0; index < fields->count; index++) {
        const restway_field *field = &fields->fields[index];
        size_t size = restway_internal_size(field->type);
        int32_t is_related = restway_internal_is_relationship(field);
        if (size == 0 || size != field->size || is_related != (field->related != NULL) ||
            (field->type == RESTWAY_FIELD_MANY) != (field->count_offset != RESTWAY_FIELD_NOWHERE)) {
            return restway_internal_fail_field(
                RESTWAY_E_INVALID_ARGUMENT, fields->entity == NULL ? "" : fields->entity, field,
                " has a member that cannot hold ", restway_internal_wanted(field->type), "",
                out_error);
        }
    }
    return RESTWAY_OK;
}

/* Checks that a table is for objects of an entity. */
RESTWAY_INLINE restway_status restway_internal_check_entity(
    const restway_fields *fields, const char *entity, restway_error **out_error) {
    const char *texts[] = {
        "the object is of ", entity, ", and the struct for objects of ", fields->entity, NULL};
    if (fields->entity == NULL || strcmp(fields->entity, entity) == 0) {
        return RESTWAY_OK;
    }
    return restway_internal_fail(RESTWAY_E_UNKNOWN_ENTITY, NULL, texts, out_error);
}

/* Finds the attributes of a table in the entity of an object, unless they are known already. */
RESTWAY_INLINE restway_status restway_internal_find_columns(
    restway_internal_columns *columns, const restway_object *object, restway_error **out_error) {
    const restway_fields *fields = columns->fields;
    const char *entity = restway_object_entity(object);
    size_t index, column = 0;
    restway_status status;
    if (entity == NULL) {
        restway_value identity;
        return restway_object_identity(object, &identity, out_error);
    }
    if (fields->entity == NULL || restway_object_is_a(object, fields->entity)) {
        if (columns->entity != NULL && strcmp(columns->entity, entity) == 0) {
            return RESTWAY_OK;
        }
        status = RESTWAY_OK;
    } else {
        status = restway_internal_check_entity(fields, entity, out_error);
    }
    if (status != RESTWAY_OK) {
        return status;
    }
    for (index = 0; index < fields->count; index++) {
        const restway_field *field = &fields->fields[index];
        int32_t found;
        if (restway_internal_is_relationship(field)) {
            continue;
        }
        found = restway_object_attribute_index(object, field->name);
        if (found < 0) {
            /* The library suggests the nearest name. */
            restway_value value;
            return restway_object_get(object, field->name, &value, out_error);
        }
        columns->indices[column++] = RESTWAY_FIELD_CAST(uint32_t, found);
    }
    columns->entity = entity;
    return RESTWAY_OK;
}

/* Reads the attributes of an object into a struct. */
RESTWAY_INLINE restway_status restway_internal_fill_attributes(
    restway_internal_columns *columns, const restway_object *object, char *to,
    restway_error **out_error) {
    size_t index, column = 0;
    restway_status status = restway_internal_find_columns(columns, object, out_error);
    if (status == RESTWAY_OK && columns->count > 0) {
        status = restway_object_read(
            object, columns->indices, columns->count, columns->values, out_error);
    }
    for (index = 0; index < columns->fields->count && status == RESTWAY_OK; index++) {
        const restway_field *field = &columns->fields->fields[index];
        const restway_value *value = &columns->values[column];
        if (restway_internal_is_relationship(field)) {
            continue;
        }
        column++;
        restway_internal_put_state(field, to, value->kind);
        if (value->kind == RESTWAY_VALUE_NULL || value->kind == RESTWAY_VALUE_ABSENT) {
            if (field->type == RESTWAY_FIELD_VALUE) {
                memcpy(to + field->offset, value, sizeof *value);
            }
        } else if (!restway_internal_put(value, field->type, to + field->offset)) {
            const char *texts[] = {
                columns->entity,
                ".",
                field->name,
                " is ",
                restway_internal_found(value->kind),
                ", and its field takes ",
                restway_internal_wanted(field->type),
                NULL};
            status =
                restway_internal_fail(RESTWAY_E_INVALID_ARGUMENT, field->name, texts, out_error);
        }
    }
    return status;
}

/* Fills the structs of the objects that a relationship leads to. */
RESTWAY_INLINE restway_status restway_internal_fill_relationship(
    const restway_internal_source *source, const restway_object *object, const restway_field *field,
    char *to, restway_error **out_error) {
    restway_internal_source inner = {
        1, source->depth - 1, 0, NULL, NULL, source->store, source->arena};
    restway_list *list = NULL;
    void *structs = NULL;
    size_t count;
    restway_status status =
        restway_store_related(source->store, object, field->name, &list, out_error);
    if (status != RESTWAY_OK) {
        return status;
    }
    count = restway_list_count(list);
    if (field->type == RESTWAY_FIELD_ONE && count > 1) {
        count = 1;
    }
    if (count == 0) {
        restway_list_release(list);
        return RESTWAY_OK;
    }
    inner.list = list;
    status = restway_internal_take(
        source->arena, list, NULL, count, field->related->size, &structs, out_error);
    if (status == RESTWAY_OK) {
        status = restway_internal_fill(&inner, count, field->related, structs, out_error);
    }
    if (status == RESTWAY_OK) {
        memcpy(to + field->offset, &structs, sizeof structs);
        if (field->count_offset != RESTWAY_FIELD_NOWHERE) {
            memcpy(to + field->count_offset, &count, sizeof count);
        }
    }
    return status;
}

/* Fills the struct of one object. */
RESTWAY_INLINE restway_status restway_internal_fill_one(
    const restway_internal_source *source, restway_internal_columns *columns,
    const restway_object *object, char *to, restway_error **out_error) {
    const restway_fields *fields = columns->fields;
    size_t index;
    restway_status status = restway_internal_fill_attributes(columns, object, to, out_error);
    if (source->arena == NULL || source->depth == 0) {
        return status;
    }
    for (index = 0; index < fields->count && status == RESTWAY_OK; index++) {
        if (restway_internal_is_relationship(&fields->fields[index])) {
            status = restway_internal_fill_relationship(
                source, object, &fields->fields[index], to, out_error);
        }
    }
    return status;
}

/* Says in an error of one of several objects which of them it is about. */
RESTWAY_INLINE void restway_internal_name_row(size_t row, restway_error **out_error) {
    restway_error *inner = out_error == NULL ? NULL : *out_error;
    if (inner != NULL) {
        char number[32];
        const char *texts[] = {"object ", number, ": ", restway_error_message(inner), NULL};
        snprintf(number, sizeof number, "%llu", RESTWAY_FIELD_CAST(unsigned long long, row));
        restway_internal_fail(
            restway_error_status(inner), restway_error_field(inner), texts, out_error);
        restway_error_release(inner);
    }
}

/* Checks that a list can be read, and has the objects. */
RESTWAY_INLINE restway_status restway_internal_check_range(
    const restway_internal_source *source, size_t count, restway_error **out_error) {
    size_t known = restway_list_count(source->list);
    restway_status status = restway_list_read(source->list, 0, 0, NULL, 0, NULL, out_error);
    if (status == RESTWAY_OK && (source->first > known || count > known - source->first)) {
        status = restway_internal_fail_argument("list", " has fewer objects", out_error);
    }
    return status;
}

/* Makes room for the values of the objects that are read. */
RESTWAY_INLINE restway_status
restway_internal_make_room(restway_internal_columns *columns, restway_error **out_error) {
    static const char *const texts[] = {"the values of an object", NULL};
    size_t index;
    for (index = 0; index < columns->fields->count; index++) {
        if (!restway_internal_is_relationship(&columns->fields->fields[index])) {
            columns->count++;
        }
    }
    columns->room = malloc((columns->count + 1) * (sizeof(restway_value) + sizeof(uint32_t)));
    if (columns->room == NULL) {
        return restway_internal_fail(RESTWAY_E_OUT_OF_MEMORY, NULL, texts, out_error);
    }
    columns->values = RESTWAY_FIELD_CAST(restway_value *, columns->room);
    columns->room = columns->values + columns->count + 1;
    columns->indices = RESTWAY_FIELD_CAST(uint32_t *, columns->room);
    return RESTWAY_OK;
}

/* Fills structs from objects, with the structs of related objects if the source has an arena. */
RESTWAY_INLINE restway_status restway_internal_fill(
    const restway_internal_source *source, size_t count, const restway_fields *fields,
    void *out_structs, restway_error **out_error) {
    restway_internal_columns columns = {fields, NULL, 0, NULL, NULL, NULL};
    restway_status status = restway_internal_check_table(fields, out_error);
    size_t row;
    if (status == RESTWAY_OK && out_structs == NULL && count > 0) {
        status = restway_internal_fail_argument("out_structs", " is NULL", out_error);
    }
    if (status != RESTWAY_OK) {
        return status;
    }
    if (source->is_list) {
        status = restway_internal_check_range(source, count, out_error);
    }
    if (status == RESTWAY_OK) {
        status = restway_internal_make_room(&columns, out_error);
    }
    restway_internal_clear(fields, out_structs, count);
    for (row = 0; row < count && status == RESTWAY_OK; row++) {
        size_t index = source->first + row;
        const restway_object *object =
            source->is_list ? restway_list_object(source->list, index) : source->object;
        char *to = RESTWAY_FIELD_CAST(char *, out_structs) + row * fields->size;
        status = restway_internal_fill_one(source, &columns, object, to, out_error);
        if (status != RESTWAY_OK && source->is_list) {
            restway_internal_name_row(index, out_error);
        }
    }
    if (status != RESTWAY_OK) {
        restway_internal_clear(fields, out_structs, row);
    }
    free(columns.values);
    return status;
}

/* Fills structs like restway_internal_fill(), and keeps the objects in the arena. */
RESTWAY_INLINE restway_status restway_internal_fill_related(
    const restway_internal_source *source, size_t count, const restway_fields *fields,
    void *out_structs, restway_error **out_error) {
    const char *missing = source->arena == NULL ? "arena" : source->store == NULL ? "store" : NULL;
    void *none = NULL;
    restway_status status;
    if (missing != NULL) {
        return restway_internal_fail_argument(missing, " is NULL", out_error);
    }
    if (source->depth < 0 || source->depth > RESTWAY_INTERNAL_DEPTH_MAX) {
        return restway_internal_fail_argument("depth", " is not from 0 to 16", out_error);
    }
    status = restway_internal_take(
        source->arena, restway_list_retain(source->list), restway_object_retain(source->object), 0,
        1, &none, out_error);
    if (status != RESTWAY_OK) {
        return status;
    }
    return restway_internal_fill(source, count, fields, out_structs, out_error);
}

RESTWAY_END_DECLS

#endif
