#include "store_text.h"

/** Returns the JSON of an attribute; NULL when it is absent. */
static json_t *value_json(const restway_value *value) {
    switch (value->kind) {
        case RESTWAY_VALUE_NULL: return json_null();
        case RESTWAY_VALUE_BOOL: return json_boolean(value->as.integer != 0);
        case RESTWAY_VALUE_INT64: return json_integer(value->as.integer);
        case RESTWAY_VALUE_DOUBLE: return json_real(value->as.real);
        case RESTWAY_VALUE_STRING: return json_stringn(value->as.text, value->length);
        case RESTWAY_VALUE_JSON:
            return json_loadb(value->as.text, value->length, JSON_DECODE_ANY, NULL);
        default: assert_int_equal(value->kind, RESTWAY_VALUE_ABSENT); return NULL;
    }
}

json_t *store_reference(restway_store *store, const restway_object *object) {
    restway_value identity;
    assert_ok(restway_object_identity(object, &identity, &failure));
    if (identity.kind != RESTWAY_VALUE_NULL) {
        return value_json(&identity);
    }
    restway_list *all = all_objects(store, restway_object_entity(object));
    size_t place = 0;
    while (place < restway_list_count(all)
           && restway_object_store_key(restway_list_object(all, place))
                  != restway_object_store_key(object)) {
        place++;
    }
    assert_true(place < restway_list_count(all));
    restway_list_release(all);
    return json_pack("{s:I}", "#", (json_int_t)place);
}

/** Returns the objects that a relationship leads to; NULL when it is absent. */
static json_t *related_json(
    restway_store *store, const restway_object *object, size_t relationship) {
    const char *name = restway_object_relationship_name(object, relationship);
    const int64_t *keys = NULL;
    uint32_t kind = 0;
    size_t count = 0;
    assert_ok(restway_object_related_keys(object, name, &kind, &keys, &count, &failure));
    if (kind == RESTWAY_VALUE_ABSENT) {
        return NULL;
    }
    restway_list *found = NULL;
    assert_ok(restway_store_related(store, object, name, &found, &failure));
    json_t *references = json_array();
    for (size_t index = 0; index < restway_list_count(found); index++) {
        json_array_append_new(
            references, store_reference(store, restway_list_object(found, index)));
    }
    restway_list_release(found);
    if (restway_object_relationship_is_many(object, relationship)) {
        return references;
    }
    assert_true(json_array_size(references) <= 1);
    json_t *one = json_array_get(references, 0);
    one = one == NULL ? json_null() : json_incref(one);
    json_decref(references);
    return one;
}

static json_t *object_json(restway_store *store, const restway_object *object) {
    json_t *members = json_object();
    for (size_t index = 0; index < restway_object_attribute_count(object); index++) {
        const char *name = restway_object_attribute_name(object, index);
        restway_value value;
        assert_ok(restway_object_get(object, name, &value, &failure));
        json_t *member = value_json(&value);
        if (member != NULL) {
            json_object_set_new(members, name, member);
        }
    }
    for (size_t index = 0; index < restway_object_relationship_count(object); index++) {
        json_t *member = related_json(store, object, index);
        if (member != NULL) {
            json_object_set_new(members, restway_object_relationship_name(object, index), member);
        }
    }
    return members;
}

json_t *store_contents(restway_store *store, const json_t *entities) {
    json_t *contents = json_object();
    const char *entity;
    json_t *definition;
    json_object_foreach((json_t *)entities, entity, definition) {
        restway_list *all = all_objects(store, entity);
        json_t *objects = json_array();
        for (size_t index = 0; index < restway_list_count(all); index++) {
            json_array_append_new(objects, object_json(store, restway_list_object(all, index)));
        }
        if (json_array_size(objects) > 0) {
            json_object_set(contents, entity, objects);
        }
        json_decref(objects);
        restway_list_release(all);
    }
    return contents;
}
