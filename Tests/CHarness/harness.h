/** @file harness.h
 *  What the tests of the installed library share: fixtures, assertions, suites.
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
    /** Run a second time with make_graph_client() making stores in files. */
    int has_files;
};

#define SUITE(tests) { (tests), sizeof(tests) / sizeof((tests)[0]), 0 }
#define SUITE_OF_BOTH_STORES(tests) { (tests), sizeof(tests) / sizeof((tests)[0]), 1 }
#define TEST(function) { #function, function, begin_test, end_test, NULL }

int begin_test(void **state);
int end_test(void **state);

/** Pass `&failure` as the `out_error` of a function under test: the assertions below look at it,
 *  print it and release it. */
extern restway_error *failure;

/** The call returns RESTWAY_OK and leaves no error. */
#define assert_ok(call) assert_ok_at((call), #call, __FILE__, __LINE__)

/** The call returns @p status with an error of that status, whose message holds @p fragment
 *  whatever its case; the error is released. */
#define assert_fails(call, status, fragment) \
    do { \
        assert_fails_at((call), (status), (fragment), #call, __FILE__, __LINE__); \
        forget_failure(); \
    } while (0)

/** The same, but `failure` stays, to be looked at; forget_failure() releases it. */
#define assert_fails_keeping(call, status, fragment) \
    assert_fails_at((call), (status), (fragment), #call, __FILE__, __LINE__)

/** The call returns RESTWAY_E_INVALID_ARGUMENT, and an error that says why. */
#define assert_refused(call) assert_fails((call), RESTWAY_E_INVALID_ARGUMENT, "")

/** @p text is not NULL and holds @p fragment, whatever its case. */
#define assert_holds(text, fragment) assert_holds_at((text), (fragment), __FILE__, __LINE__)

void assert_ok_at(restway_status status, const char *call, const char *file, int line);
void assert_fails_at(
    restway_status status, restway_status expected, const char *fragment, const char *call,
    const char *file, int line);
void assert_holds_at(const char *text, const char *fragment, const char *file, int line);
void forget_failure(void);

/** A pointer that is neither NULL nor valid: an out parameter must be cleared of it. */
#define POISON ((void *)(uintptr_t)0x5a5a)

/** Bytes that are not UTF-8. */
#define BAD_UTF8 "a\xff\xfe"

/** Removes a store's file, what SQLite keeps beside it, and their directory. After the last release
 *  a worker may still be letting go of the client, and so of the files: that is waited for. */
void remove_store(const char *directory, const char *path);

/** The base URL of the demo API; the run ends when it is not set. */
const char *demo_url(void);

/** The harness's own API document (entities Enterprise and Note), loaded. */
restway_api *make_api(void);

/** A client of make_api() for the demo API. */
restway_client *make_client(void);

/** The same with options; their base URL is set here unless it is set already. */
restway_client *make_client_with(restway_client_options options);

/** A GET request to @p path. */
restway_request *make_get(const char *path);

/** Performs a GET of @p path, which succeeds. */
restway_response *fetch(restway_client *client, const char *path);

/** Enterprise 3 of the demo API. */
restway_object *fetch_enterprise(restway_client *client);

/** A port of the loopback interface that nobody listens on. */
int closed_port(void);

/** 1, or less under a slow tool: what loops and threads are scaled by. */
int scaled(int count);

#endif
