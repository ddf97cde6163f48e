/* A host that uses Jansson too, with an allocator of its own: the library neither changes that nor
 * calls it, and values that the host made before and while objects were mapped stay as they are.
 *
 * Arguments: the API document, the base URL.
 */
#include <stdio.h>
#include <stdlib.h>

#include <jansson.h>
#include <restway/restway.h>

static int made, left;

static void *host_malloc(size_t count) {
    made++;
    left++;
    return malloc(count);
}

static void host_free(void *block) {
    if (block != NULL) {
        left--;
    }
    free(block);
}

static int is_as_it_was(json_t *value) {
    return json_array_size(value) == 2
        && json_integer_value(json_object_get(json_array_get(value, 1), "a")) == 7;
}

static json_t *read_by_host(void) { return json_loads("[1, {\"a\": 7}]", 0, NULL); }

int main(int argument_count, char **arguments) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_api *api = NULL;
    restway_client *client = NULL;
    restway_request *request = NULL;
    restway_response *response = NULL;
    restway_error *error = NULL;
    if (argument_count != 3) {
        return 2;
    }
    json_set_alloc_funcs(host_malloc, host_free);
    json_t *before = read_by_host();
    int made_by_host = made;
    options.base_url = arguments[2];
    int failed = restway_api_load_file(arguments[1], &api, &error)
        || restway_client_create(api, &options, &client, &error)
        || restway_request_create("GET", "enterprises", &request, &error)
        || restway_client_perform(client, request, 10000, &response, &error);
    if (failed) {
        fprintf(stderr, "%s\n", restway_error_message(error));
    }
    printf("allocated by the library: %d\n", made - made_by_host);
    json_t *between = read_by_host();
    restway_error_release(error);
    restway_response_release(response);
    restway_request_release(request);
    restway_client_release(client);
    restway_api_release(api);
    json_t *after = read_by_host();
    printf("read by the host: %d of 3\n",
        is_as_it_was(before) + is_as_it_was(between) + is_as_it_was(after));
    json_decref(before);
    json_decref(between);
    json_decref(after);
    printf("left: %d\n", left);
    return failed;
}
