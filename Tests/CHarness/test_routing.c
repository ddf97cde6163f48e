/* Several clients behind one face: each request goes to the client of its route. */
#include <pthread.h>
#include <string.h>

#include "harness.h"
#include "realm.h"

static const restway_client_options defaults = RESTWAY_CLIENT_OPTIONS_INIT;

#define ISSUES "\"routes\": {\"issues\": {\"path\": \"echo?issues\"}}"
#define ORDERS \
    "\"routes\": {\"orders\": {\"path\": \"echo?orders\"}, \"order\": {\"path\": \"echo\"}}"

/** Expects @p client for a request, which it releases. */
static void expect_client(
    restway_routing_client *routing, restway_request *request, restway_client *client) {
    restway_client *found = NULL;
    assert_ok(restway_routing_client_find(routing, request, &found, &failure));
    assert_ptr_equal(found, client);
    restway_client_release(found);
    restway_request_release(request);
}

static void routing__finds_the_client_of_a_route(void **state) {
    (void)state;
    restway_client *issues = make_client_of(ISSUES, defaults);
    restway_client *orders = make_client_of(ORDERS, defaults);
    restway_client *other = make_client();
    restway_routing_client *routing = NULL;
    assert_ok(restway_routing_client_create(other, &routing, &failure));
    assert_ok(restway_routing_client_add(routing, "issues", issues, &failure));
    assert_ok(restway_routing_client_add(routing, "orders", orders, &failure));
    assert_ok(restway_routing_client_add(routing, "order", orders, &failure));
    expect_client(routing, make_route("issues"), issues);
    expect_client(routing, make_route("orders"), orders);
    expect_client(routing, make_route("order"), orders);
    expect_client(routing, make_route("status"), other);
    expect_client(routing, make_get("status"), other);

    restway_object *object = fetch_enterprise(other);
    restway_request *request = NULL;
    assert_ok(restway_request_create_object("GET", object, &request, &failure));
    expect_client(routing, request, other);
    request = make_route("issues");
    assert_ok(restway_request_set_object(request, object, &failure));
    expect_client(routing, request, issues);
    restway_object_release(object);

    assert_ptr_equal(restway_routing_client_retain(routing), routing);
    restway_routing_client_release(routing);
    restway_routing_client_release(routing);
    restway_client_release(issues);
    restway_client_release(orders);
    restway_client_release(other);
}

static void routing__keeps_its_clients_open(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_client *found = NULL;
    restway_response *response = NULL;
    restway_routing_client *routing = NULL;
    assert_ok(restway_routing_client_create(NULL, &routing, &failure));
    assert_ok(restway_routing_client_add(routing, "status", client, &failure));
    restway_client_release(client);
    restway_request *request = make_route("status");
    assert_ok(restway_routing_client_find(routing, request, &found, &failure));
    restway_routing_client_release(routing);
    assert_ok(restway_client_perform(found, request, 0, &response, &failure));
    assert_int_equal(restway_response_status(response), 200);
    restway_response_release(response);
    restway_request_release(request);
    restway_client_release(found);
}

static void routing__names_what_fits_no_client(void **state) {
    (void)state;
    restway_client *client = make_client_of(ORDERS, defaults);
    restway_client *found = POISON;
    restway_routing_client *routing = NULL;
    restway_request *request = make_route("ordrs");
    assert_ok(restway_routing_client_create(NULL, &routing, &failure));
    assert_fails(
        restway_routing_client_find(routing, request, &found, &failure),
        RESTWAY_E_UNKNOWN_ROUTE, "routes with a client: none");
    assert_null(found);
    assert_ok(restway_routing_client_add(routing, "orders", client, &failure));
    assert_ok(restway_routing_client_add(routing, "order", client, &failure));
    assert_fails(
        restway_routing_client_find(routing, request, &found, &failure),
        RESTWAY_E_UNKNOWN_ROUTE,
        "route \"ordrs\" has no client, and there is no default client; routes with a client: "
        "order, orders; did you mean \"orders\"?");
    restway_request_release(request);
    request = make_get("status");
    assert_fails(
        restway_routing_client_find(routing, request, &found, &failure),
        RESTWAY_E_UNKNOWN_ROUTE, "the request names no route");
    restway_request_release(request);

    assert_fails(
        restway_routing_client_add(routing, "orders", client, &failure), RESTWAY_E_DUPLICATE,
        "orders");
    assert_fails(
        restway_routing_client_add(routing, "issues", client, &failure),
        RESTWAY_E_UNKNOWN_ROUTE, "issues");
    restway_routing_client_release(routing);
    restway_client_release(client);
}

static void routing__refuses_wrong_arguments(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_client *found = POISON;
    restway_request *request = make_route("status");
    restway_routing_client *routing = NULL;
    assert_refused(restway_routing_client_create(NULL, NULL, &failure));
    assert_ok(restway_routing_client_create(NULL, &routing, &failure));
    assert_refused(restway_routing_client_add(NULL, "status", client, &failure));
    assert_refused(restway_routing_client_add(routing, NULL, client, &failure));
    assert_refused(restway_routing_client_add(routing, "", client, &failure));
    assert_refused(restway_routing_client_add(routing, BAD_UTF8, client, &failure));
    assert_refused(restway_routing_client_add(routing, "status", NULL, &failure));
    assert_refused(restway_routing_client_find(NULL, request, &found, &failure));
    assert_null(found);
    assert_refused(restway_routing_client_find(routing, NULL, &found, &failure));
    assert_refused(restway_routing_client_find(routing, request, NULL, &failure));
    assert_null(restway_routing_client_retain(NULL));
    restway_routing_client_release(NULL);
    restway_routing_client_release(routing);
    restway_request_release(request);
    restway_client_release(client);
}

struct inherited {
    restway_client *client;
    restway_request *request;
    restway_routing_client *routing;
};

static int use_inherited(void *context) {
    struct inherited *inherited = context;
    restway_client *found = POISON;
    restway_routing_client *other = POISON;
    if (restway_routing_client_find(inherited->routing, inherited->request, &found, NULL)
            != RESTWAY_E_FORKED
        || found != NULL) {
        return 1;
    }
    if (restway_routing_client_add(inherited->routing, "status", inherited->client, NULL)
        != RESTWAY_E_FORKED) {
        return 2;
    }
    if (restway_routing_client_create(inherited->client, &other, NULL) != RESTWAY_E_FORKED
        || other != NULL) {
        return 3;
    }
    restway_routing_client_release(inherited->routing);
    return 0;
}

static void routing__of_a_parent_is_refused(void **state) {
    (void)state;
    struct inherited inherited = {.client = make_client(), .request = make_route("status")};
    assert_ok(restway_routing_client_create(inherited.client, &inherited.routing, &failure));
    assert_int_equal(result_in_child(use_inherited, &inherited), 0);
    expect_client(inherited.routing, inherited.request, inherited.client);
    restway_routing_client_release(inherited.routing);
    restway_client_release(inherited.client);
}

struct finder {
    restway_routing_client *routing;
    int found_count;
};

/** Finds clients while another thread adds routes. cmocka's checks belong to the main thread. */
static void *find_often(void *context) {
    struct finder *finder = context;
    for (int turn = 0; turn < 200; turn++) {
        restway_request *request = NULL;
        restway_client *found = NULL;
        if (restway_request_create_route(NULL, "order", &request, NULL) == RESTWAY_OK
            && restway_routing_client_find(finder->routing, request, &found, NULL)
                   == RESTWAY_OK) {
            finder->found_count++;
        }
        restway_client_release(found);
        restway_request_release(request);
    }
    return NULL;
}

static void routing__is_usable_from_any_thread(void **state) {
    (void)state;
    restway_client *client = make_client_of(ORDERS, defaults);
    struct finder finders[2] = {{NULL, 0}, {NULL, 0}};
    pthread_t threads[2];
    restway_routing_client *routing = NULL;
    assert_ok(restway_routing_client_create(client, &routing, &failure));
    for (int index = 0; index < 2; index++) {
        finders[index].routing = routing;
        assert_int_equal(pthread_create(&threads[index], NULL, find_often, &finders[index]), 0);
    }
    assert_ok(restway_routing_client_add(routing, "orders", client, &failure));
    assert_ok(restway_routing_client_add(routing, "order", client, &failure));
    for (int index = 0; index < 2; index++) {
        pthread_join(threads[index], NULL);
        assert_int_equal(finders[index].found_count, 200);
    }
    restway_routing_client_release(routing);
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(routing__finds_the_client_of_a_route),
    TEST(routing__keeps_its_clients_open),
    TEST(routing__names_what_fits_no_client),
    TEST(routing__refuses_wrong_arguments),
    TEST(routing__of_a_parent_is_refused),
    TEST(routing__is_usable_from_any_thread),
};

const struct suite routing_suite = SUITE(tests);
