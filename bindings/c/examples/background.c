/* Several requests at once: each is sent without waiting, and reports when it is done.
 *
 *     cc background.c -o background $(pkg-config --cflags --libs restway) -pthread
 *     examples/with-demo-api ./background
 *
 * The notices run on a thread of the library, one at a time, while the program is free to do
 * something else. This one just waits until all have run.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <restway/restway.h>

enum { COMPANY_COUNT = 5 };

/** The shared state of the notices: how many are still to come, and how many reported a failure. */
struct progress {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int pending_count;
    int failed_count;
};

/** A call has completed. */
static void report(
    void *context, restway_call *call, restway_status status, restway_response *response,
    const restway_error *error) {
    struct progress *progress = (struct progress *)context;
    (void)call;
    if (status == RESTWAY_OK) {
        const restway_object *company = restway_response_object(response, 0);
        const char *name = restway_object_string(company, "name");
        printf(
            "company %lld: %s\n", (long long)restway_object_int64(company, "itemID", 0),
            name != NULL ? name : "-");
    } else {
        fprintf(stderr, "%s\n", restway_error_message(error));
    }
    pthread_mutex_lock(&progress->lock);
    progress->failed_count += status == RESTWAY_OK ? 0 : 1;
    pthread_mutex_unlock(&progress->lock);
}

/** The library no longer needs the context of one call. */
static void finish(void *context) {
    struct progress *progress = (struct progress *)context;
    pthread_mutex_lock(&progress->lock);
    progress->pending_count--;
    pthread_cond_signal(&progress->changed);
    pthread_mutex_unlock(&progress->lock);
}

/** Sends a request for one company; report() and finish() run if this returns RESTWAY_OK. */
static restway_status ask_for(
    restway_client *client, int64_t company, struct progress *progress, restway_error **error) {
    restway_request *request = NULL;
    restway_value identity = restway_value_int64(company);
    restway_status status = restway_request_create_route("GET", "enterprise", &request, error);
    if (status == RESTWAY_OK) {
        status = restway_request_set_variable(request, "itemID", &identity, error);
    }
    if (status == RESTWAY_OK) {
        status = restway_client_send(client, request, report, progress, finish, NULL, error);
    }
    restway_request_release(request);
    return status;
}

/** Sends requests for all companies at once and waits until all calls have completed. */
static int run(restway_client *client, restway_error **error) {
    struct progress progress = {
        PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, COMPANY_COUNT, 0};
    for (int company = 1; company <= COMPANY_COUNT; company++) {
        if (*error != NULL || ask_for(client, company, &progress, error) != RESTWAY_OK) {
            finish(&progress);
        }
    }
    pthread_mutex_lock(&progress.lock);
    while (progress.pending_count > 0) {
        pthread_cond_wait(&progress.changed, &progress.lock);
    }
    pthread_mutex_unlock(&progress.lock);
    return progress.failed_count;
}

int main(int argument_count, char **arguments) {
    const char *url = getenv("RESTWAY_DEMO_URL");
    const char *document = getenv("RESTWAY_DEMO_DOCUMENT");
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_api *api = NULL;
    restway_client *client = NULL;
    restway_error *error = NULL;
    int failed_count = 0;
    options.base_url = url != NULL || argument_count < 2 ? url : arguments[1];

    restway_status status = restway_api_load_file(
        document != NULL ? document : "examples/demo-api/demo.restway.json", &api, &error);
    if (status == RESTWAY_OK) {
        status = restway_client_create(api, &options, &client, &error);
    }
    restway_api_release(api);
    if (status == RESTWAY_OK) {
        failed_count = run(client, &error);
    }
    if (error != NULL) {
        fprintf(stderr, "%s\n", restway_error_message(error));
    }
    int result = error == NULL && failed_count == 0 ? 0 : 1;
    restway_error_release(error);
    restway_client_release(client);
    return result;
}
