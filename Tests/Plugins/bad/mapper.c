/* A mapper with one fault, which the test that compiles it chooses with -DFAULT=.
 *
 * It reads and writes application/x-tiny: integers, "texts", [ values ] and { key value ... },
 * separated by spaces, as in {id 7 tags ["a" "b"]}.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <restway/plugin.h>

enum fault {
    NONE,
    /* Events. */
    PUSHES_NOTHING, PUSHES_TWICE, LEAVES_OPEN, ENDS_WRONGLY, KEY_IN_ARRAY, VALUE_WITHOUT_KEY,
    TWO_KEYS, COUNTS_WRONG, TEXT_IS_NO_UTF8,
    /* Answers. */
    IGNORES_SKIP_OF_KEY, IGNORES_SKIP_OF_BEGIN, ENDS_WHAT_IS_SKIPPED, IGNORES_STOP, FAILS_AT_STOP,
    IGNORES_DEPTH, IGNORES_DEPTH_OF_SKIPPED,
    /* Bodies. */
    REFUSES_SAMPLES, READS_ON, READS_PAST_PADDING, READS_BEFORE, WRITES_INTO_BODY,
    CRASHES_ON_NOISE, HANGS_ON_NOISE, EXITS_ON_NOISE, ACCEPTS_HALF, REFUSES_LARGE,
    /* Reasons and tables. */
    QUOTES_BODY, REASON_IS_NO_UTF8, REASON_WITHOUT_END, ODD_RESULT, ODD_PLACE,
    WRITES_BEHIND_REASON, READS_BEHIND_SINK,
    /* Calls. */
    PUSHES_FROM_THREAD, PUSHES_LATE, PUSHES_LATE_FROM_THREAD, DEPENDS_ON_ADDRESS,
    IS_NOT_THREAD_SAFE,
    /* Leaks, and the end of the process. */
    LEAKS_MEMORY, LEAKS_DESCRIPTORS, LEAKS_THREADS, CRASHES_AT_EXIT, HANGS_AT_EXIT,
    /* Writing. */
    READS_BEHIND_END, STOPS_BEFORE_END, READS_ON_AFTER_FAILURE, HIDES_FAILURE_OF_NEXT,
    HIDES_FAILURE_OF_WRITE, KEEPS_TEXT, WRITES_OTHER_NUMBERS, WRITES_AGAIN_OTHERWISE,
    READS_FROM_THREAD, WRITES_LATE,
    SHARES_ITS_WRITER,
};

#ifndef FAULT
#define FAULT NONE
#endif

#define NOISE "<noise>"

typedef struct parser {
    const char *at, *end;
    const restway_plugin_sink *sink;
    int64_t depth, depth_max;
    int is_skipped, is_stopped, result;
} parser;

static atomic_int calls_of_decode;
static int global_state;
static _Thread_local restway_plugin_sink late_sink;
static restway_plugin_sink first_sink;

/* Obeys an answer; returns what may then be pushed. */
static void obey(parser *self, int32_t answer) {
    if (answer == RESTWAY_PLUGIN_STOP && FAULT != IGNORES_STOP) {
        self->is_stopped = 1;
    }
}

#define PUSH(function, ...)                                                       \
    do {                                                                          \
        if (!self->is_skipped && !self->is_stopped && self->result == 0) {        \
            obey(self, self->sink->function(self->sink->context, ##__VA_ARGS__)); \
        }                                                                         \
    } while (0)

static void spaces(parser *self) {
    while (self->at < self->end && (*self->at == ' ' || *self->at == '\n')) {
        self->at++;
    }
}

static void value(parser *self);

static int64_t count_of(const parser *self) {
    parser ahead = *self;
    int64_t count = 0;
    ahead.is_skipped = 1;
    spaces(&ahead);
    while (ahead.at < ahead.end && *ahead.at != ']' && ahead.result == 0) {
        value(&ahead);
        spaces(&ahead);
        count++;
    }
    return count + (FAULT == COUNTS_WRONG && count > 0);
}

/* Pushes a key, but not its value. Returns whether it is skipped. */
static int key(parser *self) {
    const char *start = self->at;
    int32_t answer = RESTWAY_PLUGIN_WANT;
    while (self->at < self->end && *self->at >= 'a' && *self->at <= 'z') {
        self->at++;
    }
    if (self->at == start) {
        self->result = RESTWAY_PLUGIN_MALFORMED;
        return 0;
    }
    if (!self->is_skipped && !self->is_stopped) {
        answer = self->sink->key(self->sink->context, start, (size_t)(self->at - start));
        obey(self, answer);
    }
    return answer == RESTWAY_PLUGIN_SKIP && FAULT != IGNORES_SKIP_OF_KEY;
}

static void members(parser *self, char end) {
    spaces(self);
    while (self->at < self->end && *self->at != end && self->result == 0 && !self->is_stopped) {
        const int was_skipped = self->is_skipped;
        if (end == '}' && FAULT != VALUE_WITHOUT_KEY) {
            self->is_skipped |= key(self);
        } else if (end == '}') {
            key(&(parser){.at = self->at, .end = self->end, .sink = self->sink, .is_skipped = 1});
            self->at += strcspn(self->at, " ");
        }
        if (end == '}' && FAULT == TWO_KEYS && !self->is_skipped) {
            PUSH(key, "key", 3);
        }
        if (end == ']' && FAULT == KEY_IN_ARRAY) {
            PUSH(key, "key", 3);
        }
        spaces(self);
        value(self);
        self->is_skipped = was_skipped;
        spaces(self);
    }
    if (self->at >= self->end && self->result == 0 && !self->is_stopped && FAULT != ACCEPTS_HALF) {
        self->result = RESTWAY_PLUGIN_MALFORMED;
    }
    self->at += self->at < self->end;
}

static void container(parser *self) {
    const int is_object = *self->at++ == '{', was_skipped = self->is_skipped;
    const int may_ignore = FAULT == IGNORES_DEPTH
        || (FAULT == IGNORES_DEPTH_OF_SKIPPED && self->is_skipped);
    int is_left_out = 0;
    if (++self->depth > self->depth_max && !may_ignore) {
        self->result = RESTWAY_PLUGIN_TOO_DEEP;
        return;
    }
    if (!self->is_skipped && !self->is_stopped) {
        const int32_t answer = is_object
            ? self->sink->begin_object(self->sink->context)
            : self->sink->begin_array(self->sink->context, count_of(self));
        obey(self, answer);
        is_left_out = answer == RESTWAY_PLUGIN_SKIP && FAULT != IGNORES_SKIP_OF_BEGIN;
        self->is_skipped |= is_left_out;
    }
    members(self, is_object ? '}' : ']');
    self->depth--;
    self->is_skipped = was_skipped || (is_left_out && FAULT != ENDS_WHAT_IS_SKIPPED);
    if (FAULT == LEAVES_OPEN && self->depth == 0) {
        self->is_skipped = 1;
    }
    if (is_object == (FAULT != ENDS_WRONGLY)) {
        PUSH(end_object);
    } else {
        PUSH(end_array);
    }
    self->is_skipped = was_skipped;
}

static void text(parser *self) {
    const char *start = ++self->at;
    while (self->at < self->end && *self->at != '"') {
        self->result |= (*self->at & 0x80) != 0 ? RESTWAY_PLUGIN_MALFORMED : 0;
        self->at++;
    }
    if (self->at == self->end && FAULT != READS_ON && FAULT != ACCEPTS_HALF) {
        self->result = RESTWAY_PLUGIN_MALFORMED;
    } else {
        while (FAULT == READS_ON && *self->at != '"' && *self->at != '\0') {
            self->at++;
        }
        if (FAULT == TEXT_IS_NO_UTF8) {
            PUSH(string, "\xFF", 1);
        } else {
            PUSH(string, start, (size_t)(self->at - start));
        }
        self->at++;
    }
}

static void value(parser *self) {
    if (self->is_stopped || self->result != 0) {
        return;
    }
    if (self->at < self->end && (*self->at == '[' || *self->at == '{')) {
        container(self);
    } else if (self->at < self->end && *self->at == '"') {
        text(self);
    } else if (self->at < self->end && strchr("-0123456789", *self->at) != NULL) {
        char *end;
        char digits[24] = "";
        const size_t left = (size_t)(self->end - self->at);
        memcpy(digits, self->at, left < 23 ? left : 23);
        const int64_t number = strtoll(digits, &end, 10);
        self->at += end - digits;
        if (end == digits) {
            self->result = RESTWAY_PLUGIN_MALFORMED;
        }
        PUSH(integer, number);
    } else {
        self->result = RESTWAY_PLUGIN_MALFORMED;
    }
}

static int32_t refuse(
    restway_plugin_reason *reason, int32_t result, const char *bytes, size_t length) {
    snprintf(reason->text, sizeof reason->text, "not tiny");
    if (FAULT == QUOTES_BODY) {
        snprintf(reason->text, sizeof reason->text, "not tiny: %.*s", (int)length, bytes);
    } else if (FAULT == REASON_IS_NO_UTF8) {
        snprintf(reason->text, sizeof reason->text, "\xC3(");
    } else if (FAULT == REASON_WITHOUT_END) {
        memset(reason->text, 'x', sizeof reason->text);
    } else if (FAULT == ODD_PLACE) {
        reason->byte_offset = (int64_t)length + 1;
    } else if (FAULT == WRITES_BEHIND_REASON) {
        ((char *)(reason + 1))[0] = 'x';
    }
    return FAULT == ODD_RESULT && result == RESTWAY_PLUGIN_MALFORMED ? 42 : result;
}

static void *parse_elsewhere(void *context) {
    value(context);
    return NULL;
}

/* When the third call runs, the first one has returned. */
static void *push_late(void *context) {
    const restway_plugin_sink *sink = context;
    while (calls_of_decode < 3) {
        sched_yield();
    }
    sink->integer(sink->context, 7);
    return NULL;
}

static void *wait_for_ever(void *context) {
    for (;;) {
        pause();
    }
    return context;
}

static void in_thread(void *(*body)(void *), void *context, int is_joined) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, body, context) == 0) {
        is_joined ? pthread_join(thread, NULL) : pthread_detach(thread);
    }
}

static int is_noise(const char *bytes, size_t length) {
    return length > 0 && *bytes != '[' && *bytes != '{' && *bytes != '"';
}

static void misbehave(const restway_plugin_sink *sink, const char *bytes, size_t length) {
    volatile char sum = 0;
    switch (FAULT) {
    case READS_PAST_PADDING: sum += bytes[length + 64]; break;
    case READS_BEFORE: sum += bytes[-1]; break;
    case WRITES_INTO_BODY: ((char *)(uintptr_t)bytes)[0] = bytes[0]; break;
    case CRASHES_ON_NOISE: is_noise(bytes, length) ? abort() : (void)0; break;
    case HANGS_ON_NOISE: is_noise(bytes, length) ? (void)wait_for_ever(NULL) : (void)0; break;
    case EXITS_ON_NOISE: is_noise(bytes, length) ? _exit(3) : (void)0; break;
    case READS_BEHIND_SINK: sum += ((const char *)(sink + 1))[0]; break;
    case LEAKS_MEMORY: *(char *)malloc(40) = sum; break;
    case LEAKS_DESCRIPTORS: open("/dev/null", O_RDONLY | O_CLOEXEC); break;
    case LEAKS_THREADS:
        if (calls_of_decode % 40 == 0) {
            in_thread(wait_for_ever, NULL, 0);
        }
        break;
    case PUSHES_LATE:
        /* This happens only on the first thread: with many threads the memory would have a random
         * owner. */
        if (late_sink.integer != NULL && gettid() == getpid()) {
            late_sink.integer(late_sink.context, 7);
        }
        late_sink = *sink;
        break;
    default: break;
    }
}

static int32_t decode(
    void *context, const void *bytes, size_t length, const restway_plugin_sink *sink,
    const restway_plugin_limits *limits, restway_plugin_reason *reason) {
    parser parser = {
        .at = bytes, .end = (const char *)bytes + length, .sink = sink,
        .depth_max = limits->nesting_depth_max};
    (void)context;
    calls_of_decode++;
    misbehave(sink, bytes, length);
    if (FAULT == REFUSES_SAMPLES || (FAULT == REFUSES_LARGE && length > 60000)) {
        return refuse(reason, RESTWAY_PLUGIN_FAILED, bytes, length);
    }
    if (FAULT == PUSHES_NOTHING) {
        return RESTWAY_PLUGIN_OK;
    }
    if (FAULT == DEPENDS_ON_ADDRESS && (uintptr_t)bytes % 16 == 7) {
        sink->null_value(sink->context);
        return RESTWAY_PLUGIN_OK;
    }
    global_state++;
    spaces(&parser);
    if (FAULT == PUSHES_FROM_THREAD) {
        in_thread(parse_elsewhere, &parser, 1);
    } else {
        value(&parser);
    }
    spaces(&parser);
    if (FAULT == IS_NOT_THREAD_SAFE && --global_state != 0) {
        parser.result = RESTWAY_PLUGIN_MALFORMED;
    }
    if (FAULT == PUSHES_TWICE) {
        sink->integer(sink->context, 1);
    }
    if (FAULT == PUSHES_LATE_FROM_THREAD && calls_of_decode == 1) {
        first_sink = *sink;
        in_thread(push_late, &first_sink, 0);
    }
    if (parser.is_stopped && FAULT == FAILS_AT_STOP) {
        return refuse(reason, RESTWAY_PLUGIN_FAILED, bytes, length);
    }
    if (parser.result == RESTWAY_PLUGIN_MALFORMED && FAULT == ACCEPTS_HALF) {
        return RESTWAY_PLUGIN_OK;
    }
    if (parser.result == 0 && parser.at < parser.end && !parser.is_stopped) {
        parser.result = RESTWAY_PLUGIN_MALFORMED;
    }
    return parser.result == 0 ? RESTWAY_PLUGIN_OK : refuse(reason, parser.result, bytes, length);
}

#include "writer.h"

static void at_exit(void) {
    if (FAULT == CRASHES_AT_EXIT) {
        abort();
    } else if (FAULT == HANGS_AT_EXIT) {
        wait_for_ever(NULL);
    }
}

static const restway_plugin_mapper mapper
    = {sizeof(restway_plugin_mapper), "tiny", "application/x-tiny", NULL, decode, encode};
static const restway_plugin_mapper *const mappers[] = {&mapper};

int32_t restway_plugin_v1(
    const restway_plugin_host *host, restway_plugin *plugin, restway_plugin_reason *reason) {
    (void)host;
    (void)reason;
    atexit(at_exit);
    plugin->abi_major = RESTWAY_PLUGIN_ABI_MAJOR;
    plugin->abi_minor = RESTWAY_PLUGIN_ABI_MINOR;
    plugin->required_capabilities = RESTWAY_PLUGIN_CAN_MAP;
    plugin->name = "tiny";
    plugin->mappers = mappers;
    plugin->mapper_count = 1;
    return RESTWAY_PLUGIN_OK;
}
