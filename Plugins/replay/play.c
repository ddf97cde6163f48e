/* Playing: the request is compared with the cassette, and the recorded answer is given at once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "replay.h"

/* How many exchanges an error lists. */
#define LISTED_MAX 20

/* A request whose body is being read, or whose answer is being given. */
struct playing {
    struct playing *next;
    struct replay *replay;
    uint64_t id;
    char *method;
    /* The request in the form of a cassette. */
    char *url;
    char *type;
    char *coding;
    struct bytes body;
    /* The answer, when it is being given. */
    const struct played *played;
    /* Guarded by the replay's mutex: whether a thread works on it, whether that thread must
     * continue, and whether it has ended. */
    int is_reading;
    int is_ready;
    int is_cancelled;
};

static void free_playing(struct playing *playing) {
    struct replay *replay = playing->replay;
    free(playing->method);
    free(playing->url);
    free(playing->type);
    free(playing->coding);
    bytes_free(&playing->body);
    free(playing);
    replay_release(replay);
}

int32_t play_open(struct replay *replay, restway_plugin_reason *reason) {
    return cassette_read(&replay->cassette, replay->options.cassette, reason);
}

/* MARK: Matching */

static int is_match(const struct played *played, const struct playing *playing, json_t *body) {
    json_t *other = played->request_body;
    const int is_empty = other == NULL || json_is_null(other);
    return strcmp(played->method, playing->method) == 0 && strcmp(played->url, playing->url) == 0
        && (json_is_null(body) ? is_empty : !is_empty && json_equal(other, body));
}

/* With "strict", returns the next exchange. With "loose", returns the matching exchange that was
 * played least, so that several answers to one request are given in turn, and then the last of
 * them. Returns NULL when no exchange matches. */
static struct played *match(struct replay *replay, const struct playing *playing, json_t *body) {
    struct cassette *cassette = &replay->cassette;
    struct played *last = NULL;
    if (!replay->options.is_loose) {
        struct played *next = &cassette->exchanges[replay->next];
        if (replay->next == cassette->count || !is_match(next, playing, body)) {
            return NULL;
        }
        replay->next++;
        next->count++;
        return next;
    }
    for (size_t index = 0; index < cassette->count; index++) {
        if (is_match(&cassette->exchanges[index], playing, body)) {
            last = &cassette->exchanges[index];
            if (last->count == 0) {
                break;
            }
        }
    }
    if (last != NULL) {
        last->count++;
    }
    return last;
}

/* Describes the request, and the exchanges of the cassette. */
static char *unexpected(struct replay *replay, const struct playing *playing) {
    const struct cassette *cassette = &replay->cassette;
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) {
        return NULL;
    }
    fprintf(
        stream, "unexpected request: %s %s%s; cassette %s has", playing->method, playing->url,
        playing->body.length > 0 ? " (with a body)" : "", replay->options.cassette);
    pthread_mutex_lock(&replay->mutex);
    if (cassette->count == 0) {
        fprintf(stream, " nothing");
    }
    for (size_t index = 0; index < cassette->count && index < LISTED_MAX; index++) {
        const struct played *played = &cassette->exchanges[index];
        const int is_next = !replay->options.is_loose && index == replay->next;
        fprintf(
            stream, "%s #%zu %s %s%s%s%s", index == 0 ? "" : ",", index + 1, played->method,
            played->url, played->request_body == NULL ? "" : " (with a body)",
            played->count > 0 ? " (played)" : "", is_next ? " (the next one)" : "");
    }
    if (cassette->count > LISTED_MAX) {
        fprintf(stream, " and %zu more", cassette->count - LISTED_MAX);
    }
    pthread_mutex_unlock(&replay->mutex);
    if (fclose(stream) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* MARK: Whose turn it is */

static void forget(struct playing *playing) {
    struct replay *replay = playing->replay;
    pthread_mutex_lock(&replay->mutex);
    for (struct playing **place = &replay->playing; *place != NULL; place = &(*place)->next) {
        if (*place == playing) {
            *place = playing->next;
            break;
        }
    }
    pthread_mutex_unlock(&replay->mutex);
    free_playing(playing);
}

/* Returns whether to read on; otherwise another thread will, when there are more bytes. */
static int goes_on(struct playing *playing) {
    struct replay *replay = playing->replay;
    pthread_mutex_lock(&replay->mutex);
    const int goes_on = playing->is_ready || playing->is_cancelled;
    playing->is_ready = 0;
    playing->is_reading = goes_on;
    pthread_mutex_unlock(&replay->mutex);
    return goes_on;
}

static int is_cancelled(struct playing *playing) {
    pthread_mutex_lock(&playing->replay->mutex);
    const int is_cancelled = playing->is_cancelled;
    pthread_mutex_unlock(&playing->replay->mutex);
    return is_cancelled;
}

/* An earlier call to continue no longer counts. */
static void forget_ready(struct playing *playing) {
    pthread_mutex_lock(&playing->replay->mutex);
    playing->is_ready = 0;
    pthread_mutex_unlock(&playing->replay->mutex);
}

/* MARK: Answering */

/* Gives the trailers and the end. */
static void finish(struct playing *playing) {
    struct replay *replay = playing->replay;
    const struct played *played = playing->played;
    if (is_cancelled(playing)) {
        replay_end(replay, playing->id, RESTWAY_PLUGIN_EXCHANGE_CANCELLED, NULL);
        return;
    }
    if (played->trailers.count > 0) {
        replay->host->exchange_trailers(
            replay->host, playing->id, played->trailers.lines, played->trailers.count);
    }
    replay_end(replay, playing->id, RESTWAY_PLUGIN_OK, NULL);
}

/* Returns whether the answer is complete; otherwise a resume continues, and `playing` must not be
 * used. */
static int tell(struct playing *playing) {
    struct replay *replay = playing->replay;
    const struct played *played = playing->played;
    int32_t answered = RESTWAY_PLUGIN_BODY_MORE;
    if (played->status == 0) {
        replay_end(replay, playing->id, played->result, played->text);
        return 1;
    }
    const restway_plugin_head head = {
        sizeof head, played->status, played->http_version, played->headers.lines,
        played->headers.count};
    replay->host->exchange_head(replay->host, playing->id, &head);
    if (played->body.length > 0) {
        forget_ready(playing);
        answered = replay->host->exchange_body(
            replay->host, playing->id, played->body.start, played->body.length);
    }
    if (answered == RESTWAY_PLUGIN_BODY_STOP) {
        replay_end(replay, playing->id, RESTWAY_PLUGIN_EXCHANGE_TOO_LARGE, NULL);
        return 1;
    }
    if (answered == RESTWAY_PLUGIN_BODY_PAUSE && !goes_on(playing)) {
        return 0;
    }
    finish(playing);
    return 1;
}

/* Returns the result of `tell`: whether the answer is complete. */
static int answer(struct playing *playing) {
    struct replay *replay = playing->replay;
    int is_decoded;
    json_t *body = body_to_json(
        &playing->body, playing->type, playing->coding, &replay->redaction, &is_decoded);
    if (body == NULL) {
        replay_end(
            replay, playing->id, RESTWAY_PLUGIN_OUT_OF_MEMORY, "no memory to look for it");
        return 1;
    }
    pthread_mutex_lock(&replay->mutex);
    playing->played = match(replay, playing, body);
    pthread_mutex_unlock(&replay->mutex);
    json_decref(body);
    if (playing->played != NULL) {
        return tell(playing);
    }
    char *text = unexpected(replay, playing);
    replay_end(
        replay, playing->id, RESTWAY_PLUGIN_FAILED, text == NULL ? "unexpected request" : text);
    free(text);
    return 1;
}

/* MARK: Reading the body of the request */

static void read_body(struct playing *playing) {
    struct replay *replay = playing->replay;
    char buffer[16384];
    for (;;) {
        size_t length = 0;
        if (is_cancelled(playing)) {
            replay_end(replay, playing->id, RESTWAY_PLUGIN_EXCHANGE_CANCELLED, NULL);
            break;
        }
        const int32_t answered = replay->host->exchange_read(
            replay->host, playing->id, buffer, sizeof buffer, &length);
        if (answered == RESTWAY_PLUGIN_READ_LATER) {
            if (goes_on(playing)) {
                continue;
            }
            return;
        }
        if (answered == RESTWAY_PLUGIN_READ_END) {
            if (!answer(playing)) {
                return;
            }
            break;
        }
        if (answered != RESTWAY_PLUGIN_READ_BYTES
            || !bytes_put(&playing->body, playing->body.length, buffer, length)) {
            replay_end(replay, playing->id, RESTWAY_PLUGIN_FAILED, "its body cannot be read");
            break;
        }
    }
    forget(playing);
}

static char *value_of(const restway_plugin_exchange *exchange, const char *name) {
    for (size_t index = 0; index < exchange->header_count; index++) {
        if (strcasecmp(exchange->headers[index].name, name) == 0) {
            return strdup(exchange->headers[index].value);
        }
    }
    return strdup("");
}

void play_start(struct replay *replay, const restway_plugin_exchange *exchange) {
    struct playing *playing = calloc(1, sizeof *playing);
    if (playing == NULL) {
        replay_end(replay, exchange->id, RESTWAY_PLUGIN_OUT_OF_MEMORY, NULL);
        return;
    }
    playing->replay = replay;
    playing->id = exchange->id;
    playing->method = strdup(exchange->method);
    playing->url = redaction_url(&replay->redaction, exchange->url);
    playing->type = value_of(exchange, "Content-Type");
    playing->coding = value_of(exchange, "Content-Encoding");
    playing->is_reading = 1;
    replay_retain(replay);
    if (playing->method == NULL || playing->url == NULL || playing->type == NULL
        || playing->coding == NULL || !bytes_put(&playing->body, 0, "", 0)) {
        replay_end(replay, exchange->id, RESTWAY_PLUGIN_OUT_OF_MEMORY, NULL);
        free_playing(playing);
        return;
    }
    pthread_mutex_lock(&replay->mutex);
    playing->next = replay->playing;
    replay->playing = playing;
    pthread_mutex_unlock(&replay->mutex);
    read_body(playing);
}

/* Returns NULL when another thread reads; that thread then sees the change. */
static struct playing *take_over(struct replay *replay, uint64_t id, int cancels) {
    struct playing *found = NULL;
    pthread_mutex_lock(&replay->mutex);
    for (struct playing *each = replay->playing; each != NULL; each = each->next) {
        if (each->id == id || (id == 0 && !each->is_cancelled)) {
            each->is_ready = 1;
            each->is_cancelled |= cancels;
            if (!each->is_reading) {
                each->is_reading = 1;
                found = each;
            }
            break;
        }
    }
    pthread_mutex_unlock(&replay->mutex);
    return found;
}

static void go_on(struct playing *playing) {
    if (playing == NULL) {
        return;
    }
    if (playing->played == NULL) {
        read_body(playing);
    } else {
        finish(playing);
        forget(playing);
    }
}

void play_cancel(struct replay *replay, uint64_t exchange) {
    go_on(take_over(replay, exchange, 1));
}

void play_body_ready(struct replay *replay, uint64_t exchange) {
    go_on(take_over(replay, exchange, 0));
}

void play_resume(struct replay *replay, uint64_t exchange) {
    go_on(take_over(replay, exchange, 0));
}

void play_close(struct replay *replay) {
    char text[128];
    size_t left = 0;
    int is_over = 0;
    while (!is_over) {
        go_on(take_over(replay, 0, 1));
        pthread_mutex_lock(&replay->mutex);
        is_over = 1;
        for (struct playing *each = replay->playing; each != NULL; each = each->next) {
            is_over = is_over && each->is_cancelled;
        }
        left = replay->cassette.count - replay->next;
        pthread_mutex_unlock(&replay->mutex);
    }
    if (!replay->options.is_loose && left > 0) {
        snprintf(text, sizeof text, "replay: %zu exchanges of the cassette were not played", left);
        replay->host->log(replay->host, RESTWAY_PLUGIN_LOG_WARNING, text);
    }
}
