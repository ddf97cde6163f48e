/* Lists the issues of the tracker that the demo API has, changes one, and shows what is refused. */
#include <restway/restway.h>
#include <stdio.h>
#include <stdlib.h>

static restway_error *error;

/* Prints the objects of all pages of the issues; returns 0, or 1 and leaves an error. */
static int print_pages(restway_client *client) {
    restway_request *request = NULL;
    restway_pages *pages = NULL;
    restway_response *page = NULL;
    int failed = restway_request_create_route(NULL, "issues", &request, &error) ||
                 restway_request_set_parameter_int64(request, "per_page", 5, &error) ||
                 restway_client_pages(client, request, NULL, &pages, &error);
    while (!failed && !(failed = restway_pages_next(pages, 0, &page, &error) != 0) && page) {
        for (size_t index = 0; index < restway_response_object_count(page); index++) {
            const restway_object *issue = restway_response_object(page, index);
            printf(
                "%d: %s\n", (int)restway_object_int64(issue, "number", 0),
                restway_object_string_or(issue, "title", "(no title)"));
        }
        restway_response_release(page);
    }
    restway_pages_release(pages);
    restway_request_release(request);
    return failed;
}

/* Sets the title and the state of issue 4, and sends the changes. */
static int change(restway_client *client, const char *title, const char *state) {
    restway_store *store = restway_client_store(client);
    restway_object *issue = NULL;
    restway_draft *draft = NULL;
    restway_response *answer = NULL;
    int failed = restway_store_find_int64(store, "Issue", 4, &issue, &error) ||
                 restway_draft_copy(store, issue, &draft, &error) ||
                 restway_draft_set_string(draft, "title", title, &error) ||
                 restway_draft_set_string(draft, "state", state, &error) ||
                 restway_client_patch_draft(client, draft, &answer, &error);
    if (!failed) {
        puts(restway_object_string_or(restway_response_object(answer, 0), "title", ""));
    }
    restway_response_release(answer);
    restway_draft_release(draft);
    restway_object_release(issue);
    restway_store_release(store);
    return failed;
}

int main(void) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_client *client = NULL;
    options.base_url = getenv("RESTWAY_DEMO_URL"); /* NULL: as the document says */
    int failed =
        restway_client_create_file("examples/tracker.restway.json", &options, &client, &error) ||
        print_pages(client) || change(client, "Add a dark theme, and a light one", "open");
    if (failed) {
        fprintf(stderr, "%s\n", restway_error_message(error));
    } else if (change(client, "", "gone")) {
        printf("%d\n", (int)restway_error_http_status(error));
        for (size_t index = 0; index < restway_error_detail_count(error); index++) {
            const char *path = restway_error_detail_path(error, index);
            printf("%s: %s\n", path, restway_error_detail_message(error, index));
        }
    }
    restway_error_release(error);
    restway_client_release(client);
    return failed;
}
