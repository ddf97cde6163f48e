/* Batch formats of the program, and wrong arguments of the functions in batch.h. */
#include <stdio.h>
#include <string.h>

#include "answering.h"
#include "gate.h"
#include "harness.h"

/** A format of lines: requests are "GET /a <body bytes>", answers are "200". */
struct format {
    struct gate gate;
    /** 1 fails to write, 2 fails to read; 3 sets no body, 4 sets no answers. */
    int fault;
    char written[256];
    char header[64];
    int refused_count;
    restway_status blocked;
    restway_client *client;
};

static restway_status encode(
    void *context, restway_batch_writer *writer, restway_answer *answer) {
    struct format *format = context;
    char *end = format->written;
    size_t length = 0;
    restway_request *request = NULL;
    if (format->fault == 1) {
        restway_status told = restway_answer_set_message(answer, "out of ink", NULL);
        return told == RESTWAY_OK ? RESTWAY_E_INTERNAL : told;
    }
    for (size_t index = 0; index < restway_batch_writer_count(writer); index++) {
        const void *body = restway_batch_writer_body(writer, index, &length);
        end += sprintf(
            end, "%s %s %d\n", restway_batch_writer_method(writer, index),
            restway_batch_writer_uri(writer, index), body != NULL ? (int)length : -1);
        for (size_t i = 0; i < restway_batch_writer_header_count(writer, index); i++) {
            snprintf(
                format->header, sizeof(format->header), "%s=%s",
                restway_batch_writer_header_name(writer, index, i),
                restway_batch_writer_header_value(writer, index, i));
        }
    }
    format->refused_count += restway_batch_writer_method(writer, 99) == NULL;
    format->refused_count += restway_batch_writer_uri(writer, 99) == NULL;
    format->refused_count += restway_batch_writer_body(writer, 99, &length) == NULL;
    format->refused_count += restway_batch_writer_header_count(writer, 99) == 0;
    format->refused_count += restway_batch_writer_header_name(writer, 0, 99) == NULL;
    format->refused_count += restway_batch_writer_header_value(writer, 0, 99) == NULL;
    format->refused_count +=
        restway_batch_writer_set_body(writer, "x", 1, NULL, NULL) == RESTWAY_E_INVALID_ARGUMENT;
    format->refused_count += restway_batch_writer_set_body(writer, "x", 1, "a\nb", NULL)
        == RESTWAY_E_INVALID_ARGUMENT;
    if (restway_request_create("GET", "status", &request, NULL) == RESTWAY_OK) {
        format->blocked = restway_client_perform(format->client, request, 0, NULL, NULL);
        restway_request_release(request);
    }
    if (format->fault == 3) {
        return RESTWAY_OK;
    }
    return restway_batch_writer_set_body(
        writer, format->written, (size_t)(end - format->written), "text/plain", NULL);
}

static restway_status decode(
    void *context, restway_batch_reader *reader, restway_answer *answer) {
    struct format *format = context;
    size_t length = 0, index = 0;
    const char *text = restway_batch_reader_body(reader, &length);
    const char *type = restway_batch_reader_media_type(reader);
    if (format->fault == 2) {
        restway_status told = restway_answer_set_message(answer, "cannot read that", NULL);
        return told == RESTWAY_OK ? RESTWAY_E_MAPPING : told;
    }
    format->refused_count += type != NULL && strcmp(type, "application/json") == 0;
    for (const char *at = text; format->fault != 4 && at < text + length; at += 4) {
        int code = (at[0] - '0') * 100 + (at[1] - '0') * 10 + at[2] - '0';
        restway_status status = restway_batch_reader_set_answer(
            reader, index, code, "{\"id\": 7}", 9, NULL);
        if (status == RESTWAY_OK) {
            status = restway_batch_reader_add_header(
                reader, index, "Content-Type", "application/json", NULL);
        }
        if (status != RESTWAY_OK) {
            return status;
        }
        index++;
    }
    if (format->fault == 4) {
        return RESTWAY_OK;
    }
    format->refused_count += restway_batch_reader_set_answer(reader, 99, 200, NULL, 0, NULL)
        == RESTWAY_E_INVALID_ARGUMENT;
    format->refused_count += restway_batch_reader_set_answer(reader, 0, 199, NULL, 0, NULL)
        == RESTWAY_E_INVALID_ARGUMENT;
    format->refused_count += restway_batch_reader_add_header(reader, 99, "A", "b", NULL)
        == RESTWAY_E_INVALID_ARGUMENT;
    format->refused_count += restway_batch_reader_add_header(reader, 0, "A b", "b", NULL)
        == RESTWAY_E_INVALID_ARGUMENT;
    format->refused_count += restway_batch_reader_add_header(reader, 0, "A", "\n", NULL)
        == RESTWAY_E_INVALID_ARGUMENT;
    return RESTWAY_OK;
}

static void end_format(void *context) { gate_destroy(&((struct format *)context)->gate); }

static restway_client *client_with(struct answering_server *server, struct format *format) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    memset(format, 0, sizeof(*format));
    gate_begin(&format->gate, NULL);
    answering_begin(server);
    options.base_url = server->url;
    restway_client *client = make_client_with(options);
    format->client = client;
    assert_ok(
        restway_client_set_batch_format(client, encode, decode, format, end_format, &failure));
    return client;
}

/** Makes, sends and waits for a batch of a GET and a PUT whose body is not text. */
static restway_batch *run(restway_client *client, restway_status expected, const char *fragment) {
    restway_batch *batch = NULL;
    restway_request *get = make_get("enterprises/7"), *put = NULL;
    assert_ok(restway_request_create("PUT", "enterprises/8", &put, &failure));
    assert_ok(restway_request_set_body(put, "\xff\xfe", 2, "image/png", &failure));
    assert_ok(restway_batch_create(client, &batch, &failure));
    assert_ok(restway_batch_add(batch, get, NULL, NULL, NULL, NULL, &failure));
    assert_ok(restway_batch_add(batch, put, NULL, NULL, NULL, NULL, &failure));
    assert_ok(restway_batch_send(batch, NULL, NULL, NULL, &failure));
    if (expected == RESTWAY_OK) {
        assert_ok(restway_batch_wait(batch, 0, &failure));
    } else {
        assert_fails(restway_batch_wait(batch, 0, &failure), expected, fragment);
        assert_fails(restway_batch_response(batch, 0, NULL, &failure), expected, fragment);
    }
    restway_request_release(get);
    restway_request_release(put);
    return batch;
}

static void batch_format__writes_and_reads_another(void **state) {
    (void)state;
    struct answering_server server;
    struct format format;
    restway_client *client = client_with(&server, &format);
    restway_response *response = NULL;
    answering_set(&server, 200, "200\n404\n");
    restway_batch *batch = run(client, RESTWAY_OK, "");
    assert_string_equal(
        format.written, "GET /enterprises/7 -1\nPUT /enterprises/8 2\n");
    assert_string_equal(format.header, "Content-Type=image/png");
    assert_int_equal(format.refused_count, 14);
    assert_int_equal(format.blocked, RESTWAY_E_WOULD_BLOCK);
    assert_ok(restway_batch_response(batch, 0, &response, &failure));
    assert_int_equal(
        restway_object_int64(restway_response_object(response, 0), "itemID", -1), 7);
    assert_fails(restway_batch_response(batch, 1, NULL, &failure), RESTWAY_E_HTTP, "404");
    restway_response_release(response);
    restway_batch_release(batch);
    restway_client_release(client);
    gate_expect_destroyed(&format.gate, -1);
    answering_end(&server);
}

static void batch_format__its_failures_are_those_of_the_requests(void **state) {
    (void)state;
    static const char *const fragments[] = {
        "out of ink", "cannot read that", "no body", "request 0"};
    struct answering_server server;
    struct format format;
    restway_client *client = client_with(&server, &format);
    answering_set(&server, 200, "200\n404\n");
    for (int fault = 1; fault <= 4; fault++) {
        format.fault = fault;
        restway_batch_release(run(client, RESTWAY_E_BATCH, fragments[fault - 1]));
    }
    format.fault = 0;
    answering_set(&server, 200, "200\n");
    restway_batch *batch = run(client, RESTWAY_OK, "");
    assert_ok(restway_batch_response(batch, 0, NULL, &failure));
    assert_fails(
        restway_batch_response(batch, 1, NULL, &failure), RESTWAY_E_BATCH, "request 1");
    restway_batch_release(batch);
    assert_refused(
        restway_client_set_batch_format(client, encode, NULL, NULL, NULL, &failure));
    assert_refused(
        restway_client_set_batch_format(client, NULL, decode, NULL, NULL, &failure));
    assert_ok(restway_client_set_batch_format(client, NULL, NULL, NULL, NULL, &failure));
    gate_expect_destroyed(&format.gate, -1);
    restway_client_release(client);
    answering_end(&server);
}

static void batch__without_a_section_there_is_none(void **state) {
    (void)state;
    static const char document[] = "{\"restway\": 1}";
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_api *api = NULL;
    restway_client *client = NULL;
    restway_batch *batch = POISON;
    options.base_url = demo_url();
    assert_ok(restway_api_load(document, strlen(document), &api, &failure));
    assert_ok(restway_client_create(api, &options, &client, &failure));
    assert_fails(restway_batch_create(client, &batch, &failure), RESTWAY_E_CONFIG, "batch");
    assert_null(batch);
    restway_client_release(client);
    restway_api_release(api);
}

static void batch__refuses_misuse(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_batch *batch = NULL;
    restway_request *request = make_get("status"), *far = make_get("http://127.0.0.1:9/elsewhere");
    restway_response *response = POISON;
    assert_refused(restway_batch_create(client, NULL, &failure));
    assert_ok(restway_batch_create(client, &batch, &failure));
    assert_fails(
        restway_batch_add(batch, far, NULL, NULL, NULL, NULL, &failure), RESTWAY_E_INVALID_URL,
        "below");
    assert_refused(restway_batch_add(batch, NULL, NULL, NULL, NULL, NULL, &failure));
    assert_fails(
        restway_batch_response(batch, 0, &response, &failure), RESTWAY_E_INVALID_ARGUMENT,
        "out of range");
    assert_null(response);
    assert_ok(restway_batch_send(batch, NULL, NULL, NULL, &failure));
    assert_fails(
        restway_batch_send(batch, NULL, NULL, NULL, &failure), RESTWAY_E_INVALID_ARGUMENT, "sent");
    assert_fails(
        restway_batch_add(batch, request, NULL, NULL, NULL, NULL, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "sent");
    assert_refused(restway_batch_wait(batch, -1, &failure));
    restway_request_release(request);
    restway_request_release(far);
    restway_batch_release(batch);
    restway_client_release(client);
}

static void batch__functions_of_handles_refuse_null(void **state) {
    (void)state;
    restway_batch *batch = POISON;
    restway_call *call = POISON;
    size_t length = 7;
    assert_refused(restway_batch_create(NULL, &batch, &failure));
    assert_null(batch);
    assert_refused(restway_batch_add(NULL, NULL, NULL, NULL, NULL, &call, &failure));
    assert_null(call);
    assert_refused(restway_batch_send(NULL, NULL, NULL, NULL, &failure));
    assert_refused(restway_batch_wait(NULL, 0, &failure));
    assert_refused(restway_batch_response(NULL, 0, NULL, &failure));
    assert_refused(restway_client_set_batch_format(NULL, NULL, NULL, NULL, NULL, &failure));
    assert_refused(restway_batch_writer_set_body(NULL, "", 0, "a/b", &failure));
    assert_refused(restway_batch_reader_set_answer(NULL, 0, 200, NULL, 0, &failure));
    assert_refused(restway_batch_reader_add_header(NULL, 0, "A", "b", &failure));
    assert_null(restway_batch_retain(NULL));
    restway_batch_release(NULL);
    restway_batch_cancel(NULL);
    assert_int_equal(restway_batch_count(NULL), 0);
    assert_int_equal(restway_batch_is_complete(NULL), 1);
    assert_int_equal(restway_batch_writer_count(NULL), 0);
    assert_null(restway_batch_writer_method(NULL, 0));
    assert_null(restway_batch_writer_uri(NULL, 0));
    assert_null(restway_batch_writer_body(NULL, 0, &length));
    assert_int_equal(length, 0);
    assert_int_equal(restway_batch_writer_header_count(NULL, 0), 0);
    assert_null(restway_batch_writer_header_name(NULL, 0, 0));
    assert_null(restway_batch_writer_header_value(NULL, 0, 0));
    assert_int_equal(restway_batch_reader_count(NULL), 0);
    assert_null(restway_batch_reader_body(NULL, &length));
    assert_null(restway_batch_reader_media_type(NULL));
}

static const struct CMUnitTest tests[] = {
    TEST(batch_format__writes_and_reads_another),
    TEST(batch_format__its_failures_are_those_of_the_requests),
    TEST(batch__without_a_section_there_is_none),
    TEST(batch__refuses_misuse),
    TEST(batch__functions_of_handles_refuse_null),
};

const struct suite batch_format_suite = SUITE(tests);
