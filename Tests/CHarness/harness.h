/** @file harness.h
 *  Common code of the tests of the installed library: fixtures, assertions, suites.
 *
 *  Every test ends with restway_debug_live_handles() at zero; each suite's tests run between
 *  begin_test() and end_test(), which check that.
 */
#ifndef RESTWAY_HARNESS_H
#define RESTWAY_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <restway/restway.h>

/** The tests of one file. */
struct suite {
    const struct CMUnitTest *tests;
    size_t count;
    /** Runs the suite a second time, with make_graph_client() making stores in files. */
    int has_files;
};

#define SUITE(tests) { (tests), sizeof(tests) / sizeof((tests)[0]), 0 }
#define SUITE_OF_BOTH_STORES(tests) { (tests), sizeof(tests) / sizeof((tests)[0]), 1 }
#define TEST(function) { #function, function, begin_test, end_test, NULL }

int begin_test(void **state);
int end_test(void **state);

/** Pass `&failure` as the `out_error` of a function under test: the assertions below check it,
 *  print it and release it. */
extern restway_error *failure;

/** Checks that the call returns RESTWAY_OK and leaves no error. */
#define assert_ok(call) assert_ok_at((call), #call, __FILE__, __LINE__)

/** Checks that the call returns @p status with an error of that status, whose message contains @p
 *  fragment in any case; the error is released. */
#define assert_fails(call, status, fragment) \
    do { \
        assert_fails_at((call), (status), (fragment), #call, __FILE__, __LINE__); \
        forget_failure(); \
    } while (0)

/** Checks like assert_fails(), but keeps `failure` for further checks; forget_failure() releases
 *  it. */
#define assert_fails_keeping(call, status, fragment) \
    assert_fails_at((call), (status), (fragment), #call, __FILE__, __LINE__)

/** Checks that the call returns RESTWAY_E_INVALID_ARGUMENT, and an error with a reason. */
#define assert_refused(call) assert_fails((call), RESTWAY_E_INVALID_ARGUMENT, "")

/** Checks that @p text is not NULL and contains @p fragment in any case. */
#define assert_holds(text, fragment) assert_holds_at((text), (fragment), __FILE__, __LINE__)

void assert_ok_at(restway_status status, const char *call, const char *file, int line);
void assert_fails_at(
    restway_status status, restway_status expected, const char *fragment, const char *call,
    const char *file, int line);
void assert_holds_at(const char *text, const char *fragment, const char *file, int line);
void forget_failure(void);

/** A pointer that is neither NULL nor valid: functions must clear out parameters that hold it. */
#define POISON ((void *)(uintptr_t)0x5a5a)

/** Bytes that are not UTF-8. */
#define BAD_UTF8 "a\xff\xfe"

/** Removes a store's file, the files that SQLite makes beside it, and their directory. After the
 *  last release a worker may still hold the client, and so the files; this waits for it. */
void remove_store(const char *directory, const char *path);

/** Returns the base URL of the demo API; the run ends when it is not set. */
const char *demo_url(void);

/** Loads the harness's own API document (entities Enterprise and Note). */
restway_api *make_api(void);

/** Makes a client of make_api() for the demo API. */
restway_client *make_client(void);

/** Makes a client like make_client(), with options; sets their base URL unless it is set
 *  already. */
restway_client *make_client_with(restway_client_options options);

/** Makes a client of a whole API document, for a server that cannot be reached. */
restway_client *unreachable_client_of(const char *document);

/** Makes a GET request to @p path. */
restway_request *make_get(const char *path);

/** Makes a request by the route called @p route. */
restway_request *make_route(const char *route);

/** Performs a GET of @p path, which must succeed. */
restway_response *fetch(restway_client *client, const char *path);

/** Returns enterprise 3 of the demo API. */
restway_object *fetch_enterprise(restway_client *client);

/** Returns the objects of @p entity, also those that are known by their identity alone. */
restway_list *all_objects(restway_store *store, const char *entity);

/** Returns a port of the loopback interface on which no process listens. */
int closed_port(void);

/** 1, or less under a slow tool: the numbers of loops and threads are scaled by it. */
int scaled(int count);

/** What a test does in a child process. Returns 0, or a number from 1 to 99 that says what is
 *  wrong. */
typedef int (*child_fn)(void *context);

/** Returns what @p work returns in a child process made by fork(). The result comes through a pipe,
 *  because a tool under which the harness runs may change the exit status. */
int result_in_child(child_fn work, void *context);

#endif
