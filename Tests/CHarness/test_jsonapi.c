/* JSON:API as the format of a document. */
#include <stdlib.h>
#include <string.h>

#include "answering.h"
#include "harness.h"

#define DOCUMENT \
    "{\"restway\": 1, \"format\": \"jsonapi\"," \
    "\"environments\": {\"local\": {\"baseURL\": \"http://127.0.0.1:9\"}}," \
    "\"entities\": {" \
    "  \"Article\": {\"type\": \"articles\", \"identity\": \"id\"," \
    "    \"attributes\": {\"id\": {\"type\": \"int\"}, \"title\": {\"type\": \"string\"}}," \
    "    \"relationships\": {\"author\": {\"entity\": \"Person\"}}}," \
    "  \"Person\": {\"type\": \"people\", \"identity\": \"id\"," \
    "    \"attributes\": {\"id\": {\"type\": \"string\"}, \"name\": {\"type\": \"string\"}}}}," \
    "\"routes\": {\"article\": {\"method\": [\"GET\", \"PATCH\"], \"path\": \"articles/:id\"," \
    "  \"entity\": \"Article\", \"response\": {\"entity\": \"Article\"}," \
    "  \"request\": {\"changedOnly\": true}}}}"

#define ANSWER \
    "{\"data\": {\"type\": \"articles\", \"id\": \"1\", \"attributes\": {\"title\": \"First\"}," \
    "  \"relationships\": {\"author\": {\"data\": {\"type\": \"people\", \"id\": \"9\"}}}}," \
    " \"included\": [{\"type\": \"people\", \"id\": \"9\", \"attributes\": {\"name\": \"Dan\"}}," \
    "               {\"type\": \"tags\", \"id\": \"1\"}]}"

static restway_client *client_of(struct answering_server *server) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_api *api = NULL;
    restway_client *client = NULL;
    assert_ok(restway_api_load(DOCUMENT, strlen(DOCUMENT), &api, &failure));
    options.base_url = server->url;
    assert_ok(restway_client_create(api, &options, &client, &failure));
    restway_api_release(api);
    return client;
}

static void jsonapi__resources_are_objects_with_the_included_ones(void **state) {
    (void)state;
    struct answering_server server;
    answering_begin(&server);
    answering_set(&server, 200, ANSWER);
    restway_client *client = client_of(&server);
    restway_store *store = restway_client_store(client);
    restway_response *response = NULL;
    assert_ok(restway_client_get(client, "articles/1", &response, &failure));
    assert_int_equal(restway_response_object_count(response), 1);
    assert_int_equal(restway_response_issue_count(response), 0);
    const restway_object *article = restway_response_object(response, 0);
    assert_string_equal(restway_object_entity(article), "Article");
    assert_string_equal(restway_object_string(article, "title"), "First");
    restway_list *authors = NULL;
    assert_ok(restway_store_related(store, article, "author", &authors, &failure));
    assert_int_equal(restway_list_count(authors), 1);
    assert_string_equal(restway_object_string(restway_list_object(authors, 0), "name"), "Dan");
    char *head = answering_take_head(&server);
    assert_holds(head, "Accept: application/vnd.api+json, ");
    free(head);
    restway_list_release(authors);
    restway_response_release(response);
    restway_store_release(store);
    restway_client_release(client);
    answering_end(&server);
}

static void jsonapi__a_patch_is_a_resource_with_the_changes(void **state) {
    (void)state;
    struct answering_server server;
    answering_begin(&server);
    answering_set(&server, 200, ANSWER);
    restway_client *client = client_of(&server);
    restway_response *response = NULL;
    restway_draft *draft = NULL;
    restway_value title = restway_value_string("Second");
    assert_ok(restway_client_get(client, "articles/1", &response, &failure));
    restway_store *store = restway_client_store(client);
    assert_ok(restway_draft_copy(store, restway_response_object(response, 0), &draft, &failure));
    restway_response_release(response);
    restway_store_release(store);
    assert_ok(restway_draft_set(draft, "title", &title, &failure));
    assert_ok(restway_client_patch_draft(client, draft, &response, &failure));
    char *body = answering_take_body(&server);
    assert_string_equal(
        body,
        "{\"data\":{\"type\":\"articles\",\"id\":\"1\",\"attributes\":{\"title\":\"Second\"}}}");
    char *head = answering_take_head(&server);
    assert_holds(head, "Content-Type: application/vnd.api+json\r\n");
    free(head);
    free(body);
    restway_response_release(response);
    restway_draft_release(draft);
    restway_client_release(client);
    answering_end(&server);
}

static const struct CMUnitTest tests[] = {
    TEST(jsonapi__resources_are_objects_with_the_included_ones),
    TEST(jsonapi__a_patch_is_a_resource_with_the_changes),
};

const struct suite jsonapi_suite = SUITE(tests);
