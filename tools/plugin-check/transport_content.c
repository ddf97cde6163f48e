/* Checks that answers reach the host unchanged, and that request bodies reach the server. */
#include <stdio.h>
#include <string.h>

#include "answers.h"
#include "checks.h"
#include "outcome.h"
#include "settings.h"
#include "transport_subject.h"

static void skip_unless_asked(opened *opened) {
    if (run_settings.url != NULL) {
        check_skipped("the server of --url is not known");
    }
    if (!transport_asks(opened)) {
        check_skipped("it does not ask the server");
    }
}

static void expect_header(const exchange *exchange, const char *line) {
    require(
        strcasestr(exchange->headers, line) != NULL, "%s: the header %.*s is missing",
        exchange_name(exchange), (int)strcspn(line, "\n"), line);
}

static void expect_response(const exchange *exchange) {
    const answer *answer = answer_for(exchange->request.path);
    require(
        exchange->result == RESTWAY_PLUGIN_OK, "%s completes with %s (%s)",
        exchange_name(exchange), exchange_result_name(exchange->result), exchange->text);
    require(
        exchange->status == answer->status, "%s: status %d instead of %d",
        exchange_name(exchange), exchange->status, answer->status);
    require(
        exchange->is_as_expected && exchange->received == exchange->expected_bytes,
        "%s: the body is not the one that was sent (%zu of %zu bytes%s)", exchange_name(exchange),
        exchange->received, exchange->expected_bytes,
        exchange->is_as_expected ? "" : ", with different bytes");
    require(
        answer->trailers == NULL || strcasestr(exchange->trailers, "x-sum: 42\n") != NULL,
        "%s: its trailers are missing", exchange_name(exchange));
}

void check_transport_answers(const void *argument) {
    opened *opened = transport_open(transport_of(argument));
    skip_unless_asked(opened);
    size_t count;
    const char *const *paths = whole_answers(&count);
    for (size_t index = 0; index < count; index++) {
        char line[64];
        exchange *exchange = exchange_perform(opened, &REQUEST("GET", paths[index]));
        snprintf(line, sizeof line, "x-answer: %s\n", paths[index] + 1);
        expect_response(exchange);
        expect_header(exchange, line);
        expect_header(exchange, "x-seen: checked\n");
        expect_header(exchange, "x-method: get\n");
    }
}

static void expect_echo(opened *opened, request request, bool asks) {
    exchange *exchange = exchange_perform(opened, &request);
    if (asks && request.read_fails_at == NEVER) {
        expect_response(exchange);
    }
}

/* Request bodies that are read in pieces, come late, or fail. */
void check_transport_body(const void *argument) {
    const restway_plugin_transport *table = transport_of(argument);
    opened *opened = transport_open(table);
    if (table->body_ready == NULL) {
        check_skipped("it reads no bodies: body_ready is NULL");
    }
    const bool asks = run_settings.url == NULL && transport_asks(opened);
    const size_t sizes[] = {0, 1, 70000, (size_t)1 << 20};
    for (size_t index = 0; index < sizeof sizes / sizeof *sizes; index++) {
        request request = REQUEST("POST", "/echo");
        request.body = body_of(sizes[index]);
        request.body_bytes = sizes[index];
        expect_echo(opened, request, asks);
        request.method = "PUT";
        request.has_unknown_length = true;
        expect_echo(opened, request, asks);
    }
    request request = REQUEST("POST", "/echo");
    request.body = body_of(60);
    request.body_bytes = 60;
    request.read_bytes = 1;
    expect_echo(opened, request, asks);
    request.read_bytes = 7;
    for (size_t read = 0; read < 10; read++) {
        request.read_later_at = read;
        request.hurries = true;
        expect_echo(opened, request, asks);
        request.hurries = false;
        exchange *exchange = exchange_begin(opened, &request);
        if (exchange_wait_pause(exchange)) {
            exchange_body_ready(exchange);
        }
        exchange_wait(exchange);
        request.read_later_at = NEVER;
        request.read_fails_at = read;
        expect_echo(opened, request, asks);
        request.read_fails_at = NEVER;
    }
    transport_end(opened, NULL, 0);
    expect_no_fault(FAULT_READ);
}

void check_transport_time_outs(const void *argument) {
    opened *opened = transport_open(transport_of(argument));
    skip_unless_asked(opened);
    const char *const paths[] = {"/silent", "/half"};
    for (int index = 0; index < 4; index++) {
        request request = REQUEST("GET", paths[index % 2]);
        request.total_milliseconds = index < 2 ? 150 : 0;
        request.idle_milliseconds = index < 2 ? 0 : 150;
        exchange *exchange = exchange_perform(opened, &request);
        require(
            exchange->result == RESTWAY_PLUGIN_EXCHANGE_TIMED_OUT,
            "%s, with 150 ms %s: %s instead of TIMED_OUT", exchange_name(exchange),
            index < 2 ? "in all" : "without a byte", exchange_result_name(exchange->result));
    }
}
