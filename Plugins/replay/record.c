/* Recording: the built-in transport performs the exchanges, and a thread writes them to the disk.
 *
 * A call completes when its exchange is on the disk. All exchanges that end during one write are
 * written together by the next one, so that many calls need few writes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "replay.h"

struct recording {
    struct recording *next;
    struct replay *replay;
    uint64_t id;
    /* {"request", "response" or "error"}, in the form of the cassette. */
    json_t *exchange;
    json_t *response;
    struct bytes sent;
    struct bytes received;
    char *sent_type;
    char *sent_coding;
    char *received_type;
    char *received_coding;
    int is_out_of_memory;
};

static void free_recording(struct recording *recording) {
    json_decref(recording->exchange);
    json_decref(recording->response);
    bytes_free(&recording->sent);
    bytes_free(&recording->received);
    free(recording->sent_type);
    free(recording->sent_coding);
    free(recording->received_type);
    free(recording->received_coding);
    free(recording);
}

/* MARK: Making JSON */

static int is_url(const char *name) {
    return strcasecmp(name, "Location") == 0 || strcasecmp(name, "Content-Location") == 0
        || strcasecmp(name, "Referer") == 0 || strcasecmp(name, "Link") == 0;
}

static json_t *lines_to_json(
    const struct redaction *redaction, const restway_plugin_header *lines, size_t count) {
    json_t *array = json_array();
    for (size_t index = 0; array != NULL && index < count; index++) {
        const char *name = lines[index].name;
        if (redaction_has(redaction, name, strlen(name))) {
            continue;
        }
        char *url = is_url(name) ? redaction_url(redaction, lines[index].value) : NULL;
        /* Text that is not UTF-8 cannot be written, and is left out. */
        json_t *line = json_pack("[s, s]", name, url == NULL ? lines[index].value : url);
        free(url);
        if (line != NULL && json_array_append_new(array, line) != 0) {
            json_decref(array);
            array = NULL;
        }
    }
    return array;
}

static char *value_of(const restway_plugin_header *lines, size_t count, const char *name) {
    for (size_t index = 0; index < count; index++) {
        if (strcasecmp(lines[index].name, name) == 0) {
            return strdup(lines[index].value);
        }
    }
    return strdup("");
}

/* A body whose coding was undone has no Content-Encoding any more. */
static void drop_coding(json_t *message) {
    json_t *lines = json_object_get(message, "headers");
    for (size_t index = json_array_size(lines); index > 0; index--) {
        json_t *name = json_array_get(json_array_get(lines, index - 1), 0);
        if (strcasecmp(json_string_value(name), "Content-Encoding") == 0) {
            json_array_remove(lines, index - 1);
        }
    }
}

static int put_body(
    struct recording *recording, json_t *message, const struct bytes *bytes, const char *type,
    const char *coding) {
    int is_decoded;
    json_t *body =
        body_to_json(bytes, type, coding, &recording->replay->redaction, &is_decoded);
    if (body == NULL) {
        return 0;
    }
    if (json_is_null(body)) {
        return 1;
    }
    if (is_decoded) {
        drop_coding(message);
    }
    return json_object_set_new(message, "body", body) == 0;
}

/* MARK: Watching */

static void sent(
    void *context, uint64_t exchange, int64_t offset, const void *bytes, size_t length) {
    struct recording *recording = context;
    (void)exchange;
    if (!bytes_put(&recording->sent, (size_t)offset, bytes, length)) {
        recording->is_out_of_memory = 1;
    }
}

static void received_head(void *context, uint64_t exchange, const restway_plugin_head *head) {
    struct recording *recording = context;
    (void)exchange;
    recording->received_type = value_of(head->headers, head->header_count, "Content-Type");
    recording->received_coding = value_of(head->headers, head->header_count, "Content-Encoding");
    recording->response = json_pack(
        "{s:i, s:i, s:o}", "status", (int)head->status, "httpVersion", (int)head->http_version,
        "headers",
        lines_to_json(&recording->replay->redaction, head->headers, head->header_count));
    if (recording->received_type == NULL || recording->received_coding == NULL
        || recording->response == NULL) {
        recording->is_out_of_memory = 1;
    }
}

static void received_body(void *context, uint64_t exchange, const void *bytes, size_t length) {
    struct recording *recording = context;
    (void)exchange;
    if (!bytes_put(&recording->received, recording->received.length, bytes, length)) {
        recording->is_out_of_memory = 1;
    }
}

static void received_trailers(
    void *context, uint64_t exchange, const restway_plugin_header *lines, size_t count) {
    struct recording *recording = context;
    (void)exchange;
    json_t *trailers = lines_to_json(&recording->replay->redaction, lines, count);
    if (trailers == NULL || json_object_set_new(recording->response, "trailers", trailers) != 0) {
        recording->is_out_of_memory = 1;
    }
}

/* Writes the result into `exchange`; returns false when out of memory. */
static int finish(struct recording *recording, const restway_plugin_end *end) {
    json_t *request = json_object_get(recording->exchange, "request");
    if (recording->is_out_of_memory
        || !put_body(
            recording, request, &recording->sent, recording->sent_type, recording->sent_coding)) {
        return 0;
    }
    if (end->result != RESTWAY_PLUGIN_OK) {
        json_t *error = json_pack(
            "{s:i, s:s}", "result", (int)end->result, "text", end->text == NULL ? "" : end->text);
        return json_object_set_new(recording->exchange, "error", error) == 0;
    }
    return put_body(
               recording, recording->response, &recording->received, recording->received_type,
               recording->received_coding)
        && json_object_set(recording->exchange, "response", recording->response) == 0;
}

static void gone(struct recording *recording) {
    struct replay *replay = recording->replay;
    free_recording(recording);
    pthread_mutex_lock(&replay->mutex);
    replay->open_recordings--;
    pthread_cond_signal(&replay->condition);
    pthread_mutex_unlock(&replay->mutex);
    replay_release(replay);
}

static int32_t completed(void *context, uint64_t exchange, const restway_plugin_end *end) {
    struct recording *recording = context;
    struct replay *replay = recording->replay;
    (void)exchange;
    /* The rest of the answer is not known. */
    if (end->result == RESTWAY_PLUGIN_EXCHANGE_CANCELLED
        || end->result == RESTWAY_PLUGIN_EXCHANGE_CLOSED) {
        gone(recording);
        return RESTWAY_PLUGIN_OK;
    }
    if (!finish(recording, end)) {
        gone(recording);
        return RESTWAY_PLUGIN_OUT_OF_MEMORY;
    }
    pthread_mutex_lock(&replay->mutex);
    *replay->done_end = recording;
    replay->done_end = &recording->next;
    pthread_cond_signal(&replay->condition);
    pthread_mutex_unlock(&replay->mutex);
    return RESTWAY_PLUGIN_LATER;
}

/* MARK: Writing */

/* Writes the exchanges that have ended, then lets their calls complete: with an error if the write
 * failed. An exchange that was not written is written again with the next ones. */
static void write_done(struct replay *replay, struct recording *done) {
    char text[512];
    int error = 0;
    for (struct recording *each = done; each != NULL; each = each->next) {
        if (json_array_append(replay->recorded, each->exchange) != 0) {
            error = ENOMEM;
        }
    }
    if (error == 0) {
        error = journal_save(&replay->journal, replay->options.cassette, replay->recorded);
    }
    snprintf(
        text, sizeof text, "cassette: %.300s: %s", replay->options.cassette, strerror(error));
    while (done != NULL) {
        struct recording *next = done->next;
        if (error == 0) {
            replay->host->exchange_completed(replay->host, done->id, NULL);
        } else {
            replay_end(replay, done->id, RESTWAY_PLUGIN_FAILED, text);
        }
        gone(done);
        done = next;
    }
}

static void *write_until_closed(void *context) {
    struct replay *replay = context;
    for (;;) {
        pthread_mutex_lock(&replay->mutex);
        while (replay->done == NULL && !(replay->is_closed && replay->open_recordings == 0)) {
            pthread_cond_wait(&replay->condition, &replay->mutex);
        }
        struct recording *done = replay->done;
        replay->done = NULL;
        replay->done_end = &replay->done;
        pthread_mutex_unlock(&replay->mutex);
        if (done == NULL) {
            break;
        }
        write_done(replay, done);
    }
    /* If this fails nothing is lost: the journal stays, and is read together with the cassette. */
    (void)journal_end(&replay->journal, replay->options.cassette, replay->recorded);
    replay_release(replay);
    return NULL;
}

int32_t record_open(struct replay *replay, restway_plugin_reason *reason) {
    pthread_t thread;
    const int error = cassette_check(replay->options.cassette);
    if (error != 0) {
        return fail(
            reason, "cassette: %.300s: %s", replay->options.cassette, strerror(error));
    }
    replay->recorded = json_array();
    replay->done_end = &replay->done;
    if (replay->recorded == NULL) {
        return RESTWAY_PLUGIN_OUT_OF_MEMORY;
    }
    replay->users++;
    if (pthread_create(&thread, NULL, write_until_closed, replay) != 0) {
        replay->users--;
        return fail(reason, "no thread is left to write the cassette");
    }
    pthread_detach(thread);
    return RESTWAY_PLUGIN_OK;
}

void record_close(struct replay *replay) {
    pthread_mutex_lock(&replay->mutex);
    pthread_cond_signal(&replay->condition);
    pthread_mutex_unlock(&replay->mutex);
}

static struct recording *make_recording(
    struct replay *replay, const restway_plugin_exchange *exchange) {
    struct recording *recording = calloc(1, sizeof *recording);
    char *url = redaction_url(&replay->redaction, exchange->url);
    if (recording == NULL || url == NULL) {
        free(recording);
        free(url);
        return NULL;
    }
    recording->replay = replay;
    recording->id = exchange->id;
    recording->sent_type = value_of(exchange->headers, exchange->header_count, "Content-Type");
    recording->sent_coding =
        value_of(exchange->headers, exchange->header_count, "Content-Encoding");
    recording->exchange = json_pack(
        "{s:{s:s, s:s, s:o}}", "request", "method", exchange->method, "url", url, "headers",
        lines_to_json(&replay->redaction, exchange->headers, exchange->header_count));
    free(url);
    if (recording->sent_type == NULL || recording->sent_coding == NULL
        || recording->exchange == NULL) {
        free_recording(recording);
        return NULL;
    }
    return recording;
}

void record_start(struct replay *replay, const restway_plugin_exchange *exchange) {
    struct recording *recording = make_recording(replay, exchange);
    if (recording == NULL) {
        replay_end(replay, exchange->id, RESTWAY_PLUGIN_OUT_OF_MEMORY, "no memory to record it");
        return;
    }
    const restway_plugin_watcher watcher = {
        sizeof watcher, recording, sent, received_head, received_body, received_trailers,
        completed};
    pthread_mutex_lock(&replay->mutex);
    replay->users++;
    replay->open_recordings++;
    pthread_mutex_unlock(&replay->mutex);
    if (replay->host->exchange_forward(replay->host, exchange->id, &watcher)
        != RESTWAY_PLUGIN_OK) {
        gone(recording);
        replay_end(replay, exchange->id, RESTWAY_PLUGIN_FAILED, "it cannot be recorded");
    }
}
