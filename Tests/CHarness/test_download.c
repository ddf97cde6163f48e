/* Answers that are saved in files, against the demo API. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"

/** Where the test saves. */
struct place {
    char folder[64];
    char path[96];
};

static void place_begin(struct place *place) {
    snprintf(place->folder, sizeof(place->folder), "/tmp/restway-download-XXXXXX");
    assert_non_null(mkdtemp(place->folder));
    snprintf(place->path, sizeof(place->path), "%s/list.json", place->folder);
}

/** Removes the file and the folder, in which there must be nothing else. */
static void place_end(const struct place *place) {
    unlink(place->path);
    assert_int_equal(rmdir(place->folder), 0);
}

static void download__saves_a_body_and_a_later_request_keeps_it_in_memory(void **state) {
    (void)state;
    struct place place;
    struct stat status;
    place_begin(&place);
    restway_client *client = make_client();
    restway_request *request = make_get("enterprises?per_page=5");
    restway_response *saved = NULL, *kept = NULL;
    assert_ok(restway_request_save_to(request, place.path, RESTWAY_SAVE_DIGEST, &failure));
    assert_ok(restway_client_perform(client, request, 0, &saved, &failure));
    assert_int_equal(stat(place.path, &status), 0);
    assert_int_equal(restway_response_saved_length(saved), status.st_size);
    assert_int_equal(restway_response_saved_from(saved), 0);
    assert_string_equal(restway_response_saved_path(saved), place.path);
    assert_int_equal(strlen(restway_response_saved_digest(saved)), 64);
    assert_string_equal(restway_response_suggested_name(saved), "enterprises");
    assert_int_equal(restway_response_is_mapped(saved), 0);

    assert_ok(restway_request_save_to(request, NULL, 0, &failure));
    assert_ok(restway_client_perform(client, request, 0, &kept, &failure));
    size_t length = 0;
    restway_response_body(kept, &length);
    assert_int_equal(length, status.st_size);
    assert_int_equal(restway_response_object_count(kept), 5);
    assert_null(restway_response_saved_path(kept));
    assert_null(restway_response_saved_digest(kept));
    assert_int_equal(restway_response_saved_length(kept), -1);
    assert_int_equal(restway_response_saved_from(kept), -1);
    restway_response_release(saved);
    restway_response_release(kept);
    restway_request_release(request);
    restway_client_release(client);
    place_end(&place);
}

static void download__never_saves_the_body_of_an_error(void **state) {
    (void)state;
    struct place place;
    place_begin(&place);
    restway_client *client = make_client();
    restway_request *request = make_get("nowhere");
    restway_response *response = NULL;
    assert_ok(restway_request_save_to(request, place.path, RESTWAY_SAVE_KEEP_PART, &failure));
    assert_fails(
        restway_client_perform(client, request, 0, &response, &failure), RESTWAY_E_HTTP, "404");
    assert_int_equal(access(place.path, F_OK), -1);
    restway_request_release(request);
    restway_client_release(client);
    place_end(&place);
}

static void download__names_a_path_that_cannot_be_written(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_request *request = make_get("enterprises");
    restway_response *response = NULL;
    assert_ok(restway_request_save_to(request, "/nowhere/list.json", 0, &failure));
    assert_fails(
        restway_client_perform(client, request, 0, &response, &failure), RESTWAY_E_IO,
        "/nowhere/list.json");
    restway_request_release(request);
    restway_client_release(client);
}

static void download__replaces_only_a_regular_file(void **state) {
    (void)state;
    struct place place;
    struct stat status;
    place_begin(&place);
    assert_int_equal(mkfifo(place.path, 0600), 0);
    restway_client *client = make_client();
    restway_request *request = make_get("enterprises?per_page=5");
    restway_response *response = NULL;
    assert_ok(restway_request_save_to(request, place.path, 0, &failure));
    assert_fails(
        restway_client_perform(client, request, 0, &response, &failure), RESTWAY_E_IO,
        "no regular file");
    assert_int_equal(lstat(place.path, &status), 0);
    assert_true(S_ISFIFO(status.st_mode));
    restway_request_release(request);
    restway_client_release(client);
    place_end(&place);
}

static void download__is_refused_with_head(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_request *request = NULL;
    restway_response *response = NULL;
    assert_ok(restway_request_create("HEAD", "enterprises", &request, &failure));
    assert_ok(restway_request_save_to(request, "list.json", 0, &failure));
    assert_fails_keeping(
        restway_client_perform(client, request, 0, &response, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "HEAD");
    assert_string_equal(restway_error_field(failure), "path");
    forget_failure();
    restway_request_release(request);
    restway_client_release(client);
}

static void download__refuses_wrong_arguments(void **state) {
    (void)state;
    restway_request *request = make_get("enterprises");
    assert_refused(restway_request_save_to(NULL, "x", 0, &failure));
    assert_refused(restway_request_save_to(request, "", 0, &failure));
    assert_refused(restway_request_save_to(request, BAD_UTF8, 0, &failure));
    assert_refused(restway_request_save_to(request, "x", 0x80000000u, &failure));
    assert_null(restway_response_saved_path(NULL));
    assert_null(restway_response_saved_digest(NULL));
    assert_null(restway_response_suggested_name(NULL));
    assert_int_equal(restway_response_saved_length(NULL), -1);
    assert_int_equal(restway_response_saved_from(NULL), -1);
    restway_request_release(request);
}

static void download__ends_at_its_size_limit(void **state) {
    (void)state;
    struct place place;
    place_begin(&place);
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    options.save_bytes_max = 10;
    restway_client *client = make_client_with(options);
    restway_request *request = make_get("enterprises?per_page=5");
    assert_ok(restway_request_save_to(request, place.path, RESTWAY_SAVE_KEEP_PART, &failure));
    assert_fails(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_TOO_LARGE,
        "larger than 10 bytes");
    assert_int_equal(access(place.path, F_OK), -1);
    assert_ok(restway_request_set_save_bytes_max(request, 20, &failure));
    assert_fails(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_TOO_LARGE,
        "larger than 20 bytes");
    assert_ok(restway_request_set_save_bytes_max(request, 0, &failure));
    assert_fails(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_TOO_LARGE,
        "larger than 10 bytes");
    assert_ok(restway_request_set_save_bytes_max(request, -1, &failure));
    assert_ok(restway_client_perform(client, request, 0, NULL, &failure));
    assert_refused(restway_request_set_save_bytes_max(request, -2, &failure));
    assert_refused(restway_request_set_save_bytes_max(NULL, 1, &failure));
    restway_request_release(request);
    restway_client_release(client);
    place_end(&place);
}

static void download__writes_into_a_descriptor(void **state) {
    (void)state;
    int ends[2];
    char bytes[8192] = "";
    assert_int_equal(pipe(ends), 0);
    restway_client *client = make_client();
    restway_request *request = make_get("enterprises/3");
    restway_response *response = NULL;
    assert_ok(restway_request_save_to_descriptor(request, ends[1], &failure));
    close(ends[1]);
    assert_ok(restway_client_perform(client, request, 0, &response, &failure));
    size_t length = 9;
    restway_response_body(response, &length);
    assert_int_equal(length, 0);
    assert_int_equal(restway_response_is_mapped(response), 0);
    assert_null(restway_response_saved_path(response));
    int64_t written = restway_response_saved_length(response);
    assert_in_range(written, 1, sizeof(bytes) - 1);
    assert_int_equal(read(ends[0], bytes, sizeof(bytes)), written);
    assert_holds(bytes, "Nordlicht");
    restway_response_release(response);
    /* The reader has closed its end. A SIGPIPE would end this process. */
    close(ends[0]);
    assert_fails(
        restway_client_perform(client, request, 0, &response, &failure), RESTWAY_E_IO,
        "Broken pipe");
    restway_request_release(request);
    restway_client_release(client);
}

static void download__names_a_descriptor_that_takes_no_bytes(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_request *request = make_get("enterprises/3");
    int full = open("/dev/full", O_WRONLY), unwritable = open("/dev/null", O_RDONLY);
    assert_true(full >= 0 && unwritable >= 0);
    assert_fails(
        restway_request_save_to_descriptor(request, unwritable, &failure), RESTWAY_E_IO,
        "not open for writing");
    assert_fails(
        restway_request_save_to_descriptor(request, -1, &failure), RESTWAY_E_IO,
        "descriptor -1: Bad file descriptor");
    assert_refused(restway_request_save_to_descriptor(NULL, full, &failure));
    assert_ok(restway_request_save_to_descriptor(request, full, &failure));
    assert_fails(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_IO, "No space left");
    assert_ok(restway_request_set_save_bytes_max(request, 5, &failure));
    assert_fails(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_TOO_LARGE,
        "larger than 5 bytes");
    close(full);
    close(unwritable);
    restway_request_release(request);
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(download__saves_a_body_and_a_later_request_keeps_it_in_memory),
    TEST(download__never_saves_the_body_of_an_error),
    TEST(download__names_a_path_that_cannot_be_written),
    TEST(download__replaces_only_a_regular_file),
    TEST(download__is_refused_with_head),
    TEST(download__refuses_wrong_arguments),
    TEST(download__ends_at_its_size_limit),
    TEST(download__writes_into_a_descriptor),
    TEST(download__names_a_descriptor_that_takes_no_bytes),
};
const struct suite download_suite = SUITE(tests);
