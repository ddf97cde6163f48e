/** @file answering.h
 *  A server on the loopback interface that answers each request as the test says.
 */
#ifndef RESTWAY_HARNESS_ANSWERING_H
#define RESTWAY_HARNESS_ANSWERING_H

#include <pthread.h>
#include <stddef.h>

enum { URL_BYTES_MAX = 64 };

/** Listens on a free port of the loopback interface and writes its URL. Returns the socket. */
int listen_on_loopback(char url[URL_BYTES_MAX]);

/** Reads one request. Returns its bytes, which the caller frees, and where its body begins; NULL if
 *  no complete request arrived. */
char *receive_request(int connection, size_t *out_body);

struct answering_server {
    char url[URL_BYTES_MAX];
    int listener;
    pthread_t thread;
    pthread_mutex_t lock;
    char *answer;
    size_t answer_length;
    /** The body of the last request; NULL before the first one. */
    char *body;
    /** The head of the last request; NULL before the first one. */
    char *head;
    pthread_cond_t changed;
    int request_count;
    /** While it is 1, requests are received but not answered. */
    int is_shut;
};

void answering_begin(struct answering_server *server);

/** From now on, answers are JSON with @p status and @p body. */
void answering_set(struct answering_server *server, int status, const char *body);

/** From now on, answers are these bytes, including the head. */
void answering_set_bytes(struct answering_server *server, const char *bytes, size_t length);

/** Returns the body of the last request; freed by the caller. */
char *answering_take_body(struct answering_server *server);

/** Returns the head of the last request; freed by the caller. */
char *answering_take_head(struct answering_server *server);

/** Returns how many requests the server has received. */
int answering_count(struct answering_server *server);

/** Waits until the server has received @p count requests. */
void answering_wait_count(struct answering_server *server, int count);

/** From now on, requests are received but not answered, until answering_open(). */
void answering_shut(struct answering_server *server);
void answering_open(struct answering_server *server);

/** Stops the server: nobody listens at its URL any more. */
void answering_stop(struct answering_server *server);

void answering_end(struct answering_server *server);

#endif
