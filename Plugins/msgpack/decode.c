/* MessagePack to events, straight from the bytes.
 *
 * libmsgpack's own parser makes a tree first, and allocates memory for as many elements as a list
 * announces. This reader makes no tree, and allocates memory only for the open containers. */
#include <inttypes.h>
#include <msgpack.h>
#include <stdio.h>
#include <stdlib.h>

#include "mapper.h"
#include "token.h"
#include "utf8.h"

/** The largest depth, whatever the host allows. */
#define DEPTH_MAX 65536

/** A list or a map that is open. */
struct frame {
    /** How many elements follow; in a wanted map, keys and values count separately. */
    uint64_t left;
    bool is_map;
    /** False when the sink skips it: then nothing of it is pushed, not even its end. */
    bool is_wanted;
};

struct walk {
    const restway_plugin_sink *sink;
    struct cursor cursor;
    const uint8_t *start;
    struct frame *frames;
    size_t depth;
    size_t capacity;
    size_t depth_max;
    restway_plugin_reason *reason;
};

/** A result in addition to the sink's answers: something is wrong, and the reason says what. */
enum { FAILED = -1, NO_MEMORY = -2, TOO_DEEP = -3 };

static int32_t fail(struct walk *walk, const uint8_t *at, const char *what) {
    const int64_t offset = at - walk->start;
    snprintf(walk->reason->text, sizeof walk->reason->text,
             "not valid MessagePack at byte %" PRId64 ": %s", offset, what);
    walk->reason->byte_offset = offset;
    return FAILED;
}

/** Opens a container that the sink answered with `answer`, or about which the sink was not
 *  asked. */
static int32_t open(struct walk *walk, const struct token *token, bool is_wanted) {
    if (walk->depth == walk->capacity) {
        const size_t capacity = walk->capacity == 0 ? 16 : walk->capacity * 2;
        struct frame *frames = realloc(walk->frames, capacity * sizeof *frames);
        if (frames == NULL)
            return NO_MEMORY;
        walk->frames = frames;
        walk->capacity = capacity;
    }
    const bool is_map = token->kind == TOKEN_MAP;
    // In a map that is skipped, a key is read like any value.
    const uint64_t left = is_map && !is_wanted ? 2 * token->bits : token->bits;
    walk->frames[walk->depth++] = (struct frame){left, is_map, is_wanted};
    return RESTWAY_PLUGIN_WANT;
}

static int32_t container(struct walk *walk, const struct token *token, bool is_wanted) {
    if (walk->depth == walk->depth_max)
        return TOO_DEEP;
    if (is_wanted) {
        const restway_plugin_sink *sink = walk->sink;
        const int32_t answer = token->kind == TOKEN_MAP
            ? sink->begin_object(sink->context)
            : sink->begin_array(sink->context, (int64_t)token->bits);
        if (answer == RESTWAY_PLUGIN_STOP)
            return answer;
        is_wanted = answer == RESTWAY_PLUGIN_WANT;
    }
    return open(walk, token, is_wanted);
}

/** The only supported extension is the timestamp. */
static int32_t extension(struct walk *walk, const struct token *token, const uint8_t *at) {
    const restway_plugin_sink *sink = walk->sink;
    const msgpack_object object = {
        .type = MSGPACK_OBJECT_EXT,
        .via.ext = {
            .type = (int8_t)token->integer, .size = (uint32_t)token->length,
            .ptr = (const char *)token->content}};
    msgpack_timestamp time;
    if (token->integer != -1)
        return fail(walk, at, "an extension other than a timestamp");
    if (!msgpack_object_to_timestamp(&object, &time) || time.tv_nsec > 999999999)
        return fail(walk, at, "a timestamp of another form");
    // Before 1970 the seconds are negative, but the nanoseconds are not.
    const __int128 microseconds = (__int128)time.tv_sec * 1000000 + time.tv_nsec / 1000;
    if (microseconds < INT64_MIN || microseconds > INT64_MAX) {
        char seconds[24];
        const int length = snprintf(seconds, sizeof seconds, "%" PRId64, (int64_t)time.tv_sec);
        return sink->number_out_of_range(sink->context, seconds, (size_t)length);
    }
    return sink->date(sink->context, (int64_t)microseconds);
}

static int32_t scalar(struct walk *walk, const struct token *token, const uint8_t *at) {
    const restway_plugin_sink *sink = walk->sink;
    switch (token->kind) {
    case TOKEN_NULL:
        return sink->null_value(sink->context);
    case TOKEN_BOOLEAN:
        return sink->boolean(sink->context, (int32_t)token->integer);
    case TOKEN_INTEGER:
        return sink->integer(sink->context, token->integer);
    case TOKEN_UNSIGNED: {
        char digits[24];
        const int length = snprintf(digits, sizeof digits, "%" PRIu64, token->bits);
        return sink->number_out_of_range(sink->context, digits, (size_t)length);
    }
    case TOKEN_REAL:
        return sink->real(sink->context, token->real);
    case TOKEN_TEXT:
        if (!utf8_is_valid(token->content, token->length))
            return fail(walk, at, "a string that is no UTF-8");
        return sink->string(sink->context, (const char *)token->content, token->length);
    case TOKEN_BYTES:
        return sink->bytes(sink->context, token->content, token->length);
    default:
        return extension(walk, token, at);
    }
}

static int32_t value(struct walk *walk, bool is_wanted) {
    const uint8_t *const at = walk->cursor.at;
    struct token token;
    const char *problem = token_take(&walk->cursor, &token);
    if (problem != NULL)
        return fail(walk, at, problem);
    if (token.kind == TOKEN_LIST || token.kind == TOKEN_MAP)
        return container(walk, &token, is_wanted);
    return is_wanted ? scalar(walk, &token, at) : RESTWAY_PLUGIN_WANT;
}

static int32_t key(struct walk *walk) {
    const uint8_t *const at = walk->cursor.at;
    struct token token;
    const char *problem = token_take(&walk->cursor, &token);
    if (problem != NULL)
        return fail(walk, at, problem);
    if (token.kind != TOKEN_TEXT)
        return fail(walk, at, "a key that is no string");
    if (!utf8_is_valid(token.content, token.length))
        return fail(walk, at, "a key that is no UTF-8");
    return walk->sink->key(walk->sink->context, (const char *)token.content, token.length);
}

/** Ends the containers that are complete. */
static int32_t close_containers(struct walk *walk) {
    const restway_plugin_sink *sink = walk->sink;
    while (walk->depth > 0 && walk->frames[walk->depth - 1].left == 0) {
        const struct frame frame = walk->frames[--walk->depth];
        if (!frame.is_wanted)
            continue;
        const int32_t answer =
            frame.is_map ? sink->end_object(sink->context) : sink->end_array(sink->context);
        if (answer == RESTWAY_PLUGIN_STOP)
            return answer;
    }
    return RESTWAY_PLUGIN_WANT;
}

static int32_t walk_value(struct walk *walk) {
    int32_t answer = value(walk, true);
    while (answer == RESTWAY_PLUGIN_WANT) {
        answer = close_containers(walk);
        if (answer != RESTWAY_PLUGIN_WANT || walk->depth == 0)
            return answer;
        struct frame *frame = &walk->frames[walk->depth - 1];
        bool is_wanted = frame->is_wanted;
        frame->left--;
        if (is_wanted && frame->is_map) {
            answer = key(walk);
            is_wanted = answer == RESTWAY_PLUGIN_WANT;
            if (!is_wanted && answer != RESTWAY_PLUGIN_SKIP)
                return answer;
        }
        answer = value(walk, is_wanted);
    }
    return answer;
}

int32_t msgpack_decode(
    void *context, const void *bytes, size_t length, const restway_plugin_sink *sink,
    const restway_plugin_limits *limits, restway_plugin_reason *reason) {
    (void)context;
    const int64_t depth_max = limits->nesting_depth_max;
    struct walk walk = {
        .sink = sink,
        .cursor = {bytes, (const uint8_t *)bytes + length},
        .start = bytes,
        .depth_max = depth_max < 0 ? 0 : depth_max < DEPTH_MAX ? (size_t)depth_max : DEPTH_MAX,
        .reason = reason,
    };
    int32_t answer = length == 0 ? fail(&walk, walk.start, "the body is empty") : walk_value(&walk);
    if (answer == RESTWAY_PLUGIN_WANT && walk.cursor.at != walk.cursor.end)
        answer = fail(&walk, walk.cursor.at, "something follows the value");
    free(walk.frames);
    switch (answer) {
    case FAILED:
        return RESTWAY_PLUGIN_MALFORMED;
    case NO_MEMORY:
        snprintf(reason->text, sizeof reason->text, "out of memory while reading MessagePack");
        return RESTWAY_PLUGIN_OUT_OF_MEMORY;
    case TOO_DEEP:
        snprintf(reason->text, sizeof reason->text,
                 "MessagePack nested deeper than %zu levels", walk.depth_max);
        return RESTWAY_PLUGIN_TOO_DEEP;
    default:
        return RESTWAY_PLUGIN_OK;
    }
}
