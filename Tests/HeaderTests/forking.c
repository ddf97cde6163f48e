/* Forks children while threads open clients, perform, send, read a store and write an outbox, and
 * while a thread of the program itself uses SQLite. Each child makes a client, a store and an
 * outbox of its own, and uses them.
 *
 * Arguments: the base URL, a directory, and the number of children.
 * Prints "worked W refused R hung H failed F", and the last step of each child that failed.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <restway/restway.h>
#include <sqlite3.h>

/* A child that has not ended after this many seconds hangs. */
#define PATIENCE_SECONDS 20
/* The number of children at the same time. */
#define CHILDREN_MAX 4
#define REFUSED 100

static const char document[] =
    "{\"restway\": 1,"
    " \"environments\": {\"here\": {\"baseURL\": \"http://127.0.0.1:1\"}},"
    " \"entities\": {\"Note\": {\"identity\": \"id\", \"attributes\": {"
    "   \"id\": {\"type\": \"int\"}, \"text\": {\"type\": \"string\"}}}},"
    " \"outbox\": {\"path\": \"outbox.db\"},"
    " \"routes\": {"
    "   \"notes\": {\"method\": \"POST\", \"path\": \"notes\", \"offline\": true}}}";

static const char *url;
static const char *directory;
static atomic_int is_over;

struct place {
    char store[400];
    char outbox[400];
};

static struct place place_of(const char *owner) {
    struct place place;
    snprintf(place.store, sizeof place.store, "%s/%s-store.db", directory, owner);
    snprintf(place.outbox, sizeof place.outbox, "%s/%s-outbox.db", directory, owner);
    return place;
}

static restway_status make_client(const struct place *place, restway_client **out_client) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_api *api = NULL;
    restway_status status = restway_api_load(document, strlen(document), &api, NULL);
    options.base_url = url;
    options.store_path = place->store;
    options.outbox_path = place->outbox;
    if (status == RESTWAY_OK) {
        status = restway_client_create(api, &options, out_client, NULL);
    }
    restway_api_release(api);
    return status;
}

static restway_status perform(restway_client *client) {
    restway_request *request = NULL;
    restway_status status = restway_request_create("GET", "status", &request, NULL);
    if (status == RESTWAY_OK) {
        status = restway_client_perform(client, request, 15000, NULL, NULL);
    }
    restway_request_release(request);
    return status;
}

static restway_status insert(restway_client *client, int64_t number) {
    restway_store *store = restway_client_store(client);
    restway_draft *draft = NULL;
    restway_object *object = NULL;
    restway_value id = restway_value_int64(number);
    restway_value text = restway_value_string("a note");
    restway_status status = restway_draft_create(store, "Note", &draft, NULL);
    if (status == RESTWAY_OK) {
        status = restway_draft_set(draft, "id", &id, NULL);
    }
    if (status == RESTWAY_OK) {
        status = restway_draft_set(draft, "text", &text, NULL);
    }
    if (status == RESTWAY_OK) {
        status = restway_draft_insert(draft, &object, NULL);
    }
    restway_object_release(object);
    restway_draft_release(draft);
    restway_store_release(store);
    return status;
}

static restway_status read_all(restway_client *client) {
    restway_store *store = restway_client_store(client);
    restway_list *list = NULL;
    restway_status status = restway_store_all(store, "Note", &list, NULL);
    if (status == RESTWAY_OK && restway_list_count(list) == 0) {
        status = RESTWAY_E_NO_OBJECT;
    }
    restway_list_release(list);
    restway_store_release(store);
    return status;
}

/* Stores a request for later, and drops it. */
static restway_status put_off(restway_client *client) {
    restway_request *request = NULL;
    restway_status status =
        restway_client_set_reachability(client, RESTWAY_REACHABILITY_UNREACHABLE, NULL);
    if (status == RESTWAY_OK) {
        status = restway_request_create_route("POST", "notes", &request, NULL);
    }
    if (status == RESTWAY_OK) {
        status = restway_client_perform(client, request, 0, NULL, NULL);
    }
    if (status == RESTWAY_E_QUEUED) {
        status = restway_outbox_drop_all(client, NULL, NULL);
    }
    restway_request_release(request);
    return status;
}

/* --- The threads of the parent. Each thread ends when the last child has ended. --- */

static void expect(const char *what, restway_status status) {
    if (status != RESTWAY_OK) {
        printf("the parent's %s: %s\n", what, restway_status_name(status));
        exit(2);
    }
}

static restway_client *client_for(const char *owner) {
    struct place place = place_of(owner);
    restway_client *client = NULL;
    expect("client", make_client(&place, &client));
    return client;
}

static void *keep_opening(void *unused) {
    (void)unused;
    while (!is_over) {
        restway_client_release(client_for("opened"));
    }
    return NULL;
}

static void *keep_performing(void *unused) {
    (void)unused;
    restway_client *client = client_for("performed");
    while (!is_over) {
        expect("perform", perform(client));
    }
    restway_client_release(client);
    return NULL;
}

static void *keep_sending(void *unused) {
    (void)unused;
    restway_client *client = client_for("sent");
    restway_request *request = NULL;
    restway_call *calls[8] = {NULL};
    expect("request", restway_request_create("GET", "status", &request, NULL));
    for (int turn = 0; !is_over; turn = (turn + 1) % 8) {
        if (calls[turn] != NULL) {
            expect("call", restway_call_wait(calls[turn], 15000, NULL, NULL));
            restway_call_release(calls[turn]);
        }
        expect(
            "send",
            restway_client_send(client, request, NULL, NULL, NULL, &calls[turn], NULL));
    }
    for (int turn = 0; turn < 8; turn++) {
        restway_call_release(calls[turn]);
    }
    restway_request_release(request);
    restway_client_release(client);
    return NULL;
}

static void *keep_reading(void *unused) {
    (void)unused;
    restway_client *client = client_for("read");
    for (int64_t number = 1; !is_over; number = number % 50 + 1) {
        expect("insert", insert(client, number));
        expect("read", read_all(client));
    }
    restway_client_release(client);
    return NULL;
}

static void *keep_storing(void *unused) {
    (void)unused;
    restway_client *client = client_for("stored");
    while (!is_over) {
        expect("outbox", put_off(client));
    }
    restway_client_release(client);
    return NULL;
}

static void *keep_using_sqlite(void *unused) {
    char path[400];
    (void)unused;
    snprintf(path, sizeof path, "%s/own.db", directory);
    while (!is_over) {
        sqlite3 *file = NULL;
        if (sqlite3_open(path, &file) != SQLITE_OK
            || sqlite3_exec(
                   file, "CREATE TABLE IF NOT EXISTS t (x); SELECT randomblob(900) FROM t", NULL,
                   NULL, NULL)
                   != SQLITE_OK) {
            printf("the parent's own SQLite: %s\n", sqlite3_errmsg(file));
            exit(2);
        }
        sqlite3_close(file);
    }
    return NULL;
}

/* Does once what the threads and the children do. Swift's runtime sets up types and variables at
 * their first use, under locks that a fork does not wait for: a child that is forked while another
 * thread uses something for the first time may hang (docs/THREADING.md). */
static void use_everything_once(void) {
    restway_client *client = client_for("first");
    restway_request *request = NULL;
    restway_call *call = NULL;
    expect("perform", perform(client));
    expect("request", restway_request_create("GET", "status", &request, NULL));
    expect("send", restway_client_send(client, request, NULL, NULL, NULL, &call, NULL));
    expect("call", restway_call_wait(call, 15000, NULL, NULL));
    restway_call_release(call);
    restway_request_release(request);
    expect("insert", insert(client, 1));
    expect("read", read_all(client));
    expect("outbox", put_off(client));
    restway_client_release(client);
}

/* --- A child. --- */

/* Returns 0 if everything works, REFUSED if the first step is refused, otherwise the step that
 * failed. */
static int work_in_child(void) {
    char owner[32];
    restway_client *client = NULL;
    alarm(PATIENCE_SECONDS);
    snprintf(owner, sizeof owner, "child-%d", (int)getpid());
    struct place place = place_of(owner);
    restway_status status = make_client(&place, &client);
    if (status != RESTWAY_OK) {
        return status == RESTWAY_E_FORKED && client == NULL ? REFUSED : 1;
    }
    if (perform(client) != RESTWAY_OK) {
        return 2;
    }
    if (insert(client, 1) != RESTWAY_OK) {
        return 3;
    }
    if (read_all(client) != RESTWAY_OK) {
        return 4;
    }
    if (put_off(client) != RESTWAY_OK) {
        return 5;
    }
    restway_client_release(client);
    client = NULL;
    /* The parent has this file open, and a child does not inherit its locks. */
    place = place_of("read");
    return make_client(&place, &client) == RESTWAY_E_FORKED && client == NULL ? 0 : 6;
}

int main(int count, char **arguments) {
    static void *(*const works[])(void *) = {
        keep_opening, keep_performing, keep_sending, keep_reading, keep_storing,
        keep_using_sqlite,
    };
    enum { work_count = sizeof works / sizeof *works };
    pthread_t threads[work_count];
    int worked = 0, refused = 0, hung = 0, failed = 0, running = 0;
    if (count != 4) {
        return 2;
    }
    url = arguments[1];
    directory = arguments[2];
    const int children = atoi(arguments[3]);
    use_everything_once();
    /* The files that the children are refused are open before the first child is made. */
    restway_client_release(client_for("opened"));
    restway_client *read = client_for("read");
    for (int i = 0; i < work_count; i++) {
        if (pthread_create(&threads[i], NULL, works[i], NULL) != 0) {
            return 2;
        }
    }
    for (int made = 0; made < children || running > 0;) {
        if (made < children && running < CHILDREN_MAX) {
            pid_t child = fork();
            if (child < 0) {
                return 2;
            }
            if (child == 0) {
                _exit(work_in_child());
            }
            made++;
            running++;
            continue;
        }
        int status = 0;
        if (wait(&status) < 0) {
            return 2;
        }
        running--;
        if (WIFSIGNALED(status)) {
            hung += WTERMSIG(status) == SIGALRM;
            failed += WTERMSIG(status) != SIGALRM;
            printf("a child ended by signal %d\n", WTERMSIG(status));
        } else if (WEXITSTATUS(status) == 0) {
            worked++;
        } else if (WEXITSTATUS(status) == REFUSED) {
            refused++;
        } else {
            failed++;
            printf("a child failed in step %d\n", WEXITSTATUS(status));
        }
    }
    is_over = 1;
    for (int i = 0; i < work_count; i++) {
        pthread_join(threads[i], NULL);
    }
    restway_client_release(read);
    printf("worked %d refused %d hung %d failed %d\n", worked, refused, hung, failed);
    return 0;
}
