/* Conflicts: what a program sees of them, and how it decides. Most tests run with a store in memory
 * and with a store in a file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answering.h"
#include "harness.h"

#define DOCUMENT \
    "{\"restway\": 1," \
    " \"environments\": {\"here\": {\"baseURL\": \"http://127.0.0.1:1\"}}," \
    " \"entities\": {" \
    "   \"Note\": {\"identity\": \"id\", \"version\": {\"attribute\": \"rev\"}," \
    "     \"conflicts\": {\"attributes\": {\"stars\": \"ask\"}}," \
    "     \"attributes\": {\"id\": {\"type\": \"int\"}, \"rev\": \"rev\"," \
    "       \"title\": {\"type\": \"string\"}, \"stars\": {\"type\": \"int\"}}," \
    "     \"relationships\": {\"tags\": {\"entity\": \"Tag\", \"many\": true," \
    "       \"byIdentity\": true}}}," \
    "   \"Tag\": {\"identity\": \"id\", \"attributes\": {\"id\": {\"type\": \"int\"}}}}," \
    " \"outbox\": {\"intervalMilliseconds\": -1}," \
    " \"routes\": {" \
    "   \"note\": {\"method\": [\"GET\", \"PATCH\", \"DELETE\"], \"path\": \"notes/:id\"," \
    "     \"entity\": \"Note\", \"response\": {\"entity\": \"Note\"}, \"offline\": true," \
    "     \"request\": {\"entity\": \"Note\", \"changedOnly\": true}}}}"

#define ONE "{\"id\": 1, \"rev\": \"a\", \"title\": \"one\", \"stars\": 1, \"tags\": [7]}"
#define TWO "{\"id\": 1, \"rev\": \"b\", \"title\": \"two\", \"stars\": 2, \"tags\": [8]}"

struct editing {
    char directory[64];
    char outbox[96];
    char objects[96];
    struct answering_server server;
    restway_client *client;
    restway_store *store;
};

static void editing_begin(struct editing *editing, int is_in_file) {
    restway_api *api = NULL;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    memset(editing, 0, sizeof(*editing));
    snprintf(editing->directory, sizeof(editing->directory), "/tmp/restway-conflict-XXXXXX");
    assert_non_null(mkdtemp(editing->directory));
    snprintf(editing->outbox, sizeof(editing->outbox), "%s/outbox.db", editing->directory);
    snprintf(editing->objects, sizeof(editing->objects), "%s/objects.db", editing->directory);
    answering_begin(&editing->server);
    assert_ok(restway_api_load(DOCUMENT, strlen(DOCUMENT), &api, &failure));
    options.base_url = editing->server.url;
    options.outbox_path = editing->outbox;
    options.store_path = is_in_file ? editing->objects : NULL;
    assert_ok(restway_client_create(api, &options, &editing->client, &failure));
    restway_api_release(api);
    editing->store = restway_client_store(editing->client);
    answering_set(&editing->server, 200, ONE);
    restway_response_release(fetch(editing->client, "notes/1"));
}

static void editing_end(struct editing *editing) {
    static const char *const suffixes[] = {"", "-wal", "-shm"};
    char name[160];
    restway_store_release(editing->store);
    restway_client_release(editing->client);
    answering_end(&editing->server);
    for (size_t index = 0; index < 3; index++) {
        snprintf(name, sizeof(name), "%s%s", editing->objects, suffixes[index]);
        remove(name);
    }
    remove_store(editing->directory, editing->outbox);
}

static restway_object *note_of(struct editing *editing) {
    restway_object *object = NULL;
    restway_value identity = restway_value_int64(1);
    assert_ok(restway_store_find(editing->store, "Note", &identity, &object, &failure));
    return object;
}

/** Stores a request about the note, which is released. */
static void queue(struct editing *editing, restway_request *request) {
    assert_ok(restway_client_set_reachability(
        editing->client, RESTWAY_REACHABILITY_UNREACHABLE, &failure));
    assert_fails(
        restway_client_perform(editing->client, request, 0, NULL, &failure), RESTWAY_E_QUEUED,
        "outbox");
    restway_request_release(request);
}

/** Stores a PATCH that sets the attributes whose value is given, and a relationship. */
static void edit(struct editing *editing, const char *title, int64_t stars, int ends_tags) {
    restway_draft *draft = NULL;
    restway_request *request = NULL;
    restway_object *object = note_of(editing);
    assert_ok(restway_draft_copy(editing->store, object, &draft, &failure));
    if (title != NULL) {
        restway_value value = restway_value_string(title);
        assert_ok(restway_draft_set(draft, "title", &value, &failure));
    }
    if (stars != 0) {
        restway_value value = restway_value_int64(stars);
        assert_ok(restway_draft_set(draft, "stars", &value, &failure));
    }
    if (ends_tags) {
        restway_value none = {RESTWAY_VALUE_LIST, 0, {.list = NULL}};
        assert_ok(restway_draft_set(draft, "tags", &none, &failure));
    }
    assert_ok(restway_request_create_draft("PATCH", draft, &request, &failure));
    restway_object_release(object);
    restway_draft_release(draft);
    queue(editing, request);
}

struct flushing {
    pthread_mutex_t lock;
    pthread_cond_t ended;
    int is_over;
};

static void on_flushed(
    void *context, const restway_outbox_items *items, restway_status status,
    const restway_error *error) {
    struct flushing *flushing = context;
    (void)items;
    (void)error;
    pthread_mutex_lock(&flushing->lock);
    flushing->is_over = status == RESTWAY_OK ? 1 : -1;
    pthread_cond_signal(&flushing->ended);
    pthread_mutex_unlock(&flushing->lock);
}

/** Sends what waits, and waits for the end. */
static void flush(struct editing *editing) {
    struct flushing flushing = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
    assert_ok(restway_outbox_flush(
        editing->client, RESTWAY_OUTBOX_FORCE, on_flushed, &flushing, NULL, &failure));
    pthread_mutex_lock(&flushing.lock);
    while (flushing.is_over == 0) {
        pthread_cond_wait(&flushing.ended, &flushing.lock);
    }
    pthread_mutex_unlock(&flushing.lock);
    assert_int_equal(flushing.is_over, 1);
}

/** Lets the server have other values, and the outbox compare them. */
static void meet(struct editing *editing, const char *theirs) {
    answering_set(&editing->server, 200, theirs);
    restway_response_release(fetch(editing->client, "notes/1"));
    flush(editing);
}

static restway_conflicts *conflicts_of(struct editing *editing) {
    restway_conflicts *conflicts = NULL;
    assert_ok(restway_outbox_conflicts(editing->client, &conflicts, &failure));
    return conflicts;
}

static int64_t parked_count(struct editing *editing) {
    restway_outbox_counts counts = RESTWAY_OUTBOX_COUNTS_INIT;
    assert_ok(restway_outbox_count(editing->client, &counts, &failure));
    return counts.parked;
}

static size_t count_conflicted(struct editing *editing, int32_t conflicted) {
    restway_query *query = NULL;
    size_t count = 99;
    assert_ok(restway_query_create(editing->store, "Note", &query, &failure));
    assert_ok(restway_query_set_conflicted(query, conflicted, &failure));
    assert_ok(restway_store_count_query(editing->store, query, &count, &failure));
    restway_query_release(query);
    return count;
}

static void assert_title(struct editing *editing, const char *title) {
    restway_object *object = note_of(editing);
    assert_string_equal(restway_object_string(object, "title"), title);
    restway_object_release(object);
}

static void conflict__has_three_sides(void **state) {
    (void)state;
    for (int is_in_file = 0; is_in_file < 2; is_in_file++) {
        struct editing editing;
        restway_outbox_item *item = NULL;
        editing_begin(&editing, is_in_file);
        edit(&editing, "mine", 0, 0);
        meet(&editing, TWO);
        assert_int_equal(parked_count(&editing), 1);
        assert_int_equal(count_conflicted(&editing, 1), 1);
        assert_int_equal(count_conflicted(&editing, 0), 0);
        assert_int_equal(count_conflicted(&editing, -1), 1);
        restway_conflicts *conflicts = conflicts_of(&editing);
        assert_int_equal(restway_conflicts_count(conflicts), 1);
        assert_null(restway_conflicts_conflict(conflicts, 1));
        restway_conflict *conflict =
            restway_conflict_retain(restway_conflicts_conflict(conflicts, 0));
        restway_conflicts *same = restway_conflicts_retain(conflicts);
        assert_ptr_equal(same, conflicts);
        restway_conflicts_release(same);
        restway_conflicts_release(conflicts);
        assert_int_equal(restway_conflict_kind_of(conflict), RESTWAY_CONFLICT_ATTRIBUTES);
        assert_int_equal(restway_conflict_count(conflict), 1);
        assert_string_equal(restway_conflict_name(conflict, 0), "title");
        assert_null(restway_conflict_name(conflict, 1));
        assert_int_equal(restway_conflict_is_relationship(conflict, 0), 0);
        const restway_object *mine = restway_conflict_mine(conflict);
        assert_string_equal(
            restway_object_string(restway_conflict_base(conflict), "title"), "one");
        assert_string_equal(restway_object_string(mine, "title"), "mine");
        assert_string_equal(
            restway_object_string(restway_conflict_theirs(conflict), "title"), "two");
        int64_t id = restway_conflict_item_id(conflict);
        assert_ok(restway_outbox_find(editing.client, id, &item, &failure));
        assert_int_equal(restway_outbox_item_state(item), RESTWAY_OUTBOX_PARKED);
        restway_outbox_item_release(item);
        assert_fails(
            restway_outbox_retry(editing.client, id, &failure), RESTWAY_E_INVALID_ARGUMENT, "");
        assert_title(&editing, "mine");
        editing_end(&editing);
        /* A conflict outlives its client. */
        assert_string_equal(restway_object_string(mine, "title"), "mine");
        restway_conflict_release(conflict);
    }
}

static void conflict__is_resolved_by_sides(void **state) {
    (void)state;
    for (int is_in_file = 0; is_in_file < 2; is_in_file++) {
        for (int takes_mine = 0; takes_mine < 2; takes_mine++) {
            struct editing editing;
            editing_begin(&editing, is_in_file);
            edit(&editing, "mine", 0, 0);
            meet(&editing, TWO);
            restway_conflicts *conflicts = conflicts_of(&editing);
            restway_conflict *conflict = restway_conflicts_conflict(conflicts, 0);
            assert_refused(restway_conflict_resolve(editing.client, conflict, &failure));
            assert_int_equal(parked_count(&editing), 1);
            assert_ok(restway_conflict_choose(
                conflict, takes_mine ? "title" : NULL,
                takes_mine ? RESTWAY_CONFLICT_MINE : RESTWAY_CONFLICT_THEIRS, &failure));
            answering_set(
                &editing.server, 200, "{\"id\": 1, \"rev\": \"c\", \"title\": \"mine\"}");
            int before = answering_count(&editing.server);
            assert_ok(restway_conflict_resolve(editing.client, conflict, &failure));
            flush(&editing);
            assert_int_equal(answering_count(&editing.server), before + takes_mine);
            if (takes_mine) {
                char *head = answering_take_head(&editing.server);
                char *body = answering_take_body(&editing.server);
                assert_holds(head, "If-Match: \"b\"");
                assert_holds(body, "\"title\":\"mine\"");
                free(head);
                free(body);
            }
            assert_title(&editing, takes_mine ? "mine" : "two");
            assert_int_equal(parked_count(&editing), 0);
            assert_int_equal(count_conflicted(&editing, 1), 0);
            assert_refused(restway_conflict_resolve(editing.client, conflict, &failure));
            restway_conflicts_release(conflicts);
            conflicts = conflicts_of(&editing);
            assert_int_equal(restway_conflicts_count(conflicts), 0);
            restway_conflicts_release(conflicts);
            editing_end(&editing);
        }
    }
}

static void conflict__is_resolved_by_values(void **state) {
    (void)state;
    for (int is_in_file = 0; is_in_file < 2; is_in_file++) {
        struct editing editing;
        restway_value title = restway_value_string("both");
        restway_list *tags = NULL;
        editing_begin(&editing, is_in_file);
        edit(&editing, "mine", 0, 1);
        meet(&editing, TWO);
        restway_conflicts *conflicts = conflicts_of(&editing);
        restway_conflict *conflict = restway_conflicts_conflict(conflicts, 0);
        assert_int_equal(restway_conflict_count(conflict), 2);
        assert_string_equal(restway_conflict_name(conflict, 1), "tags");
        assert_int_equal(restway_conflict_is_relationship(conflict, 1), 1);
        assert_ok(restway_store_related(
            editing.store, restway_conflict_base(conflict), "tags", &tags, &failure));
        restway_value tag = {RESTWAY_VALUE_OBJECT, 0, {.object = restway_list_object(tags, 0)}};
        restway_value list = {RESTWAY_VALUE_LIST, 1, {.list = &tag}};
        assert_ok(restway_conflict_set_value(conflict, "tags", &list, &failure));
        assert_ok(restway_conflict_set_value(conflict, "title", &title, &failure));
        restway_list_release(tags);
        answering_set(
            &editing.server, 200,
            "{\"id\": 1, \"rev\": \"c\", \"title\": \"both\", \"tags\": [7]}");
        assert_ok(restway_conflict_resolve(editing.client, conflict, &failure));
        flush(&editing);
        char *body = answering_take_body(&editing.server);
        assert_holds(body, "\"title\":\"both\"");
        assert_holds(body, "\"tags\":[7]");
        free(body);
        assert_title(&editing, "both");
        restway_conflicts_release(conflicts);
        editing_end(&editing);
    }
}

static void conflict__refuses_what_is_wrong(void **state) {
    (void)state;
    struct editing editing;
    restway_conflicts *none = POISON;
    restway_value number = restway_value_int64(3), text = restway_value_string("t");
    editing_begin(&editing, 0);
    edit(&editing, "mine", 0, 0);
    meet(&editing, TWO);
    restway_conflicts *conflicts = conflicts_of(&editing);
    restway_conflict *conflict = restway_conflicts_conflict(conflicts, 0);
    assert_fails(
        restway_conflict_choose(conflict, "titel", RESTWAY_CONFLICT_MINE, &failure),
        RESTWAY_E_UNKNOWN_ATTRIBUTE, "titel");
    assert_fails(
        restway_conflict_choose(conflict, "stars", RESTWAY_CONFLICT_MINE, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "not in conflict");
    assert_fails(
        restway_conflict_choose(conflict, "tags", RESTWAY_CONFLICT_MINE, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "not in conflict");
    assert_fails(
        restway_conflict_choose(conflict, "title", (restway_conflict_side)3, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "side");
    assert_refused(restway_conflict_choose(conflict, BAD_UTF8, RESTWAY_CONFLICT_MINE, &failure));
    assert_refused(restway_conflict_choose(NULL, NULL, RESTWAY_CONFLICT_MINE, &failure));
    assert_fails(
        restway_conflict_set_value(conflict, "title", &number, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "title");
    assert_fails(
        restway_conflict_set_value(conflict, "stars", &number, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "not in conflict");
    assert_refused(restway_conflict_set_value(conflict, NULL, &text, &failure));
    assert_refused(restway_conflict_set_value(conflict, BAD_UTF8, &text, &failure));
    assert_refused(restway_conflict_set_value(conflict, "title", NULL, &failure));
    assert_refused(restway_conflict_set_value(NULL, "title", &text, &failure));
    assert_refused(restway_conflict_resolve(NULL, conflict, &failure));
    assert_refused(restway_conflict_resolve(editing.client, NULL, &failure));
    /* Nothing of all that is a choice. */
    assert_refused(restway_conflict_resolve(editing.client, conflict, &failure));
    assert_refused(restway_outbox_conflicts(NULL, &none, &failure));
    assert_null(none);
    assert_refused(restway_outbox_conflicts(editing.client, NULL, &failure));
    restway_conflicts_release(conflicts);
    restway_query *query = NULL;
    assert_ok(restway_query_create(editing.store, "Note", &query, &failure));
    assert_fails(
        restway_query_set_conflicted(query, 2, &failure), RESTWAY_E_INVALID_ARGUMENT,
        "conflicted");
    assert_fails(
        restway_query_set_conflicted(query, -2, &failure), RESTWAY_E_INVALID_ARGUMENT,
        "conflicted");
    assert_refused(restway_query_set_conflicted(NULL, 1, &failure));
    restway_query_release(query);
    restway_client_close(editing.client);
    assert_fails(
        restway_outbox_conflicts(editing.client, &none, &failure), RESTWAY_E_CLOSED, "closed");
    editing_end(&editing);
}

static void conflict__about_an_object_as_a_whole_has_no_names(void **state) {
    (void)state;
    for (int is_in_file = 0; is_in_file < 2; is_in_file++) {
        struct editing editing;
        restway_request *request = NULL;
        restway_value text = restway_value_string("t");
        editing_begin(&editing, is_in_file);
        restway_object *object = note_of(&editing);
        assert_ok(restway_request_create_object("DELETE", object, &request, &failure));
        restway_object_release(object);
        queue(&editing, request);
        meet(&editing, TWO);
        restway_conflicts *conflicts = conflicts_of(&editing);
        restway_conflict *conflict = restway_conflicts_conflict(conflicts, 0);
        assert_int_equal(restway_conflict_kind_of(conflict), RESTWAY_CONFLICT_I_DELETE);
        assert_int_equal(restway_conflict_count(conflict), 0);
        assert_null(restway_conflict_name(conflict, 0));
        assert_string_equal(
            restway_object_string(restway_conflict_mine(conflict), "title"), "one");
        assert_string_equal(
            restway_object_string(restway_conflict_theirs(conflict), "title"), "two");
        assert_title(&editing, "two");
        assert_fails(
            restway_conflict_choose(conflict, "title", RESTWAY_CONFLICT_MINE, &failure),
            RESTWAY_E_INVALID_ARGUMENT, "as a whole");
        assert_fails(
            restway_conflict_set_value(conflict, "title", &text, &failure),
            RESTWAY_E_INVALID_ARGUMENT, "as a whole");
        assert_refused(restway_conflict_resolve(editing.client, conflict, &failure));
        assert_ok(restway_conflict_choose(conflict, NULL, RESTWAY_CONFLICT_THEIRS, &failure));
        assert_ok(restway_conflict_resolve(editing.client, conflict, &failure));
        assert_int_equal(parked_count(&editing), 0);
        assert_title(&editing, "two");
        restway_conflicts_release(conflicts);
        editing_end(&editing);
    }
}

struct asked {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int count;
    int destroyed_count;
    restway_status status;
};

static restway_status add_stars(
    void *context, restway_conflict *conflict, restway_answer *answer) {
    struct asked *asked = context;
    const restway_object *mine = restway_conflict_mine(conflict);
    const restway_object *theirs = restway_conflict_theirs(conflict);
    restway_value sum = restway_value_int64(
        restway_object_int64(mine, "stars", 0) + restway_object_int64(theirs, "stars", 0));
    pthread_mutex_lock(&asked->lock);
    asked->count++;
    restway_status status = asked->status;
    pthread_mutex_unlock(&asked->lock);
    assert_int_equal(restway_conflict_item_id(conflict), 0);
    assert_int_equal(restway_conflict_set_value(conflict, "stars", &sum, NULL), RESTWAY_OK);
    if (status != RESTWAY_OK) {
        assert_int_equal(
            restway_answer_set_message(answer, "the sky is clouded", NULL), RESTWAY_OK);
    }
    return status;
}

static void end_asking(void *context) {
    struct asked *asked = context;
    pthread_mutex_lock(&asked->lock);
    asked->destroyed_count++;
    pthread_cond_signal(&asked->changed);
    pthread_mutex_unlock(&asked->lock);
}

/** Waits until the context was destroyed so often. */
static void wait_destroyed(struct asked *asked, int count) {
    pthread_mutex_lock(&asked->lock);
    while (asked->destroyed_count < count) {
        pthread_cond_wait(&asked->changed, &asked->lock);
    }
    pthread_mutex_unlock(&asked->lock);
    assert_int_equal(asked->destroyed_count, count);
}

static void resolver__decides_what_the_document_leaves_to_it(void **state) {
    (void)state;
    for (int is_in_file = 0; is_in_file < 2; is_in_file++) {
        struct editing editing;
        struct asked asked = {
            PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, RESTWAY_OK};
        editing_begin(&editing, is_in_file);
        assert_ok(restway_client_set_resolver(
            editing.client, "Note", add_stars, &asked, end_asking, &failure));
        edit(&editing, NULL, 5, 0);
        meet(&editing, TWO);
        assert_int_equal(asked.count, 1);
        char *body = answering_take_body(&editing.server);
        assert_holds(body, "\"stars\":7");
        free(body);
        assert_int_equal(parked_count(&editing), 0);
        /* The function of an entity comes before the function of all entities. */
        assert_ok(restway_client_set_resolver(
            editing.client, NULL, add_stars, &asked, end_asking, &failure));
        assert_int_equal(asked.destroyed_count, 0);
        assert_ok(
            restway_client_set_resolver(editing.client, "Note", NULL, NULL, NULL, &failure));
        wait_destroyed(&asked, 1);
        editing_end(&editing);
        wait_destroyed(&asked, 2);
    }
}

static void resolver__that_fails_parks_everything(void **state) {
    (void)state;
    for (int is_in_file = 0; is_in_file < 2; is_in_file++) {
        struct editing editing;
        struct asked asked = {
            PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, RESTWAY_E_CANCELLED};
        editing_begin(&editing, is_in_file);
        assert_ok(restway_client_set_resolver(
            editing.client, NULL, add_stars, &asked, end_asking, &failure));
        edit(&editing, NULL, 5, 0);
        meet(&editing, TWO);
        assert_int_equal(asked.count, 1);
        assert_int_equal(parked_count(&editing), 1);
        restway_conflicts *conflicts = conflicts_of(&editing);
        assert_string_equal(
            restway_conflict_name(restway_conflicts_conflict(conflicts, 0), 0), "stars");
        restway_conflicts_release(conflicts);
        editing_end(&editing);
        wait_destroyed(&asked, 1);
    }
}

static void resolver__is_refused(void **state) {
    (void)state;
    struct editing editing;
    struct asked asked = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, RESTWAY_OK};
    restway_client *client = make_client();
    assert_fails(
        restway_client_set_resolver(client, NULL, add_stars, &asked, end_asking, &failure),
        RESTWAY_E_CONFIG, "outbox");
    restway_client_release(client);
    editing_begin(&editing, 0);
    assert_refused(
        restway_client_set_resolver(NULL, NULL, add_stars, &asked, end_asking, &failure));
    assert_fails(
        restway_client_set_resolver(
            editing.client, "Nota", add_stars, &asked, end_asking, &failure),
        RESTWAY_E_UNKNOWN_ENTITY, "Nota");
    assert_refused(restway_client_set_resolver(
        editing.client, BAD_UTF8, add_stars, &asked, end_asking, &failure));
    restway_client_close(editing.client);
    assert_fails(
        restway_client_set_resolver(
            editing.client, NULL, add_stars, &asked, end_asking, &failure),
        RESTWAY_E_CLOSED, "closed");
    editing_end(&editing);
    assert_int_equal(asked.destroyed_count, 0);
}

static void error__has_the_conflict_of_its_call(void **state) {
    (void)state;
    struct editing editing;
    restway_draft *draft = NULL;
    restway_request *request = NULL;
    restway_value title = restway_value_string("mine");
    editing_begin(&editing, 0);
    restway_object *object = note_of(&editing);
    assert_ok(restway_draft_copy(editing.store, object, &draft, &failure));
    assert_ok(restway_draft_set(draft, "title", &title, &failure));
    assert_ok(restway_request_create_draft("PATCH", draft, &request, &failure));
    assert_ok(restway_request_set_offline(request, RESTWAY_OFFLINE_NEVER, &failure));
    /* The store has newer values than the draft was made from, so nothing is sent. */
    answering_set(&editing.server, 200, TWO);
    restway_response_release(fetch(editing.client, "notes/1"));
    int before = answering_count(&editing.server);
    assert_fails_keeping(
        restway_client_perform(editing.client, request, 0, NULL, &failure), RESTWAY_E_HTTP,
        "title");
    assert_int_equal(answering_count(&editing.server), before);
    restway_conflict *conflict = restway_error_conflict(failure);
    assert_int_equal(restway_conflict_kind_of(conflict), RESTWAY_CONFLICT_ATTRIBUTES);
    assert_int_equal(restway_conflict_item_id(conflict), 0);
    assert_string_equal(restway_conflict_name(conflict, 0), "title");
    assert_string_equal(
        restway_object_string(restway_conflict_theirs(conflict), "title"), "two");
    restway_error *kept = failure;
    failure = NULL;
    assert_ok(restway_conflict_choose(conflict, NULL, RESTWAY_CONFLICT_MINE, &failure));
    assert_fails(
        restway_conflict_resolve(editing.client, conflict, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "");
    restway_error_release(kept);
    restway_request_release(request);
    restway_draft_release(draft);
    restway_object_release(object);
    editing_end(&editing);
}

static void version__is_the_text_of_the_server(void **state) {
    (void)state;
    for (int is_in_file = 0; is_in_file < 2; is_in_file++) {
        struct editing editing;
        char text[8];
        size_t length = 99;
        editing_begin(&editing, is_in_file);
        restway_object *object = note_of(&editing);
        assert_ok(restway_store_version(
            editing.store, object, text, sizeof(text), &length, &failure));
        assert_string_equal(text, "a");
        assert_int_equal(length, 1);
        assert_ok(restway_store_version(editing.store, object, NULL, 0, &length, &failure));
        assert_int_equal(length, 1);
        assert_ok(restway_store_version(editing.store, object, text, 1, NULL, &failure));
        assert_string_equal(text, "");
        answering_set(&editing.server, 200, "{\"id\": 2, \"title\": \"without\"}");
        restway_response *response = fetch(editing.client, "notes/2");
        assert_ok(restway_store_version(
            editing.store, restway_response_object(response, 0), text, sizeof(text), &length,
            &failure));
        assert_string_equal(text, "");
        assert_int_equal(length, 0);
        restway_response_release(response);
        assert_refused(restway_store_version(NULL, object, text, 8, &length, &failure));
        assert_refused(
            restway_store_version(editing.store, NULL, text, 8, &length, &failure));
        assert_refused(
            restway_store_version(editing.store, object, NULL, 8, &length, &failure));
        restway_object_release(object);
        editing_end(&editing);
    }
}

static void conflict_reads__of_null(void **state) {
    (void)state;
    assert_null(restway_conflict_retain(NULL));
    restway_conflict_release(NULL);
    assert_int_equal(restway_conflict_kind_of(NULL), 0);
    assert_int_equal(restway_conflict_item_id(NULL), 0);
    assert_int_equal(restway_conflict_count(NULL), 0);
    assert_null(restway_conflict_name(NULL, 0));
    assert_int_equal(restway_conflict_is_relationship(NULL, 0), 0);
    assert_null(restway_conflict_base(NULL));
    assert_null(restway_conflict_mine(NULL));
    assert_null(restway_conflict_theirs(NULL));
    assert_int_equal(restway_conflicts_count(NULL), 0);
    assert_null(restway_conflicts_conflict(NULL, 0));
    assert_null(restway_conflicts_retain(NULL));
    restway_conflicts_release(NULL);
    assert_null(restway_error_conflict(NULL));
    restway_error *other = restway_error_create(RESTWAY_E_HTTP, "no conflict", NULL);
    assert_null(restway_error_conflict(other));
    restway_error_release(other);
}

static const struct CMUnitTest tests[] = {
    TEST(conflict__has_three_sides),
    TEST(conflict__is_resolved_by_sides),
    TEST(conflict__is_resolved_by_values),
    TEST(conflict__refuses_what_is_wrong),
    TEST(conflict__about_an_object_as_a_whole_has_no_names),
    TEST(resolver__decides_what_the_document_leaves_to_it),
    TEST(resolver__that_fails_parks_everything),
    TEST(resolver__is_refused),
    TEST(error__has_the_conflict_of_its_call),
    TEST(version__is_the_text_of_the_server),
    TEST(conflict_reads__of_null),
};

const struct suite conflict_suite = SUITE(tests);
