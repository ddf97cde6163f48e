#include "values.h"

#include <stdlib.h>
#include <string.h>

static int is_reference(const json_t *json) {
    return json_is_object(json) && json_object_size(json) == 2
           && json_object_get(json, "entity") != NULL && json_object_get(json, "identity") != NULL;
}

/** Returns whether an array is a list of plain values and objects of the store. */
static int is_flat(const json_t *array) {
    size_t index;
    json_t *element;
    json_array_foreach((json_t *)array, index, element) {
        if (json_is_array(element) || (json_is_object(element) && !is_reference(element))) {
            return 0;
        }
    }
    return 1;
}

/** Makes a value that is no list, and keeps the object that it refers to. */
static restway_value single(struct held_value *held, restway_store *store, const json_t *json) {
    restway_value value = restway_value_null();
    switch (json_typeof(json)) {
        case JSON_NULL: return value;
        case JSON_TRUE: return restway_value_bool(1);
        case JSON_FALSE: return restway_value_bool(0);
        case JSON_INTEGER: return restway_value_int64(json_integer_value(json));
        case JSON_REAL: return restway_value_double(json_real_value(json));
        case JSON_STRING: return restway_value_string(json_string_value(json));
        default: break;
    }
    if (is_reference(json)) {
        restway_object *object = object_named(store, json);
        held->objects[held->object_count++] = object;
        value.kind = RESTWAY_VALUE_OBJECT;
        value.as.object = object;
        return value;
    }
    held->text = json_dumps(json, JSON_ENCODE_ANY);
    value.kind = RESTWAY_VALUE_JSON;
    value.length = (uint32_t)strlen(held->text);
    value.as.text = held->text;
    return value;
}

void held_value_begin(struct held_value *held, restway_store *store, const json_t *json) {
    size_t count = json_is_array(json) ? json_array_size(json) : 0;
    memset(held, 0, sizeof(*held));
    held->objects = calloc(count + 1, sizeof(*held->objects));
    if (!json_is_array(json) || !is_flat(json)) {
        held->value = single(held, store, json);
        return;
    }
    held->list = calloc(count + 1, sizeof(*held->list));
    for (size_t index = 0; index < count; index++) {
        held->list[index] = single(held, store, json_array_get(json, index));
    }
    held->value.kind = RESTWAY_VALUE_LIST;
    held->value.length = (uint32_t)count;
    held->value.as.list = held->list;
}

void held_value_end(struct held_value *held) {
    for (size_t index = 0; index < held->object_count; index++) {
        restway_object_release(held->objects[index]);
    }
    free(held->objects);
    free(held->list);
    free(held->text);
}

restway_object *object_named(restway_store *store, const json_t *reference) {
    const char *entity = json_string_value(json_object_get(reference, "entity"));
    struct held_value identity;
    restway_object *object = NULL;
    restway_error *error = NULL;
    held_value_begin(&identity, store, json_object_get(reference, "identity"));
    must("find", restway_store_find(store, entity, &identity.value, &object, &error), error);
    held_value_end(&identity);
    if (object == NULL) {
        give_up("the store has no such object of the entity", entity);
    }
    return object;
}

/** Returns a value as JSON, a date as the number of its microseconds; NULL when it is absent. */
static json_t *value_as_json(const restway_value *value) {
    switch (value->kind) {
        case RESTWAY_VALUE_NULL: return json_null();
        case RESTWAY_VALUE_BOOL: return json_boolean(value->as.integer != 0);
        case RESTWAY_VALUE_INT64:
        case RESTWAY_VALUE_DATE: return json_integer(value->as.integer);
        case RESTWAY_VALUE_DOUBLE: return json_real(value->as.real);
        case RESTWAY_VALUE_STRING: return json_stringn(value->as.text, value->length);
        case RESTWAY_VALUE_JSON:
            return json_loadb(value->as.text, value->length, JSON_DECODE_ANY, NULL);
        default: return NULL;
    }
}

json_t *identity_as_json(const restway_object *object) {
    restway_value identity;
    restway_error *error = NULL;
    must("identity", restway_object_identity(object, &identity, &error), error);
    return value_as_json(&identity);
}

/** Returns the identities of related objects; NULL when nothing is known of them. */
static json_t *related_as_json(restway_store *store, const restway_object *object, size_t index) {
    const char *name = restway_object_relationship_name(object, index);
    const int64_t *keys = NULL;
    uint32_t kind = 0;
    size_t count = 0;
    restway_error *error = NULL;
    must("keys", restway_object_related_keys(object, name, &kind, &keys, &count, &error), error);
    if (kind == RESTWAY_VALUE_ABSENT) {
        return NULL;
    }
    restway_list *related = NULL;
    must("related", restway_store_related(store, object, name, &related, &error), error);
    json_t *found = json_array();
    for (size_t place = 0; place < restway_list_count(related); place++) {
        json_array_append_new(found, identity_as_json(restway_list_object(related, place)));
    }
    restway_list_release(related);
    if (restway_object_relationship_is_many(object, index)) {
        return found;
    }
    json_t *one = json_array_size(found) == 0 ? json_null() : json_array_get(found, 0);
    json_incref(one);
    json_decref(found);
    return one;
}

json_t *object_as_json(restway_store *store, const restway_object *object) {
    json_t *members = json_object();
    for (size_t index = 0; index < restway_object_attribute_count(object); index++) {
        const char *name = restway_object_attribute_name(object, index);
        restway_value value;
        restway_error *error = NULL;
        must("attribute", restway_object_get(object, name, &value, &error), error);
        json_t *member = value_as_json(&value);
        if (member != NULL) {
            json_object_set_new(members, name, member);
        }
    }
    for (size_t index = 0; index < restway_object_relationship_count(object); index++) {
        json_t *member = related_as_json(store, object, index);
        if (member != NULL) {
            json_object_set_new(members, restway_object_relationship_name(object, index), member);
        }
    }
    return json_pack("{s:o}", restway_object_entity(object), members);
}

/** Adds to @p contents those objects of a list that are loaded, or those that are not. */
static void add_objects(
    json_t *contents, const char *entity, restway_store *store, const restway_list *list,
    int are_loaded) {
    json_t *objects = json_array();
    for (size_t index = 0; index < restway_list_count(list); index++) {
        const restway_object *object = restway_list_object(list, index);
        if (restway_object_is_loaded(object) == are_loaded) {
            json_t *shown = object_as_json(store, object);
            json_array_append(objects, json_object_get(shown, entity));
            json_decref(shown);
        }
    }
    if (json_array_size(objects) > 0) {
        json_object_set(contents, entity, objects);
    }
    json_decref(objects);
}

json_t *store_as_json(restway_store *store, const json_t *entities) {
    json_t *contents = json_object();
    const char *entity;
    json_t *definition;
    json_object_foreach((json_t *)entities, entity, definition) {
        restway_list *all = NULL;
        restway_error *error = NULL;
        must("all", restway_store_all(store, entity, &all, &error), error);
        add_objects(contents, entity, store, all, 1);
        restway_list_release(all);
    }
    return contents;
}

json_t *unloaded_as_json(restway_store *store, const json_t *entities) {
    json_t *contents = json_object();
    const char *entity;
    json_t *definition;
    json_object_foreach((json_t *)entities, entity, definition) {
        restway_query *query = NULL;
        restway_list *all = NULL;
        restway_error *error = NULL;
        must("query", restway_query_create(store, entity, &query, &error), error);
        must("unloaded", restway_query_set_unloaded(query, -1, &error), error);
        must("all", restway_store_query(store, query, &all, &error), error);
        add_objects(contents, entity, store, all, 0);
        restway_list_release(all);
        restway_query_release(query);
    }
    return contents;
}

json_t *unsent_as_json(restway_store *store, const json_t *entities) {
    json_t *counts = json_object();
    const char *entity;
    json_t *definition;
    json_object_foreach((json_t *)entities, entity, definition) {
        restway_list *all = NULL;
        restway_error *error = NULL;
        json_int_t count = 0;
        must("all", restway_store_all(store, entity, &all, &error), error);
        for (size_t index = 0; index < restway_list_count(all); index++) {
            const restway_object *object = restway_list_object(all, index);
            int32_t is_unsent = 0;
            must("unsent", restway_store_is_unsent(store, object, &is_unsent, &error), error);
            count += is_unsent;
        }
        if (count > 0) {
            json_object_set_new(counts, entity, json_integer(count));
        }
        restway_list_release(all);
    }
    return counts;
}
