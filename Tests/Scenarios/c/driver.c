#include "driver.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "conflicts.h"
#include "edits.h"
#include "values.h"

void give_up(const char *what, const char *which) {
    fprintf(stderr, "scenario driver: %s: %s\n", what, which == NULL ? "(none)" : which);
    exit(1);
}

void must(const char *what, restway_status status, restway_error *error) {
    if (status != RESTWAY_OK) {
        give_up(what, restway_error_message(error));
    }
}

static const char *text_of(const json_t *step, const char *key) {
    return json_string_value(json_object_get(step, key));
}

static int is_asked(const json_t *step, const char *key) {
    return json_is_true(json_object_get(json_object_get(step, "options"), key));
}

static const json_t *entities_of(const struct driver *driver) {
    return json_object_get(json_object_get(driver->opened, "document"), "entities");
}

/** Opens the client that the step `open` describes; returns the status of the first failure. */
static restway_status open_client(struct driver *driver, restway_error **out_error) {
    const json_t *step = driver->opened;
    const char *folder = text_of(step, "folder");
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_api *api = NULL;
    char outbox[512], store[512];
    char *document = json_dumps(json_object_get(step, "document"), 0);
    restway_status status = restway_api_load(document, strlen(document), &api, out_error);
    free(document);
    snprintf(outbox, sizeof(outbox), "%s/outbox.db", folder);
    snprintf(store, sizeof(store), "%s/objects.db", folder);
    options.outbox_path = is_asked(step, "outbox") ? outbox : NULL;
    options.store_path = is_asked(step, "storeFile") ? store : NULL;
    options.cache_flags = is_asked(step, "cache") ? RESTWAY_CACHE_ON : 0;
    options.clock = driver->clock;
    options.random_seed = 1;
    if (is_asked(step, "strict")) {
        options.flags |= RESTWAY_CLIENT_STRICT_MAPPING;
    }
    if (is_asked(step, "goneIsDeleted")) {
        options.flags |= RESTWAY_CLIENT_GONE_IS_DELETED;
    }
    if (status == RESTWAY_OK) {
        status = restway_client_create(api, &options, &driver->client, out_error);
    }
    restway_api_release(api);
    driver->store = restway_client_store(driver->client);
    return status;
}

static void close_client(struct driver *driver) {
    for (size_t index = 0; index < driver->sent_count; index++) {
        restway_call_release(driver->sent[index].call);
    }
    driver->sent_count = 0;
    restway_store_release(driver->store);
    restway_client_release(driver->client);
    driver->store = NULL;
    driver->client = NULL;
}

static json_t *do_open(struct driver *driver, json_t *step) {
    restway_error *error = NULL;
    driver->opened = json_incref(step);
    if (is_asked(step, "clock")) {
        must("clock", restway_clock_create(&driver->clock, &error), error);
    }
    restway_status status = open_client(driver, &error);
    return outcome_of(driver, status, NULL, error);
}

static json_t *do_restart(struct driver *driver, json_t *step) {
    restway_error *error = NULL;
    (void)step;
    close_client(driver);
    restway_status status = open_client(driver, &error);
    return outcome_of(driver, status, NULL, error);
}

static json_t *do_call(struct driver *driver, json_t *step) {
    restway_response *response = NULL;
    restway_error *error = NULL;
    restway_request *request = request_of(driver, step);
    restway_status status = restway_client_perform(driver->client, request, 0, &response, &error);
    restway_request_release(request);
    return outcome_of(driver, status, response, error);
}

static json_t *do_send(struct driver *driver, json_t *step) {
    struct sent_call *sent = &driver->sent[driver->sent_count];
    restway_error *error = NULL;
    if (driver->sent_count == CALLS_MAX) {
        give_up("too many calls", text_of(step, "name"));
    }
    restway_request *request = request_of(driver, step);
    snprintf(sent->name, sizeof(sent->name), "%s", text_of(step, "name"));
    restway_status status = restway_client_send(
        driver->client, request, NULL, NULL, NULL, &sent->call, &error);
    driver->sent_count += status == RESTWAY_OK;
    restway_request_release(request);
    return outcome_of(driver, status, NULL, error);
}

static restway_call *call_named(struct driver *driver, const json_t *step) {
    const char *name = text_of(step, "name");
    for (size_t index = 0; index < driver->sent_count; index++) {
        if (strcmp(driver->sent[index].name, name) == 0) {
            return driver->sent[index].call;
        }
    }
    give_up("no call", name);
    return NULL;
}

static json_t *do_wait(struct driver *driver, json_t *step) {
    restway_response *response = NULL;
    restway_error *error = NULL;
    restway_call *call = call_named(driver, step);
    restway_status status = restway_call_wait(call, 0, &response, &error);
    return outcome_of(driver, status, response, error);
}

static json_t *do_cancel(struct driver *driver, json_t *step) {
    restway_call_cancel(call_named(driver, step));
    return do_wait(driver, step);
}

static json_t *do_batch(struct driver *driver, json_t *step) {
    const json_t *calls = json_object_get(step, "calls");
    json_t *results = json_array();
    restway_batch *batch = NULL;
    restway_error *error = NULL;
    must("batch", restway_batch_create(driver->client, &batch, &error), error);
    for (size_t index = 0; index < json_array_size(calls); index++) {
        restway_request *request = request_of(driver, json_array_get(calls, index));
        must("add", restway_batch_add(batch, request, NULL, NULL, NULL, NULL, &error), error);
        restway_request_release(request);
    }
    must("send", restway_batch_send(batch, NULL, NULL, NULL, &error), error);
    restway_status status = restway_batch_wait(batch, 0, &error);
    json_t *outcome = outcome_of(driver, status, NULL, error);
    for (size_t index = 0; index < json_array_size(calls); index++) {
        restway_response *response = NULL;
        error = NULL;
        status = restway_batch_response(batch, index, &response, &error);
        json_array_append_new(results, outcome_of(driver, status, response, error));
    }
    restway_batch_release(batch);
    json_object_set_new(outcome, "results", results);
    return outcome;
}

static json_t *do_reachability(struct driver *driver, json_t *step) {
    restway_error *error = NULL;
    int is_reachable = strcmp(text_of(step, "value"), "reachable") == 0;
    restway_status status = restway_client_set_reachability(
        driver->client,
        is_reachable ? RESTWAY_REACHABILITY_REACHABLE : RESTWAY_REACHABILITY_UNREACHABLE, &error);
    return outcome_of(driver, status, NULL, error);
}

/** What a flush tells when it has ended. */
struct flushed {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int has_ended;
    restway_status status;
};

static void on_flushed(
    void *context, const restway_outbox_items *items, restway_status status,
    const restway_error *error) {
    struct flushed *flushed = context;
    (void)items;
    (void)error;
    pthread_mutex_lock(&flushed->lock);
    flushed->has_ended = 1;
    flushed->status = status;
    pthread_cond_signal(&flushed->changed);
    pthread_mutex_unlock(&flushed->lock);
}

static json_t *do_flush(struct driver *driver, json_t *step) {
    struct flushed flushed = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, RESTWAY_OK};
    restway_error *error = NULL;
    (void)step;
    must(
        "flush",
        restway_outbox_flush(
            driver->client, RESTWAY_OUTBOX_FORCE, on_flushed, &flushed, NULL, &error),
        error);
    pthread_mutex_lock(&flushed.lock);
    while (!flushed.has_ended) {
        pthread_cond_wait(&flushed.changed, &flushed.lock);
    }
    pthread_mutex_unlock(&flushed.lock);
    return json_pack("{s:i}", "status", (int)flushed.status);
}

static json_t *do_outbox(struct driver *driver, json_t *step) {
    restway_outbox_items *items = NULL;
    restway_error *error = NULL;
    int32_t needs_flushing = 0;
    json_t *shown = json_array();
    (void)step;
    must("outbox", restway_outbox_list(driver->client, &items, &error), error);
    for (size_t index = 0; index < restway_outbox_items_count(items); index++) {
        const restway_outbox_item *item = restway_outbox_items_item(items, index);
        const restway_response *answer = restway_outbox_item_response(item);
        json_array_append_new(
            shown,
            json_pack(
                "{s:s, s:s, s:i, s:i}", "method", restway_outbox_item_method(item), "path",
                restway_outbox_item_path(item), "state", (int)restway_outbox_item_state(item),
                "http", (int)restway_response_status(answer)));
    }
    restway_outbox_items_release(items);
    must(
        "needs flushing",
        restway_outbox_needs_flushing(driver->client, &needs_flushing, &error), error);
    return json_pack("{s:o, s:b}", "items", shown, "needsFlushing", needs_flushing);
}

static json_t *do_store(struct driver *driver, json_t *step) {
    (void)step;
    return json_pack(
        "{s:o, s:o, s:o}", "store", store_as_json(driver->store, entities_of(driver)), "unsent",
        unsent_as_json(driver->store, entities_of(driver)), "unloaded",
        unloaded_as_json(driver->store, entities_of(driver)));
}

static json_t *do_advance(struct driver *driver, json_t *step) {
    restway_error *error = NULL;
    json_int_t milliseconds = json_integer_value(json_object_get(step, "milliseconds"));
    must("advance", restway_clock_advance(driver->clock, milliseconds, &error), error);
    return json_object();
}

static json_t *do_discriminator(struct driver *driver, json_t *step) {
    restway_error *error = NULL;
    const char *value = text_of(step, "value");
    must("user", restway_client_set_cache_discriminator(driver->client, value, &error), error);
    return json_object();
}

typedef json_t *(*step_fn)(struct driver *driver, json_t *step);

static const struct {
    const char *name;
    step_fn perform;
} kinds_of_steps[] = {
    {"open", do_open},
    {"restart", do_restart},
    {"call", do_call},
    {"send", do_send},
    {"wait", do_wait},
    {"cancel", do_cancel},
    {"batch", do_batch},
    {"reachability", do_reachability},
    {"flush", do_flush},
    {"outbox", do_outbox},
    {"store", do_store},
    {"advance", do_advance},
    {"discriminator", do_discriminator},
    {"pending", do_pending},
    {"find", do_find},
    {"conflicts", do_conflicts},
    {"resolve", do_resolve},
    {"resolver", do_resolver},
    {"version", do_version},
    {"drop", do_drop},
    {"retry", do_retry},
    {"observe", do_observe},
    {"changes", do_changes},
    {"events", do_events},
};

static json_t *perform_step(struct driver *driver, json_t *step) {
    const char *name = text_of(step, "do");
    for (size_t index = 0; index < sizeof(kinds_of_steps) / sizeof(*kinds_of_steps); index++) {
        if (name != NULL && strcmp(kinds_of_steps[index].name, name) == 0) {
            return kinds_of_steps[index].perform(driver, step);
        }
    }
    give_up("no step", name);
    return NULL;
}

int main(void) {
    struct driver driver;
    char *line = NULL;
    size_t capacity = 0;
    memset(&driver, 0, sizeof(driver));
    while (getline(&line, &capacity, stdin) > 0) {
        json_error_t problem;
        json_t *step = json_loads(line, 0, &problem);
        if (step == NULL) {
            give_up("no JSON", problem.text);
        }
        json_t *outcome = perform_step(&driver, step);
        char *text = json_dumps(outcome, JSON_COMPACT);
        printf("%s\n", text);
        fflush(stdout);
        free(text);
        json_decref(outcome);
        json_decref(step);
    }
    close_client(&driver);
    told_changes_free(driver.told);
    restway_clock_release(driver.clock);
    json_decref(driver.opened);
    free(line);
    if (restway_debug_live_handles() != 0) {
        give_up("handles are left", NULL);
    }
    return 0;
}
