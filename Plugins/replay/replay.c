/* The plugin `replay`: records exchanges to a cassette, and plays them back. */
#include "replay.h"

#include <stdlib.h>
#include <string.h>

void replay_retain(struct replay *replay) {
    pthread_mutex_lock(&replay->mutex);
    replay->users++;
    pthread_mutex_unlock(&replay->mutex);
}

void replay_release(struct replay *replay) {
    pthread_mutex_lock(&replay->mutex);
    const int is_last = --replay->users == 0;
    pthread_mutex_unlock(&replay->mutex);
    if (!is_last) {
        return;
    }
    cassette_free(&replay->cassette);
    json_decref(replay->recorded);
    options_free(&replay->options);
    pthread_cond_destroy(&replay->condition);
    pthread_mutex_destroy(&replay->mutex);
    free(replay);
}

void replay_end(struct replay *replay, uint64_t exchange, int32_t result, const char *text) {
    restway_plugin_end end;
    memset(&end, 0, sizeof end);
    end.struct_size = sizeof end;
    end.result = result;
    end.text = text;
    replay->host->exchange_completed(replay->host, exchange, &end);
}

static int32_t open_replay(
    void *context, const restway_plugin_host *host, const char *options, void **out_transport,
    restway_plugin_reason *reason) {
    struct replay *replay = calloc(1, sizeof *replay);
    (void)context;
    if (replay == NULL) {
        return RESTWAY_PLUGIN_OUT_OF_MEMORY;
    }
    int32_t result = options_read(&replay->options, options, 1, reason);
    if (result != RESTWAY_PLUGIN_OK) {
        free(replay);
        return result;
    }
    replay->host = host;
    replay->users = 1;
    replay->redaction.names = replay->options.redact;
    pthread_mutex_init(&replay->mutex, NULL);
    pthread_cond_init(&replay->condition, NULL);
    result = replay->options.records ? record_open(replay, reason) : play_open(replay, reason);
    if (result != RESTWAY_PLUGIN_OK) {
        replay_release(replay);
        return result;
    }
    *out_transport = replay;
    return RESTWAY_PLUGIN_OK;
}

static void start(void *transport, const restway_plugin_exchange *exchange) {
    struct replay *replay = transport;
    if (replay->options.records) {
        record_start(replay, exchange);
    } else {
        play_start(replay, exchange);
    }
}

static void cancel(void *transport, uint64_t exchange) {
    struct replay *replay = transport;
    if (!replay->options.records) {
        play_cancel(replay, exchange);
    }
}

static void resume(void *transport, uint64_t exchange) {
    struct replay *replay = transport;
    if (!replay->options.records) {
        play_resume(replay, exchange);
    }
}

static void body_ready(void *transport, uint64_t exchange) {
    struct replay *replay = transport;
    if (!replay->options.records) {
        play_body_ready(replay, exchange);
    }
}

static void close_replay(void *transport) {
    struct replay *replay = transport;
    pthread_mutex_lock(&replay->mutex);
    replay->is_closed = 1;
    pthread_mutex_unlock(&replay->mutex);
    if (replay->options.records) {
        record_close(replay);
    } else {
        play_close(replay);
    }
    replay_release(replay);
}

/* The plugin's options apply to clients without options of their own: they need not name a
 * cassette. */
static int32_t configure(const char *text, restway_plugin_reason *reason) {
    struct options options;
    const int32_t result = options_read(&options, text, 0, reason);
    if (result == RESTWAY_PLUGIN_OK) {
        options_free(&options);
    }
    return result;
}

static const restway_plugin_transport transport_table = {
    sizeof(restway_plugin_transport), "replay", NULL, open_replay, start, cancel, resume,
    body_ready, close_replay,
};
static const restway_plugin_transport *const transports[] = {&transport_table};

__attribute__((visibility("default"))) int32_t restway_plugin_v1(
    const restway_plugin_host *host, restway_plugin *plugin, restway_plugin_reason *reason) {
    (void)host;
    (void)reason;
    plugin->abi_major = RESTWAY_PLUGIN_ABI_MAJOR;
    plugin->abi_minor = RESTWAY_PLUGIN_ABI_MINOR;
    plugin->required_capabilities = RESTWAY_PLUGIN_CAN_TRANSPORT;
    plugin->name = "replay";
    plugin->version = "1.0";
    plugin->licence = "MIT";
    plugin->description = "Records exchanges to a cassette, and plays them back.";
    plugin->transports = transports;
    plugin->transport_count = 1;
    plugin->configure = configure;
    return RESTWAY_PLUGIN_OK;
}
