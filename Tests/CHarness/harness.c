#include "harness.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "document.h"

enum { CHILD_SECONDS_MAX = 60 };

restway_error *failure;

/** The handles that earlier failed tests have leaked, so that each leak is reported only once. */
static int64_t leaked_before;

int begin_test(void **state) {
    (void)state;
    failure = NULL;
    return 0;
}

int end_test(void **state) {
    (void)state;
    forget_failure();
    int64_t alive = restway_debug_live_handles();
    int64_t leaked = alive - leaked_before;
    leaked_before = alive;
    assert_int_equal(leaked, 0);
    return 0;
}

void forget_failure(void) {
    restway_error_release(failure);
    failure = NULL;
}

void assert_ok_at(restway_status status, const char *call, const char *file, int line) {
    if (status != RESTWAY_OK) {
        print_error(
            "%s\n  gave %s: %s\n", call, restway_status_name(status),
            restway_error_message(failure));
        _fail(file, line);
    }
    if (failure != NULL) {
        print_error("%s\n  succeeded, but left an error\n", call);
        _fail(file, line);
    }
}

void assert_fails_at(
    restway_status status, restway_status expected, const char *fragment, const char *call,
    const char *file, int line) {
    const char *message = restway_error_message(failure);
    if (status != expected || restway_error_status(failure) != expected) {
        print_error(
            "%s\n  gave %s with an error of %s, expected %s: %s\n", call,
            restway_status_name(status), restway_status_name(restway_error_status(failure)),
            restway_status_name(expected), message);
        _fail(file, line);
    }
    if (message == NULL || message[0] == '\0') {
        print_error("%s\n  left an error without a message\n", call);
        _fail(file, line);
    }
    assert_holds_at(message, fragment, file, line);
}

static int starts_with(const char *text, const char *prefix) {
    while (*prefix != '\0') {
        if (tolower((unsigned char)*text++) != tolower((unsigned char)*prefix++)) {
            return 0;
        }
    }
    return 1;
}

void assert_holds_at(const char *text, const char *fragment, const char *file, int line) {
    if (text != NULL) {
        for (const char *rest = text; *rest != '\0' || *fragment == '\0'; rest++) {
            if (starts_with(rest, fragment)) {
                return;
            }
        }
    }
    print_error("\"%s\"\n  does not hold \"%s\"\n", text != NULL ? text : "(NULL)", fragment);
    _fail(file, line);
}

const char *demo_url(void) {
    const char *url = getenv("RESTWAY_DEMO_URL");
    if (url == NULL) {
        fprintf(stderr, "harness: RESTWAY_DEMO_URL is not set: examples/with-demo-api harness\n");
        exit(2);
    }
    return url;
}

restway_api *make_api(void) {
    restway_api *api = NULL;
    assert_ok(restway_api_load(HARNESS_DOCUMENT, strlen(HARNESS_DOCUMENT), &api, &failure));
    assert_non_null(api);
    return api;
}

restway_client *make_client(void) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    return make_client_with(options);
}

restway_client *unreachable_client_of(const char *document) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_api *api = NULL;
    restway_client *client = NULL;
    assert_ok(restway_api_load(document, strlen(document), &api, &failure));
    options.base_url = "http://127.0.0.1:1";
    assert_ok(restway_client_create(api, &options, &client, &failure));
    restway_api_release(api);
    return client;
}

restway_client *make_client_with(restway_client_options options) {
    restway_api *api = make_api();
    restway_client *client = NULL;
    if (options.base_url == NULL) {
        options.base_url = demo_url();
    }
    assert_ok(restway_client_create(api, &options, &client, &failure));
    assert_non_null(client);
    restway_api_release(api);
    return client;
}

restway_request *make_get(const char *path) {
    restway_request *request = NULL;
    assert_ok(restway_request_create("GET", path, &request, &failure));
    assert_non_null(request);
    return request;
}

restway_request *make_route(const char *route) {
    restway_request *request = NULL;
    assert_ok(restway_request_create_route(NULL, route, &request, &failure));
    return request;
}

restway_response *fetch(restway_client *client, const char *path) {
    restway_request *request = make_get(path);
    restway_response *response = NULL;
    assert_ok(restway_client_perform(client, request, 0, &response, &failure));
    assert_non_null(response);
    restway_request_release(request);
    return response;
}

restway_object *fetch_enterprise(restway_client *client) {
    restway_response *response = fetch(client, "enterprises/3");
    assert_int_equal(restway_response_object_count(response), 1);
    restway_object *object = restway_object_retain(restway_response_object(response, 0));
    assert_non_null(object);
    restway_response_release(response);
    return object;
}

int closed_port(void) {
    struct sockaddr_in address;
    socklen_t length = sizeof(address);
    memset(&address, 0, sizeof(address));
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(listener >= 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &length), 0);
    close(listener);
    return ntohs(address.sin_port);
}

void remove_store(const char *directory, const char *path) {
    static const char *const suffixes[] = {"", "-wal", "-shm", "-sender"};
    char name[160];
    int is_gone = 0;
    for (int attempt = 0; attempt < 10000 && !is_gone; attempt++) {
        for (size_t index = 0; index < 4; index++) {
            snprintf(name, sizeof name, "%s%s", path, suffixes[index]);
            unlink(name);
        }
        is_gone = rmdir(directory) == 0;
        if (!is_gone) {
            poll(NULL, 0, 1);
        }
    }
    assert_true(is_gone);
}

int scaled(int count) {
    return getenv("RESTWAY_HARNESS_SLOW") != NULL ? (count + 9) / 10 : count;
}

int result_in_child(child_fn work, void *context) {
    int results[2];
    assert_int_equal(pipe(results), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(CHILD_SECONDS_MAX);
        char result = (char)work(context);
        _exit(write(results[1], &result, 1) == 1 ? 0 : 1);
    }
    char result = -1;
    close(results[1]);
    ssize_t received = read(results[0], &result, 1);
    close(results[0]);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(received, 1);
    return result;
}

restway_list *all_objects(restway_store *store, const char *entity) {
    restway_query *query = NULL;
    restway_list *list = NULL;
    assert_ok(restway_query_create(store, entity, &query, &failure));
    assert_ok(restway_query_set_unloaded(query, -1, &failure));
    assert_ok(restway_store_query(store, query, &list, &failure));
    restway_query_release(query);
    return list;
}
