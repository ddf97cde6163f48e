#include "exchanges.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "answers.h"
#include "exchange_calls.h"
#include "guarded.h"
#include "outcome.h"
#include "server.h"
#include "settings.h"
#include "started.h"

/* An exchange is used again only after many others, so that a late call still reaches the exchange
 * that it means. */
#define KEPT 1024
#define FIRST_ID 1000
#define OPENED_MAX 1024

static exchange exchanges[KEPT];
static atomic_ullong exchanges_made;
static opened all_opened[OPENED_MAX];
static size_t opened_count;

opened *transport_open(const restway_plugin_transport *table) {
    require(opened_count < OPENED_MAX, "too many transports");
    opened *self = &all_opened[opened_count++];
    restway_plugin_reason reason = empty_reason();
    self->table = table;
    self->host = plain_host;
    self->host.context = self;
    exchange_calls_fill(&self->host);
    doing("%s is opened", table->name);
    int32_t result = table->open(
        table->context, &self->host, run_settings.options, &self->transport, &reason);
    require(
        result == RESTWAY_PLUGIN_OK, "it does not open: %s%s", reason_text(&reason),
        run_settings.has_options ? "" : " (give options with --options)");
    require(self->transport != NULL, "it opens, but gives NULL");
    return self;
}

void transport_close(opened *self) {
    const unsigned long long made = atomic_load(&exchanges_made);
    for (size_t index = 0; index < KEPT && index < made; index++) {
        exchange *exchange = &exchanges[index];
        pthread_mutex_lock(&exchange->lock);
        exchange->is_closed = exchange->is_closed || exchange->opened == self;
        pthread_cond_broadcast(&exchange->changed);
        pthread_mutex_unlock(&exchange->lock);
    }
    self->is_closed = true;
    doing("%s is closed", self->table->name);
    self->table->close(self->transport);
}

exchange *exchange_of(uint64_t id) {
    if (id < FIRST_ID || id >= FIRST_ID + atomic_load(&exchanges_made)) {
        return NULL;
    }
    exchange *found = &exchanges[(id - FIRST_ID) % KEPT];
    return found->id == id ? found : NULL;
}

exchange *exchange_make(opened *opened, const request *request) {
    const unsigned long long number = atomic_fetch_add(&exchanges_made, 1);
    exchange *self = &exchanges[number % KEPT];
    pthread_condattr_t attributes;
    memset(self, 0, sizeof *self);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->changed, &attributes);
    self->opened = opened;
    self->request = *request;
    self->answer = answer_for(run_settings.url != NULL ? run_settings.url : request->path);
    const bool is_echo = self->answer->kind == ANSWER_ECHO;
    self->expected = is_echo ? request->body : self->answer->body;
    self->expected_bytes = is_echo ? request->body_bytes : self->answer->length;
    self->is_as_expected = true;
    self->id = FIRST_ID + number;
    return self;
}

static void url_of(const exchange *self, char *room, size_t bytes) {
    if (run_settings.url != NULL) {
        snprintf(room, bytes, "%s", run_settings.url);
    } else if (strstr(self->request.path, "://") != NULL) {
        snprintf(room, bytes, "%s", self->request.path);
    } else {
        snprintf(room, bytes, "%s%s", server_url(), self->request.path);
    }
}

/* The texts of an exchange, with everything that points to them. */
typedef struct lent {
    restway_plugin_exchange table;
    restway_plugin_header headers[2];
    char url[512], method[32], name[2][32], value[2][32];
} lent;

static void fill(lent *self, const exchange *exchange) {
    const request *request = &exchange->request;
    url_of(exchange, self->url, sizeof self->url);
    snprintf(self->method, sizeof self->method, "%s", request->method);
    snprintf(self->name[0], sizeof self->name[0], "X-Check");
    snprintf(self->value[0], sizeof self->value[0], "checked");
    snprintf(self->name[1], sizeof self->name[1], "Content-Type");
    snprintf(self->value[1], sizeof self->value[1], "text/plain");
    for (int index = 0; index < 2; index++) {
        self->headers[index]
            = (restway_plugin_header){self->name[index], self->value[index]};
    }
    self->table = (restway_plugin_exchange){
        .struct_size = sizeof self->table,
        .id = exchange->id,
        .method = self->method,
        .url = self->url,
        .headers = self->headers,
        .header_count = request->body != NULL ? 2 : 1,
        .body_length = request->has_unknown_length ? -1 : (int64_t)request->body_bytes,
        .total_milliseconds = request->total_milliseconds,
        .idle_milliseconds = request->idle_milliseconds,
    };
}

/* In other checks the texts stay valid, so that only one check finds a plugin that keeps them. */
void exchange_start(exchange *self) {
    static lent kept[KEPT];
    lent *lent = &kept[(self->id - FIRST_ID) % KEPT];
    guarded memory = {0};
    if (self->request.takes_texts_back) {
        memory = guarded_make(
            sizeof *lent, "using memory before an exchange",
            "using memory after an exchange");
        lent = (struct lent *)memory.bytes;
    }
    fill(lent, self);
    doing("%s is started", exchange_name(self));
    self->opened->table->start(self->opened->transport, &lent->table);
    if (self->request.takes_texts_back) {
        guarded_take(&memory, "using memory that was valid until start returned");
    }
}

exchange *exchange_begin(opened *opened, const request *request) {
    exchange *self = exchange_make(opened, request);
    exchange_start(self);
    return self;
}

/* The moment when most of the time of a check has passed. */
static struct timespec deadline;

static void set_deadline(void) {
    const int64_t milliseconds = (int64_t)run_settings.time_out_seconds * 800;
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    deadline.tv_sec += milliseconds / 1000;
    deadline.tv_nsec += milliseconds % 1000 * 1000000;
    if (deadline.tv_nsec >= 1000000000) {
        deadline.tv_nsec -= 1000000000;
        deadline.tv_sec++;
    }
}

static void wait_for_change(exchange *self, const char *what) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, set_deadline);
    if (pthread_cond_timedwait(&self->changed, &self->lock, &deadline) != 0) {
        check_failed(
            "%s does not %s%s%s", exchange_name(self), what,
            self->is_cancelled ? ", though it was cancelled" : "",
            self->is_closed ? ", though its transport was closed" : "");
    }
}

void exchange_wait(exchange *self) {
    doing("%s completes", exchange_name(self));
    pthread_mutex_lock(&self->lock);
    while (!self->is_completed) {
        wait_for_change(self, "complete");
    }
    pthread_mutex_unlock(&self->lock);
}

bool exchange_wait_calls(exchange *self, size_t calls) {
    pthread_mutex_lock(&self->lock);
    while (!self->is_completed && self->calls < calls) {
        wait_for_change(self, "go on, nor complete");
    }
    const bool goes_on = !self->is_completed;
    pthread_mutex_unlock(&self->lock);
    return goes_on;
}

bool exchange_wait_pause(exchange *self) {
    pthread_mutex_lock(&self->lock);
    while (!self->is_completed && !self->is_paused && !self->is_late) {
        wait_for_change(self, "go on, nor complete");
    }
    const bool goes_on = !self->is_completed;
    pthread_mutex_unlock(&self->lock);
    return goes_on;
}

void exchange_cancel(exchange *self) {
    pthread_mutex_lock(&self->lock);
    self->is_cancelled = true;
    self->is_paused = false;
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->lock);
    self->opened->table->cancel(self->opened->transport, self->id);
}

void exchange_resume(exchange *self) {
    pthread_mutex_lock(&self->lock);
    self->is_paused = false;
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->lock);
    self->opened->table->resume(self->opened->transport, self->id);
}

void exchange_body_ready(exchange *self) {
    pthread_mutex_lock(&self->lock);
    self->is_late = false;
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->lock);
    if (self->opened->table->body_ready != NULL) {
        self->opened->table->body_ready(self->opened->transport, self->id);
    }
}

exchange *exchange_perform(opened *opened, const request *request) {
    exchange *self = exchange_begin(opened, request);
    exchange_wait(self);
    return self;
}

const char *fault_found(exchange_fault kind) {
    const unsigned long long made = atomic_load(&exchanges_made);
    for (size_t index = 0; index < KEPT && index < made; index++) {
        if (exchanges[index].faults[kind][0] != '\0') {
            return exchanges[index].faults[kind];
        }
    }
    return NULL;
}

const char *exchange_name(const exchange *self) {
    static _Thread_local char text[96];
    snprintf(text, sizeof text, "%s %s", self->request.method, self->request.path);
    return text;
}

const char *exchange_result_name(int32_t result) {
    static const char *const names[] = {
        "CANCELLED", "CLOSED",   "TIMED_OUT", "RESOLVE",     "CONNECT", "TLS", "CONNECTION_LOST",
        "PROTOCOL",  "TOO_LARGE", "UNSUPPORTED"};
    static _Thread_local char text[32];
    if (result >= RESTWAY_PLUGIN_EXCHANGE_CANCELLED
        && result <= RESTWAY_PLUGIN_EXCHANGE_UNSUPPORTED) {
        return names[result - RESTWAY_PLUGIN_EXCHANGE_CANCELLED];
    }
    snprintf(
        text, sizeof text, result == RESTWAY_PLUGIN_OK ? "OK"
            : result == RESTWAY_PLUGIN_FAILED          ? "FAILED"
            : result == RESTWAY_PLUGIN_OUT_OF_MEMORY   ? "OUT_OF_MEMORY"
                                                       : "%d", result);
    return text;
}
