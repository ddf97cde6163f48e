/* An inspector fills in forms where there is no network, and sends them from the office.
 *
 *     inspection field     at the site; the requests wait in a file
 *     inspection office    after a restart; the requests are sent
 *
 * It runs in the folder of the source code, beside the demo API. Its files are in the current
 * folder or in the folder INSPECTIONS. RESTWAY_DEMO_URL is the address of the server, if it is
 * another one. */
#include <restway/restway.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static restway_error *error;
static const char *user = "inspector"; /* the user in whose name requests are stored */

/* Takes the status of a request: 0 if the request was answered or waits in the file. */
static int failed(restway_status status) {
    if (status == RESTWAY_E_QUEUED) {
        restway_error_release(error);
        error = NULL;
    }
    return status != RESTWAY_OK && status != RESTWAY_E_QUEUED;
}

/* Opens a client with files of its own. A second client stands for a second device. */
static int open_client(const char *name, restway_client **client) {
    const char *folder = getenv("INSPECTIONS");
    char store[1024], outbox[1024];
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    snprintf(store, sizeof store, "%s/%s.db", folder ? folder : ".", name);
    snprintf(outbox, sizeof outbox, "%s/%s-outbox.db", folder ? folder : ".", name);
    options.base_url = getenv("RESTWAY_DEMO_URL"); /* NULL: as the document says */
    options.store_path = store;
    options.outbox_path = outbox;
    options.delivery = RESTWAY_DELIVERY_PROCESS;
    return restway_client_create_file("examples/inspection.restway.json", &options, client, &error);
}

/* Sets the values of a draft that are not NULL. */
static int set(restway_draft *draft, const char *place, const char *result, const char *remark) {
    return (place && restway_draft_set_string(draft, "place", place, &error)) ||
           (result && restway_draft_set_string(draft, "result", result, &error)) ||
           (remark && restway_draft_set_string(draft, "remark", remark, &error));
}

/* Sends values of a form. */
static int edit(
    restway_client *client, int64_t number, const char *place, const char *result,
    const char *remark) {
    restway_store *store = restway_client_store(client);
    restway_object *form = NULL;
    restway_draft *draft = NULL;
    int wrong = restway_store_find_int64(store, "Inspection", number, &form, &error) ||
                restway_draft_copy(store, form, &draft, &error) ||
                set(draft, place, result, remark) ||
                failed(restway_client_patch_draft(client, draft, NULL, &error));
    restway_draft_release(draft);
    restway_object_release(form);
    restway_store_release(store);
    return wrong;
}

/* Sends a new form. If its request waits, the store has the form all the same. */
static int create(restway_client *client, const char *place, const char *result) {
    restway_store *store = restway_client_store(client);
    restway_draft *draft = NULL;
    int wrong = restway_draft_create(store, "Inspection", &draft, &error) ||
                set(draft, place, result, NULL) ||
                failed(restway_client_post_draft(client, draft, NULL, &error));
    restway_draft_release(draft);
    restway_store_release(store);
    return wrong;
}

/* Deletes a form. As long as its request waits, the store hides the form. */
static int delete_form(restway_client *client, int64_t number) {
    restway_store *store = restway_client_store(client);
    restway_object *form = NULL;
    int wrong = restway_store_find_int64(store, "Inspection", number, &form, &error) ||
                failed(restway_client_delete_object(client, form, NULL, &error));
    restway_object_release(form);
    restway_store_release(store);
    return wrong;
}

/* Undoes the last change that waits. */
static int undo(restway_client *client) {
    restway_outbox_items *items = NULL;
    int wrong = restway_outbox_list(client, &items, &error);
    size_t count = restway_outbox_items_count(items);
    if (count > 0) {
        const restway_outbox_item *last = restway_outbox_items_item(items, count - 1);
        wrong = restway_outbox_drop(client, restway_outbox_item_id(last), NULL, &error);
    }
    restway_outbox_items_release(items);
    return wrong;
}

/* Prints all forms as the user sees them, and how many requests wait. */
static int show_forms(restway_client *client) {
    restway_store *store = restway_client_store(client);
    restway_list *forms = NULL;
    restway_outbox_items *items = NULL;
    int wrong = restway_store_all(store, "Inspection", &forms, &error) ||
                restway_outbox_list(client, &items, &error);
    for (size_t index = 0; index < restway_list_count(forms) && !wrong; index++) {
        const restway_object *form = restway_list_object(forms, index);
        restway_pending *pending = NULL;
        wrong = restway_store_pending(store, form, &pending, &error);
        printf(
            "%s: %s%s\n", restway_object_string_or(form, "place", "?"),
            restway_object_string_or(form, "result", "?"),
            restway_pending_count(pending) > 0 ? " (waits)" : "");
        restway_pending_release(pending);
    }
    printf("%d requests wait\n", (int)restway_outbox_items_count(items));
    restway_outbox_items_release(items);
    restway_list_release(forms);
    restway_store_release(store);
    return wrong;
}

/* Prints each value of a form that waits, and the value that it replaces. */
static int show_pending(restway_store *store, const restway_object *form) {
    const char *place = restway_object_string_or(form, "place", "?");
    restway_pending *pending = NULL;
    int wrong = restway_store_pending(store, form, &pending, &error);
    if (restway_pending_deletes(pending)) {
        printf("%s: deleted\n", place);
    }
    for (size_t index = 0; index < restway_pending_count(pending); index++) {
        const char *name = restway_pending_name(pending, index);
        printf(
            "%s: %s is %s, was %s\n", place, name,
            restway_object_string_or(restway_pending_mine(pending), name, "empty"),
            restway_object_string_or(restway_pending_base(pending), name, "empty"));
    }
    restway_pending_release(pending);
    return wrong;
}

/* Prints all that waits. */
static int show_what_waits(restway_client *client) {
    restway_store *store = restway_client_store(client);
    restway_query *query = NULL;
    restway_list *forms = NULL;
    int wrong = restway_query_create(store, "Inspection", &query, &error) ||
                restway_query_set_pending(query, 1, &error) ||
                restway_query_set_pending_deletes(query, 1, &error) ||
                restway_store_query(store, query, &forms, &error);
    for (size_t index = 0; index < restway_list_count(forms) && !wrong; index++) {
        wrong = show_pending(store, restway_list_object(forms, index));
    }
    restway_list_release(forms);
    restway_query_release(query);
    restway_store_release(store);
    return wrong;
}

/* Prints the first form as the user sees it, beside the newest value of the server. */
static int compare(restway_client *client) {
    restway_store *store = restway_client_store(client);
    restway_object *form = NULL, *theirs = NULL;
    int wrong = restway_store_find_int64(store, "Inspection", 1, &form, &error) ||
                restway_store_confirmed(store, form, &theirs, &error);
    if (!wrong) {
        printf(
            "%s: %s The server has: %s\n", restway_object_string_or(form, "place", "?"),
            restway_object_string_or(form, "remark", "-"),
            restway_object_string_or(theirs, "remark", "-"));
    }
    restway_object_release(theirs);
    restway_object_release(form);
    restway_store_release(store);
    return wrong;
}

/* Prints the result of each request that was sent. */
static void flushed(
    void *context, const restway_outbox_items *items, restway_status status,
    const restway_error *reason) {
    for (size_t index = 0; index < restway_outbox_items_count(items); index++) {
        const restway_outbox_item *item = restway_outbox_items_item(items, index);
        int is_done = restway_outbox_item_state(item) == RESTWAY_OUTBOX_DELIVERED;
        printf(
            "%s %s %s\n", restway_outbox_item_method(item), restway_outbox_item_path(item),
            is_done ? "delivered" : "refused");
    }
    if (status != RESTWAY_OK) {
        puts(restway_error_message(reason));
    }
    *(int *)context = 1;
}

/* Sends what waits. The function `flushed` runs inside of restway_client_process(). */
static int flush(restway_client *client) {
    int is_done = 0;
    int wrong = restway_outbox_flush(client, 0, flushed, &is_done, NULL, &error);
    while (!wrong && !is_done) {
        wrong = restway_client_process(client, 100, NULL, &error);
    }
    return wrong;
}

/* Prints the forms with a change that the server has refused, and the reasons. */
static int show_refused(restway_client *client) {
    restway_store *store = restway_client_store(client);
    restway_query *query = NULL;
    restway_list *forms = NULL;
    restway_outbox_items *items = NULL;
    int wrong = restway_query_create(store, "Inspection", &query, &error) ||
                restway_query_set_rejected(query, 1, &error) ||
                restway_store_query(store, query, &forms, &error) ||
                restway_outbox_list(client, &items, &error);
    for (size_t index = 0; index < restway_list_count(forms) && !wrong; index++) {
        const restway_object *form = restway_list_object(forms, index);
        printf(
            "%s: %s (refused)\n", restway_object_string_or(form, "place", "?"),
            restway_object_string_or(form, "result", "?"));
    }
    for (size_t index = 0; index < restway_outbox_items_count(items); index++) {
        const restway_outbox_item *item = restway_outbox_items_item(items, index);
        if (restway_outbox_item_state(item) == RESTWAY_OUTBOX_DEAD) {
            puts(restway_error_api_message(restway_outbox_item_error(item)));
        }
    }
    restway_outbox_items_release(items);
    restway_list_release(forms);
    restway_query_release(query);
    restway_store_release(store);
    return wrong;
}

static int work_in_the_field(restway_client *client) {
    restway_error **out = &error;
    return restway_client_set_cache_discriminator(client, user, out) ||
           restway_client_get(client, "inspections", NULL, out) || /* while there is a network */
           restway_client_set_reachability(client, RESTWAY_REACHABILITY_UNREACHABLE, out) ||
           edit(client, 1, NULL, "passed", "Both doors close.") ||
           edit(client, 2, NULL, "failed", NULL) || delete_form(client, 3) ||
           create(client, "Roof ladder", "passed") || edit(client, 4, NULL, "failed", NULL) ||
           undo(client) || show_forms(client);
}

static int work_in_the_office(restway_client *client, restway_client *colleague) {
    restway_error **out = &error;
    return show_what_waits(client) || /* Nothing is sent before the user has signed in. */

           restway_client_get(colleague, "inspections", NULL, out) ||
           edit(colleague, 1, "Fire doors, east", NULL, "Ask for the key.") ||
           restway_client_get(client, "inspections", NULL, out) || compare(client) ||

           restway_client_set_cache_discriminator(client, user, out) || flush(client) ||
           show_refused(client) ||

           /* The refused change is the only one that still waits. */
           undo(client) || edit(client, 2, NULL, "failed", "The door sticks.") ||
           show_forms(client);
}

int main(int count, char **arguments) {
    restway_client *client = NULL, *colleague = NULL;
    int wrong = open_client("inspector", &client);
    if (!wrong && count == 2 && strcmp(arguments[1], "office") == 0) {
        wrong = open_client("colleague", &colleague) || work_in_the_office(client, colleague);
    } else if (!wrong) {
        wrong = work_in_the_field(client);
    }
    if (wrong) {
        fprintf(stderr, "%s\n", restway_error_message(error));
    }
    restway_error_release(error);
    restway_client_release(colleague);
    restway_client_release(client);
    return wrong;
}
