#include "writing.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "outcome.h"
#include "started.h"

/* A reader is used again only after many others. */
#define KEPT 256

typedef struct reader {
    restway_plugin_reader table;
    pthread_mutex_t lock;
    pthread_t owner;
    const value *value;
    size_t next_fails_at;
    size_t write_fails_at;
    bool has_failed;
    bool has_ended;
    size_t room;
    written *written;
    /* The text of the present step. The next step overwrites it. */
    char *text;
    size_t text_length;
} reader;

static reader readers[KEPT];
static atomic_flag is_in_use[KEPT];
static atomic_size_t readers_used;
static atomic_size_t late_count;

size_t late_calls(void) {
    return atomic_load(&late_count);
}

/* Returns whether the call is answered with a failure. */
static bool enter(reader *self) {
    if (self->has_ended) {
        atomic_fetch_add(&late_count, 1);
        return true;
    }
    self->written->has_foreign
        = self->written->has_foreign || !pthread_equal(self->owner, pthread_self());
    self->written->calls_after_failure += self->has_failed;
    return self->has_failed;
}

static void spoil_text(reader *self) {
    if (self->text != NULL) {
        memset(self->text, '~', self->text_length);
        free(self->text);
        self->text = NULL;
    }
}

/* Makes a copy of exactly this length. */
static const char *lend(reader *self, const step *step) {
    self->text_length = step->length;
    self->text = malloc(step->length + 1);
    require(self->text != NULL, "no memory for a text");
    if (step->length > 0) {
        memcpy(self->text, step->text, step->length);
    }
    self->text[step->length] = '~';
    return self->text;
}

static int32_t next_locked(reader *self, restway_plugin_item *item) {
    if (enter(self)) {
        return READER_FAILS;
    }
    written *written = self->written;
    const size_t index = written->next_calls++;
    spoil_text(self);
    if (index == self->next_fails_at) {
        self->has_failed = true;
        return READER_FAILS;
    }
    const size_t size = item->struct_size;
    memset(item, 0, sizeof *item);
    item->struct_size = size;
    if (index >= self->value->count) {
        written->calls_after_end += index > self->value->count;
        written->has_reached_end = true;
        item->kind = RESTWAY_PLUGIN_ITEM_END;
        return RESTWAY_PLUGIN_OK;
    }
    const step *step = &self->value->steps[index];
    item->kind = step->kind;
    if (step->kind == RESTWAY_PLUGIN_ITEM_BEGIN_OBJECT
        || step->kind == RESTWAY_PLUGIN_ITEM_BEGIN_ARRAY) {
        item->count = step->integer;
    } else {
        item->integer = step->integer;
    }
    item->real = step->real;
    if (step->text != NULL) {
        item->text = lend(self, step);
        item->length = step->length;
    }
    return RESTWAY_PLUGIN_OK;
}

static int32_t next(void *context, restway_plugin_item *item) {
    reader *self = context;
    pthread_mutex_lock(&self->lock);
    int32_t result = next_locked(self, item);
    pthread_mutex_unlock(&self->lock);
    return result;
}

static int32_t write_locked(reader *self, const void *bytes, size_t length) {
    if (enter(self)) {
        return READER_FAILS;
    }
    written *written = self->written;
    if (written->write_calls++ == self->write_fails_at) {
        self->has_failed = true;
        return READER_FAILS;
    }
    written->wrote_null = written->wrote_null || (bytes == NULL && length > 0);
    if (length == 0 || bytes == NULL) {
        return RESTWAY_PLUGIN_OK;
    }
    if (written->length + length > self->room) {
        self->room = (written->length + length) * 2;
        written->bytes = realloc(written->bytes, self->room);
        require(written->bytes != NULL, "no memory for what is written");
    }
    memcpy(written->bytes + written->length, bytes, length);
    written->length += length;
    return RESTWAY_PLUGIN_OK;
}

static int32_t write_bytes(void *context, const void *bytes, size_t length) {
    reader *self = context;
    pthread_mutex_lock(&self->lock);
    int32_t result = write_locked(self, bytes, length);
    pthread_mutex_unlock(&self->lock);
    return result;
}

/* Returns the next unused reader. */
static size_t free_reader(void) {
    for (;;) {
        const size_t index = atomic_fetch_add(&readers_used, 1) % KEPT;
        if (!atomic_flag_test_and_set(&is_in_use[index])) {
            return index;
        }
    }
}

written encode_as(
    const restway_plugin_mapper *mapper, const value *value, size_t next_fails_at,
    size_t write_fails_at) {
    written written = {.reason = empty_reason()};
    const size_t index = free_reader();
    reader *self = &readers[index];
    memset(self, 0, sizeof *self);
    self->table = (restway_plugin_reader){sizeof self->table, self, next, write_bytes};
    pthread_mutex_init(&self->lock, NULL);
    self->owner = pthread_self();
    self->value = value;
    self->next_fails_at = next_fails_at;
    self->write_fails_at = write_fails_at;
    self->written = &written;
    int32_t result = mapper->encode(mapper->context, &self->table, &written.reason);
    pthread_mutex_lock(&self->lock);
    written.result = result;
    self->has_ended = true;
    spoil_text(self);
    pthread_mutex_unlock(&self->lock);
    atomic_flag_clear(&is_in_use[index]);
    return written;
}

written encode(const restway_plugin_mapper *mapper, const value *value) {
    return encode_as(mapper, value, NEVER, NEVER);
}
