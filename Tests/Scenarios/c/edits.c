#include "edits.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "calls.h"
#include "values.h"

/** How long a step waits for notices that never come. */
#define SECONDS_MAX 20

/** Makes the query for the objects that the members of a step describe. */
static restway_query *query_of(struct driver *driver, const json_t *step) {
    const char *entity = json_string_value(json_object_get(step, "entity"));
    const char *deletes = json_string_value(json_object_get(step, "pendingDeletes"));
    const json_t *pending = json_object_get(step, "pending");
    const json_t *conflicted = json_object_get(step, "conflicted");
    restway_query *query = NULL;
    restway_error *error = NULL;
    must("query", restway_query_create(driver->store, entity, &query, &error), error);
    if (pending != NULL) {
        must(
            "pending", restway_query_set_pending(query, json_is_true(pending), &error), error);
    }
    if (conflicted != NULL) {
        int is_conflicted = json_is_true(conflicted);
        must("conflicted", restway_query_set_conflicted(query, is_conflicted, &error), error);
    }
    if (deletes != NULL) {
        int is_shown = strcmp(deletes, "show") == 0;
        must("deletes", restway_query_set_pending_deletes(query, is_shown, &error), error);
    }
    return query;
}

/** Returns the object of `{"entity", "identity"}`, also if a waiting deletion hides it. */
static restway_object *any_object(struct driver *driver, const json_t *reference) {
    restway_query *query = query_of(driver, reference);
    restway_list *list = NULL;
    restway_object *found = NULL;
    restway_error *error = NULL;
    must("show", restway_query_set_pending_deletes(query, 1, &error), error);
    must("query", restway_store_query(driver->store, query, &list, &error), error);
    for (size_t index = 0; index < restway_list_count(list) && found == NULL; index++) {
        const restway_object *object = restway_list_object(list, index);
        json_t *identity = identity_as_json(object);
        if (json_equal(identity, json_object_get(reference, "identity"))) {
            found = restway_object_retain(object);
        }
        json_decref(identity);
    }
    restway_list_release(list);
    restway_query_release(query);
    if (found == NULL) {
        const char *entity = json_string_value(json_object_get(reference, "entity"));
        give_up("the store has no such object of the entity", entity);
    }
    return found;
}

/** Returns one value of an object as JSON; null if it is absent. */
static json_t *member(struct driver *driver, const restway_object *object, const char *name) {
    json_t *shown = object_as_json(driver->store, object);
    json_t *value = json_object_get(json_object_get(shown, restway_object_entity(object)), name);
    value = value == NULL ? json_null() : json_incref(value);
    json_decref(shown);
    return value;
}

json_t *do_pending(struct driver *driver, json_t *step) {
    restway_object *object = any_object(driver, json_object_get(step, "object"));
    restway_object *confirmed = NULL;
    restway_pending *pending = NULL;
    restway_error *error = NULL;
    json_t *values = json_object();
    must("pending", restway_store_pending(driver->store, object, &pending, &error), error);
    for (size_t index = 0; index < restway_pending_count(pending); index++) {
        const char *name = restway_pending_name(pending, index);
        json_object_set_new(
            values, name,
            json_pack(
                "{s:o, s:o}", "mine", member(driver, restway_pending_mine(pending), name), "base",
                member(driver, restway_pending_base(pending), name)));
    }
    json_t *outcome = json_pack(
        "{s:o, s:b}", "pending", values, "deletes", restway_pending_deletes(pending));
    restway_status status =
        restway_store_confirmed(driver->store, object, &confirmed, &error);
    if (status == RESTWAY_E_NO_OBJECT) {
        json_object_set_new(outcome, "confirmed", json_null());
        restway_error_release(error);
    } else {
        must("confirmed", status, error);
        json_object_set_new(outcome, "confirmed", object_as_json(driver->store, confirmed));
    }
    restway_object_release(confirmed);
    restway_pending_release(pending);
    restway_object_release(object);
    return outcome;
}

json_t *do_find(struct driver *driver, json_t *step) {
    restway_query *query = query_of(driver, step);
    restway_list *list = NULL;
    restway_error *error = NULL;
    json_t *found = json_array();
    must("query", restway_store_query(driver->store, query, &list, &error), error);
    for (size_t index = 0; index < restway_list_count(list); index++) {
        json_array_append_new(found, identity_as_json(restway_list_object(list, index)));
    }
    restway_list_release(list);
    restway_query_release(query);
    return json_pack("{s:o}", "found", found);
}

json_t *do_drop(struct driver *driver, json_t *step) {
    restway_error *error = NULL;
    size_t count = 0;
    (void)step;
    must("drop", restway_outbox_drop_all(driver->client, &count, &error), error);
    return json_pack("{s:I}", "dropped", (json_int_t)count);
}

json_t *do_retry(struct driver *driver, json_t *step) {
    restway_outbox_items *items = NULL;
    restway_error *error = NULL;
    (void)step;
    must("outbox", restway_outbox_list(driver->client, &items, &error), error);
    for (size_t index = 0; index < restway_outbox_items_count(items); index++) {
        const restway_outbox_item *item = restway_outbox_items_item(items, index);
        if (restway_outbox_item_state(item) == RESTWAY_OUTBOX_DEAD) {
            int64_t id = restway_outbox_item_id(item);
            must("retry", restway_outbox_retry(driver->client, id, &error), error);
        }
    }
    restway_outbox_items_release(items);
    return json_object();
}

struct told_changes {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /** The notices that no step has shown yet. */
    json_t *notices;
};

typedef size_t (*changed_names_fn)(
    const restway_changes *changes, size_t index, uint32_t *indices, size_t capacity);
typedef const char *(*name_fn)(const restway_object *object, size_t index);

static void add_names(
    json_t *names, const restway_changes *changes, size_t place, changed_names_fn changed,
    name_fn name_at) {
    uint32_t indices[64];
    size_t count = changed(changes, place, indices, 64);
    for (size_t index = 0; index < count; index++) {
        const char *name = name_at(restway_changes_object(changes, place), indices[index]);
        json_array_append_new(names, json_string(name));
    }
}

static json_t *change_as_json(const restway_changes *changes, size_t place) {
    static const char *const kinds[] = {"", "inserted", "updated", "deleted"};
    static const char *const sources[] = {"", "local", "server", "takenBack"};
    const restway_object *object = restway_changes_object(changes, place);
    json_t *change = json_pack(
        "{s:s, s:o, s:s, s:b}", "kind", kinds[restway_changes_kind(changes, place)],
        restway_object_entity(object), identity_as_json(object), "source",
        sources[restway_changes_source(changes, place)], "pendingChanged",
        restway_changes_pending_changed(changes, place));
    if (restway_changes_kind(changes, place) == RESTWAY_CHANGE_UPDATED) {
        json_t *names = json_array();
        add_names(
            names, changes, place, restway_changes_attributes, restway_object_attribute_name);
        add_names(
            names, changes, place, restway_changes_relationships,
            restway_object_relationship_name);
        json_object_set_new(change, "changed", names);
    }
    return change;
}

static void on_changed(void *context, const restway_changes *changes) {
    struct told_changes *told = context;
    json_t *notice = json_array();
    for (size_t index = 0; index < restway_changes_count(changes); index++) {
        json_array_append_new(notice, change_as_json(changes, index));
    }
    pthread_mutex_lock(&told->lock);
    json_array_append_new(told->notices, notice);
    pthread_cond_signal(&told->changed);
    pthread_mutex_unlock(&told->lock);
}

json_t *do_observe(struct driver *driver, json_t *step) {
    restway_error *error = NULL;
    (void)step;
    if (driver->told == NULL) {
        driver->told = calloc(1, sizeof(*driver->told));
        pthread_mutex_init(&driver->told->lock, NULL);
        pthread_cond_init(&driver->told->changed, NULL);
        driver->told->notices = json_array();
    }
    must(
        "observe",
        restway_client_observe(
            driver->client, NULL, on_changed, driver->told, NULL, NULL, &error),
        error);
    return json_object();
}

json_t *do_changes(struct driver *driver, json_t *step) {
    struct told_changes *told = driver->told;
    size_t count = (size_t)json_integer_value(json_object_get(step, "count"));
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += SECONDS_MAX;
    int has_waited = 0;
    pthread_mutex_lock(&told->lock);
    while (json_array_size(told->notices) < count && has_waited == 0) {
        has_waited = pthread_cond_timedwait(&told->changed, &told->lock, &limit);
    }
    json_t *notices = told->notices;
    told->notices = json_array();
    pthread_mutex_unlock(&told->lock);
    return json_pack("{s:o}", "changes", notices);
}

void told_changes_free(struct told_changes *told) {
    if (told == NULL) {
        return;
    }
    pthread_mutex_destroy(&told->lock);
    pthread_cond_destroy(&told->changed);
    json_decref(told->notices);
    free(told);
}

static restway_status on_event(
    void *context, const restway_stream_event *event, int32_t *out_pauses,
    restway_answer *answer) {
    (void)out_pauses;
    (void)answer;
    *(size_t *)context += event->object_count;
    return RESTWAY_OK;
}

json_t *do_events(struct driver *driver, json_t *step) {
    restway_event_receiver receiver = RESTWAY_EVENT_RECEIVER_INIT;
    restway_request *request = request_of(driver, step);
    restway_response *response = NULL;
    restway_error *error = NULL;
    size_t count = 0;
    receiver.context = &count;
    receiver.receive = on_event;
    must("events", restway_request_set_event_receiver(request, &receiver, &error), error);
    restway_status status = restway_client_perform(driver->client, request, 0, &response, &error);
    must("events", status, error);
    restway_response_release(response);
    restway_request_release(request);
    return json_pack("{s:I}", "events", (json_int_t)count);
}
