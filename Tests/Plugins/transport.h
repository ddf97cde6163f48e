/* Common code of the transports of the tests. */
#ifndef RESTWAY_TRANSPORT_H
#define RESTWAY_TRANSPORT_H

#include <pthread.h>

#include <restway/plugin.h>

struct transport;

/* An exchange and its answer. */
struct job {
    struct transport *transport;
    struct job *next;
    uint64_t id;
    int is_cancelled;
    int32_t status;
    size_t length;
    char body[1024];
};

struct transport {
    const restway_plugin_host *host;
    /* The behaviour of the transport, as a word. */
    char does[32];
    pthread_mutex_t mutex;
    pthread_cond_t condition;
    /* The exchanges that wait for a thread, in order. */
    struct job *jobs;
    struct job *running;
    int threads;
    int is_closed;
    uint64_t last;
};

void free_transport(struct transport *transport);
int is_cancelled(struct job *job);
int is_one_of(const char *word, const char *words);
const char *header_of(const restway_plugin_exchange *exchange, const char *name);
void give_head(struct job *job, int32_t status);
int32_t give_body(struct job *job, const char *bytes, size_t length);
void end_job(struct job *job, int32_t result, const char *text);

/* Violates the contract as the option `does` of the transport says. */
void misbehave(struct job *job);

#endif
