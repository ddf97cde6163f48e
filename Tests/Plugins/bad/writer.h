/* The encoder of mapper.c. */
#ifndef RESTWAY_BAD_WRITER_H
#define RESTWAY_BAD_WRITER_H

typedef struct writer {
    const restway_plugin_reader *reader;
    restway_plugin_item item;
    int32_t result;
} writer;

static _Thread_local restway_plugin_reader late_reader;

static void next(writer *self) {
    if (self->result != RESTWAY_PLUGIN_OK) {
        return;
    }
    self->item.struct_size = sizeof self->item;
    self->result = self->reader->next(self->reader->context, &self->item);
    if (self->result != RESTWAY_PLUGIN_OK && FAULT == READS_ON_AFTER_FAILURE) {
        self->reader->next(self->reader->context, &self->item);
    }
    if (self->result != RESTWAY_PLUGIN_OK && FAULT == HIDES_FAILURE_OF_NEXT) {
        self->result = RESTWAY_PLUGIN_FAILED;
    }
}

static void put(writer *self, const char *text, size_t length) {
    if (self->result == RESTWAY_PLUGIN_OK) {
        self->result = self->reader->write(self->reader->context, text, length);
        if (self->result != RESTWAY_PLUGIN_OK && FAULT == HIDES_FAILURE_OF_WRITE) {
            self->result = RESTWAY_PLUGIN_FAILED;
        }
    }
}

/* Returns whether the format can hold the text: keys of small letters, texts of ASCII without
 * quotes. */
static int is_plain(const restway_plugin_item *item) {
    for (size_t index = 0; index < item->length; index++) {
        const char letter = item->text[index];
        const char least = item->kind == RESTWAY_PLUGIN_ITEM_KEY ? 'a' : ' ';
        if (letter == '"' || letter < least) {
            return 0;
        }
    }
    return item->length > 0 || item->kind == RESTWAY_PLUGIN_ITEM_STRING;
}

static int32_t cannot(restway_plugin_reason *reason) {
    snprintf(reason->text, sizeof reason->text, "tiny has no such value");
    return RESTWAY_PLUGIN_FAILED;
}

static void put_text(writer *self) {
    const char *text = self->item.text;
    const size_t length = self->item.length;
    put(self, "\"", 1);
    if (FAULT == WRITES_AGAIN_OTHERWISE && length > 1 && text[0] == '@') {
        put(self, "@", 1);
    }
    if (FAULT == KEEPS_TEXT) {
        next(self);
    }
    put(self, text, length);
    put(self, "\" ", 2);
}

static void put_step(writer *self, restway_plugin_reason *reason) {
    char digits[32];
    switch (self->item.kind) {
    case RESTWAY_PLUGIN_ITEM_BEGIN_OBJECT: put(self, "{", 1); break;
    case RESTWAY_PLUGIN_ITEM_END_OBJECT: put(self, "} ", 2); break;
    case RESTWAY_PLUGIN_ITEM_BEGIN_ARRAY: put(self, "[", 1); break;
    case RESTWAY_PLUGIN_ITEM_END_ARRAY: put(self, "] ", 2); break;
    case RESTWAY_PLUGIN_ITEM_INTEGER:
        snprintf(
            digits, sizeof digits, "%lld ",
            (long long)self->item.integer + (FAULT == WRITES_OTHER_NUMBERS));
        put(self, digits, strlen(digits));
        break;
    case RESTWAY_PLUGIN_ITEM_DATE:
        /* A format without dates may write a date as a text. Read back, it is any other text. */
        if (FAULT == WRITES_AGAIN_OTHERWISE) {
            put(self, "\"@date\" ", 8);
        } else {
            self->result = cannot(reason);
        }
        break;
    case RESTWAY_PLUGIN_ITEM_KEY:
        if (!is_plain(&self->item)) {
            self->result = cannot(reason);
        }
        put(self, self->item.text, self->item.length);
        put(self, " ", 1);
        break;
    case RESTWAY_PLUGIN_ITEM_STRING:
        if (!is_plain(&self->item)) {
            self->result = cannot(reason);
        } else {
            put_text(self);
        }
        break;
    default: self->result = cannot(reason);
    }
}

static int32_t write_all(const restway_plugin_reader *reader, restway_plugin_reason *reason) {
    writer self = {.reader = reader};
    /* This happens only on the first thread: with many threads the memory would have a random
     * owner. */
    if (FAULT == WRITES_LATE && late_reader.write != NULL && gettid() == getpid()) {
        late_reader.write(late_reader.context, "x", 1);
    }
    late_reader = *reader;
    next(&self);
    while (self.result == RESTWAY_PLUGIN_OK && self.item.kind != RESTWAY_PLUGIN_ITEM_END) {
        put_step(&self, reason);
        next(&self);
        if (FAULT == STOPS_BEFORE_END && self.item.kind == RESTWAY_PLUGIN_ITEM_END_ARRAY) {
            return RESTWAY_PLUGIN_OK;
        }
    }
    if (FAULT == READS_BEHIND_END) {
        next(&self);
    }
    return self.result;
}

typedef struct elsewhere {
    const restway_plugin_reader *reader;
    restway_plugin_reason *reason;
    int32_t result;
} elsewhere;

static void *write_elsewhere(void *context) {
    elsewhere *self = context;
    self->result = write_all(self->reader, self->reason);
    return NULL;
}

static int32_t encode(
    void *context, const restway_plugin_reader *reader, restway_plugin_reason *reason) {
    (void)context;
    if (FAULT == SHARES_ITS_WRITER) {
        /* Two calls at the same time are the fault. */
        static atomic_int writers;
        const int others = atomic_fetch_add(&writers, 1);
        sched_yield();
        const int32_t result = others > 0 ? cannot(reason) : write_all(reader, reason);
        atomic_fetch_sub(&writers, 1);
        return result;
    }
    if (FAULT == READS_FROM_THREAD) {
        elsewhere self = {reader, reason, RESTWAY_PLUGIN_OK};
        in_thread(write_elsewhere, &self, 1);
        return self.result;
    }
    return write_all(reader, reason);
}

#endif
