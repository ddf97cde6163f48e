#include "graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char document[] =
    "{"
    "\"restway\": 1,"
    "\"environments\": {\"demo\": {\"baseURL\": \"http://127.0.0.1:1/v2\"}},"
    "\"entities\": {"
    "  \"Meeting\": {\"identity\": \"id\","
    "    \"attributes\": {"
    "      \"id\": {\"source\": \"id\", \"type\": \"int\"},"
    "      \"title\": {\"source\": \"title\", \"type\": \"string\"},"
    "      \"startsAt\": {\"source\": \"starts_at\", \"type\": \"date\"}},"
    "    \"relationships\": {"
    "      \"enterprise\": {\"source\": \"enterprise_id\", \"entity\": \"Enterprise\"},"
    "      \"attendees\": {\"source\": \"attendee_ids\", \"entity\": \"Employee\","
    "        \"many\": true},"
    "      \"sponsor\": {\"source\": \"sponsor\", \"entity\": \"Enterprise\"}}},"
    "  \"Enterprise\": {\"identity\": \"id\", \"fullText\": [\"name\"],"
    "    \"attributes\": {"
    "      \"id\": {\"source\": \"id\", \"type\": \"int\"},"
    "      \"name\": {\"source\": \"name\", \"type\": \"string\"},"
    "      \"rating\": {\"source\": \"rating\", \"type\": \"double\"},"
    "      \"website\": {\"source\": \"website\", \"type\": \"string\"}},"
    "    \"relationships\": {"
    "      \"parent\": {\"source\": \"parent_id\", \"entity\": \"Enterprise\"}}},"
    "  \"Employee\": {\"identity\": \"id\","
    "    \"attributes\": {"
    "      \"id\": {\"source\": \"id\", \"type\": \"int\"},"
    "      \"firstName\": {\"source\": \"first_name\", \"type\": \"string\"}}}"
    "},"
    "\"routes\": {"
    "  \"meetings\": {\"method\": \"GET\", \"path\": \"meetings\","
    "    \"response\": {\"entity\": \"Meeting\", \"keyPath\": \"meetings\"}},"
    "  \"meeting\": {\"method\": [\"GET\", \"PATCH\"], \"path\": \"meetings/:id\","
    "    \"entity\": \"Meeting\", \"response\": {\"entity\": \"Meeting\"}},"
    "  \"enterprises\": {\"method\": \"GET\", \"path\": \"enterprises\","
    "    \"response\": {\"entity\": \"Enterprise\", \"keyPath\": \"array_of_enterprises\"}},"
    "  \"enterprise\": {\"method\": [\"GET\", \"PATCH\"], \"path\": \"enterprises/:id\","
    "    \"entity\": \"Enterprise\", \"response\": {\"entity\": \"Enterprise\"}},"
    "  \"employee\": {\"method\": \"GET\", \"path\": \"employees/:id\","
    "    \"entity\": \"Employee\", \"response\": {\"entity\": \"Employee\"}}"
    "}"
    "}";

enum { DIRECTORIES_MAX = 4 };

/** The clients of one test; each has a file of its own. */
static char directories[DIRECTORIES_MAX][40];
static char paths[DIRECTORIES_MAX][60];
static int directory_count;
static int is_in_files;

static const char *new_path(void) {
    char *directory = directories[directory_count], *path = paths[directory_count];
    assert_true(directory_count < DIRECTORIES_MAX);
    strcpy(directory, "/tmp/restway-graph-XXXXXX");
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof(paths[0]), "%s/objects.db", directory);
    directory_count++;
    return path;
}

int begin_test_in_files(void **state) {
    is_in_files = 1;
    directory_count = 0;
    return begin_test(state);
}

int is_test_in_files(void) {
    return is_in_files;
}

int end_test_in_files(void **state) {
    is_in_files = 0;
    while (directory_count > 0) {
        directory_count--;
        remove_store(directories[directory_count], paths[directory_count]);
    }
    return end_test(state);
}

restway_client *make_graph_client(restway_delivery mode) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_api *api = NULL;
    restway_client *client = NULL;
    assert_ok(restway_api_load(document, strlen(document), &api, &failure));
    options.base_url = demo_url();
    options.delivery = (uint32_t)mode;
    options.store_path = is_in_files ? new_path() : NULL;
    assert_ok(restway_client_create(api, &options, &client, &failure));
    restway_api_release(api);
    return client;
}

restway_object *fetch_first(restway_client *client, const char *path) {
    restway_response *response = fetch(client, path);
    restway_object *object = restway_object_retain(restway_response_object(response, 0));
    assert_non_null(object);
    restway_response_release(response);
    return object;
}

restway_object *find(restway_store *store, const char *entity, int64_t identity) {
    restway_value value = restway_value_int64(identity);
    restway_object *object = NULL;
    assert_ok(restway_store_find(store, entity, &value, &object, &failure));
    return object;
}

void expect_identities(const restway_list *list, size_t count, const int64_t *identities) {
    assert_int_equal(restway_list_count(list), count);
    for (size_t index = 0; index < count; index++) {
        const restway_object *object = restway_list_object(list, index);
        assert_int_equal(restway_object_int64(object, "id", -1), identities[index]);
    }
}
