/** @file source.h
 *  A body that is read while it is sent, counts how it is asked, and stands still or fails where a
 *  test wants it to.
 */
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
    /** The largest piece that it gives; 0 for as much as fits. */
    size_t piece;
    int read_count;
    int rewind_count;
    int destroyed_count;
    /** A function of it runs; two at once, or one after its end, are counted as wrong. */
    int is_running;
    int wrong_count;
    /** Stands still in its next read until source_open(). */
    int is_shut;
    /** When not RESTWAY_OK: what its reads answer at the end, in place of the end. */
    restway_status end;
    /** What its rewind answers. */
    restway_status rewind_answer;
    pthread_t thread;
    /** When set: a blocking call through it inside of a read, and what that returned. */
    restway_client *client;
    restway_status found;
};

/** Gives @p content, which outlives it. */
void source_begin(struct source *source, const char *content);

/** Makes it the body of @p request. @p rewinds 0 leaves the rewind function out. */
void source_set(struct source *source, restway_request *request, int64_t length, int rewinds);

/** A request with the source for a body. */
restway_request *source_request(
    struct source *source, const char *method, const char *path, int64_t length, int rewinds);

void source_shut(struct source *source);
void source_open(struct source *source);

/** Waits until it was asked @p count times for a piece. */
void source_wait_read(struct source *source, int count);

/** Waits until its context was destroyed, then checks that this was once, after the last read. */
void source_expect_destroyed(struct source *source);

#endif
