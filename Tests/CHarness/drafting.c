#include "drafting.h"

#include <stdlib.h>
#include <string.h>

static const char document[] =
    "{"
    "\"restway\": 1,"
    "\"environments\": {\"demo\": {\"baseURL\": \"http://127.0.0.1:1/v2\"}},"
    "\"entities\": {"
    "  \"Enterprise\": {\"identity\": \"id\","
    "    \"attributes\": {"
    "      \"id\": {\"type\": \"int\"}, \"name\": {\"type\": \"string\"},"
    "      \"city\": {\"source\": \"address.city\", \"type\": \"string\"},"
    "      \"rating\": {\"type\": \"double\"},"
    "      \"founded\": {\"source\": \"creation_date\", \"type\": \"date\","
    "                    \"format\": \"yyyy-MM-dd\"},"
    "      \"tags\": {\"type\": \"json\"}, \"website\": {}},"
    "    \"relationships\": {"
    "      \"owner\": {\"source\": \"owner_id\", \"entity\": \"Person\","
    "                  \"byIdentity\": true},"
    "      \"staff\": {\"entity\": \"Employee\", \"many\": true}}},"
    "  \"Person\": {\"identity\": \"id\","
    "    \"attributes\": {\"id\": {\"type\": \"int\"},"
    "      \"first_name\": {\"type\": \"string\"}}},"
    "  \"Employee\": {\"identity\": \"id\","
    "    \"attributes\": {\"id\": {\"type\": \"int\"},"
    "      \"first_name\": {\"type\": \"string\"}, \"last_name\": {\"type\": \"string\"},"
    "      \"email\": {\"type\": \"string\", \"transform\": \"email\"}},"
    "    \"relationships\": {"
    "      \"enterprise\": {\"source\": \"enterprise_id\", \"entity\": \"Enterprise\","
    "                       \"byIdentity\": true}}}"
    "},"
    "\"routes\": {"
    "  \"add\": {\"method\": \"POST\", \"path\": \"enterprises\", \"entity\": \"Enterprise\","
    "    \"response\": {\"entity\": \"Enterprise\"},"
    "    \"request\": {\"keyPath\": \"enterprise\", \"exclude\": [\"staff\"]}},"
    "  \"enterprise\": {\"method\": [\"GET\", \"PUT\", \"PATCH\", \"DELETE\"],"
    "    \"path\": \"enterprises/:id\", \"entity\": \"Enterprise\","
    "    \"response\": {\"entity\": \"Enterprise\"},"
    "    \"request\": {\"method\": \"PATCH\", \"changedOnly\": true}},"
    "  \"hire\": {\"method\": \"POST\", \"path\": \"employees\", \"entity\": \"Employee\","
    "    \"response\": {\"entity\": \"Employee\"}},"
    "  \"person\": {\"path\": \"people/:id\", \"response\": {\"entity\": \"Person\"}}"
    "}}";

/** Does not change the value of the attribute. */
static restway_status keep(void *context, const restway_value *value, restway_answer *answer) {
    (void)context;
    return restway_answer_set_value(answer, value, NULL);
}

/** Makes a client of the document; arguments that are not given take their defaults. */
static struct drafting begin(restway_client_options options, restway_api *api) {
    struct drafting drafting;
    static const char put[] =
        "{\"method\": \"PUT\", \"path\": \"enterprises/:id\", \"entity\": \"Enterprise\","
        " \"nulls\": \"omit\", \"exclude\": [\"staff\"]}";
    assert_ok(restway_api_add_request(api, put, strlen(put), &failure));
    options.base_url = demo_url();
    assert_ok(restway_client_create(api, &options, &drafting.client, &failure));
    drafting.store = restway_client_store(drafting.client);
    restway_api_release(api);
    return drafting;
}

static restway_api *load(
    restway_transform_fn decode, restway_transform_fn encode, void *context,
    restway_destroy_fn destroy) {
    restway_api *api = NULL;
    assert_ok(restway_api_load(document, strlen(document), &api, &failure));
    assert_ok(
        restway_api_add_transform(api, "email", decode, encode, context, destroy, &failure));
    return api;
}

struct drafting drafting_begin(uint32_t flags) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    options.flags = flags;
    return begin(options, load(keep, NULL, NULL, NULL));
}

struct drafting drafting_begin_asking(
    restway_delivery mode, restway_transform_fn encode, void *context,
    restway_destroy_fn destroy) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    options.delivery = (uint32_t)mode;
    return begin(options, load(encode == NULL ? keep : NULL, encode, context, destroy));
}

void drafting_end(struct drafting *drafting) {
    restway_store_release(drafting->store);
    restway_client_release(drafting->client);
}

restway_draft *drafted(struct drafting *drafting, const char *entity) {
    restway_draft *draft = NULL;
    assert_ok(restway_draft_create(drafting->store, entity, &draft, &failure));
    return draft;
}

void set_text(restway_draft *draft, const char *name, const char *text) {
    restway_value value = restway_value_string(text);
    assert_ok(restway_draft_set(draft, name, &value, &failure));
}

restway_response *send_draft(
    struct drafting *drafting, const char *method, restway_draft *draft) {
    restway_request *request = NULL;
    restway_response *response = NULL;
    assert_ok(restway_request_create_draft(method, draft, &request, &failure));
    assert_ok(restway_client_perform(drafting->client, request, 0, &response, &failure));
    restway_request_release(request);
    return response;
}

char *curl_of(struct drafting *drafting, const restway_request *request) {
    size_t length = 0;
    assert_ok(restway_request_to_curl(
        request, drafting->client, 0, NULL, 0, &length, &failure));
    char *command = malloc(length + 1);
    assert_ok(restway_request_to_curl(
        request, drafting->client, 0, command, length + 1, NULL, &failure));
    return command;
}

size_t stored(struct drafting *drafting, const char *entity) {
    size_t count = 0;
    assert_ok(restway_store_count(drafting->store, entity, &count, &failure));
    return count;
}
