/** @file answering.h
 *  A server on the loopback interface that answers each request as the test says.
 */
#ifndef RESTWAY_HARNESS_ANSWERING_H
#define RESTWAY_HARNESS_ANSWERING_H

#include <pthread.h>
#include <stddef.h>

struct answering_server {
    char url[64];
    int listener;
    pthread_t thread;
    pthread_mutex_t lock;
    char *answer;
    size_t answer_length;
    /** The body of the last request; NULL before the first one. */
    char *body;
};

void answering_begin(struct answering_server *server);

/** From now on, answers are JSON with @p status and @p body. */
void answering_set(struct answering_server *server, int status, const char *body);

/** From now on, answers are these bytes, including the head. */
void answering_set_bytes(struct answering_server *server, const char *bytes, size_t length);

/** Returns the body of the last request; freed by the caller. */
char *answering_take_body(struct answering_server *server);

void answering_end(struct answering_server *server);

#endif
