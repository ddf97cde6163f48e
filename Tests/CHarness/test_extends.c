/* Entities that extend others: one object, whichever shapes bring it. */
#include <string.h>

#include "harness.h"

#define DOCUMENT \
    "{\"restway\": 1," \
    "\"entities\": {" \
    "  \"User\": {\"identity\": \"id\"," \
    "    \"attributes\": {\"id\": {\"type\": \"int\"}, \"login\": \"login\"}," \
    "    \"relationships\": {\"friends\": {\"entity\": \"User\", \"many\": true}}}," \
    "  \"Member\": {\"extends\": \"User\", \"attributes\": {\"plan\": \"plan\"}}," \
    "  \"Admin\": {\"extends\": \"Member\", \"attributes\": {\"rights\": \"rights\"}}," \
    "  \"Bot\": {\"extends\": \"User\", \"attributes\": {\"token\": \"token\"}}," \
    "  \"Note\": {\"identity\": \"id\", \"attributes\": {\"id\": \"id\", \"text\": \"text\"}," \
    "    \"relationships\": {\"by\": {\"entity\": \"Entry\", \"many\": true}}}}," \
    "\"unions\": {\"Entry\": {\"oneOf\": [\"Member\", \"Bot\", \"Note\"]," \
    "  \"discriminator\": \"type\"}}}"

static restway_object *mapped(restway_client *client, const char *entity, const char *json) {
    restway_map_options options = RESTWAY_MAP_OPTIONS_INIT;
    restway_response *response = NULL;
    assert_ok(restway_client_map(
        client, entity, json, strlen(json), &options, &response, NULL, &failure));
    restway_object *object = restway_object_retain(restway_response_object(response, 0));
    restway_response_release(response);
    return object;
}

static void extends__one_object_of_several_shapes(void **state) {
    (void)state;
    for (int is_full_first = 0; is_full_first < 2; is_full_first++) {
        restway_client *client = unreachable_client_of(DOCUMENT);
        const char *answers[2][2] = {
            {"User", "{\"id\": 1, \"login\": \"octocat\"}"},
            {"Member", "{\"id\": 1, \"plan\": \"pro\"}"},
        };
        restway_object *first = mapped(
            client, answers[is_full_first][0], answers[is_full_first][1]);
        restway_object *second = mapped(
            client, answers[1 - is_full_first][0], answers[1 - is_full_first][1]);
        assert_true(restway_object_is_same(first, second));
        assert_string_equal(restway_object_entity(second), "Member");
        assert_string_equal(restway_object_string(second, "login"), "octocat");
        assert_string_equal(restway_object_string(second, "plan"), "pro");
        assert_int_equal(restway_object_is_a(second, "User"), 1);
        assert_int_equal(restway_object_is_a(second, "Member"), 1);
        assert_int_equal(restway_object_is_a(second, "Admin"), 0);
        assert_int_equal(restway_object_is_a(second, "Bot"), 0);
        assert_int_equal(restway_object_is_a(second, "Note"), 0);
        assert_int_equal(restway_object_is_a(second, "Nothing"), 0);
        restway_object_release(first);
        restway_object_release(second);
        restway_client_release(client);
    }
}

static size_t count_of(restway_store *store, const char *entity) {
    size_t count = 99;
    assert_ok(restway_store_count(store, entity, &count, &failure));
    return count;
}

/* Maps a user, a member, and an object that is an admin and a bot. */
static void map_users(restway_client *client) {
    restway_object_release(mapped(client, "User", "{\"id\": 1}"));
    restway_object_release(mapped(client, "Member", "{\"id\": 2}"));
    restway_object_release(mapped(client, "Admin", "{\"id\": 3}"));
    restway_object_release(mapped(client, "Bot", "{\"id\": 3, \"token\": \"t\"}"));
}

static void extends__queries_of_the_base_find_all(void **state) {
    (void)state;
    restway_client *client = unreachable_client_of(DOCUMENT);
    restway_store *store = restway_client_store(client);
    map_users(client);
    assert_int_equal(count_of(store, "User"), 3);
    assert_int_equal(count_of(store, "Member"), 2);
    assert_int_equal(count_of(store, "Admin"), 1);
    assert_int_equal(count_of(store, "Bot"), 1);
    restway_value three = restway_value_int64(3), two = restway_value_int64(2);
    restway_object *object = NULL;
    assert_ok(restway_store_find(store, "Bot", &three, &object, &failure));
    assert_string_equal(restway_object_entity(object), "Admin");
    assert_string_equal(restway_object_string(object, "token"), "t");
    restway_object_release(object);
    assert_fails(
        restway_store_find(store, "Bot", &two, &object, &failure), RESTWAY_E_NO_OBJECT,
        "no Bot with identity 2");
    restway_store_release(store);
    restway_client_release(client);
}

struct user {
    int64_t id;
    const char *login;
};

static void extends__tables_of_fields_fit_each_shape(void **state) {
    (void)state;
    restway_client *client = unreachable_client_of(DOCUMENT);
    restway_store *store = restway_client_store(client);
    const restway_field list[] = {
        RESTWAY_PLAIN_FIELD(struct user, id, "id", INT64),
        RESTWAY_PLAIN_FIELD(struct user, login, "login", STRING),
    };
    restway_fields users = {"User", sizeof(struct user), NULL, 2};
    restway_fields bots = {"Bot", sizeof(struct user), NULL, 2};
    struct user read = {0, NULL};
    users.fields = bots.fields = list;
    restway_object *admin = mapped(client, "Admin", "{\"id\": 4, \"login\": \"root\"}");
    assert_ok(restway_object_fill(admin, &users, &read, &failure));
    assert_int_equal(read.id, 4);
    assert_string_equal(read.login, "root");
    assert_fails(
        restway_object_fill(admin, &bots, &read, &failure), RESTWAY_E_UNKNOWN_ENTITY,
        "the object is of Admin, and the struct for objects of Bot");
    restway_draft *draft = NULL;
    assert_ok(restway_draft_create(store, "Member", &draft, &failure));
    assert_fails(
        restway_draft_set_string(draft, "rights", "all", &failure), RESTWAY_E_UNKNOWN_ATTRIBUTE,
        "Member has no attribute \"rights\"");
    assert_ok(restway_draft_set_string(draft, "plan", "pro", &failure));
    restway_draft_release(draft);
    restway_object_release(admin);
    restway_store_release(store);
    restway_client_release(client);
}

static void extends__refuses_what_does_not_fit(void **state) {
    (void)state;
    restway_api *api = NULL;
    const char *circle =
        "{\"restway\": 1, \"entities\": {\"A\": {\"extends\": \"B\"},"
        " \"B\": {\"extends\": \"A\"}}}";
    assert_fails(
        restway_api_load(circle, strlen(circle), &api, &failure), RESTWAY_E_CONFIG,
        "entities extend each other: A extends B extends A ($.entities.A and $.entities.B)");
    const char *types =
        "{\"restway\": 1, \"entities\": {\"A\": {\"attributes\": {\"x\": {\"type\": \"int\"}}},"
        " \"B\": {\"extends\": \"A\", \"attributes\": {\"x\": {\"type\": \"bool\"}}}}}";
    assert_fails(
        restway_api_load(types, strlen(types), &api, &failure), RESTWAY_E_CONFIG,
        "is of type bool, and of type int at $.entities.A.attributes.x");
    assert_int_equal(restway_object_is_a(NULL, "User"), 0);
    restway_client *client = unreachable_client_of(DOCUMENT);
    restway_object *user = mapped(client, "User", "{\"id\": 1}");
    assert_int_equal(restway_object_is_a(user, NULL), 0);
    assert_int_equal(restway_object_is_a(user, BAD_UTF8), 0);
    restway_object_release(user);
    restway_client_release(client);
}

static void extends__members_of_a_union_are_shapes(void **state) {
    (void)state;
    restway_client *client = unreachable_client_of(DOCUMENT);
    restway_store *store = restway_client_store(client);
    restway_object *note = mapped(
        client, "Note",
        "{\"id\": 9, \"by\": [{\"type\": \"Member\", \"id\": 1}, {\"type\": \"Note\", \"id\": 1},"
        " {\"type\": \"Bot\", \"id\": 2, \"token\": \"t\"}]}");
    restway_object_release(mapped(client, "Admin", "{\"id\": 1, \"rights\": \"all\"}"));
    restway_list *found = NULL;
    assert_ok(restway_store_related(store, note, "by", &found, &failure));
    assert_int_equal(restway_list_count(found), 3);
    assert_string_equal(restway_object_entity(restway_list_object(found, 0)), "Admin");
    assert_string_equal(restway_object_entity(restway_list_object(found, 1)), "Note");
    assert_string_equal(restway_object_entity(restway_list_object(found, 2)), "Bot");
    assert_int_equal(restway_object_is_a(restway_list_object(found, 0), "Member"), 1);
    assert_string_equal(
        restway_object_string(restway_list_object(found, 0), "rights"), "all");
    assert_null(restway_list_entity(found, 0, 3));
    assert_null(restway_list_entity(found, 1, 2));
    assert_string_equal(restway_list_entity(found, 1, 1), "Note");
    restway_list_release(found);
    restway_object_release(note);
    restway_store_release(store);
    restway_client_release(client);
}

static void extends__a_list_has_the_entity_that_its_objects_share(void **state) {
    (void)state;
    restway_client *client = unreachable_client_of(DOCUMENT);
    restway_store *store = restway_client_store(client);
    map_users(client);
    restway_object_release(mapped(client, "Bot", "{\"id\": 4, \"token\": \"b\"}"));
    restway_query *query = NULL;
    restway_list *list = NULL;
    assert_ok(restway_query_create(store, "User", &query, &failure));
    assert_ok(restway_query_add_order(query, "id", 0, &failure));
    assert_ok(restway_store_query(store, query, &list, &failure));
    const struct {
        size_t first, count;
        const char *entity;
    } parts[] = {
        {0, 1, "User"}, {1, 1, "Member"}, {2, 1, "Admin"}, {3, 1, "Bot"},
        {1, 2, "Member"}, {2, 2, "Bot"}, {0, 2, "User"}, {1, 3, "User"}, {0, 4, "User"},
    };
    for (size_t index = 0; index < sizeof parts / sizeof *parts; index++) {
        assert_string_equal(
            restway_list_entity(list, parts[index].first, parts[index].count),
            parts[index].entity);
    }
    restway_value tokens[4];
    uint32_t token = (uint32_t)restway_object_attribute_index(
        restway_list_object(list, 0), "token");
    assert_ok(restway_list_read(list, 0, 4, &token, 1, tokens, &failure));
    assert_int_equal(tokens[0].kind, RESTWAY_VALUE_ABSENT);
    assert_int_equal(tokens[1].kind, RESTWAY_VALUE_ABSENT);
    assert_int_equal(tokens[2].length, 1);
    assert_memory_equal(tokens[2].as.text, "t", 1);
    assert_memory_equal(tokens[3].as.text, "b", 1);
    restway_list_release(list);
    restway_query_release(query);
    restway_store_release(store);
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(extends__a_list_has_the_entity_that_its_objects_share),
    TEST(extends__members_of_a_union_are_shapes),
    TEST(extends__one_object_of_several_shapes),
    TEST(extends__queries_of_the_base_find_all),
    TEST(extends__tables_of_fields_fit_each_shape),
    TEST(extends__refuses_what_does_not_fit),
};

const struct suite extends_suite = SUITE(tests);
