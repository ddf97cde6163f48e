/* Objects of answers that no store keeps. */
#include <string.h>

#include "harness.h"

#define DOCUMENT \
    "{\"restway\": 1," \
    "\"entities\": {" \
    "  \"Order\": {\"identity\": \"id\", \"keep\": false," \
    "    \"attributes\": {\"id\": {\"type\": \"int\"}}," \
    "    \"relationships\": {\"lines\": {\"entity\": \"Line\", \"many\": true}," \
    "      \"previous\": {\"entity\": \"Order\"}}}," \
    "  \"Line\": {\"attributes\": {\"count\": {\"type\": \"int\"}}," \
    "    \"relationships\": {\"product\": {\"entity\": \"Product\"}," \
    "      \"order\": {\"entity\": \"Order\"}}}," \
    "  \"Product\": {\"identity\": \"sku\"," \
    "    \"attributes\": {\"sku\": \"sku\", \"name\": {\"type\": \"string\"}}}}}"

#define ORDERS \
    "[{\"id\": 1, \"previous\": {\"id\": 2}," \
    "  \"lines\": [{\"count\": 3, \"order\": {\"id\": 1}," \
    "    \"product\": {\"sku\": \"p\", \"name\": \"Pen\"}}]}," \
    " {\"id\": 2, \"previous\": {\"id\": 1}}]"

static restway_response *mapped(restway_client *client, const char *json) {
    restway_map_options options = RESTWAY_MAP_OPTIONS_INIT;
    restway_response *response = NULL;
    assert_ok(restway_client_map(
        client, "Order", json, strlen(json), &options, &response, NULL, &failure));
    return response;
}

static size_t count_of(restway_store *store, const char *entity) {
    size_t count = 99;
    assert_ok(restway_store_count(store, entity, &count, &failure));
    return count;
}

static void unkept__an_object_outlives_its_response_and_the_store_has_none(void **state) {
    (void)state;
    restway_client *client = unreachable_client_of(DOCUMENT);
    restway_store *store = restway_client_store(client);
    restway_response *response = mapped(client, ORDERS);
    assert_int_equal(restway_response_object_count(response), 2);
    restway_object *order = restway_object_retain(restway_response_object(response, 0));
    restway_response_release(response);
    assert_int_equal(count_of(store, NULL), 1);
    assert_int_equal(count_of(store, "Order"), 0);
    assert_int_equal(count_of(store, "Line"), 0);
    assert_int_equal(count_of(store, "Product"), 1);
    restway_object *newest = NULL;
    assert_fails(
        restway_store_newest(store, order, &newest, &failure), RESTWAY_E_NO_OBJECT, "Order");

    restway_object *line = NULL, *product = NULL, *back = NULL;
    assert_ok(restway_store_related_one(store, order, "lines", &line, &failure));
    assert_int_equal(restway_object_int64(line, "count", 0), 3);
    restway_object_release(order);
    assert_ok(restway_store_related_one(store, line, "product", &product, &failure));
    assert_string_equal(restway_object_string(product, "name"), "Pen");
    assert_ok(restway_store_related_one(store, line, "order", &back, &failure));
    assert_int_equal(restway_object_int64(back, "id", 0), 1);
    restway_object_release(back);
    restway_object_release(product);
    restway_object_release(line);
    restway_store_release(store);
    restway_client_release(client);
}

struct product {
    const char *name;
};

struct line {
    int64_t count;
    struct product *product;
};

struct order {
    int64_t id;
    struct line *lines;
    size_t line_count;
};

static const restway_field product_list[] = {
    RESTWAY_PLAIN_FIELD(struct product, name, "name", STRING),
};
static const restway_fields product_fields =
    RESTWAY_FIELDS(struct product, "Product", product_list);
static const restway_field line_list[] = {
    RESTWAY_PLAIN_FIELD(struct line, count, "count", INT64),
    RESTWAY_ONE_FIELD(struct line, product, "product", &product_fields),
};
static const restway_fields line_fields = RESTWAY_FIELDS(struct line, "Line", line_list);
static const restway_field order_list[] = {
    RESTWAY_PLAIN_FIELD(struct order, id, "id", INT64),
    RESTWAY_MANY_FIELD(struct order, lines, line_count, "lines", &line_fields),
};
static const restway_fields order_fields = RESTWAY_FIELDS(struct order, "Order", order_list);

static void unkept__structs_follow_its_links(void **state) {
    (void)state;
    restway_client *client = unreachable_client_of(DOCUMENT);
    restway_store *store = restway_client_store(client);
    restway_response *response = mapped(client, ORDERS);
    restway_arena arena = RESTWAY_ARENA_INIT;
    struct order order;
    assert_ok(restway_object_fill_related(
        restway_response_object(response, 0), store, 2, &order_fields, &arena, &order, &failure));
    restway_response_release(response);
    assert_int_equal(order.id, 1);
    assert_int_equal(order.line_count, 1);
    assert_int_equal(order.lines[0].count, 3);
    assert_string_equal(order.lines[0].product->name, "Pen");
    restway_arena_free(&arena);
    restway_store_release(store);
    restway_client_release(client);
}

static void unkept__a_draft_is_refused(void **state) {
    (void)state;
    restway_client *client = unreachable_client_of(DOCUMENT);
    restway_store *store = restway_client_store(client);
    restway_response *response = mapped(client, ORDERS);
    restway_draft *draft = NULL;
    assert_fails(
        restway_draft_create(store, "Order", &draft, &failure), RESTWAY_E_INVALID_ARGUMENT,
        "no store keeps this Order");
    assert_fails(
        restway_draft_copy(store, restway_response_object(response, 0), &draft, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "no store keeps this Order");
    assert_null(draft);
    restway_response_release(response);
    restway_store_release(store);
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(unkept__an_object_outlives_its_response_and_the_store_has_none),
    TEST(unkept__structs_follow_its_links),
    TEST(unkept__a_draft_is_refused),
};

const struct suite unkept_suite = SUITE(tests);
