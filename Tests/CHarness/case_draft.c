#include "case_draft.h"

#include <stdlib.h>
#include <string.h>

#include "store_text.h"

/** Makes a value of an attribute; strings are borrowed from @p json. */
static restway_value value_of(const json_t *json) {
    if (json_is_string(json)) {
        return restway_value_string(json_string_value(json));
    }
    if (json_is_integer(json)) {
        return restway_value_int64(json_integer_value(json));
    }
    if (json_is_real(json)) {
        return restway_value_double(json_real_value(json));
    }
    if (json_is_boolean(json)) {
        return restway_value_bool(json_is_true(json));
    }
    assert_true(json_is_null(json));
    return restway_value_null();
}

/** Sets a relationship to the elements of @p list, in one step. */
static void relate(
    restway_draft *draft, restway_store *store, json_t *entities, const char *name, json_t *list) {
    size_t count = json_array_size(list);
    restway_draft **drafts = calloc(count + 1, sizeof(*drafts));
    restway_object **objects = calloc(count + 1, sizeof(*objects));
    assert_non_null(drafts);
    assert_non_null(objects);
    for (size_t index = 0; index < count; index++) {
        json_t *target = json_array_get(list, index);
        json_t *content = json_object_iter_value(json_object_iter(target));
        if (json_is_object(content)) {
            drafts[index] = case_draft(store, entities, target);
            continue;
        }
        restway_value identity = value_of(content);
        assert_ok(restway_store_find(
            store, json_object_iter_key(json_object_iter(target)), &identity, &objects[index],
            &failure));
    }
    assert_ok(restway_draft_relate(
        draft, name, (const restway_object *const *)objects, drafts, count, &failure));
    for (size_t index = 0; index < count; index++) {
        restway_draft_release(drafts[index]);
        restway_object_release(objects[index]);
    }
    free(drafts);
    free(objects);
}

restway_draft *case_draft(restway_store *store, json_t *entities, json_t *description) {
    const char *entity = json_object_iter_key(json_object_iter(description));
    json_t *content = json_object_iter_value(json_object_iter(description));
    json_t *relationships =
        json_object_get(json_object_get(entities, entity), "relationships");
    restway_draft *draft = NULL;
    assert_ok(restway_draft_create(store, entity, &draft, &failure));
    const char *name;
    json_t *said;
    json_object_foreach(content, name, said) {
        if (json_object_get(relationships, name) == NULL || json_is_null(said)) {
            restway_value value = value_of(said);
            assert_ok(restway_draft_set(draft, name, &value, &failure));
            continue;
        }
        json_t *list = json_is_array(said) ? json_incref(said) : json_pack("[O]", said);
        relate(draft, store, entities, name, list);
        json_decref(list);
    }
    return draft;
}

json_t *case_unsent(restway_store *store, json_t *entities) {
    json_t *unsent = json_object();
    const char *entity;
    json_t *definition;
    json_object_foreach(entities, entity, definition) {
        restway_list *all = all_objects(store, entity);
        json_t *references = json_array();
        for (size_t index = 0; index < restway_list_count(all); index++) {
            const restway_object *object = restway_list_object(all, index);
            int32_t is_unsent = -1;
            assert_ok(restway_store_is_unsent(store, object, &is_unsent, &failure));
            assert_in_range(is_unsent, 0, 1);
            if (is_unsent) {
                json_array_append_new(references, store_reference(store, object));
            }
        }
        if (json_array_size(references) > 0) {
            json_object_set(unsent, entity, references);
        }
        json_decref(references);
        restway_list_release(all);
    }
    return unsent;
}
