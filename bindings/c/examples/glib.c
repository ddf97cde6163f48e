/* Requests in a GLib program (GTK, GNOME, ...): the main loop runs the notices.
 *
 *     cc glib.c -o glib $(pkg-config --cflags --libs restway glib-2.0)
 *     examples/with-demo-api ./glib
 *
 * The client delivers by restway_client_process(): a source of the main loop watches its
 * descriptor, so every notice runs on the thread of the loop, where widgets may be
 * touched. */
#include <glib-unix.h>
#include <glib.h>
#include <locale.h>

#include <restway/restway.h>

enum { COMPANY_COUNT = 5 };

/** The shared state of the notices. They run one after the other on one thread, so no lock is
 *  needed. */
struct progress {
    GMainLoop *loop;
    restway_client *client;
    int pending_count;
    int failed_count;
};

/** Prints the reason of a failure, and releases the error. */
static int give_up(restway_error *error) {
    g_printerr("%s\n", restway_error_message(error));
    restway_error_release(error);
    return 1;
}

/** The client has notices that are due. */
static gboolean process(gint descriptor, GIOCondition condition, gpointer data) {
    struct progress *progress = data;
    restway_error *error = NULL;
    (void)descriptor;
    (void)condition;
    if (restway_client_process(progress->client, 0, NULL, &error) == RESTWAY_OK) {
        return G_SOURCE_CONTINUE;
    }
    progress->failed_count += give_up(error);
    g_main_loop_quit(progress->loop);
    return G_SOURCE_REMOVE;
}

/** A call has completed. */
static void report(
    void *context, restway_call *call, restway_status status, restway_response *response,
    const restway_error *error) {
    struct progress *progress = context;
    (void)call;
    if (status == RESTWAY_OK) {
        const restway_object *company = restway_response_object(response, 0);
        const char *name = restway_object_string(company, "name");
        gint64 identity = restway_object_int64(company, "itemID", 0);
        g_print("company %" G_GINT64_FORMAT ": %s\n", identity, name != NULL ? name : "-");
    } else {
        g_printerr("%s\n", restway_error_message(error));
        progress->failed_count++;
    }
    if (--progress->pending_count == 0) {
        g_main_loop_quit(progress->loop);
    }
}

static restway_status ask_for(int company, struct progress *progress, restway_error **error) {
    gchar *path = g_strdup_printf("enterprises/%d", company);
    restway_request *request = NULL;
    restway_status status = restway_request_create("GET", path, &request, error);
    if (status == RESTWAY_OK) {
        status =
            restway_client_send(progress->client, request, report, progress, NULL, NULL, error);
    }
    restway_request_release(request);
    g_free(path);
    return status;
}

/** Sends requests for all companies at once, and runs the main loop until all have been
 *  answered. */
static int fetch_companies(restway_client *client) {
    struct progress progress = {g_main_loop_new(NULL, FALSE), client, 0, 0};
    restway_error *error = NULL;
    guint source = g_unix_fd_add(restway_client_descriptor(client), G_IO_IN, process, &progress);
    for (int company = 1; company <= COMPANY_COUNT && error == NULL; company++) {
        progress.pending_count += ask_for(company, &progress, &error) == RESTWAY_OK ? 1 : 0;
    }
    if (progress.pending_count > 0) {
        g_main_loop_run(progress.loop);
    }
    g_source_remove(source);
    g_main_loop_unref(progress.loop);
    if (error != NULL) {
        return give_up(error);
    }
    return progress.failed_count == 0 ? 0 : 1;
}

int main(void) {
    const gchar *document = g_getenv("RESTWAY_DEMO_DOCUMENT");
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_api *api = NULL;
    restway_client *client = NULL;
    restway_error *error = NULL;
    setlocale(LC_ALL, ""); /* g_print writes in the encoding of the user's locale. */
    options.base_url = g_getenv("RESTWAY_DEMO_URL");
    options.delivery = RESTWAY_DELIVERY_PROCESS;

    restway_status status = restway_api_load_file(
        document != NULL ? document : "examples/demo-api/demo.restway.json", &api, &error);
    if (status == RESTWAY_OK) {
        status = restway_client_create(api, &options, &client, &error);
    }
    restway_api_release(api);
    if (status != RESTWAY_OK) {
        return give_up(error);
    }
    int result = fetch_companies(client);
    restway_client_release(client);
    return result;
}
