/* The common part of playing and recording. */
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
    /* The following fields are guarded by the mutex. */
    int is_closed;
    /* The number of users: the client, each exchange in flight, and the thread that writes. */
    int users;
    /* For playing: the exchanges, the next one in order, and those that wait for their body. */
    struct cassette cassette;
    size_t next;
    struct playing *playing;
    /* For recording: all exchanges, those that ended since the last write, and how many are in
     * flight. */
    pthread_cond_t condition;
    json_t *recorded;
    /* The part that is on the disk; only the thread that writes uses it. */
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
