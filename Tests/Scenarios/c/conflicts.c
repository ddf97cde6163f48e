#include "conflicts.h"

#include <stdlib.h>
#include <string.h>

#include "values.h"

/** Returns one value of an object as JSON; null if it is absent, or if there is no object. */
static json_t *member(struct driver *driver, const restway_object *object, const char *name) {
    if (object == NULL) {
        return json_null();
    }
    json_t *shown = object_as_json(driver->store, object);
    json_t *value = json_object_get(json_object_get(shown, restway_object_entity(object)), name);
    value = value == NULL ? json_null() : json_incref(value);
    json_decref(shown);
    return value;
}

static json_t *conflict_as_json(struct driver *driver, const restway_conflict *conflict) {
    static const char *const kinds[] = {"", "attributes", "theyDeleted", "iDelete"};
    const restway_object *mine = restway_conflict_mine(conflict);
    const restway_object *theirs = restway_conflict_theirs(conflict);
    json_t *values = json_object();
    for (size_t index = 0; index < restway_conflict_count(conflict); index++) {
        const char *name = restway_conflict_name(conflict, index);
        json_object_set_new(
            values, name,
            json_pack(
                "{s:o, s:o, s:o}", "base",
                member(driver, restway_conflict_base(conflict), name), "mine",
                member(driver, mine, name), "theirs", member(driver, theirs, name)));
    }
    return json_pack(
        "{s:s, s:o, s:o, s:o}", "kind", kinds[restway_conflict_kind_of(conflict)],
        restway_object_entity(mine), identity_as_json(mine), "values", values, "theirs",
        theirs == NULL ? json_null() : object_as_json(driver->store, theirs));
}

json_t *conflict_of(struct driver *driver, const restway_error *failure) {
    const restway_conflict *conflict = restway_error_conflict(failure);
    return conflict == NULL ? json_null() : conflict_as_json(driver, conflict);
}

static restway_conflict_side side_of(const json_t *side) {
    return strcmp(json_string_value(side), "mine") == 0 ? RESTWAY_CONFLICT_MINE
                                                        : RESTWAY_CONFLICT_THEIRS;
}

/** Makes the choices that the members of a step describe. */
static void choose(struct driver *driver, json_t *step, restway_conflict *conflict) {
    const char *name;
    json_t *choice;
    restway_error *error = NULL;
    json_t *side = json_object_get(step, "side");
    if (side != NULL) {
        must("side", restway_conflict_choose(conflict, NULL, side_of(side), &error), error);
    }
    json_object_foreach(json_object_get(step, "sides"), name, choice) {
        must("sides", restway_conflict_choose(conflict, name, side_of(choice), &error), error);
    }
    json_object_foreach(json_object_get(step, "set"), name, choice) {
        struct held_value held;
        held_value_begin(&held, driver->store, choice);
        must("set", restway_conflict_set_value(conflict, name, &held.value, &error), error);
        held_value_end(&held);
    }
}

json_t *do_conflicts(struct driver *driver, json_t *step) {
    restway_conflicts *conflicts = NULL;
    restway_error *error = NULL;
    json_t *shown = json_array();
    (void)step;
    must("conflicts", restway_outbox_conflicts(driver->client, &conflicts, &error), error);
    for (size_t index = 0; index < restway_conflicts_count(conflicts); index++) {
        const restway_conflict *conflict = restway_conflicts_conflict(conflicts, index);
        json_array_append_new(shown, conflict_as_json(driver, conflict));
    }
    restway_conflicts_release(conflicts);
    return json_pack("{s:o}", "conflicts", shown);
}

json_t *do_resolve(struct driver *driver, json_t *step) {
    restway_conflicts *conflicts = NULL;
    restway_error *error = NULL;
    must("conflicts", restway_outbox_conflicts(driver->client, &conflicts, &error), error);
    for (size_t index = 0; index < restway_conflicts_count(conflicts); index++) {
        restway_conflict *conflict = restway_conflicts_conflict(conflicts, index);
        choose(driver, step, conflict);
        must("resolve", restway_conflict_resolve(driver->client, conflict, &error), error);
    }
    restway_conflicts_release(conflicts);
    return json_object();
}

/** The choices of a resolver. */
struct resolver {
    struct driver *driver;
    json_t *step;
};

static restway_status on_conflict(
    void *context, restway_conflict *conflict, restway_answer *answer) {
    struct resolver *resolver = context;
    choose(resolver->driver, resolver->step, conflict);
    if (json_is_true(json_object_get(resolver->step, "fails"))) {
        restway_error *error = NULL;
        must("answer", restway_answer_set_message(answer, "nobody knows", &error), error);
        return RESTWAY_E_CANCELLED;
    }
    return RESTWAY_OK;
}

static void resolver_free(void *context) {
    struct resolver *resolver = context;
    json_decref(resolver->step);
    free(resolver);
}

json_t *do_resolver(struct driver *driver, json_t *step) {
    const char *entity = json_string_value(json_object_get(step, "entity"));
    struct resolver *resolver = malloc(sizeof(*resolver));
    restway_error *error = NULL;
    /* The steps and the worker count references in different threads. */
    *resolver = (struct resolver){driver, json_deep_copy(step)};
    must(
        "resolver",
        restway_client_set_resolver(
            driver->client, entity, on_conflict, resolver, resolver_free, &error),
        error);
    return json_object();
}

json_t *do_version(struct driver *driver, json_t *step) {
    restway_object *object = object_named(driver->store, json_object_get(step, "object"));
    restway_error *error = NULL;
    char version[128];
    must(
        "version",
        restway_store_version(driver->store, object, version, sizeof(version), NULL, &error),
        error);
    restway_object_release(object);
    return json_pack("{s:o}", "version", *version == 0 ? json_null() : json_string(version));
}
