/* A host with functions that are called as Jansson's are, as those of json-c and json-glib: the
 * library takes none of them for its own. Prints how many companies it mapped.
 *
 * Arguments: the API document, the base URL.
 */
#include <stdio.h>
#include <stdlib.h>

#include <restway/restway.h>

#define STRANGER(name) \
    void name(void); \
    void name(void) { \
        fprintf(stderr, "the host's " #name " was called\n"); \
        abort(); \
    }

STRANGER(json_loadb)
STRANGER(json_load_callback)
STRANGER(json_object)
STRANGER(json_object_get)
STRANGER(json_object_iter)
STRANGER(json_object_size)
STRANGER(json_array_get)
STRANGER(json_array_size)
STRANGER(json_string_value)
STRANGER(json_integer_value)
STRANGER(json_delete)
STRANGER(json_dumps)
STRANGER(json_set_alloc_funcs)
STRANGER(jsonp_malloc)
STRANGER(hashtable_get)
STRANGER(strbuffer_init)

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
    options.base_url = arguments[2];
    int failed = restway_api_load_file(arguments[1], &api, &error)
        || restway_client_create(api, &options, &client, &error)
        || restway_request_create("GET", "enterprises", &request, &error)
        || restway_client_perform(client, request, 10000, &response, &error);
    if (failed) {
        fprintf(stderr, "%s\n", restway_error_message(error));
    } else {
        printf("%zu\n", restway_response_object_count(response));
    }
    restway_error_release(error);
    restway_response_release(response);
    restway_request_release(request);
    restway_client_release(client);
    restway_api_release(api);
    return failed;
}
