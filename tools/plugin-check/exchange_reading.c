/* How plugins read the body of a request, and how they forward exchanges. */
#include <sched.h>
#include <string.h>

#include "exchange_calls.h"

/* Returns the result of a read. The lock is held. */
static int32_t read_locked(exchange *self, void *buffer, size_t capacity, size_t *out_length) {
    const request *request = &self->request;
    const size_t number = self->reads++;
    if (buffer == NULL || capacity == 0) {
        exchange_note(self, FAULT_READ, "it reads with a capacity of 0 or into NULL");
        return RESTWAY_PLUGIN_READ_FAILED;
    }
    if (self->is_late) {
        exchange_note(self, FAULT_READ, "it reads after LATER, before body_ready is called");
        return RESTWAY_PLUGIN_READ_LATER;
    }
    if (self->has_failed_read || number == request->read_fails_at) {
        self->has_failed_read = true;
        return RESTWAY_PLUGIN_READ_FAILED;
    }
    if (number == request->read_later_at) {
        self->is_late = true;
        return RESTWAY_PLUGIN_READ_LATER;
    }
    size_t length = request->body_bytes - self->body_at;
    length = length < capacity ? length : capacity;
    if (request->read_bytes > 0 && length > request->read_bytes) {
        length = request->read_bytes;
    }
    if (length == 0) {
        return RESTWAY_PLUGIN_READ_END;
    }
    memcpy(buffer, request->body + self->body_at, length);
    self->body_at += length;
    *out_length = length;
    return RESTWAY_PLUGIN_READ_BYTES;
}

static int32_t read_body(
    const restway_plugin_host *host, uint64_t id, void *buffer, size_t capacity,
    size_t *out_length) {
    exchange *self = exchange_known(host, id, "exchange_read");
    const int others = atomic_fetch_add(&self->inside_read, 1);
    int32_t answer = RESTWAY_PLUGIN_READ_FAILED;
    *out_length = 0;
    sched_yield();
    pthread_mutex_lock(&self->lock);
    if (others > 0) {
        exchange_note(self, FAULT_OVERLAP, "exchange_read while another one is running");
    }
    if (self->is_forwarded) {
        exchange_note(self, FAULT_READ, "exchange_read although it was forwarded");
    } else if (self->is_completed) {
        exchange_note(self, FAULT_LATE, "exchange_read after it has completed");
    } else {
        answer = read_locked(self, buffer, capacity, out_length);
    }
    const bool hurries = answer == RESTWAY_PLUGIN_READ_LATER && self->request.hurries;
    const bool cancels = self->calls++ == self->request.cancel_at;
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->lock);
    atomic_fetch_sub(&self->inside_read, 1);
    if (hurries) {
        exchange_body_ready(self);
    }
    if (cancels) {
        exchange_cancel(self);
    }
    return answer;
}

static int32_t rewind_body(const restway_plugin_host *host, uint64_t id) {
    exchange *self = exchange_known(host, id, "exchange_rewind");
    pthread_mutex_lock(&self->lock);
    if (self->is_completed) {
        exchange_note(self, FAULT_LATE, "exchange_rewind after it has completed");
    }
    self->body_at = 0;
    pthread_mutex_unlock(&self->lock);
    return RESTWAY_PLUGIN_OK;
}

static int32_t forward(
    const restway_plugin_host *host, uint64_t id, const restway_plugin_watcher *watcher) {
    return exchange_forward(exchange_known(host, id, "exchange_forward"), watcher);
}

void exchange_reading_fill(restway_plugin_host *host) {
    host->exchange_read = read_body;
    host->exchange_rewind = rewind_body;
    host->exchange_forward = forward;
}
