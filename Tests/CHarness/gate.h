/** @file gate.h
 *  A modifier that takes notes, and stands still as long as the test wants it to.
 */
#ifndef RESTWAY_HARNESS_GATE_H
#define RESTWAY_HARNESS_GATE_H

#include <pthread.h>

#include "harness.h"

struct gate;

/** The function of a modifier; the call completes with the status that it returns. */
typedef restway_status (*gate_work_fn)(struct gate *gate, restway_request *request);

/** The context of one modifier. */
struct gate {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /** 1 lets calls of the modifier pass. */
    int is_open;
    int asked_count;
    int answered_count;
    int destroyed_count;
    /** The value of answered_count when the context was destroyed. */
    int answered_count_when_destroyed;
    pthread_t thread;

    /** NULL leaves every request unchanged. */
    gate_work_fn work;
    restway_client *client;
    restway_request *request;
    restway_status found[4];
    /** The number of the modifier in its client. */
    int64_t number;
};

/** Makes an open gate that does @p work, and adds it as a modifier to @p client. */
void gate_set(struct gate *gate, restway_client *client, gate_work_fn work);

/** Removes the modifier from its client. */
void gate_remove(struct gate *gate);

void gate_begin(struct gate *gate, gate_work_fn work);
void gate_shut(struct gate *gate);
void gate_open(struct gate *gate);

/** A restway_modify_fn and a restway_destroy_fn; the context is a struct gate. */
restway_status gate_ask(void *context, restway_pipeline_context *pipeline);
void gate_destroy(void *context);

/** Waits until @p count calls wait at the gate or have passed it. */
void gate_wait_asked(struct gate *gate, int count);

/** Waits until the context was destroyed, then checks that this happened once, after the last call
 *  of the modifier, and that @p asked_count calls were made (-1: any number). */
void gate_expect_destroyed(struct gate *gate, int asked_count);

/** Returns whether the context is still alive. */
int gate_is_alive(struct gate *gate);

#endif
