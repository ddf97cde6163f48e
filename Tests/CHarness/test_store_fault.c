/* A store in a file that is damaged, that others use, or whose document changes: the error is
 * clear, and the last published state is intact. */
#define _XOPEN_SOURCE 700

#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "answering.h"
#include "harness.h"

enum { NOBODY = 65534, LONG_TEXT_BYTES = 1000000, FILE_BYTES_MAX = 400000 };

/** A file, a server, and a client between them. */
struct bench {
    char directory[40], path[60];
    /** How long a commit waits for another process. */
    int busy_milliseconds;
    struct answering_server server;
    restway_client *client;
    restway_store *store;
};

/** Makes a client of the file whose notes have @p attributes beside `id`. */
static restway_status open_file(struct bench *bench, const char *attributes) {
    char document[1024];
    restway_api *api = NULL;
    snprintf(
        document, sizeof(document),
        "{\"restway\": 1, \"environments\": {\"here\": {\"baseURL\": \"%s\"}},"
        " \"store\": {\"kind\": \"sqlite\", \"path\": \"%s\", \"busyTimeoutMilliseconds\": %d},"
        " \"entities\": {\"Note\": {\"identity\": \"id\","
        "   \"attributes\": {\"id\": {\"type\": \"int\"}%s}}},"
        " \"responses\": [{\"path\": \"notes\", \"entity\": \"Note\"}]}",
        bench->server.url, bench->path, bench->busy_milliseconds, attributes);
    assert_ok(restway_api_load(document, strlen(document), &api, &failure));
    restway_status status = restway_client_create(api, NULL, &bench->client, &failure);
    restway_api_release(api);
    bench->store = restway_client_store(bench->client);
    return status;
}

static void close_file(struct bench *bench) {
    restway_store_release(bench->store);
    restway_client_release(bench->client);
    bench->store = NULL;
    bench->client = NULL;
}

static void bench_begin(struct bench *bench) {
    memset(bench, 0, sizeof(*bench));
    /* A client that was released may still be closing the file. */
    bench->busy_milliseconds = 10000;
    strcpy(bench->directory, "/tmp/restway-faults-XXXXXX");
    assert_non_null(mkdtemp(bench->directory));
    snprintf(bench->path, sizeof(bench->path), "%s/objects.db", bench->directory);
    answering_begin(&bench->server);
}

static void bench_end(struct bench *bench) {
    close_file(bench);
    answering_end(&bench->server);
    remove_store(bench->directory, bench->path);
}

static const char with_text[] = ", \"text\": {\"type\": \"string\"}";

/** Fetches note 1 with @p text. */
static restway_status receive(struct bench *bench, const char *text) {
    char *body = malloc(strlen(text) + 64);
    restway_request *request = make_get("notes");
    assert_non_null(body);
    sprintf(body, "[{\"id\": 1, \"text\": \"%s\"}]", text);
    answering_set(&bench->server, 200, body);
    restway_status status = restway_client_perform(bench->client, request, 0, NULL, &failure);
    restway_request_release(request);
    free(body);
    return status;
}

/** Checks that note 1 exists and has @p text; NULL: that it does not exist. */
static void expect_text(struct bench *bench, const char *text) {
    restway_value identity = restway_value_int64(1);
    restway_object *note = NULL;
    size_t count = 99;
    assert_ok(restway_store_count(bench->store, "Note", &count, &failure));
    assert_int_equal(count, 1);
    assert_ok(restway_store_find(bench->store, "Note", &identity, &note, &failure));
    const char *found = restway_object_string(note, "text");
    if (text == NULL) {
        assert_null(found);
    } else {
        assert_string_equal(found, text);
    }
    restway_object_release(note);
}

/** Checks that `failure` names the file and belongs to a store. */
static void expect_named(struct bench *bench) {
    assert_int_equal(restway_error_domain(failure), RESTWAY_DOMAIN_STORE);
    assert_string_equal(restway_error_field(failure), bench->path);
    assert_holds(restway_error_message(failure), bench->path);
    forget_failure();
}

static void store_file__that_is_no_store_is_refused_and_left_alone(void **state) {
    (void)state;
    static const char *const contents[] = {"This is no database. ", "SQLite format 3"};
    for (size_t index = 0; index < 2; index++) {
        struct bench bench;
        char written[2000], found[2000];
        bench_begin(&bench);
        memset(written, 'x', sizeof(written));
        memcpy(written, contents[index], strlen(contents[index]) + 1);
        FILE *file = fopen(bench.path, "w");
        assert_non_null(file);
        assert_int_equal(fwrite(written, 1, sizeof(written), file), sizeof(written));
        assert_int_equal(fclose(file), 0);
        assert_int_equal(open_file(&bench, with_text), RESTWAY_E_STORE);
        assert_null(bench.client);
        expect_named(&bench);
        file = fopen(bench.path, "r");
        assert_non_null(file);
        assert_int_equal(fread(found, 1, sizeof(found), file), sizeof(found));
        fclose(file);
        assert_memory_equal(found, written, sizeof(found));
        bench_end(&bench);
    }
}

/** Reads at most @p size bytes of @p path; returns the number of bytes that were read. */
static size_t read_file(const char *path, char *bytes, size_t size) {
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t count = fread(bytes, 1, size, file);
    fclose(file);
    return count;
}

static void store_file__of_another_program_is_refused_and_keeps_every_byte(void **state) {
    (void)state;
    static const char *const journals[] = {"DELETE", "PERSIST", "WAL"};
    enum { BYTES_MAX = 100000 };
    char *before = malloc(BYTES_MAX), *after = malloc(BYTES_MAX);
    for (size_t index = 0; index < 3; index++) {
        struct bench bench;
        char sql[100];
        sqlite3 *other = NULL;
        bench_begin(&bench);
        snprintf(
            sql, sizeof(sql), "PRAGMA journal_mode = %s; CREATE TABLE mine (a)", journals[index]);
        assert_int_equal(sqlite3_open(bench.path, &other), SQLITE_OK);
        assert_int_equal(sqlite3_exec(other, sql, NULL, NULL, NULL), SQLITE_OK);
        sqlite3_close(other);
        size_t length = read_file(bench.path, before, BYTES_MAX);
        assert_int_equal(open_file(&bench, with_text), RESTWAY_E_STORE);
        assert_holds(restway_error_message(failure), "of another program");
        expect_named(&bench);
        assert_int_equal(read_file(bench.path, after, BYTES_MAX), length);
        assert_memory_equal(after, before, length);
        char name[80];
        snprintf(name, sizeof(name), "%s-journal", bench.path);
        unlink(name);
        bench_end(&bench);
    }
    free(before);
    free(after);
}

static void store_file__that_is_busy_keeps_its_state_and_may_be_tried_again(void **state) {
    (void)state;
    struct bench bench;
    sqlite3 *other = NULL;
    bench_begin(&bench);
    bench.busy_milliseconds = 0;
    assert_ok(open_file(&bench, with_text));
    assert_ok(receive(&bench, "kept"));
    assert_int_equal(sqlite3_open(bench.path, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(receive(&bench, "lost"), RESTWAY_E_STORE);
    assert_int_equal(restway_error_is_retryable(failure), 1);
    expect_named(&bench);
    expect_text(&bench, "kept");
    sqlite3_close(other);
    assert_ok(receive(&bench, "stored"));
    expect_text(&bench, "stored");
    bench_end(&bench);
}

static void store_file__on_a_full_disk_keeps_the_last_commit(void **state) {
    (void)state;
    struct bench bench;
    struct rlimit before, small;
    char *text = malloc(LONG_TEXT_BYTES + 1);
    assert_non_null(text);
    memset(text, 'x', LONG_TEXT_BYTES);
    text[LONG_TEXT_BYTES] = '\0';
    bench_begin(&bench);
    assert_ok(open_file(&bench, with_text));
    assert_ok(receive(&bench, "kept"));
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = FILE_BYTES_MAX;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    restway_status status = receive(&bench, text);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, handler);
    assert_int_equal(status, RESTWAY_E_STORE);
    expect_named(&bench);
    expect_text(&bench, "kept");
    close_file(&bench);
    assert_ok(open_file(&bench, with_text));
    expect_text(&bench, "kept");
    assert_ok(receive(&bench, "again"));
    expect_text(&bench, "again");
    free(text);
    bench_end(&bench);
}

/** Returns 0 if the file is refused with an error that names it. If this process is root, whom no
 *  permission stops, it becomes the user nobody first. */
static int open_as_nobody(void *context) {
    struct bench *bench = context;
    if (geteuid() == 0 && setuid(NOBODY) != 0) {
        return 2;
    }
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    static const char document[] = "{\"restway\": 1}";
    restway_api *api = NULL;
    restway_client *client = NULL;
    restway_error *error = NULL;
    options.base_url = "http://127.0.0.1:1";
    options.store_path = bench->path;
    if (restway_api_load(document, strlen(document), &api, NULL) != RESTWAY_OK) {
        return 3;
    }
    restway_status status = restway_client_create(api, &options, &client, &error);
    int is_named = error != NULL && strcmp(restway_error_field(error), bench->path) == 0;
    return status == RESTWAY_E_STORE && client == NULL && is_named ? 0 : 4;
}

static void store_file__in_a_read_only_directory_is_named(void **state) {
    (void)state;
    struct bench bench;
    bench_begin(&bench);
    assert_int_equal(chmod(bench.directory, 0555), 0);
    assert_int_equal(result_in_child(open_as_nobody, &bench), 0);
    assert_int_equal(chmod(bench.directory, 0700), 0);
    bench_end(&bench);
}

/** Returns 0 if the only note has the text "ours". */
static int read_ours(void *context) {
    struct bench *bench = context;
    sqlite3 *file = NULL;
    sqlite3_stmt *statement = NULL;
    int is_ours =
        sqlite3_open_v2(bench->path, &file, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK
        && sqlite3_prepare_v2(file, "SELECT text FROM Note WHERE id = 1", -1, &statement, NULL)
               == SQLITE_OK
        && sqlite3_step(statement) == SQLITE_ROW
        && strcmp((const char *)sqlite3_column_text(statement, 0), "ours") == 0;
    sqlite3_finalize(statement);
    sqlite3_close(file);
    return is_ours ? 0 : 1;
}

static void store_file__is_read_by_another_process_meanwhile(void **state) {
    (void)state;
    struct bench bench;
    bench_begin(&bench);
    assert_ok(open_file(&bench, with_text));
    assert_ok(receive(&bench, "ours"));
    assert_int_equal(result_in_child(read_ours, &bench), 0);
    bench_end(&bench);
}

static void store_file__keeps_columns_that_the_document_no_longer_knows(void **state) {
    (void)state;
    struct bench bench;
    bench_begin(&bench);
    assert_ok(open_file(&bench, with_text));
    assert_ok(receive(&bench, "ours"));
    close_file(&bench);
    assert_ok(open_file(&bench, ", \"more\": {\"type\": \"double\"}"));
    expect_text(&bench, NULL);
    assert_ok(receive(&bench, "nobody reads this"));
    assert_int_equal(result_in_child(read_ours, &bench), 0);
    close_file(&bench);
    assert_ok(open_file(&bench, with_text));
    expect_text(&bench, "ours");
    bench_end(&bench);
}

static const struct CMUnitTest tests[] = {
    TEST(store_file__that_is_no_store_is_refused_and_left_alone),
    TEST(store_file__of_another_program_is_refused_and_keeps_every_byte),
    TEST(store_file__that_is_busy_keeps_its_state_and_may_be_tried_again),
    TEST(store_file__on_a_full_disk_keeps_the_last_commit),
    TEST(store_file__in_a_read_only_directory_is_named),
    TEST(store_file__is_read_by_another_process_meanwhile),
    TEST(store_file__keeps_columns_that_the_document_no_longer_knows),
};

const struct suite store_fault_suite = SUITE(tests);
