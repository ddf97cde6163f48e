/* The cases of Tests/Fixtures/mapping, over a real connection. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answering.h"
#include "case_draft.h"
#include "store_text.h"

/** The case that is running. */
struct run {
    const char *folder;
    int is_strict;
    /** The name for messages. */
    int number;
    struct answering_server server;
    json_t *document;
    restway_client *client;
    restway_store *store;
    /** The path of the store's file; empty for a store in memory. */
    char directory[32], file[64];
};

static json_t *read_json(const char *folder, const char *name) {
    char path[1024];
    json_error_t error;
    snprintf(path, sizeof(path), "%s%s", folder, name);
    json_t *value = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (value == NULL) {
        print_error("%s: line %d: %s\n", path, error.line, error.text);
    }
    assert_non_null(value);
    return value;
}

static void run_begin(struct run *run, const char *folder, int is_strict, int is_in_file) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_api *api = NULL;
    memset(run, 0, sizeof(*run));
    run->folder = folder;
    run->is_strict = is_strict;
    run->document = read_json(folder, "document.json");
    answering_begin(&run->server);
    char *text = json_dumps(run->document, 0);
    assert_ok(restway_api_load(text, strlen(text), &api, &failure));
    free(text);
    options.base_url = run->server.url;
    if (is_in_file) {
        strcpy(run->directory, "/tmp/restway-cases-XXXXXX");
        assert_non_null(mkdtemp(run->directory));
        snprintf(run->file, sizeof(run->file), "%s/objects.db", run->directory);
        options.store_path = run->file;
    }
    options.flags = is_strict ? RESTWAY_CLIENT_STRICT_MAPPING : 0;
    assert_ok(restway_client_create(api, &options, &run->client, &failure));
    restway_api_release(api);
    run->store = restway_client_store(run->client);
}

static void run_end(struct run *run) {
    restway_store_release(run->store);
    restway_client_release(run->client);
    answering_end(&run->server);
    json_decref(run->document);
    if (run->file[0] != 0) {
        remove_store(run->directory, run->file);
    }
}

static json_t *entities_of(struct run *run) {
    return json_object_get(run->document, "entities");
}

static json_t *contents_of(struct run *run) {
    return store_contents(run->store, entities_of(run));
}

/** Releases both references. */
static void assert_json(struct run *run, const char *what, json_t *found, json_t *expected) {
    if (!json_equal(found, expected)) {
        char *texts[] = {
            json_dumps(found, JSON_ENCODE_ANY | JSON_SORT_KEYS),
            json_dumps(expected, JSON_ENCODE_ANY | JSON_SORT_KEYS)};
        print_error(
            "%s%d.json, %s:\nfound    %s\nexpected %s\n", run->folder, run->number, what,
            texts[0], texts[1]);
        fail();
    }
    json_decref(found);
    json_decref(expected);
}

static json_t *details_of(const restway_error *error) {
    json_t *details = json_array();
    for (size_t index = 0; index < restway_error_detail_count(error); index++) {
        json_array_append_new(details, json_string(restway_error_detail_path(error, index)));
    }
    return details;
}

/** Sets the object or draft that @p request is about, if there is one. */
static void describe(struct run *run, json_t *exchange, restway_request *request) {
    json_t *description = json_object_get(exchange, "draft");
    if (description == NULL) {
        return;
    }
    restway_draft *draft = case_draft(run->store, entities_of(run), description);
    if (json_is_true(json_object_get(exchange, "inserted"))) {
        assert_ok(restway_draft_insert(draft, NULL, &failure));
    }
    assert_ok(restway_request_set_draft(request, draft, NULL));
    restway_draft_release(draft);
}

static void check_sent(struct run *run, json_t *exchange) {
    char *body = answering_take_body(&run->server);
    json_t *expected = json_object_get(exchange, "sent");
    assert_non_null(body);
    if (expected != NULL) {
        json_t *sent = json_loads(body, 0, NULL);
        assert_non_null(sent);
        assert_json(run, "sent", sent, json_incref(expected));
    }
    free(body);
}

/** Performs the exchange; returns its status, the response (also of a failure), and the details of
 *  the failure. */
static restway_status perform(
    struct run *run, json_t *exchange, restway_response **out_response, json_t **out_details) {
    char method[8], path[128];
    restway_request *request = NULL;
    const char *named = json_string_value(json_object_get(exchange, "request"));
    assert_int_equal(sscanf(named, "%7s %127s", method, path), 2);
    json_t *status = json_object_get(exchange, "status");
    json_t *body = json_object_get(exchange, "body");
    const char *given = json_string_value(json_object_get(exchange, "text"));
    char *text = body == NULL ? NULL : json_dumps(body, JSON_ENCODE_ANY);
    answering_set(
        &run->server, status == NULL ? 200 : (int)json_integer_value(status),
        text != NULL ? text : given != NULL ? given : "");
    free(text);
    assert_ok(restway_request_create(method, path, &request, &failure));
    describe(run, exchange, request);
    restway_status found = restway_client_perform(run->client, request, 0, out_response, &failure);
    restway_request_release(request);
    check_sent(run, exchange);
    *out_details = details_of(failure);
    if (found != RESTWAY_OK) {
        assert_null(*out_response);
        *out_response = restway_response_retain(restway_error_response(failure));
    }
    forget_failure();
    return found;
}

static restway_status expected_status(json_t *exchange) {
    json_t *status = json_object_get(exchange, "status");
    if (json_is_true(json_object_get(exchange, "error"))) {
        return RESTWAY_E_MAPPING;
    }
    return status == NULL || json_integer_value(status) / 100 == 2 ? RESTWAY_OK : RESTWAY_E_HTTP;
}

static json_t *issues_of(const restway_response *response) {
    json_t *issues = json_array();
    for (size_t index = 0; index < restway_response_issue_count(response); index++) {
        assert_non_null(restway_response_issue_reason(response, index));
        json_array_append_new(
            issues, json_string(restway_response_issue_key_path(response, index)));
    }
    return issues;
}

static json_t *expected_issues(json_t *exchange) {
    json_t *issues = json_object_get(exchange, "issues");
    return issues == NULL ? json_array() : json_incref(issues);
}

/** Returns the objects of each descriptor under the name that the case gives; null when no
 *  descriptor applied. */
static json_t *objects_of(struct run *run, const restway_response *response, json_t *expected) {
    if (!restway_response_is_mapped(response)) {
        return json_null();
    }
    json_t *results = json_array();
    for (size_t index = 0; index < restway_response_result_count(response); index++) {
        json_t *references = json_array();
        const char *entity =
            json_object_iter_key(json_object_iter(json_array_get(expected, index)));
        size_t first = 0, count = 0;
        assert_ok(restway_response_result(response, index, &first, &count, &failure));
        assert_non_null(entity);
        for (size_t place = first; place < first + count; place++) {
            restway_object *object = restway_response_object(response, place);
            assert_string_equal(restway_object_entity(object), entity);
            json_array_append_new(references, store_reference(run->store, object));
        }
        json_array_append_new(results, json_pack("{s:o}", entity, references));
    }
    return results;
}

static json_t *expected_store(json_t *exchange) {
    json_t *expected = json_deep_copy(json_object_get(exchange, "store"));
    const char *entity;
    json_t *objects;
    void *next;
    json_object_foreach_safe(expected, next, entity, objects) {
        if (json_array_size(objects) == 0) {
            json_object_del(expected, entity);
        }
    }
    return expected;
}

static void check_leniently(struct run *run, json_t *exchange) {
    restway_response *response = NULL;
    json_t *details = NULL;
    assert_int_equal(perform(run, exchange, &response, &details), expected_status(exchange));
    json_decref(details);
    assert_non_null(response);
    assert_json(run, "issues", issues_of(response), expected_issues(exchange));
    json_t *objects = json_object_get(exchange, "objects");
    if (objects != NULL) {
        assert_json(run, "objects", objects_of(run, response, objects), json_incref(objects));
    }
    if (json_object_get(exchange, "store") != NULL) {
        assert_json(run, "store", contents_of(run), expected_store(exchange));
        json_t *unsent = json_object_get(exchange, "unsent");
        assert_json(
            run, "unsent", case_unsent(run->store, entities_of(run)),
            unsent == NULL ? json_object() : json_incref(unsent));
    }
    restway_response_release(response);
}

static void check_strictly(struct run *run, json_t *exchange) {
    restway_response *response = NULL;
    json_t *details = NULL;
    json_t *before = contents_of(run);
    restway_status expected = expected_status(exchange);
    int has_issues = json_array_size(json_object_get(exchange, "issues")) > 0;
    if (has_issues && expected == RESTWAY_OK) {
        expected = RESTWAY_E_MAPPING;
    }
    assert_int_equal(perform(run, exchange, &response, &details), expected);
    if (has_issues) {
        assert_json(run, "store", contents_of(run), json_incref(before));
        if (expected == RESTWAY_E_MAPPING) {
            assert_json(run, "details", json_incref(details), expected_issues(exchange));
        }
    }
    json_decref(before);
    json_decref(details);
    restway_response_release(response);
}

static void run_all(int is_strict, int is_in_file) {
    glob_t folders;
    assert_int_equal(glob(RESTWAY_CASES "/*/", GLOB_MARK, NULL, &folders), 0);
    assert_true(folders.gl_pathc > 20);
    for (size_t index = 0; index < folders.gl_pathc; index++) {
        struct run run;
        glob_t files;
        char pattern[1024], name[32];
        snprintf(pattern, sizeof(pattern), "%s*.json", folders.gl_pathv[index]);
        assert_int_equal(glob(pattern, 0, NULL, &files), 0);
        run_begin(&run, folders.gl_pathv[index], is_strict, is_in_file);
        for (run.number = 1; (size_t)run.number < files.gl_pathc; run.number++) {
            snprintf(name, sizeof(name), "%d.json", run.number);
            json_t *exchange = read_json(run.folder, name);
            (is_strict ? check_strictly : check_leniently)(&run, exchange);
            json_decref(exchange);
        }
        run_end(&run);
        globfree(&files);
    }
    globfree(&folders);
}

static void mapping__leaves_the_store_as_each_case_says(void **state) {
    (void)state;
    run_all(0, 0);
    run_all(0, 1);
}

static void mapping__when_strict_leaves_the_store_as_it_was_where_there_are_issues(void **state) {
    (void)state;
    run_all(1, 0);
    run_all(1, 1);
}

static const struct CMUnitTest tests[] = {
    TEST(mapping__leaves_the_store_as_each_case_says),
    TEST(mapping__when_strict_leaves_the_store_as_it_was_where_there_are_issues),
};

const struct suite mapping_cases_suite = SUITE(tests);
