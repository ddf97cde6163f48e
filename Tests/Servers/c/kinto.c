/* Uses Kinto: kinto URL DOCUMENT OUTBOX USER PASSWORD STEP
 *
 * The steps are `talk` (versions, tombstones and a batch), `wait` (notes are stored, because the
 * server is down) and `send` (another process, which sends them). */
#include "check.h"

#include <jansson.h>
#include <semaphore.h>

/* Writes the requests of a batch as Kinto wants them. */
static restway_status encode(void *context, restway_batch_writer *writer, restway_answer *answer) {
    json_t *requests = json_array();
    json_t *body = json_pack("{s:o}", "requests", requests);
    restway_status status;
    char *text;
    (void)context, (void)answer;
    for (size_t index = 0; index < restway_batch_writer_count(writer); index++) {
        json_t *headers = json_object();
        size_t length = 0;
        const char *content = restway_batch_writer_body(writer, index, &length);
        json_t *request = json_pack(
            "{s:s, s:s+, s:o}", "method", restway_batch_writer_method(writer, index), "path", "/v1",
            restway_batch_writer_uri(writer, index), "headers", headers);
        for (size_t at = 0; at < restway_batch_writer_header_count(writer, index); at++) {
            const char *value = restway_batch_writer_header_value(writer, index, at);
            const char *name = restway_batch_writer_header_name(writer, index, at);
            json_object_set_new(headers, name, json_string(value));
        }
        if (content) json_object_set_new(request, "body", json_loadb(content, length, 0, NULL));
        json_array_append_new(requests, request);
    }
    text = json_dumps(body, 0);
    status = restway_batch_writer_set_body(writer, text, strlen(text), "application/json", NULL);
    free(text);
    json_decref(body);
    return status;
}

/* Takes the answer of Kinto to a batch apart. */
static restway_status decode(void *context, restway_batch_reader *reader, restway_answer *answer) {
    size_t length = 0, index;
    const char *content = restway_batch_reader_body(reader, &length);
    json_t *body = json_loadb(content, length, 0, NULL), *each, *value;
    restway_status status = RESTWAY_OK;
    const char *name;
    (void)context, (void)answer;
    json_array_foreach(json_object_get(body, "responses"), index, each) {
        char *text = json_dumps(json_object_get(each, "body"), JSON_ENCODE_ANY);
        int32_t code = (int32_t)json_integer_value(json_object_get(each, "status"));
        status = restway_batch_reader_set_answer(reader, index, code, text, strlen(text), NULL);
        free(text);
        if (status) break;
        json_object_foreach(json_object_get(each, "headers"), name, value) {
            status = restway_batch_reader_add_header(
                reader, index, name, json_string_value(value), NULL);
            if (status) break;
        }
    }
    json_decref(body);
    return status;
}

/* Makes a request that writes a note, on a condition if `header` is not NULL. */
static restway_request *writing(
    restway_store *store, const char *method, const char *id, const char *title,
    const char *header, const char *value) {
    restway_draft *draft = NULL;
    restway_request *request = NULL;
    DO(restway_draft_create(store, "Note", &draft, &error));
    DO(restway_draft_set_string(draft, "id", id, &error));
    DO(restway_draft_set_string(draft, "title", title, &error));
    DO(restway_request_create_draft(method, draft, &request, &error));
    if (header) DO(restway_request_set_header(request, header, value, &error));
    restway_draft_release(draft);
    return request;
}

/* Performs a request and releases it. */
static restway_status
perform(restway_client *client, restway_request *request, restway_response **out_answer) {
    restway_status status = restway_client_perform(client, request, 0, out_answer, &error);
    restway_request_release(request);
    return status;
}

/* Writes a note on conditions, deletes it, and finds what is left of it. */
static void change_and_delete(restway_client *client, restway_store *store) {
    restway_response *made = NULL, *changes = NULL;
    restway_object *note = NULL;
    const restway_object *tombstone;
    restway_request *request = NULL;
    const char *first;
    DO(perform(client, writing(store, "PUT", "c1", "one", "If-None-Match", "*"), &made));
    first = restway_response_header(made, "ETag");
    DO(perform(client, writing(store, "PATCH", "c1", "two", "If-Match", first), NULL));
    REFUSED(
        RESTWAY_E_HTTP,
        perform(client, writing(store, "PATCH", "c1", "three", "If-Match", first), NULL));
    printf("%d %s\n", (int)restway_error_http_status(error), restway_error_api_code(error));
    restway_error_release(error);
    error = NULL;

    DO(restway_store_find_string(store, "Note", "c1", &note, &error));
    CHECK(equal(restway_object_string(note, "title"), "two"));
    DO(restway_client_delete_object(client, note, NULL, &error));
    restway_object_release(note);
    DO(restway_request_create_route(NULL, "notes", &request, &error));
    DO(restway_request_set_parameter_string(request, "_since", first, &error));
    DO(perform(client, request, &changes));
    CHECK(restway_response_object_count(changes) == 1);
    tombstone = restway_response_object(changes, 0);
    CHECK(equal(restway_object_string(tombstone, "id"), "c1"));
    CHECK(restway_object_bool(tombstone, "deleted", 0) == 1);
    DO(restway_store_delete(store, tombstone, &error));
    restway_response_release(changes);
    restway_response_release(made);
}

/* Writes two notes in one call, and reads one that does not exist. */
static void send_batch(restway_client *client, restway_store *store) {
    restway_batch *batch = NULL;
    restway_request *requests[3];
    restway_response *answer = NULL;
    requests[0] = writing(store, "PUT", "c2", "first of two", NULL, NULL);
    requests[1] = writing(store, "PUT", "c3", "second of two", NULL, NULL);
    DO(restway_request_create_route("GET", "note", &requests[2], &error));
    DO(restway_request_set_variable_string(requests[2], "id", "missing", &error));
    DO(restway_batch_create(client, &batch, &error));
    for (int index = 0; index < 3; index++) {
        DO(restway_batch_add(batch, requests[index], NULL, NULL, NULL, NULL, &error));
        restway_request_release(requests[index]);
    }
    DO(restway_batch_send(batch, NULL, NULL, NULL, &error));
    DO(restway_batch_wait(batch, 0, &error));
    for (size_t index = 0; index < 2; index++) {
        DO(restway_batch_response(batch, index, &answer, &error));
        puts(restway_object_string(restway_response_object(answer, 0), "title"));
        restway_response_release(answer);
    }
    REFUSED(RESTWAY_E_HTTP, restway_batch_response(batch, 2, &answer, &error));
    printf("%d %s\n", (int)restway_error_http_status(error), restway_error_api_code(error));
    restway_batch_release(batch);
}

/* Stores two requests, because the server is down. */
static void store_notes(restway_client *client, restway_store *store) {
    REFUSED(
        RESTWAY_E_QUEUED,
        perform(client, writing(store, "PUT", "c4", "waits", NULL, NULL), NULL));
    CHECK(restway_error_outbox_id(error) > 0);
    REFUSED(
        RESTWAY_E_QUEUED,
        perform(client, writing(store, "PATCH", "c4", "waits, too", NULL, NULL), NULL));
}

static void flushed(
    void *context, const restway_outbox_items *items, restway_status status,
    const restway_error *reason) {
    if (status) fprintf(stderr, "%s\n", restway_error_message(reason));
    printf("sent: %d\n", (int)restway_outbox_items_count(items));
    sem_post(context);
}

static void send_notes(restway_client *client) {
    restway_outbox_counts counts = RESTWAY_OUTBOX_COUNTS_INIT;
    sem_t done;
    sem_init(&done, 0, 0);
    DO(restway_outbox_flush(client, RESTWAY_OUTBOX_FORCE, flushed, &done, NULL, &error));
    while (sem_wait(&done)) continue;
    DO(restway_outbox_count(client, &counts, &error));
    CHECK(counts.waiting == 0 && counts.dead == 0);
    sem_destroy(&done);
}

int main(int count, char **arguments) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_credential credential = RESTWAY_CREDENTIAL_INIT;
    restway_client *client = NULL;
    restway_store *store = NULL;
    CHECK(count == 7);
    options.base_url = arguments[1];
    options.outbox_path = arguments[3];
    credential.user = arguments[4];
    credential.password = arguments[5];
    DO(restway_client_create_file(arguments[2], &options, &client, &error));
    DO(restway_client_set_batch_format(client, encode, decode, NULL, NULL, &error));
    DO(restway_client_set_credential(client, &credential, &error));
    store = restway_client_store(client);
    if (equal(arguments[6], "talk")) {
        change_and_delete(client, store);
        send_batch(client, store);
    } else if (equal(arguments[6], "wait")) {
        store_notes(client, store);
    } else {
        send_notes(client);
    }
    restway_error_release(error);
    restway_store_release(store);
    restway_client_release(client);
    return 0;
}
