/* A C program that speaks MessagePack with the server at argv[1]: it sends a draft and reads it
 * back. */
#include <restway/restway.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(what) \
    do { \
        if (!(what)) { \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what); \
            exit(1); \
        } \
    } while (0)

/** Checks that the call returns RESTWAY_OK; otherwise prints its error. */
#define OK(call) \
    do { \
        if ((call) != RESTWAY_OK) { \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, restway_error_message(error)); \
            exit(1); \
        } \
    } while (0)

static const char document[] =
    "{\"restway\": 1, \"environments\": {\"here\": {\"baseURL\": \"http://127.0.0.1\"}},"
    " \"environment\": \"here\", \"dataMapper\": \"msgpack\", \"entities\": {\"Thing\": {"
    "  \"identity\": \"id\", \"attributes\": {\"id\": {\"type\": \"int\"},"
    "  \"size\": {\"type\": \"int\"}, \"at\": {\"type\": \"date\"},"
    "  \"data\": {\"type\": \"bytes\"},"
    "  \"raw\": {\"type\": \"json\"}}}},"
    " \"routes\": {\"things\": {\"method\": [\"GET\", \"POST\"], \"path\": \"things\","
    "  \"entity\": \"Thing\", \"response\": {\"entity\": \"Thing\"}}}}";

static const int64_t before_1970 = -1234567890123456;
static const uint8_t content[] = {0x00, 0xff, 0xc1};

static void set(restway_draft *draft, const char *name, restway_value value) {
    restway_error *error = NULL;
    OK(restway_draft_set(draft, name, &value, &error));
}

static void check_thing(const restway_object *thing) {
    restway_error *error = NULL;
    restway_value value;
    CHECK(restway_object_int64(thing, "size", 0) == INT64_MIN);
    OK(restway_object_get(thing, "at", &value, &error));
    CHECK(value.kind == RESTWAY_VALUE_DATE && value.as.integer == before_1970);
    OK(restway_object_get(thing, "data", &value, &error));
    CHECK(value.kind == RESTWAY_VALUE_BYTES && value.length == 3);
    CHECK(memcmp(value.as.bytes, content, 3) == 0);
    OK(restway_object_get(thing, "raw", &value, &error));
    CHECK(value.kind == RESTWAY_VALUE_JSON && value.length == strlen("[1,null]"));
    CHECK(memcmp(value.as.text, "[1,null]", value.length) == 0);
}

int main(int count, char **arguments) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_error *error = NULL;
    restway_api *api = NULL;
    restway_client *client = NULL;
    restway_draft *draft = NULL;
    restway_request *request = NULL;
    restway_response *response = NULL;
    CHECK(count == 2);
    options.base_url = arguments[1];
    OK(restway_plugin_load("msgpack", NULL, &error));
    OK(restway_api_load(document, strlen(document), &api, &error));
    OK(restway_client_create(api, &options, &client, &error));

    restway_store *store = restway_client_store(client);
    OK(restway_draft_create(store, "Thing", &draft, &error));
    set(draft, "id", restway_value_int64(1));
    set(draft, "size", restway_value_int64(INT64_MIN));
    set(draft, "at", restway_value_date(before_1970));
    restway_value bytes = {.kind = RESTWAY_VALUE_BYTES, .length = 3};
    bytes.as.bytes = content;
    set(draft, "data", bytes);
    restway_value json = restway_value_string("[1,null]");
    json.kind = RESTWAY_VALUE_JSON;
    set(draft, "raw", json);

    OK(restway_request_create_draft("POST", draft, &request, &error));
    OK(restway_client_perform(client, request, 30000, &response, &error));
    CHECK(restway_response_status(response) == 201);
    CHECK(restway_response_issue_count(response) == 0);
    const restway_object *thing = restway_response_object(response, 0);
    check_thing(thing);
    restway_response_release(response);
    restway_request_release(request);

    OK(restway_request_create_route("GET", "things", &request, &error));
    OK(restway_client_perform(client, request, 30000, &response, &error));
    CHECK(restway_response_object_count(response) == 1);
    thing = restway_response_object(response, 0);
    check_thing(thing);
    restway_response_release(response);
    restway_request_release(request);

    restway_draft_release(draft);
    restway_store_release(store);
    restway_client_release(client);
    restway_api_release(api);
    puts("fine");
    return 0;
}
