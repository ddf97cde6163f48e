/* Measures what a new process does before its first request with Restway. The program is not linked
 * with Restway: loading it is part of the measurement, and so is the API document.
 *
 *     restway_open LIBRESTWAY DOCUMENT */
#include "measure.h"

#include <dlfcn.h>
#include <restway/restway.h>
#include <stdio.h>
#include <string.h>

typedef restway_status (*load_file_fn)(const char *, restway_api **, restway_error **);
typedef restway_status (*client_create_fn)(
    restway_api *, const restway_client_options *, restway_client **, restway_error **);

/* ISO C has no cast from an object pointer to a function pointer. */
static void find(void *library, const char *name, void *function, size_t bytes) {
    void *symbol = dlsym(library, name);

    if (symbol == NULL) fail("%s is missing", name);
    memcpy(function, &symbol, bytes);
}

int main(int argc, char **argv) {
    const char *path = text_argument(argc, argv, 1, "LIBRESTWAY");
    const char *document = text_argument(argc, argv, 2, "DOCUMENT");
    load_file_fn load_file;
    client_create_fn client_create;
    restway_api *api = NULL;
    restway_client *client = NULL;
    double begun = wall_seconds();
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    if (library == NULL) fail("%s", dlerror());
    find(library, "restway_api_load_file", &load_file, sizeof load_file);
    find(library, "restway_client_create", &client_create, sizeof client_create);
    if (load_file(document, &api, NULL) != RESTWAY_OK) fail("the document does not load");
    if (client_create(api, NULL, &client, NULL) != RESTWAY_OK) fail("no client");
    printf("{\"open_seconds\": %.9f}\n", wall_seconds() - begun);
    return 0;
}
