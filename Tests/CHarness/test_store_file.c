/* A store in a file: opened because of a document or an option, closed, opened again. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[64];
static char path[96];

static void make_directory(void) {
    strcpy(directory, "/tmp/restway-harness-XXXXXX");
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/objects.db", directory);
}

static void remove_directory(void) {
    remove_store(directory, path);
}

static restway_client *open_file(void) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    options.store_path = path;
    return make_client_with(options);
}

static size_t count_of(restway_client *client) {
    restway_store *store = restway_client_store(client);
    size_t count = 0;
    assert_ok(restway_store_count(store, "Enterprise", &count, &failure));
    restway_store_release(store);
    return count;
}

static void store_file__keeps_objects_when_the_client_ends(void **state) {
    (void)state;
    make_directory();
    restway_client *client = open_file();
    restway_object *before = fetch_enterprise(client);
    restway_client_close(client);
    restway_client_release(client);

    client = open_file();
    restway_store *store = restway_client_store(client);
    restway_value identity = restway_value_int64(3);
    restway_object *found = NULL;
    assert_ok(restway_store_find(store, "Enterprise", &identity, &found, &failure));
    assert_true(restway_object_store_key(found) == restway_object_store_key(before));
    static const char *const names[] = {"name", "streetNumber", "creationDate", "tags", "active"};
    for (size_t index = 0; index < sizeof names / sizeof names[0]; index++) {
        restway_value old, now;
        assert_ok(restway_object_get(before, names[index], &old, &failure));
        assert_ok(restway_object_get(found, names[index], &now, &failure));
        assert_int_equal(now.kind, old.kind);
        assert_int_equal(now.length, old.length);
        if (old.kind == RESTWAY_VALUE_STRING || old.kind == RESTWAY_VALUE_JSON)
            assert_memory_equal(now.as.text, old.as.text, old.length);
        else
            assert_true(now.as.integer == old.as.integer);
    }
    restway_object_release(found);
    restway_object_release(before);
    restway_store_release(store);
    restway_client_release(client);
    remove_directory();
}

static void store_file__is_shared_by_two_clients(void **state) {
    (void)state;
    make_directory();
    restway_client *first = open_file(), *second = open_file();
    restway_response_release(fetch(first, "enterprises?page=1&per_page=4"));
    assert_int_equal(count_of(second), 4);
    restway_response_release(fetch(second, "enterprises?page=2&per_page=4"));
    assert_int_equal(count_of(first), 8);
    restway_client_release(first);
    assert_int_equal(count_of(second), 8);
    restway_client_release(second);
    remove_directory();
}

/** Checks that the file, and the files that SQLite has made beside it, have the permissions @p
 *  mode. */
static void expect_mode(mode_t mode) {
    static const char *const suffixes[] = {"", "-wal", "-shm"};
    for (size_t index = 0; index < sizeof suffixes / sizeof suffixes[0]; index++) {
        struct stat status;
        char name[160];
        snprintf(name, sizeof name, "%s%s", path, suffixes[index]);
        assert_int_equal(stat(name, &status), 0);
        assert_int_equal(status.st_mode & 0777, mode);
    }
}

static void store_file__has_the_permissions_that_the_options_say(void **state) {
    (void)state;
    static const int64_t modes[] = {0, 0600, 0640, 0664};
    for (size_t index = 0; index < sizeof modes / sizeof modes[0]; index++) {
        make_directory();
        restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
        options.store_path = path;
        options.file_mode = modes[index];
        restway_client *client = make_client_with(options);
        restway_object_release(fetch_enterprise(client));
        expect_mode(modes[index] == 0 ? 0600 : (mode_t)modes[index]);
        restway_client_release(client);
        remove_directory();
    }
}

static void store_file__that_cannot_be_made_fails_the_client(void **state) {
    (void)state;
    restway_api *api = make_api();
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_client *client = POISON;
    options.store_path = "/nonexistent/objects.db";
    assert_fails_keeping(
        restway_client_create(api, &options, &client, &failure), RESTWAY_E_STORE,
        "/nonexistent/objects.db");
    assert_int_equal(restway_error_domain(failure), RESTWAY_DOMAIN_STORE);
    assert_string_equal(restway_error_field(failure), "/nonexistent/objects.db");
    forget_failure();
    assert_null(client);
    options.store_path = BAD_UTF8;
    assert_refused(restway_client_create(api, &options, &client, &failure));
    restway_api_release(api);
}

static const struct CMUnitTest tests[] = {
    TEST(store_file__keeps_objects_when_the_client_ends),
    TEST(store_file__is_shared_by_two_clients),
    TEST(store_file__has_the_permissions_that_the_options_say),
    TEST(store_file__that_cannot_be_made_fails_the_client),
};

const struct suite store_file_suite = SUITE(tests);
