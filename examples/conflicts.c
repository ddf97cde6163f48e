/* An inspector without a network, and the office, change the same forms.
 *
 * It runs in the folder of the source code, beside the demo API. Its files are in the current
 * folder or in the folder INSPECTIONS. RESTWAY_DEMO_URL is the address of the server, if it is
 * another one. */
#include <restway/restway.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static restway_error *error;

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
    return restway_client_create_file("examples/conflicts.restway.json", &options, client, &error);
}

/* Sends values of a form. Without a network, they wait in a file. */
static restway_status edit(
    restway_client *client, int64_t number, const char *place, const char *result,
    const char *remark) {
    restway_store *store = restway_client_store(client);
    restway_object *form = NULL;
    restway_draft *draft = NULL;
    restway_status status = restway_store_find_int64(store, "Inspection", number, &form, &error);
    status = status ? status : restway_draft_copy(store, form, &draft, &error);
    if (status == RESTWAY_OK && place) {
        status = restway_draft_set_string(draft, "place", place, &error);
    }
    if (status == RESTWAY_OK && result) {
        status = restway_draft_set_string(draft, "result", result, &error);
    }
    if (status == RESTWAY_OK && remark) {
        status = restway_draft_set_string(draft, "remark", remark, &error);
    }
    status = status ? status : restway_client_patch_draft(client, draft, NULL, &error);
    restway_draft_release(draft);
    restway_object_release(form);
    restway_store_release(store);
    return status;
}

/* Reads a form again, or deletes it. Without a network, a DELETE waits in a file. */
static int get_or_delete(restway_client *client, int64_t number, int deletes) {
    restway_store *store = restway_client_store(client);
    restway_object *form = NULL;
    int wrong = restway_store_find_int64(store, "Inspection", number, &form, &error) ||
                failed(
                    deletes ? restway_client_delete_object(client, form, NULL, &error)
                            : restway_client_get_object(client, form, NULL, &error));
    restway_object_release(form);
    restway_store_release(store);
    return wrong;
}

/* Prints both sides of a conflict. */
static void show_conflict(const restway_conflict *conflict) {
    const restway_object *mine = restway_conflict_mine(conflict);
    const char *place = restway_object_string_or(mine, "place", "?");
    if (restway_conflict_kind_of(conflict) == RESTWAY_CONFLICT_THEY_DELETED) {
        printf("%s: you have changed it, and somebody else has deleted it\n", place);
    }
    for (size_t index = 0; index < restway_conflict_count(conflict); index++) {
        const char *name = restway_conflict_name(conflict, index);
        const restway_object *base = restway_conflict_base(conflict);
        const restway_object *theirs = restway_conflict_theirs(conflict);
        printf("%s: %s was %s\n", place, name, restway_object_string_or(base, name, "empty"));
        printf("  yours:  %s\n", restway_object_string_or(mine, name, "empty"));
        printf("  theirs: %s\n", restway_object_string_or(theirs, name, "empty"));
    }
}

/* Prints all conflicts. */
static int show_conflicts(restway_client *client) {
    restway_conflicts *conflicts = NULL;
    int wrong = restway_outbox_conflicts(client, &conflicts, &error);
    for (size_t index = 0; index < restway_conflicts_count(conflicts); index++) {
        show_conflict(restway_conflicts_conflict(conflicts, index));
    }
    restway_conflicts_release(conflicts);
    return wrong;
}

/* Resolves a conflict, as the user might do it. */
static int decide_one(restway_client *client, restway_conflict *conflict) {
    const restway_object *theirs = restway_conflict_theirs(conflict);
    char both[256];
    restway_value remark;
    if (theirs == NULL) { /* the form stays deleted */
        return restway_conflict_choose(conflict, NULL, RESTWAY_CONFLICT_THEIRS, &error) ||
               restway_conflict_resolve(client, conflict, &error);
    }
    snprintf(
        both, sizeof both, "%s %s", restway_object_string_or(theirs, "remark", ""),
        restway_object_string_or(restway_conflict_mine(conflict), "remark", ""));
    remark = restway_value_string(both);
    return restway_conflict_choose(conflict, NULL, RESTWAY_CONFLICT_MINE, &error) ||
           restway_conflict_set_value(conflict, "remark", &remark, &error) ||
           restway_conflict_resolve(client, conflict, &error);
}

/* Resolves all conflicts. */
static int decide(restway_client *client) {
    restway_conflicts *conflicts = NULL;
    int wrong = restway_outbox_conflicts(client, &conflicts, &error);
    for (size_t index = 0; index < restway_conflicts_count(conflicts) && !wrong; index++) {
        wrong = decide_one(client, restway_conflicts_conflict(conflicts, index));
    }
    restway_conflicts_release(conflicts);
    return wrong;
}

/* Lets a form stay failed if it is failed on one side. */
static restway_status failed_or_mine(
    void *context, restway_conflict *conflict, restway_answer *answer) {
    const restway_object *mine = restway_conflict_mine(conflict);
    const restway_object *theirs = restway_conflict_theirs(conflict);
    int is_failed = strcmp(restway_object_string_or(mine, "result", ""), "failed") == 0 ||
                    strcmp(restway_object_string_or(theirs, "result", ""), "failed") == 0;
    restway_value failed = restway_value_string("failed");
    (void)context;
    (void)answer;
    return is_failed ? restway_conflict_set_value(conflict, "result", &failed, NULL)
                     : restway_conflict_choose(conflict, "result", RESTWAY_CONFLICT_MINE, NULL);
}

/* Sends a remark to a server that can be reached, or says why it is impossible. */
static int save(restway_client *client, int64_t number, const char *remark) {
    restway_status status = edit(client, number, NULL, NULL, remark);
    const restway_conflict *conflict = restway_error_conflict(error);
    for (size_t index = 0; index < restway_conflict_count(conflict); index++) {
        const char *name = restway_conflict_name(conflict, index);
        const restway_object *theirs = restway_conflict_theirs(conflict);
        const char *value = restway_object_string_or(theirs, name, "empty");
        printf("Not saved: %s is %s by now\n", name, value);
        status = RESTWAY_OK;
    }
    return failed(status);
}

static void flushed(
    void *context, const restway_outbox_items *items, restway_status status,
    const restway_error *reason) {
    (void)items;
    if (status != RESTWAY_OK) {
        puts(restway_error_message(reason));
    }
    *(int *)context = 1;
}

/* Sends what waits, and prints how many changes are parked. */
static int send_changes(restway_client *client) {
    restway_outbox_counts counts = RESTWAY_OUTBOX_COUNTS_INIT;
    int is_done = 0;
    int wrong = restway_outbox_flush(client, 0, flushed, &is_done, NULL, &error);
    while (!wrong && !is_done) {
        wrong = restway_client_process(client, 100, NULL, &error);
    }
    wrong = wrong || restway_outbox_count(client, &counts, &error);
    printf("%d conflicts\n", (int)counts.parked);
    return wrong;
}

/* Prints all forms as the user sees them. */
static int show_forms(restway_client *client) {
    restway_store *store = restway_client_store(client);
    restway_list *forms = NULL;
    int wrong = restway_store_all(store, "Inspection", &forms, &error);
    for (size_t index = 0; index < restway_list_count(forms); index++) {
        const restway_object *form = restway_list_object(forms, index);
        printf(
            "%s: %s, %s\n", restway_object_string_or(form, "place", "?"),
            restway_object_string_or(form, "result", "?"),
            restway_object_string_or(form, "remark", "no remark"));
    }
    restway_list_release(forms);
    restway_store_release(store);
    return wrong;
}

static int work(restway_client *client, restway_client *office) {
    restway_error **out = &error;
    return restway_client_set_resolver(client, "Inspection", failed_or_mine, NULL, NULL, out) ||
           restway_client_get(client, "inspections", NULL, out) ||
           restway_client_get(office, "inspections", NULL, out) ||

           restway_client_set_reachability(client, RESTWAY_REACHABILITY_UNREACHABLE, out) ||
           failed(edit(client, 1, "Fire doors, west", "passed", "Both doors close.")) ||
           failed(edit(client, 2, NULL, "failed", "The door sticks.")) ||
           get_or_delete(client, 3, 1) || failed(edit(client, 4, NULL, NULL, "Needs paint.")) ||

           failed(edit(office, 1, "Fire doors, east", NULL, "Ask for the key.")) ||
           failed(edit(office, 2, NULL, "passed", NULL)) ||
           failed(edit(office, 3, NULL, NULL, "Keep this form.")) || get_or_delete(office, 4, 1) ||
           get_or_delete(office, 1, 0) || /* An answer about one form has its version. */

           restway_client_set_reachability(client, RESTWAY_REACHABILITY_UNKNOWN, out) ||
           send_changes(client) || show_conflicts(client) || decide(client) ||
           send_changes(client) || show_forms(client) ||

           save(office, 1, "The key is under the mat.");
}

int main(void) {
    restway_client *client = NULL, *office = NULL;
    int wrong =
        open_client("inspector", &client) || open_client("office", &office) || work(client, office);
    if (wrong) {
        fprintf(stderr, "%s\n", restway_error_message(error));
    }
    restway_error_release(error);
    restway_client_release(office);
    restway_client_release(client);
    return wrong;
}
