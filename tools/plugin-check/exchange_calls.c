#include "exchange_calls.h"

#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "json.h"
#include "outcome.h"

void exchange_note(exchange *self, exchange_fault kind, const char *format, ...) {
    va_list arguments;
    char *text = self->faults[kind];
    if (text[0] == '\0') {
        const int length
            = snprintf(text, sizeof self->faults[kind], "%s: ", exchange_name(self));
        va_start(arguments, format);
        vsnprintf(text + length, sizeof self->faults[kind] - (size_t)length, format, arguments);
        va_end(arguments);
    }
}

/* Locks the exchange for a call; returns false when the call must be ignored. */
static bool enter(exchange *self, const char *call) {
    const int others = atomic_fetch_add(&self->inside, 1);
    /* Gives another call of the plugin time to arrive. */
    sched_yield();
    pthread_mutex_lock(&self->lock);
    if (others > 0) {
        exchange_note(self, FAULT_OVERLAP, "%s while another call is running", call);
    }
    if (self->is_forwarded) {
        exchange_note(self, FAULT_ORDER, "%s although it was forwarded", call);
        return false;
    }
    if (self->is_completed) {
        exchange_note(self, FAULT_LATE, "%s after it has completed", call);
        return false;
    }
    if (self->is_paused) {
        exchange_note(self, FAULT_PAUSED, "%s although it is paused", call);
    }
    if (self->is_stopped) {
        exchange_note(self, FAULT_STOPPED, "%s although it was stopped", call);
    }
    return true;
}

/* Cancels the exchange if the script asks for it in this call. */
static void leave(exchange *self) {
    const bool cancels = self->calls++ == self->request.cancel_at;
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->lock);
    atomic_fetch_sub(&self->inside, 1);
    if (cancels) {
        exchange_cancel(self);
    }
}

exchange *exchange_known(const restway_plugin_host *host, uint64_t id, const char *call) {
    exchange *found = exchange_of(id);
    if (found == NULL || &found->opened->host != host) {
        check_failed("%s for exchange %llu, which does not exist", call, (unsigned long long)id);
    }
    return found;
}

/* Returns NULL, or what is wrong with a header line. */
static const char *header_fault(const restway_plugin_header *header) {
    static const char separators[] = "()<>@,;:\\\"/[]?={} \t";
    if (header->name == NULL || header->value == NULL || header->name[0] == '\0') {
        return "a header without name or value";
    }
    for (const char *at = header->name; *at != '\0'; at++) {
        if (*at <= ' ' || *at > '~' || strchr(separators, *at) != NULL) {
            return "the name of a header is not a token";
        }
    }
    for (const unsigned char *at = (const unsigned char *)header->value; *at != '\0'; at++) {
        if ((*at < ' ' && *at != '\t') || *at == 0x7F) {
            return "the value of a header has control characters";
        }
    }
    return NULL;
}

static void take_headers(
    exchange *self, const restway_plugin_header *headers, size_t count, char *room, size_t bytes) {
    size_t length = 0;
    if (count > 0 && headers == NULL) {
        exchange_note(self, FAULT_HEAD, "headers are NULL");
        return;
    }
    for (size_t index = 0; index < count; index++) {
        const char *fault = header_fault(&headers[index]);
        if (fault != NULL) {
            exchange_note(self, FAULT_HEAD, "%s", fault);
        } else if (length < bytes) {
            length += (size_t)snprintf(
                room + length, bytes - length, "%s: %s\n", headers[index].name,
                headers[index].value);
        }
    }
}

void exchange_take_head(exchange *self, const restway_plugin_head *head) {
    if (self->has_head) {
        exchange_note(self, FAULT_ORDER, "a second head");
        return;
    }
    self->has_head = true;
    if (head == NULL || head->struct_size < sizeof *head) {
        exchange_note(self, FAULT_HEAD, "the head is not a table of this version");
        return;
    }
    if (head->status < 200 || head->status > 999) {
        exchange_note(self, FAULT_HEAD, "the head has status %d", head->status);
    }
    self->status = head->status;
    take_headers(
        self, head->headers, head->header_count, self->headers, sizeof self->headers);
}

int32_t exchange_take_body(exchange *self, const void *bytes, size_t length) {
    const size_t number = self->body_calls++;
    if (!self->has_head) {
        exchange_note(self, FAULT_ORDER, "a body before the head");
    }
    if (self->has_trailers) {
        exchange_note(self, FAULT_ORDER, "a body after the trailers");
    }
    if (bytes == NULL && length > 0) {
        exchange_note(self, FAULT_ORDER, "a body that is NULL");
    } else if (
        self->expected != NULL && length > 0
        && (length > self->expected_bytes - self->received
            || memcmp(self->expected + self->received, bytes, length) != 0)) {
        self->is_as_expected = false;
        self->expected = NULL;
    }
    self->received += length;
    if (number == self->request.stop_at) {
        self->is_stopped = true;
        return RESTWAY_PLUGIN_BODY_STOP;
    }
    if (number == self->request.pause_at) {
        self->is_paused = true;
        return RESTWAY_PLUGIN_BODY_PAUSE;
    }
    return RESTWAY_PLUGIN_BODY_MORE;
}

void exchange_take_trailers(
    exchange *self, const restway_plugin_header *headers, size_t count) {
    if (!self->has_head || self->has_trailers) {
        exchange_note(
            self, FAULT_ORDER, self->has_head ? "trailers twice" : "trailers before the head");
    }
    self->has_trailers = true;
    take_headers(self, headers, count, self->trailers, sizeof self->trailers);
}

static bool is_result(int32_t result) {
    return result == RESTWAY_PLUGIN_OK || result == RESTWAY_PLUGIN_FAILED
        || result == RESTWAY_PLUGIN_OUT_OF_MEMORY
        || (result >= RESTWAY_PLUGIN_EXCHANGE_CANCELLED
            && result <= RESTWAY_PLUGIN_EXCHANGE_UNSUPPORTED);
}

static void look_at_end(exchange *self, const restway_plugin_end *end) {
    if (!is_result(end->result)) {
        exchange_note(self, FAULT_END, "the result %d has no meaning", end->result);
    }
    if (end->text != NULL && !is_utf8(end->text, strlen(end->text))) {
        exchange_note(self, FAULT_END, "the text of its end is not UTF-8");
    }
    const int64_t numbers[] = {
        end->name_lookup_microseconds, end->connect_microseconds, end->tls_microseconds,
        end->first_byte_microseconds,  end->total_microseconds,   end->uploaded,
        end->downloaded,
    };
    for (size_t index = 0; index < sizeof numbers / sizeof *numbers; index++) {
        if (numbers[index] < 0) {
            exchange_note(self, FAULT_END, "a number of its end is negative");
        }
    }
    if (end->total_microseconds > 0 && end->first_byte_microseconds > end->total_microseconds) {
        exchange_note(self, FAULT_END, "its first byte comes after its end");
    }
    if (end->reused_connection != 0 && end->reused_connection != 1) {
        exchange_note(self, FAULT_END, "reused_connection is neither 0 nor 1");
    }
}

void exchange_take_end(exchange *self, const restway_plugin_end *end) {
    const int32_t result = end->result;
    self->is_completed = true;
    self->result = result;
    snprintf(self->text, sizeof self->text, "%s", end->text != NULL ? end->text : "");
    look_at_end(self, end);
    if (result == RESTWAY_PLUGIN_OK && !self->has_head) {
        exchange_note(self, FAULT_ORDER, "it completes with OK without a head");
    }
    if (result == RESTWAY_PLUGIN_OK && self->has_failed_read) {
        exchange_note(self, FAULT_READ, "it completes with OK although its body failed");
    } else if (self->has_failed_read && result != RESTWAY_PLUGIN_FAILED && !self->is_cancelled) {
        exchange_note(
            self, FAULT_READ, "it completes with %s instead of FAILED when its body failed",
            exchange_result_name(result));
    }
    if (self->is_stopped && result != RESTWAY_PLUGIN_EXCHANGE_TOO_LARGE && !self->is_cancelled
        && !self->is_closed) {
        exchange_note(
            self, FAULT_STOPPED, "it completes with %s instead of TOO_LARGE after STOP",
            exchange_result_name(result));
    }
}

static void take_head(
    const restway_plugin_host *host, uint64_t id, const restway_plugin_head *head) {
    exchange *self = exchange_known(host, id, "exchange_head");
    if (enter(self, "exchange_head")) {
        exchange_take_head(self, head);
    }
    leave(self);
}

static int32_t take_body(
    const restway_plugin_host *host, uint64_t id, const void *bytes, size_t length) {
    exchange *self = exchange_known(host, id, "exchange_body");
    int32_t answer = RESTWAY_PLUGIN_BODY_STOP;
    if (enter(self, "exchange_body")) {
        answer = exchange_take_body(self, bytes, length);
    }
    const bool hurries = answer == RESTWAY_PLUGIN_BODY_PAUSE && self->request.hurries;
    leave(self);
    if (hurries) {
        exchange_resume(self);
    }
    return answer;
}

static void take_trailers(
    const restway_plugin_host *host, uint64_t id, const restway_plugin_header *headers,
    size_t count) {
    exchange *self = exchange_known(host, id, "exchange_trailers");
    if (enter(self, "exchange_trailers")) {
        exchange_take_trailers(self, headers, count);
    }
    leave(self);
}

/* Progress may be reported at any time before the end. */
static void take_progress(
    const restway_plugin_host *host, uint64_t id, int64_t uploaded, int64_t upload_total,
    int64_t downloaded, int64_t download_total) {
    exchange *self = exchange_known(host, id, "exchange_progress");
    const int others = atomic_fetch_add(&self->inside, 1);
    sched_yield();
    pthread_mutex_lock(&self->lock);
    if (others > 0) {
        exchange_note(
            self, FAULT_OVERLAP, "exchange_progress while another call is running");
    }
    if (self->is_completed) {
        exchange_note(self, FAULT_LATE, "exchange_progress after it has completed");
    }
    if (uploaded < 0 || downloaded < 0 || upload_total < 0 || download_total < 0
        || (upload_total > 0 && uploaded > upload_total)
        || (download_total > 0 && downloaded > download_total)) {
        exchange_note(self, FAULT_END, "its progress exceeds the total, or is negative");
    }
    if (downloaded < self->progress[1]) {
        exchange_note(self, FAULT_END, "its progress decreases");
    }
    self->progress[0] = uploaded;
    self->progress[1] = downloaded;
    leave(self);
}

static void take_completed(
    const restway_plugin_host *host, uint64_t id, const restway_plugin_end *end) {
    exchange *self = exchange_known(host, id, "exchange_completed");
    const int others = atomic_fetch_add(&self->inside, 1);
    sched_yield();
    pthread_mutex_lock(&self->lock);
    const bool may_be_null = self->is_left_to_plugin;
    if (others > 0) {
        exchange_note(
            self, FAULT_OVERLAP, "exchange_completed while another call is running");
    }
    if (self->is_completed) {
        exchange_note(self, FAULT_TWICE, "it completes twice");
    } else if (self->is_forwarded && !may_be_null) {
        exchange_note(self, FAULT_ORDER, "exchange_completed although it was forwarded");
    } else if ((end == NULL && !may_be_null) || (end != NULL && end->struct_size < sizeof *end)) {
        exchange_note(self, FAULT_END, "its end is not a table of this version");
        self->is_completed = true;
    } else if (end == NULL) {
        self->is_completed = true;
    } else {
        if (self->is_paused && end->result == RESTWAY_PLUGIN_OK) {
            exchange_note(self, FAULT_PAUSED, "it completes with OK although it is paused");
        }
        exchange_take_end(self, end);
    }
    leave(self);
}

void exchange_calls_fill(restway_plugin_host *host) {
    host->exchange_head = take_head;
    host->exchange_body = take_body;
    host->exchange_trailers = take_trailers;
    host->exchange_progress = take_progress;
    host->exchange_completed = take_completed;
    exchange_reading_fill(host);
}
