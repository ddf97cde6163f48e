/* Opens a store in a file and finds company 7.
 *
 *     restway_store_open DOCUMENT FILE */
#include "measure.h"
#include "ours.h"

#include <stdio.h>

int main(int argc, char **argv) {
    const char *document = text_argument(argc, argv, 1, "DOCUMENT");
    const char *file = text_argument(argc, argv, 2, "FILE");
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_api *api = NULL;
    restway_client *client = NULL;
    restway_object *object = NULL;
    restway_error *error = NULL;
    restway_value identity = restway_value_int64(7);
    restway_store *store;
    restway_status found;
    double begun;

    options.store_path = file;
    expect(restway_api_load_file(document, &api, &error), &error);
    begun = wall_seconds();
    expect(restway_client_create(api, &options, &client, &error), &error);
    store = restway_client_store(client);
    found = restway_store_find(store, "Company", &identity, &object, NULL);
    begun = wall_seconds() - begun;
    printf("{\"open_seconds\": %.9f, \"found\": %d}\n", begun, found == RESTWAY_OK);
    restway_object_release(object);
    restway_store_release(store);
    restway_client_release(client);
    restway_api_release(api);
    return 0;
}
