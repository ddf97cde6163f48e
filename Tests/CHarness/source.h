/** @file source.h
 *  A body that is read while it is sent. It counts its calls, and waits or fails where a test
 *  says. */
#ifndef RESTWAY_HARNESS_SOURCE_H
#define RESTWAY_HARNESS_SOURCE_H

#include <pthread.h>

#include "harness.h"

/** The context of one body reader. */
struct source {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    const char *content;
    size_t length;
    size_t given;
    /** The size of the largest piece that a read gives; 0 fills the buffer. */
    size_t piece;
    int read_count;
    int rewind_count;
    int destroyed_count;
    /** Set while a function of the source runs. Two calls at once, or a call after the end, are
     *  counted as wrong. */
    int is_running;
    int wrong_count;
    /** Makes the next read wait until source_open(). */
    int is_shut;
    /** The status of a read at the end of the content; RESTWAY_OK reports a normal end. */
    restway_status end;
    /** The result of its rewind function. */
    restway_status rewind_answer;
    pthread_t thread;
    /** If `client` is set, a read makes a blocking call with it; `found` is its status. */
    restway_client *client;
    restway_status found;
};

/** Gives @p content, which must outlive it. */
void source_begin(struct source *source, const char *content);

/** Sets it as the body of @p request. With @p rewinds 0 it has no rewind function. */
void source_set(struct source *source, restway_request *request, int64_t length, int rewinds);

/** Makes a request with the source as its body. */
restway_request *source_request(
    struct source *source, const char *method, const char *path, int64_t length, int rewinds);

void source_shut(struct source *source);
void source_open(struct source *source);

/** Waits until @p count pieces were asked for. */
void source_wait_read(struct source *source, int count);

/** Waits until its context was destroyed, then checks that this happened once, after the last
 *  read. */
void source_expect_destroyed(struct source *source);

#endif
