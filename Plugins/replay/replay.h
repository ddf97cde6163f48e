/* What playing and recording share. */
#ifndef RESTWAY_REPLAY_REPLAY_H
#define RESTWAY_REPLAY_REPLAY_H

#include <pthread.h>

#include "cassette.h"
#include "journal.h"
#include "options.h"

struct recording;
struct playing;

/* A transport, opened for one client. */
struct replay {
    const restway_plugin_host *host;
    struct options options;
    struct redaction redaction;
    pthread_mutex_t mutex;
    /* Below: guarded by the mutex. */
    int is_closed;
    /* Whoever still needs it: the client, each exchange under way, the thread that writes. */
    int users;
    /* Playing: what there is, the next one in order, and those that wait for their body. */
    struct cassette cassette;
    size_t next;
    struct playing *playing;
    /* Recording: everything so far, what has come since the last write, how many may still come. */
    pthread_cond_t condition;
    json_t *recorded;
    /* How much of it is on the disk; of the thread that writes. */
    struct journal journal;
    struct recording *done;
    struct recording **done_end;
    size_t open_recordings;
};

void replay_retain(struct replay *replay);
void replay_release(struct replay *replay);

/* Completes an exchange. */
void replay_end(struct replay *replay, uint64_t exchange, int32_t result, const char *text);

int32_t play_open(struct replay *replay, restway_plugin_reason *reason);
void play_start(struct replay *replay, const restway_plugin_exchange *exchange);
void play_cancel(struct replay *replay, uint64_t exchange);
void play_body_ready(struct replay *replay, uint64_t exchange);
void play_resume(struct replay *replay, uint64_t exchange);
void play_close(struct replay *replay);

int32_t record_open(struct replay *replay, restway_plugin_reason *reason);
void record_start(struct replay *replay, const restway_plugin_exchange *exchange);
void record_close(struct replay *replay);

#endif
