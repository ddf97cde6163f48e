#include "calls.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "conflicts.h"
#include "values.h"

/** Makes the draft that `{"entity", "of", "set"}` describes, owned by the caller (+1). */
static restway_draft *draft_of(struct driver *driver, const json_t *description) {
    const char *entity = json_string_value(json_object_get(description, "entity"));
    const json_t *identity = json_object_get(description, "of");
    restway_draft *draft = NULL;
    restway_error *error = NULL;
    if (identity == NULL) {
        must("draft", restway_draft_create(driver->store, entity, &draft, &error), error);
    } else {
        json_t *reference = json_pack("{s:s, s:O}", "entity", entity, "identity", identity);
        restway_object *object = object_named(driver->store, reference);
        must("draft", restway_draft_copy(driver->store, object, &draft, &error), error);
        restway_object_release(object);
        json_decref(reference);
    }
    const char *name;
    json_t *said;
    json_object_foreach(json_object_get(description, "set"), name, said) {
        struct held_value held;
        held_value_begin(&held, driver->store, said);
        must("draft value", restway_draft_set(draft, name, &held.value, &error), error);
        held_value_end(&held);
    }
    return draft;
}

typedef restway_status (*set_value_fn)(
    restway_request *request, const char *name, const restway_value *value, restway_error **error);

static void set_values(
    struct driver *driver, restway_request *request, const json_t *values, set_value_fn set) {
    const char *name;
    json_t *said;
    json_object_foreach((json_t *)values, name, said) {
        struct held_value held;
        restway_error *error = NULL;
        held_value_begin(&held, driver->store, said);
        must(name, set(request, name, &held.value, &error), error);
        held_value_end(&held);
    }
}

/** Makes the request, which may be about an object or a draft. */
static restway_request *bare_request(struct driver *driver, const json_t *step) {
    const char *method = json_string_value(json_object_get(step, "method"));
    const char *path = json_string_value(json_object_get(step, "path"));
    const char *route = json_string_value(json_object_get(step, "route"));
    const json_t *named = json_object_get(step, "object");
    const json_t *described = json_object_get(step, "draft");
    restway_object *object = named == NULL ? NULL : object_named(driver->store, named);
    restway_draft *draft = described == NULL ? NULL : draft_of(driver, described);
    restway_request *request = NULL;
    restway_error *error = NULL;
    if (path != NULL) {
        must("path", restway_request_create(method, path, &request, &error), error);
    } else if (route != NULL) {
        must("route", restway_request_create_route(method, route, &request, &error), error);
    } else if (object != NULL) {
        must("object", restway_request_create_object(method, object, &request, &error), error);
    } else {
        must("draft", restway_request_create_draft(method, draft, &request, &error), error);
    }
    if ((path != NULL || route != NULL) && object != NULL) {
        must("object", restway_request_set_object(request, object, &error), error);
    }
    if ((path != NULL || route != NULL) && draft != NULL) {
        must("draft", restway_request_set_draft(request, draft, &error), error);
    }
    restway_object_release(object);
    restway_draft_release(draft);
    return request;
}

restway_request *request_of(struct driver *driver, const json_t *step) {
    restway_request *request = bare_request(driver, step);
    restway_error *error = NULL;
    set_values(
        driver, request, json_object_get(step, "variables"), restway_request_set_variable);
    set_values(
        driver, request, json_object_get(step, "parameters"), restway_request_set_parameter);
    const char *name;
    json_t *said;
    json_object_foreach(json_object_get(step, "headers"), name, said) {
        const char *text = json_string_value(said);
        must(name, restway_request_set_header(request, name, text, &error), error);
    }
    const char *text = json_string_value(json_object_get(step, "text"));
    if (text != NULL) {
        const char *type = json_string_value(json_object_get(step, "mediaType"));
        must(
            "body", restway_request_set_body(request, text, strlen(text), type, &error), error);
    }
    const json_t *optimistic = json_object_get(step, "optimistic");
    if (optimistic != NULL) {
        int is_optimistic = json_is_true(optimistic);
        must("optimistic", restway_request_set_optimistic(request, is_optimistic, &error), error);
    }
    const char *lane = json_string_value(json_object_get(step, "lane"));
    if (lane != NULL) {
        must("lane", restway_request_set_lane(request, lane, &error), error);
    }
    return request;
}

static json_t *text_or_null(const char *text) {
    return text == NULL ? json_null() : json_string(text);
}

static json_t *headers_of(const restway_response *response) {
    json_t *headers = json_object();
    for (size_t index = 0; index < restway_response_header_count(response); index++) {
        const char *name = restway_response_header_name(response, index);
        char lower[128] = "";
        for (size_t place = 0; name[place] != 0 && place + 1 < sizeof(lower); place++) {
            lower[place] = (char)tolower((unsigned char)name[place]);
        }
        json_object_set_new(headers, lower, json_string(restway_response_header(response, name)));
    }
    return headers;
}

/** Adds what a response says to an outcome. */
static void add_response(
    struct driver *driver, json_t *outcome, const restway_response *response) {
    json_t *objects = json_array(), *issues = json_array(), *counts = json_array();
    for (size_t index = 0; index < restway_response_object_count(response); index++) {
        const restway_object *object = restway_response_object(response, index);
        json_array_append_new(objects, object_as_json(driver->store, object));
    }
    for (size_t index = 0; index < restway_response_issue_count(response); index++) {
        const char *path = restway_response_issue_key_path(response, index);
        json_array_append_new(issues, json_string(path));
    }
    for (size_t index = 0; index < restway_response_result_count(response); index++) {
        size_t first = 0, count = 0;
        restway_error *error = NULL;
        must("result", restway_response_result(response, index, &first, &count, &error), error);
        json_array_append_new(counts, json_integer((json_int_t)count));
    }
    const char *json = restway_response_json(response, NULL);
    json_object_set_new(outcome, "http", json_integer(restway_response_status(response)));
    json_object_set_new(outcome, "mapped", json_boolean(restway_response_is_mapped(response)));
    json_object_set_new(outcome, "objects", objects);
    json_object_set_new(outcome, "issues", issues);
    json_object_set_new(outcome, "counts", counts);
    json_object_set_new(outcome, "headers", headers_of(response));
    json_object_set_new(
        outcome, "json", json == NULL ? json_null() : json_loads(json, JSON_DECODE_ANY, NULL));
    json_object_set_new(outcome, "text", json_string(restway_response_body(response, NULL)));
    json_object_set_new(
        outcome, "attempts", json_integer((json_int_t)restway_response_attempt_count(response)));
}

/** Adds what an error says to an outcome. */
static void add_error(struct driver *driver, json_t *outcome, const restway_error *error) {
    json_t *details = json_array();
    for (size_t index = 0; index < restway_error_detail_count(error); index++) {
        json_t *detail = json_object();
        json_object_set_new(detail, "path", json_string(restway_error_detail_path(error, index)));
        json_object_set_new(
            detail, "code", text_or_null(restway_error_detail_code(error, index)));
        json_array_append_new(details, detail);
    }
    json_object_set_new(outcome, "details", details);
    json_object_set_new(outcome, "field", text_or_null(restway_error_field(error)));
    json_object_set_new(outcome, "apiCode", text_or_null(restway_error_api_code(error)));
    json_object_set_new(outcome, "apiMessage", text_or_null(restway_error_api_message(error)));
    json_object_set_new(outcome, "retryable", json_boolean(restway_error_is_retryable(error)));
    json_object_set_new(
        outcome, "attempts", json_integer((json_int_t)restway_error_attempt_count(error)));
    json_object_set_new(outcome, "conflict", conflict_of(driver, error));
}

json_t *outcome_of(
    struct driver *driver, restway_status status, restway_response *response,
    restway_error *error) {
    json_t *outcome = json_pack("{s:i}", "status", (int)status);
    const restway_response *answer = status == RESTWAY_OK ? response
                                                          : restway_error_response(error);
    if (answer != NULL) {
        add_response(driver, outcome, answer);
    }
    if (error != NULL) {
        add_error(driver, outcome, error);
    }
    restway_response_release(response);
    restway_error_release(error);
    return outcome;
}
