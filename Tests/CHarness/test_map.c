/* Bytes that are mapped without a server. */
#include <string.h>

#include "harness.h"

#define DOCUMENT \
    "{\"restway\": 1," \
    "\"entities\": {\"Thing\": {\"identity\": \"id\"," \
    "  \"attributes\": {\"id\": {\"type\": \"int\"}, \"name\": {\"type\": \"string\"}}," \
    "  \"relationships\": {\"parts\": {\"entity\": \"Thing\", \"many\": true}}}}," \
    "\"routes\": {\"required\": {\"path\": \"a\"," \
    "  \"response\": {\"entity\": \"Thing\", \"keyPath\": \"list\", \"required\": true}}}}"

#define DOCUMENT_OF_UNIONS \
    "{\"restway\": 1," \
    "\"entities\": {" \
    "  \"Bug\": {\"identity\": \"id\", \"attributes\": {\"id\": {\"type\": \"int\"}," \
    "    \"severity\": {\"type\": \"int\"}}}," \
    "  \"Story\": {\"identity\": \"id\", \"attributes\": {\"id\": {\"type\": \"int\"}}," \
    "    \"relationships\": {\"parts\": {\"entity\": \"Item\", \"many\": true}," \
    "      \"next\": {\"entity\": {\"oneOf\": [\"Story\", \"Bug\"]," \
    "        \"discriminator\": \"kind\"}}}}}," \
    "\"unions\": {\"Item\": {\"oneOf\": [\"Bug\", \"Story\"]," \
    "  \"discriminator\": {\"keyPath\": \"type\"," \
    "    \"values\": {\"bug\": \"Bug\", \"story\": \"Story\"}}}}}"

/** The last progress of a mapping. */
struct told {
    int64_t done, total;
    int count;
    int32_t answer;
};

static int32_t tell(void *context, int64_t done, int64_t total) {
    struct told *told = context;
    told->done = done;
    told->total = total;
    told->count++;
    return told->answer;
}

#define THINGS "{\"a\": {\"b.c\": [{\"id\": 1, \"name\": 4, \"parts\": [{\"id\": 2}]}]}}"

#define ITEMS \
    "[{\"id\": 1, \"type\": \"story\"," \
    "  \"parts\": [{\"id\": 1, \"severity\": 3, \"type\": \"bug\"}," \
    "  {\"type\": \"story\", \"id\": 2}, 5]}, {\"type\": \"bug\", \"id\": 7}]"

static void map__tells_the_entities_of_a_union_apart(void **state) {
    (void)state;
    restway_client *client = unreachable_client_of(DOCUMENT_OF_UNIONS);
    restway_store *store = restway_client_store(client);
    restway_response *response = NULL;
    assert_ok(restway_client_map(
        client, "Item", ITEMS, strlen(ITEMS), NULL, &response, NULL, &failure));
    assert_int_equal(restway_response_object_count(response), 2);
    assert_int_equal(restway_response_issue_count(response), 1);
    assert_string_equal(restway_response_issue_key_path(response, 0), "[0].parts[2]");
    const restway_object *story = restway_response_object(response, 0);
    assert_string_equal(restway_object_entity(story), "Story");
    assert_string_equal(restway_object_entity(restway_response_object(response, 1)), "Bug");
    assert_string_equal(restway_object_relationship_entity(story, 0), "Item");
    assert_string_equal(restway_object_relationship_entity(story, 1), "Story | Bug");
    restway_list *parts = NULL;
    assert_ok(restway_store_related(store, story, "parts", &parts, &failure));
    assert_int_equal(restway_list_count(parts), 2);
    const restway_object *bug = restway_list_object(parts, 0);
    assert_string_equal(restway_object_entity(bug), "Bug");
    assert_int_equal(restway_object_int64(bug, "severity", 0), 3);
    assert_string_equal(restway_object_entity(restway_list_object(parts, 1)), "Story");
    restway_draft *draft = NULL;
    assert_ok(restway_draft_copy(store, story, &draft, &failure));
    assert_ok(restway_draft_add(draft, "next", bug, &failure));
    restway_object *changed = NULL;
    assert_ok(restway_draft_insert(draft, &changed, &failure));
    restway_object *next = NULL;
    assert_ok(restway_store_related_one(store, changed, "next", &next, &failure));
    assert_string_equal(restway_object_entity(next), "Bug");
    restway_object_release(next);
    restway_object_release(changed);
    restway_draft_release(draft);
    restway_list_release(parts);
    restway_response_release(response);
    restway_store_release(store);
    restway_client_release(client);
}

static void map__stores_objects_of_bytes(void **state) {
    (void)state;
    restway_client *client = unreachable_client_of(DOCUMENT);
    struct told told = {0, 0, 0, 0};
    restway_map_options options = RESTWAY_MAP_OPTIONS_INIT;
    restway_response *response = NULL;
    restway_store *store = NULL, *own = restway_client_store(client);
    restway_value one = restway_value_int64(1);
    restway_object *object = POISON;
    options.key_path = "[\"a\", \"b.c\"]";
    options.flags = RESTWAY_MAP_SNAPSHOTS;
    options.progress = tell;
    options.context = &told;
    assert_ok(restway_client_map(
        client, "Thing", THINGS, strlen(THINGS), &options, &response, &store, &failure));
    assert_int_equal(restway_response_status(response), 0);
    assert_int_equal(restway_response_object_count(response), 1);
    assert_string_equal(restway_response_issue_key_path(response, 0), "a.b.c[0].name");
    assert_true(told.count >= 2);
    assert_int_equal(told.done, 1);
    assert_fails(
        restway_store_find(own, "Thing", &one, &object, &failure), RESTWAY_E_NO_OBJECT,
        "no Thing with identity 1");
    restway_list *parts = NULL;
    assert_ok(restway_store_related(
        store, restway_response_object(response, 0), "parts", &parts, &failure));
    assert_int_equal(restway_object_int64(restway_list_object(parts, 0), "id", 0), 2);
    restway_list_release(parts);
    restway_response_release(response);
    restway_store_release(store);
    options.flags = 0;
    assert_ok(restway_client_map(
        client, "Thing", THINGS, strlen(THINGS), &options, &response, NULL, &failure));
    assert_ok(restway_store_find(own, "Thing", &one, &object, &failure));
    assert_true(restway_object_is_equal(object, restway_response_object(response, 0)));
    restway_object_release(object);
    restway_response_release(response);
    restway_store_release(own);
    restway_client_release(client);
}

static void map__says_what_is_wrong(void **state) {
    (void)state;
    restway_client *client = unreachable_client_of(DOCUMENT);
    struct told told = {0, 0, 0, 1};
    restway_map_options options = RESTWAY_MAP_OPTIONS_INIT;
    restway_response *response = POISON;
    restway_store *store = POISON;
    options.progress = tell;
    options.context = &told;
    assert_fails(
        restway_client_map(
            client, "Thing", "[{\"id\": 5}]", 11, &options, &response, &store, &failure),
        RESTWAY_E_CANCELLED, "bytes of Thing");
    assert_null(response);
    assert_null(store);
    options.progress = NULL;
    options.key_path = "x.y";
    assert_fails_keeping(
        restway_client_map(
            client, "Thing", "{}", 2, &options, &response, NULL, &failure),
        RESTWAY_E_MAPPING, "nothing at x.y");
    assert_string_equal(restway_error_field(failure), "x.y");
    forget_failure();
    options.key_path = "x..y";
    assert_fails(
        restway_client_map(
            client, "Thing", "{}", 2, &options, &response, NULL, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "is not a key path");
    options.key_path = NULL;
    assert_fails(
        restway_client_map(client, "Thing", "{", 1, NULL, &response, NULL, &failure),
        RESTWAY_E_MAPPING, "bytes of Thing: ");
    assert_fails(
        restway_client_map(client, "Thin", "{}", 2, NULL, &response, NULL, &failure),
        RESTWAY_E_UNKNOWN_ENTITY, "Thin");
    options.route = "nowhere";
    assert_fails(
        restway_client_map(client, NULL, "{}", 2, &options, &response, NULL, &failure),
        RESTWAY_E_UNKNOWN_ROUTE, "nowhere");
    assert_refused(
        restway_client_map(client, "Thing", "{}", 2, &options, &response, NULL, &failure));
    options.route = "required";
    assert_fails(
        restway_client_map(client, NULL, "{}", 2, &options, &response, NULL, &failure),
        RESTWAY_E_MAPPING, "bytes of route required: there is nothing at list");
    options.key_path = "list";
    assert_refused(
        restway_client_map(client, NULL, "{}", 2, &options, &response, NULL, &failure));
    options.key_path = options.route = NULL;
    options.flags = 8;
    assert_refused(
        restway_client_map(client, "Thing", "{}", 2, &options, &response, NULL, &failure));
    options.flags = 0;
    restway_client_close(client);
    assert_fails(
        restway_client_map(client, "Thing", "{}", 2, NULL, &response, NULL, &failure),
        RESTWAY_E_CLOSED, "");
    restway_client_release(client);
}

static void map__refuses_null_and_bad_text(void **state) {
    (void)state;
    restway_client *client = unreachable_client_of(DOCUMENT);
    restway_map_options options = RESTWAY_MAP_OPTIONS_INIT;
    restway_response *response = POISON;
    assert_refused(restway_map_options_init(NULL, sizeof(options), &failure));
    assert_refused(restway_map_options_init(&options, 7, &failure));
    assert_ok(restway_map_options_init(&options, sizeof(options), &failure));
    assert_refused(
        restway_client_map(NULL, "Thing", "{}", 2, &options, &response, NULL, &failure));
    assert_null(response);
    assert_refused(
        restway_client_map(client, NULL, "{}", 2, &options, &response, NULL, &failure));
    assert_refused(restway_client_map(
        client, BAD_UTF8, "{}", 2, &options, &response, NULL, &failure));
    assert_refused(
        restway_client_map(client, "Thing", NULL, 2, &options, &response, NULL, &failure));
    assert_refused(
        restway_client_map(client, "Thing", "{}", 2, &options, NULL, NULL, &failure));
    const char **texts[] = {&options.key_path, &options.mapper, &options.media_type};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        *texts[i] = BAD_UTF8;
        assert_refused(restway_client_map(
            client, "Thing", "{}", 2, &options, &response, NULL, &failure));
        *texts[i] = NULL;
    }
    options.route = BAD_UTF8;
    assert_refused(
        restway_client_map(client, NULL, "{}", 2, &options, &response, NULL, &failure));
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(map__stores_objects_of_bytes),
    TEST(map__tells_the_entities_of_a_union_apart),
    TEST(map__says_what_is_wrong),
    TEST(map__refuses_null_and_bad_text),
};

const struct suite map_suite = SUITE(tests);
