/* Uses the shop: shop URL DOCUMENT ACCESS_TOKEN REFRESH_TOKEN PHOTO
 *
 * The access token has expired, so that the first call needs a refresh. */
#include "check.h"

static int refreshes;

/* Ends a refresh with the tokens of the answer. */
static void refreshed(
    void *context, restway_call *call, restway_status status, restway_response *response,
    const restway_error *reason) {
    restway_refresh *refresh = context;
    restway_credential fresh = RESTWAY_CREDENTIAL_INIT;
    const restway_object *tokens = restway_response_object(response, 0);
    (void)call;
    if (status) {
        CHECK(!restway_refresh_fail(refresh, restway_error_message(reason), 0, NULL, NULL, NULL));
    } else {
        fresh.token = restway_object_string(tokens, "access");
        fresh.refresh_token = restway_object_string(tokens, "refresh");
        CHECK(!restway_refresh_succeed(refresh, &fresh, NULL));
    }
    restway_refresh_release(refresh);
}

typedef struct session {
    restway_client *client;
    const char *refresh_token;
} session;

/* Sends the refresh token to the server; `refreshed` gets the answer. */
static void refresh(void *context, restway_refresh *refresh) {
    const session *user = context;
    restway_request *request = NULL;
    refreshes++;
    CHECK(!restway_request_create_route(NULL, "api_token_refresh_create", &request, NULL));
    CHECK(!restway_request_set_auth(request, RESTWAY_AUTH_NONE, NULL));
    CHECK(!restway_request_set_parameter_string(request, "refresh", user->refresh_token, NULL));
    CHECK(!restway_client_send(user->client, request, refreshed, refresh, NULL, NULL, NULL));
    restway_request_release(request);
}

static int64_t make_product(restway_client *client, restway_store *store, const char *name) {
    restway_draft *draft = NULL;
    restway_response *answer = NULL;
    int64_t id;
    DO(restway_draft_create(store, "Product", &draft, &error));
    DO(restway_draft_set_string(draft, "name", name, &error));
    DO(restway_draft_set_string(draft, "price", "12.50", &error));
    DO(restway_client_post_draft(client, draft, &answer, &error));
    id = restway_object_int64(restway_response_object(answer, 0), "id", 0);
    CHECK(id > 0);
    restway_response_release(answer);
    restway_draft_release(draft);
    return id;
}

/* Makes an order with a line for each quantity from `first` to `last`. */
static restway_draft *
new_order(restway_store *store, int64_t product, int64_t first, int64_t last) {
    restway_draft *draft = NULL;
    DO(restway_draft_create(store, "Order", &draft, &error));
    DO(restway_draft_set_string(draft, "note", "first", &error));
    for (int64_t quantity = first; quantity <= last; quantity++) {
        restway_draft *line = NULL;
        DO(restway_draft_create(store, "Line", &line, &error));
        DO(restway_draft_set_int64(line, "product", product, &error));
        DO(restway_draft_set_int64(line, "quantity", quantity, &error));
        DO(restway_draft_add_draft(draft, "lines", line, &error));
        restway_draft_release(line);
    }
    return draft;
}

/* Orders a product in two lines, and changes the note of the order. */
static void order(restway_client *client, restway_store *store, int64_t product) {
    restway_draft *draft = new_order(store, product, 1, 2);
    restway_response *answer = NULL;
    const int64_t *keys = NULL;
    uint32_t kind = 0;
    size_t count = 0;
    DO(restway_client_post_draft(client, draft, &answer, &error));
    CHECK(equal(restway_object_string(restway_response_object(answer, 0), "note"), "first"));
    restway_response_release(answer);
    DO(restway_draft_set_string(draft, "note", "second", &error));
    DO(restway_client_patch_draft(client, draft, &answer, &error));
    DO(restway_object_related_keys(
        restway_response_object(answer, 0), "lines", &kind, &keys, &count, &error));
    CHECK(count == 2);
    restway_response_release(answer);
    restway_draft_release(draft);
}

/* Prints why the server refuses an order without a quantity. */
static void print_refusal(restway_client *client, restway_store *store, int64_t product) {
    restway_draft *draft = new_order(store, product, 0, 0);
    REFUSED(RESTWAY_E_HTTP, restway_client_post_draft(client, draft, NULL, &error));
    for (size_t index = 0; index < restway_error_detail_count(error); index++) {
        const char *path = restway_error_detail_path(error, index);
        printf("%s: %s\n", path, restway_error_detail_message(error, index));
    }
    restway_error_release(error);
    error = NULL;
    restway_draft_release(draft);
}

/* Prints how many objects the pages of a route have. */
static void print_pages(restway_client *client, const char *route) {
    restway_request *request = NULL;
    restway_pages *pages = NULL;
    restway_response *page = NULL;
    size_t objects = 0, count = 0;
    DO(restway_request_create_route(NULL, route, &request, &error));
    DO(restway_client_pages(client, request, NULL, &pages, &error));
    for (;;) {
        DO(restway_pages_next(pages, 0, &page, &error));
        if (!page) break;
        objects += restway_response_object_count(page);
        count++;
        restway_response_release(page);
    }
    printf("%s: %d objects on %d pages\n", route, (int)objects, (int)count);
    restway_pages_release(pages);
    restway_request_release(request);
}

static void upload(restway_client *client, int64_t product, const char *file) {
    restway_request *request = NULL;
    restway_resource *photo = NULL;
    restway_response *answer = NULL;
    DO(restway_request_create_route(NULL, "api_products_photo_create", &request, &error));
    DO(restway_request_set_variable_int64(request, "id", product, &error));
    DO(restway_resource_create_file(file, NULL, NULL, &photo, &error));
    DO(restway_request_add_file(request, "photo", photo, &error));
    DO(restway_client_perform(client, request, 0, &answer, &error));
    printf("photo: %s\n", restway_object_string(restway_response_object(answer, 0), "photo"));
    restway_response_release(answer);
    restway_resource_release(photo);
    restway_request_release(request);
}

/* Changes the product that the store has, on the condition that it still has an ETag. */
static restway_status
change(restway_client *client, restway_store *store, int64_t product, const char *etag) {
    restway_object *object = NULL;
    restway_draft *draft = NULL;
    restway_request *request = NULL;
    restway_status status;
    DO(restway_store_find_int64(store, "Product", product, &object, &error));
    DO(restway_draft_copy(store, object, &draft, &error));
    DO(restway_draft_set_string(draft, "price", "11.00", &error));
    DO(restway_request_create_draft("PATCH", draft, &request, &error));
    DO(restway_request_set_header(request, "If-Match", etag, &error));
    status = restway_client_perform(client, request, 0, NULL, &error);
    restway_request_release(request);
    restway_draft_release(draft);
    restway_object_release(object);
    return status;
}

int main(int count, char **arguments) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_credential credential = RESTWAY_CREDENTIAL_INIT;
    restway_store *store = NULL;
    session user = {NULL, NULL};
    int64_t product;
    CHECK(count == 6);
    options.base_url = arguments[1];
    credential.token = arguments[3];
    credential.refresh_token = user.refresh_token = arguments[4];
    DO(restway_client_create_file(arguments[2], &options, &user.client, &error));
    DO(restway_client_set_refresh(user.client, refresh, &user, NULL, &error));
    DO(restway_client_set_credential(user.client, &credential, &error));
    store = restway_client_store(user.client);

    product = make_product(user.client, store, "Kettle");
    CHECK(refreshes == 1);
    order(user.client, store, product);
    print_pages(user.client, "api_orders_list");
    print_pages(user.client, "api_events_list");
    print_refusal(user.client, store, product);
    upload(user.client, product, arguments[5]);
    REFUSED(RESTWAY_E_HTTP, change(user.client, store, product, "\"1\""));
    printf("%d %s\n", (int)restway_error_http_status(error), restway_error_api_message(error));
    REFUSED(RESTWAY_OK, change(user.client, store, product, "\"2\""));

    restway_store_release(store);
    restway_client_release(user.client);
    return 0;
}
