#include "source.h"

#include <string.h>

void source_begin(struct source *source, const char *content) {
    memset(source, 0, sizeof(*source));
    pthread_mutex_init(&source->lock, NULL);
    pthread_cond_init(&source->changed, NULL);
    source->content = content;
    source->length = strlen(content);
}

static void source_enter(struct source *source) {
    pthread_mutex_lock(&source->lock);
    source->wrong_count += source->is_running || source->destroyed_count;
    source->is_running = 1;
    source->thread = pthread_self();
}

static void source_leave(struct source *source) {
    source->is_running = 0;
    pthread_cond_broadcast(&source->changed);
    pthread_mutex_unlock(&source->lock);
}

static restway_status source_read(
    void *context, void *buffer, size_t capacity, size_t *out_count, restway_answer *answer) {
    struct source *source = context;
    restway_error *error = NULL;
    restway_status status = RESTWAY_OK;
    source_enter(source);
    source->read_count++;
    source->wrong_count += *out_count != 0 || capacity == 0;
    pthread_cond_broadcast(&source->changed);
    while (source->is_shut) {
        pthread_cond_wait(&source->changed, &source->lock);
    }
    if (source->client != NULL) {
        restway_request *request = make_get("status");
        source->found = restway_client_perform(source->client, request, 0, NULL, &error);
        restway_request_release(request);
        restway_error_release(error);
        error = NULL;
    }
    size_t count = source->length - source->given;
    count = count < capacity ? count : capacity;
    count = source->piece > 0 && count > source->piece ? source->piece : count;
    memcpy(buffer, source->content + source->given, count);
    source->given += count;
    *out_count = count;
    if (count == 0 && source->end != RESTWAY_OK) {
        status = source->end;
        source->wrong_count +=
            restway_answer_set_message(answer, "the disk is gone", &error) != RESTWAY_OK;
    }
    source_leave(source);
    return status;
}

static restway_status source_rewind(void *context, restway_answer *answer) {
    struct source *source = context;
    restway_error *error = NULL;
    source_enter(source);
    source->rewind_count++;
    source->given = 0;
    if (source->rewind_answer != RESTWAY_OK) {
        source->wrong_count +=
            restway_answer_set_message(answer, "the tape is torn", &error) != RESTWAY_OK;
    }
    source_leave(source);
    return source->rewind_answer;
}

static void source_destroy(void *context) {
    struct source *source = context;
    source_enter(source);
    source->destroyed_count++;
    source_leave(source);
}

void source_set(struct source *source, restway_request *request, int64_t length, int rewinds) {
    restway_body_reader reader = RESTWAY_BODY_READER_INIT;
    reader.context = source;
    reader.read = source_read;
    reader.rewind = rewinds ? source_rewind : NULL;
    reader.destroy = source_destroy;
    assert_ok(restway_request_set_body_reader(request, &reader, length, "text/plain", &failure));
}

restway_request *source_request(
    struct source *source, const char *method, const char *path, int64_t length, int rewinds) {
    restway_request *request = NULL;
    assert_ok(restway_request_create(method, path, &request, &failure));
    source_set(source, request, length, rewinds);
    return request;
}

void source_shut(struct source *source) {
    pthread_mutex_lock(&source->lock);
    source->is_shut = 1;
    pthread_mutex_unlock(&source->lock);
}

void source_open(struct source *source) {
    pthread_mutex_lock(&source->lock);
    source->is_shut = 0;
    pthread_cond_broadcast(&source->changed);
    pthread_mutex_unlock(&source->lock);
}

void source_wait_read(struct source *source, int count) {
    pthread_mutex_lock(&source->lock);
    while (source->read_count < count) {
        pthread_cond_wait(&source->changed, &source->lock);
    }
    pthread_mutex_unlock(&source->lock);
}

void source_expect_destroyed(struct source *source) {
    pthread_mutex_lock(&source->lock);
    while (source->destroyed_count == 0) {
        pthread_cond_wait(&source->changed, &source->lock);
    }
    pthread_mutex_unlock(&source->lock);
    assert_int_equal(source->destroyed_count, 1);
    assert_int_equal(source->wrong_count, 0);
    pthread_mutex_destroy(&source->lock);
    pthread_cond_destroy(&source->changed);
}
