/* Edits that wait for the server: what a program sees of them. Most tests run with a store in
 * memory and with a store in a file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answering.h"
#include "harness.h"

#define DOCUMENT \
    "{\"restway\": 1," \
    " \"environments\": {\"here\": {\"baseURL\": \"http://127.0.0.1:1\"}}," \
    " \"entities\": {" \
    "   \"Note\": {\"identity\": \"id\", \"attributes\": {" \
    "     \"id\": {\"type\": \"int\"}, \"title\": \"title\", \"body\": \"body\"}," \
    "     \"relationships\": {\"tags\": {\"entity\": \"Tag\", \"many\": true," \
    "       \"byIdentity\": true}}}," \
    "   \"Tag\": {\"identity\": \"id\", \"attributes\": {\"id\": {\"type\": \"int\"}}}}," \
    " \"outbox\": {\"intervalMilliseconds\": -1}," \
    " \"routes\": {" \
    "   \"note\": {\"method\": [\"GET\", \"PATCH\", \"DELETE\"], \"path\": \"notes/:id\"," \
    "     \"entity\": \"Note\", \"response\": {\"entity\": \"Note\"}, \"offline\": true," \
    "     \"request\": {\"entity\": \"Note\", \"changedOnly\": true}}}}"

struct waiting {
    char directory[64];
    char outbox[96];
    char objects[96];
    struct answering_server server;
    restway_client *client;
    restway_store *store;
    /** Note 1 as the first answer brought it. */
    restway_object *note;
};

static void waiting_begin(struct waiting *waiting, int is_in_file) {
    restway_api *api = NULL;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    memset(waiting, 0, sizeof(*waiting));
    snprintf(waiting->directory, sizeof(waiting->directory), "/tmp/restway-pending-XXXXXX");
    assert_non_null(mkdtemp(waiting->directory));
    snprintf(waiting->outbox, sizeof(waiting->outbox), "%s/outbox.db", waiting->directory);
    snprintf(waiting->objects, sizeof(waiting->objects), "%s/objects.db", waiting->directory);
    answering_begin(&waiting->server);
    assert_ok(restway_api_load(DOCUMENT, strlen(DOCUMENT), &api, &failure));
    options.base_url = waiting->server.url;
    options.outbox_path = waiting->outbox;
    options.store_path = is_in_file ? waiting->objects : NULL;
    assert_ok(restway_client_create(api, &options, &waiting->client, &failure));
    restway_api_release(api);
    waiting->store = restway_client_store(waiting->client);
    answering_set(
        &waiting->server, 200, "{\"id\": 1, \"title\": \"one\", \"body\": \"b1\", \"tags\": [7]}");
    restway_response *response = fetch(waiting->client, "notes/1");
    waiting->note = restway_object_retain(restway_response_object(response, 0));
    restway_response_release(response);
}

static void waiting_end(struct waiting *waiting) {
    static const char *const suffixes[] = {"", "-wal", "-shm"};
    char name[160];
    restway_object_release(waiting->note);
    restway_store_release(waiting->store);
    restway_client_release(waiting->client);
    answering_end(&waiting->server);
    for (size_t index = 0; index < 3; index++) {
        snprintf(name, sizeof(name), "%s%s", waiting->objects, suffixes[index]);
        remove(name);
    }
    remove_store(waiting->directory, waiting->outbox);
}

static restway_object *newest(struct waiting *waiting) {
    restway_object *object = NULL;
    assert_ok(restway_store_newest(waiting->store, waiting->note, &object, &failure));
    return object;
}

/** Makes a PATCH with another title. */
static restway_request *patch(struct waiting *waiting, const char *title) {
    restway_draft *draft = NULL;
    restway_request *request = NULL;
    restway_object *object = newest(waiting);
    restway_value value = restway_value_string(title);
    assert_ok(restway_draft_copy(waiting->store, object, &draft, &failure));
    assert_ok(restway_draft_set(draft, "title", &value, &failure));
    assert_ok(restway_request_create_draft("PATCH", draft, &request, &failure));
    restway_object_release(object);
    restway_draft_release(draft);
    return request;
}

/** Lets the outbox store a request, which is released. */
static void queue(struct waiting *waiting, restway_request *request) {
    assert_ok(restway_client_set_reachability(
        waiting->client, RESTWAY_REACHABILITY_UNREACHABLE, &failure));
    assert_fails(
        restway_client_perform(waiting->client, request, 0, NULL, &failure), RESTWAY_E_QUEUED,
        "outbox");
    restway_request_release(request);
}

static size_t count_with(struct waiting *waiting, int32_t pending, int32_t shown) {
    restway_query *query = NULL;
    size_t count = 99;
    assert_ok(restway_query_create(waiting->store, "Note", &query, &failure));
    assert_ok(restway_query_set_pending(query, pending, &failure));
    assert_ok(restway_query_set_pending_deletes(query, shown, &failure));
    assert_ok(restway_store_count_query(waiting->store, query, &count, &failure));
    restway_query_release(query);
    return count;
}

static restway_pending *pending_of(struct waiting *waiting) {
    restway_pending *pending = NULL;
    assert_ok(restway_store_pending(waiting->store, waiting->note, &pending, &failure));
    return pending;
}

static void pending__has_mine_and_base_under_the_answers(void **state) {
    (void)state;
    for (int is_in_file = 0; is_in_file < 2; is_in_file++) {
        struct waiting waiting;
        restway_object *confirmed = NULL;
        waiting_begin(&waiting, is_in_file);
        queue(&waiting, patch(&waiting, "mine"));
        answering_set(
            &waiting.server, 200,
            "{\"id\": 1, \"title\": \"two\", \"body\": \"b2\", \"tags\": [7, 8]}");
        restway_response_release(fetch(waiting.client, "notes/1"));
        restway_object *seen = newest(&waiting);
        assert_string_equal(restway_object_string(seen, "title"), "mine");
        assert_string_equal(restway_object_string(seen, "body"), "b2");
        assert_ok(restway_store_confirmed(waiting.store, seen, &confirmed, &failure));
        assert_string_equal(restway_object_string(confirmed, "title"), "two");
        assert_int_equal(restway_object_is_same(confirmed, seen), 1);
        restway_pending *pending = pending_of(&waiting);
        assert_int_equal(restway_pending_count(pending), 1);
        assert_string_equal(restway_pending_name(pending, 0), "title");
        assert_null(restway_pending_name(pending, 1));
        assert_int_equal(restway_pending_is_relationship(pending, 0), 0);
        assert_string_equal(
            restway_object_string(restway_pending_mine(pending), "title"), "mine");
        assert_string_equal(restway_object_string(restway_pending_base(pending), "title"), "one");
        assert_int_equal(restway_object_is_same(restway_pending_base(pending), seen), 1);
        assert_int_equal(restway_pending_deletes(pending), 0);
        assert_int_equal(count_with(&waiting, 1, -1), 1);
        assert_int_equal(count_with(&waiting, 0, -1), 0);
        assert_int_equal(count_with(&waiting, -1, -1), 1);
        assert_ok(restway_outbox_drop_all(waiting.client, NULL, &failure));
        restway_object *dropped = newest(&waiting);
        assert_string_equal(restway_object_string(dropped, "title"), "two");
        restway_pending *none = pending_of(&waiting);
        assert_int_equal(restway_pending_count(none), 0);
        assert_int_equal(count_with(&waiting, 1, -1), 0);
        restway_pending *same = restway_pending_retain(pending);
        assert_ptr_equal(same, pending);
        restway_pending_release(pending);
        assert_int_equal(restway_pending_count(same), 1);
        restway_pending_release(same);
        restway_pending_release(none);
        restway_object_release(dropped);
        restway_object_release(confirmed);
        restway_object_release(seen);
        waiting_end(&waiting);
    }
}

static void pending__follows_relationships(void **state) {
    (void)state;
    for (int is_in_file = 0; is_in_file < 2; is_in_file++) {
        struct waiting waiting;
        restway_draft *draft = NULL;
        restway_request *request = NULL;
        restway_list *tags = NULL;
        waiting_begin(&waiting, is_in_file);
        restway_value none = {RESTWAY_VALUE_LIST, 0, {.list = NULL}};
        assert_ok(restway_draft_copy(waiting.store, waiting.note, &draft, &failure));
        assert_ok(restway_draft_set(draft, "tags", &none, &failure));
        assert_ok(restway_request_create_draft("PATCH", draft, &request, &failure));
        restway_draft_release(draft);
        queue(&waiting, request);
        restway_pending *pending = pending_of(&waiting);
        assert_int_equal(restway_pending_count(pending), 1);
        assert_string_equal(restway_pending_name(pending, 0), "tags");
        assert_int_equal(restway_pending_is_relationship(pending, 0), 1);
        assert_int_equal(restway_pending_is_relationship(pending, 1), 0);
        assert_ok(restway_store_related(
            waiting.store, restway_pending_mine(pending), "tags", &tags, &failure));
        assert_int_equal(restway_list_count(tags), 0);
        restway_list_release(tags);
        assert_ok(restway_store_related(
            waiting.store, restway_pending_base(pending), "tags", &tags, &failure));
        assert_int_equal(restway_list_count(tags), 1);
        assert_int_equal(restway_object_int64(restway_list_object(tags, 0), "id", 0), 7);
        restway_list_release(tags);
        restway_pending_release(pending);
        waiting_end(&waiting);
    }
}

static void pending__a_deletion_hides_the_object(void **state) {
    (void)state;
    for (int is_in_file = 0; is_in_file < 2; is_in_file++) {
        struct waiting waiting;
        restway_request *request = NULL;
        restway_object *object = POISON;
        restway_value identity = restway_value_int64(1);
        waiting_begin(&waiting, is_in_file);
        assert_ok(
            restway_request_create_object("DELETE", waiting.note, &request, &failure));
        queue(&waiting, request);
        assert_fails(
            restway_store_find(waiting.store, "Note", &identity, &object, &failure),
            RESTWAY_E_NO_OBJECT, "Note");
        assert_null(object);
        assert_int_equal(count_with(&waiting, -1, -1), 0);
        assert_int_equal(count_with(&waiting, -1, 0), 0);
        assert_int_equal(count_with(&waiting, -1, 1), 1);
        assert_int_equal(count_with(&waiting, 1, 1), 1);
        assert_ok(restway_store_confirmed(waiting.store, waiting.note, &object, &failure));
        assert_int_equal(restway_object_is_equal(object, waiting.note), 1);
        restway_object_release(object);
        restway_pending *pending = pending_of(&waiting);
        assert_int_equal(restway_pending_deletes(pending), 1);
        assert_int_equal(restway_pending_count(pending), 0);
        restway_pending_release(pending);
        assert_ok(restway_outbox_drop_all(waiting.client, NULL, &failure));
        assert_int_equal(count_with(&waiting, -1, -1), 1);
        waiting_end(&waiting);
    }
}

/** What an observer was told, one after the other. */
struct told {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t count;
    restway_change_source sources[8];
    int32_t pending_changed[8];
};

static void note_changes(void *context, const restway_changes *changes) {
    struct told *told = context;
    pthread_mutex_lock(&told->lock);
    for (size_t index = 0; index < restway_changes_count(changes) && told->count < 8; index++) {
        told->sources[told->count] = restway_changes_source(changes, index);
        told->pending_changed[told->count++] = restway_changes_pending_changed(changes, index);
    }
    pthread_cond_signal(&told->changed);
    pthread_mutex_unlock(&told->lock);
}

static void assert_told(
    struct told *told, size_t index, restway_change_source source, int32_t pending_changed) {
    pthread_mutex_lock(&told->lock);
    while (told->count <= index) {
        pthread_cond_wait(&told->changed, &told->lock);
    }
    pthread_mutex_unlock(&told->lock);
    assert_int_equal(told->sources[index], source);
    assert_int_equal(told->pending_changed[index], pending_changed);
}

static void changes__say_their_source(void **state) {
    (void)state;
    for (int is_in_file = 0; is_in_file < 2; is_in_file++) {
        struct told told;
        struct waiting waiting;
        memset(&told, 0, sizeof(told));
        pthread_mutex_init(&told.lock, NULL);
        pthread_cond_init(&told.changed, NULL);
        waiting_begin(&waiting, is_in_file);
        assert_ok(restway_client_observe(
            waiting.client, "Note", note_changes, &told, NULL, NULL, &failure));
        queue(&waiting, patch(&waiting, "mine"));
        assert_told(&told, 0, RESTWAY_CHANGE_SOURCE_LOCAL, 1);
        answering_set(
            &waiting.server, 200, "{\"id\": 1, \"title\": \"two\", \"body\": \"b2\"}");
        restway_response_release(fetch(waiting.client, "notes/1"));
        assert_told(&told, 1, RESTWAY_CHANGE_SOURCE_SERVER, 0);
        assert_ok(restway_outbox_drop_all(waiting.client, NULL, &failure));
        assert_told(&told, 2, RESTWAY_CHANGE_SOURCE_TAKEN_BACK, 1);
        assert_int_equal(told.count, 3);
        waiting_end(&waiting);
        pthread_mutex_destroy(&told.lock);
        pthread_cond_destroy(&told.changed);
    }
}

static void optimistic__is_taken_back_when_the_server_refuses(void **state) {
    (void)state;
    for (int is_in_file = 0; is_in_file < 2; is_in_file++) {
        struct waiting waiting;
        restway_call *call = NULL;
        waiting_begin(&waiting, is_in_file);
        restway_request *request = patch(&waiting, "mine");
        assert_ok(restway_request_set_optimistic(request, 1, &failure));
        answering_shut(&waiting.server);
        assert_ok(restway_client_send(waiting.client, request, NULL, NULL, NULL, &call, &failure));
        answering_wait_count(&waiting.server, 2);
        restway_object *seen = newest(&waiting);
        assert_string_equal(restway_object_string(seen, "title"), "mine");
        restway_object_release(seen);
        assert_int_equal(count_with(&waiting, 1, -1), 1);
        answering_set(&waiting.server, 422, "{}");
        answering_open(&waiting.server);
        assert_fails(restway_call_wait(call, 0, NULL, &failure), RESTWAY_E_HTTP, "422");
        seen = newest(&waiting);
        assert_string_equal(restway_object_string(seen, "title"), "one");
        restway_object_release(seen);
        assert_int_equal(count_with(&waiting, 1, -1), 0);
        restway_call_release(call);
        restway_request_release(request);
        waiting_end(&waiting);
    }
}

static void pending__nothing_waits_of_an_object_without_edits(void **state) {
    (void)state;
    struct waiting waiting, other;
    restway_draft *draft = NULL;
    restway_object *made = NULL, *confirmed = POISON;
    waiting_begin(&waiting, 0);
    waiting_begin(&other, 0);
    restway_pending *pending = pending_of(&waiting);
    assert_int_equal(restway_pending_count(pending), 0);
    assert_int_equal(restway_object_is_equal(restway_pending_mine(pending), waiting.note), 1);
    assert_int_equal(restway_object_is_equal(restway_pending_base(pending), waiting.note), 1);
    restway_pending_release(pending);
    /* Only the program knows the object. */
    assert_ok(restway_draft_create(waiting.store, "Note", &draft, &failure));
    assert_ok(restway_draft_insert(draft, &made, &failure));
    assert_fails(
        restway_store_confirmed(waiting.store, made, &confirmed, &failure), RESTWAY_E_NO_OBJECT,
        "no server has answered");
    assert_null(confirmed);
    /* The other store does not have it. */
    assert_fails(
        restway_store_confirmed(other.store, made, &confirmed, &failure), RESTWAY_E_NO_OBJECT,
        "Note");
    assert_ok(restway_store_pending(other.store, made, &pending, &failure));
    assert_int_equal(restway_pending_count(pending), 0);
    restway_pending_release(pending);
    restway_object_release(made);
    restway_draft_release(draft);
    /* A store outlives its client. */
    restway_client_close(other.client);
    queue(&waiting, patch(&waiting, "mine"));
    restway_client_close(waiting.client);
    pending = pending_of(&waiting);
    assert_int_equal(restway_pending_count(pending), 1);
    restway_pending_release(pending);
    waiting_end(&waiting);
    waiting_end(&other);
}

static void pending__refuses_what_is_wrong(void **state) {
    (void)state;
    struct waiting waiting;
    restway_query *query = NULL;
    restway_object *object = POISON;
    restway_pending *pending = POISON;
    waiting_begin(&waiting, 0);
    assert_refused(restway_store_confirmed(NULL, waiting.note, &object, &failure));
    assert_null(object);
    assert_refused(restway_store_confirmed(waiting.store, NULL, &object, &failure));
    assert_refused(restway_store_confirmed(waiting.store, waiting.note, NULL, &failure));
    assert_refused(restway_store_pending(NULL, waiting.note, &pending, &failure));
    assert_null(pending);
    assert_refused(restway_store_pending(waiting.store, NULL, &pending, &failure));
    assert_refused(restway_store_pending(waiting.store, waiting.note, NULL, &failure));
    assert_null(restway_pending_retain(NULL));
    restway_pending_release(NULL);
    assert_int_equal(restway_pending_count(NULL), 0);
    assert_null(restway_pending_name(NULL, 0));
    assert_int_equal(restway_pending_is_relationship(NULL, 0), 0);
    assert_null(restway_pending_mine(NULL));
    assert_null(restway_pending_base(NULL));
    assert_int_equal(restway_pending_deletes(NULL), 0);
    assert_int_equal(restway_changes_source(NULL, 0), 0);
    assert_int_equal(restway_changes_pending_changed(NULL, 0), 0);
    assert_ok(restway_query_create(waiting.store, "Note", &query, &failure));
    for (int32_t wrong = -2; wrong <= 2; wrong += 4) {
        assert_fails(
            restway_query_set_pending(query, wrong, &failure), RESTWAY_E_INVALID_ARGUMENT,
            "pending");
        assert_fails(
            restway_query_set_pending_deletes(query, wrong, &failure),
            RESTWAY_E_INVALID_ARGUMENT, "shown");
    }
    assert_refused(restway_query_set_pending(NULL, 1, &failure));
    assert_refused(restway_query_set_pending_deletes(NULL, 1, &failure));
    restway_query_release(query);
    restway_request *request = patch(&waiting, "mine");
    assert_fails(
        restway_request_set_optimistic(request, 2, &failure), RESTWAY_E_INVALID_ARGUMENT,
        "optimistic");
    assert_fails(
        restway_request_set_optimistic(request, -2, &failure), RESTWAY_E_INVALID_ARGUMENT,
        "optimistic");
    assert_refused(restway_request_set_optimistic(NULL, 1, &failure));
    assert_ok(restway_request_set_optimistic(request, -1, &failure));
    restway_request_release(request);
    waiting_end(&waiting);
}

static const struct CMUnitTest tests[] = {
    TEST(pending__has_mine_and_base_under_the_answers),
    TEST(pending__follows_relationships),
    TEST(pending__a_deletion_hides_the_object),
    TEST(changes__say_their_source),
    TEST(optimistic__is_taken_back_when_the_server_refuses),
    TEST(pending__nothing_waits_of_an_object_without_edits),
    TEST(pending__refuses_what_is_wrong),
};

const struct suite pending_suite = SUITE(tests);
