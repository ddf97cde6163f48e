/* Tests the msgpack plugin against its contract, without a host: under the sanitizers, with a check
 * of every event, with random answers and bytes, and with a failure of each call. */
#include <restway/plugin.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(what) \
    do { \
        if (!(what)) { \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what); \
            exit(1); \
        } \
    } while (0)

static size_t largest_allocation;

/** The plugin calls this in place of realloc(). */
void *counted_realloc(void *memory, size_t size);
void *counted_realloc(void *memory, size_t size) {
    largest_allocation = size > largest_allocation ? size : largest_allocation;
    return realloc(memory, size);
}

static uint64_t seed = 88172645463325252u;

static uint32_t chance(uint32_t below) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 32) % below;
}

/* A sink that knows which events are allowed. */

enum place { PLACE_KEY, PLACE_VALUE, PLACE_ELEMENT, PLACE_TOP, PLACE_DONE };

static struct {
    enum place places[4096];
    size_t depth;
    size_t deepest;
    size_t events;
    bool is_random;
    bool is_stopped;
    int32_t answer_to_key;
    char log[4096];
} told;

static int32_t note(const char *what) {
    told.events++;
    CHECK(!told.is_stopped);
    if (!told.is_random && strlen(told.log) + strlen(what) + 2 < sizeof told.log) {
        strcat(told.log, what);
        strcat(told.log, " ");
    }
    return RESTWAY_PLUGIN_WANT;
}

static int32_t answer(bool may_skip) {
    if (!told.is_random || chance(10) > 0)
        return RESTWAY_PLUGIN_WANT;
    if (chance(10) == 0) {
        told.is_stopped = true;
        return RESTWAY_PLUGIN_STOP;
    }
    return may_skip ? RESTWAY_PLUGIN_SKIP : RESTWAY_PLUGIN_WANT;
}

/** Handles a value. */
static void arrive(void) {
    enum place *place = &told.places[told.depth];
    CHECK(*place != PLACE_KEY && *place != PLACE_DONE);
    if (*place == PLACE_VALUE)
        *place = PLACE_KEY;
    if (*place == PLACE_TOP)
        *place = PLACE_DONE;
}

static int32_t begin(const char *what, enum place place) {
    note(what);
    arrive();
    const int32_t result = answer(true);
    if (result == RESTWAY_PLUGIN_WANT) {
        CHECK(told.depth + 1 < sizeof told.places / sizeof told.places[0]);
        told.places[++told.depth] = place;
        if (told.depth > told.deepest)
            told.deepest = told.depth;
    }
    return result;
}

static int32_t end(const char *what, enum place place) {
    note(what);
    CHECK(told.depth > 0 && told.places[told.depth] == place);
    told.depth--;
    return answer(false);
}

static int32_t scalar(const char *what) {
    note(what);
    arrive();
    return answer(false);
}

static int32_t on_begin_object(void *context) { (void)context; return begin("{", PLACE_KEY); }
static int32_t on_end_object(void *context) { (void)context; return end("}", PLACE_KEY); }
static int32_t on_end_array(void *context) { (void)context; return end("]", PLACE_ELEMENT); }
static int32_t on_null(void *context) { (void)context; return scalar("null"); }

static int32_t on_begin_array(void *context, int64_t count) {
    char text[32];
    (void)context;
    snprintf(text, sizeof text, "[%lld", (long long)count);
    CHECK(count >= 0 && count < 100000);
    return begin(text, PLACE_ELEMENT);
}

/** Reads all bytes, so that the sanitizer checks them. */
static void touch(const void *bytes, size_t length) {
    volatile uint8_t sum = 0;
    for (size_t index = 0; index < length; index++)
        sum = (uint8_t)(sum + ((const uint8_t *)bytes)[index]);
}

static int32_t on_key(void *context, const char *text, size_t length) {
    char what[64];
    (void)context;
    touch(text, length);
    snprintf(what, sizeof what, "%.*s:", (int)(length < 32 ? length : 32), text);
    note(what);
    CHECK(told.places[told.depth] == PLACE_KEY);
    if (!told.is_random && length == 4 && memcmp(text, "skip", 4) == 0)
        return RESTWAY_PLUGIN_SKIP;
    const int32_t result = answer(true);
    if (result == RESTWAY_PLUGIN_WANT)
        told.places[told.depth] = PLACE_VALUE;
    return result;
}

static int32_t on_boolean(void *context, int32_t truth) {
    (void)context;
    CHECK(truth == 0 || truth == 1);
    return scalar(truth ? "true" : "false");
}

static int32_t on_integer(void *context, int64_t value) {
    char text[32];
    (void)context;
    snprintf(text, sizeof text, "%lld", (long long)value);
    return scalar(text);
}

static int32_t on_real(void *context, double value) {
    char text[32];
    (void)context;
    snprintf(text, sizeof text, "%g", value);
    return scalar(text);
}

static int32_t on_string(void *context, const char *text, size_t length) {
    (void)context;
    touch(text, length);
    return scalar("string");
}

static int32_t on_bytes(void *context, const void *bytes, size_t length) {
    (void)context;
    touch(bytes, length);
    return scalar("bytes");
}

static int32_t on_date(void *context, int64_t microseconds) {
    char text[32];
    (void)context;
    snprintf(text, sizeof text, "date %lld", (long long)microseconds);
    return scalar(text);
}

static int32_t on_number(void *context, const char *text, size_t length) {
    char what[64];
    (void)context;
    snprintf(what, sizeof what, "number %.*s", (int)length, text);
    return scalar(what);
}

static const restway_plugin_sink sink = {
    sizeof sink, NULL, on_begin_object, on_key, on_end_object, on_begin_array, on_end_array,
    on_null, on_boolean, on_integer, on_real, on_string, on_bytes, on_date, on_number,
};

static const restway_plugin_mapper *mapper;

/** Decodes a copy whose end the sanitizer knows. */
static int32_t decode(const void *bytes, size_t length, int64_t depth_max, bool is_random) {
    const restway_plugin_limits limits = {sizeof limits, depth_max, 0};
    restway_plugin_reason reason = {.struct_size = sizeof reason};
    uint8_t *copy = malloc(length > 0 ? length : 1);
    CHECK(copy != NULL);
    if (length > 0)
        memcpy(copy, bytes, length);
    memset(&told, 0, sizeof told);
    told.places[0] = PLACE_TOP;
    told.is_random = is_random;
    const int32_t result = mapper->decode(NULL, copy, length, &sink, &limits, &reason);
    free(copy);
    CHECK((int64_t)told.deepest <= depth_max);
    if (result == RESTWAY_PLUGIN_OK) {
        CHECK(told.is_stopped || (told.depth == 0 && told.places[0] == PLACE_DONE));
        CHECK(reason.text[0] == '\0');
    } else {
        CHECK(!told.is_stopped && reason.text[0] != '\0');
        CHECK(reason.byte_offset >= 0 && reason.byte_offset <= (int64_t)length);
    }
    return result;
}

static void check_events(const char *bytes, size_t length, const char *expected) {
    CHECK(decode(bytes, length, 512, false) == RESTWAY_PLUGIN_OK);
    if (strcmp(told.log, expected) != 0) {
        fprintf(stderr, "expected %s\n   found %s\n", expected, told.log);
        exit(1);
    }
}

#define EVENTS(bytes, expected) check_events(bytes, sizeof bytes - 1, expected)

static void test_events(void) {
    EVENTS("\xc0", "null ");
    EVENTS("\x92\xc2\xc3", "[2 false true ] ");
    EVENTS("\x80", "{ } ");
    EVENTS("\x82\xa1" "a\x91\x81\xa1" "b\xff\xa1" "c\x90", "{ a: [1 { b: -1 } ] c: [0 ] } ");
    EVENTS("\x82\xa4skip\x92\x82\x01\xc0\xc0\xd4\x05\x00\x80\xa1" "a\x07", "{ skip: a: 7 } ");
    EVENTS("\xcf\xff\xff\xff\xff\xff\xff\xff\xff", "number 18446744073709551615 ");
    EVENTS("\xcf\x7f\xff\xff\xff\xff\xff\xff\xff", "9223372036854775807 ");
    EVENTS("\xd3\x80\0\0\0\0\0\0\0", "-9223372036854775808 ");
    EVENTS("\xc7\x0c\xff\x3b\x9a\xc9\xff\xff\xff\xff\xff\xff\xff\xff\xff", "date -1 ");
    EVENTS("\xc4\x01z", "bytes ");
}

static void test_announced_lengths_get_no_memory(void) {
    static const char *const heads[] = {"\xdd\xff\xff\xff\xff", "\xdf\xff\xff\xff\xff",
                                        "\xdb\xff\xff\xff\xff", "\xc6\xff\xff\xff\xff"};
    char body[1000];
    for (size_t index = 0; index < sizeof heads / sizeof heads[0]; index++) {
        memset(body, 0, sizeof body);
        memcpy(body, heads[index], 5);
        largest_allocation = 0;
        CHECK(decode(body, sizeof body, 512, false) == RESTWAY_PLUGIN_MALFORMED);
        CHECK(largest_allocation == 0 && told.events == 0);
    }
    // Nested lists: memory is used for open containers only, and not beyond the limit.
    memset(body, 0x91, sizeof body);
    CHECK(decode(body, sizeof body, 600, false) == RESTWAY_PLUGIN_TOO_DEEP);
    CHECK(largest_allocation <= 1024 * 16);
    CHECK(decode(body, sizeof body, 1000, false) == RESTWAY_PLUGIN_MALFORMED);
}

static void test_random_bytes(void) {
    static const uint8_t usual[] = {0x81, 0x91, 0xa1, 0xc4, 0xcb, 0xd6, 0xff, 0xdc, 0x00, 0x61};
    size_t ends[2] = {0, 0};
    uint8_t body[64];
    for (int round = 0; round < 400000; round++) {
        const size_t length = chance(sizeof body);
        for (size_t index = 0; index < length; index++)
            body[index] = (uint8_t)(chance(2) ? usual[chance(sizeof usual)] : chance(256));
        ends[decode(body, length, 1 + chance(8), true) == RESTWAY_PLUGIN_OK]++;
    }
    CHECK(ends[0] > 1000 && ends[1] > 1000);
}

/* A reader over some steps, one call of which fails. */

static restway_plugin_item steps[] = {
    {.kind = RESTWAY_PLUGIN_ITEM_BEGIN_OBJECT, .count = 3},
    {.kind = RESTWAY_PLUGIN_ITEM_KEY, .text = "a", .length = 1},
    {.kind = RESTWAY_PLUGIN_ITEM_BEGIN_ARRAY, .count = 4},
    {.kind = RESTWAY_PLUGIN_ITEM_DATE, .integer = -1},
    {.kind = RESTWAY_PLUGIN_ITEM_NUMBER_OUT_OF_RANGE, .text = "18446744073709551615", .length = 20},
    {.kind = RESTWAY_PLUGIN_ITEM_BYTES, .text = "", .length = 0},
    {.kind = RESTWAY_PLUGIN_ITEM_REAL, .real = -0.5},
    {.kind = RESTWAY_PLUGIN_ITEM_END_ARRAY},
    {.kind = RESTWAY_PLUGIN_ITEM_KEY, .text = "b", .length = 1},
    {.kind = RESTWAY_PLUGIN_ITEM_BOOLEAN, .integer = 1},
    {.kind = RESTWAY_PLUGIN_ITEM_KEY, .text = "long", .length = 4},
    {.kind = RESTWAY_PLUGIN_ITEM_STRING, .text = NULL, .length = 10000},
    {.kind = RESTWAY_PLUGIN_ITEM_END_OBJECT},
    {.kind = RESTWAY_PLUGIN_ITEM_END},
};

static struct {
    size_t step;
    int calls;
    int failing_call;
    bool has_failed;
    size_t length;
    char bytes[20000];
} given;

static int32_t call(void) {
    CHECK(!given.has_failed);
    given.has_failed = ++given.calls == given.failing_call;
    return given.has_failed ? 77 : RESTWAY_PLUGIN_OK;
}

static int32_t on_next(void *context, restway_plugin_item *item) {
    (void)context;
    CHECK(item->struct_size == sizeof *item);
    CHECK(given.step < sizeof steps / sizeof steps[0]);
    *item = steps[given.step++];
    return call();
}

static int32_t on_write(void *context, const void *bytes, size_t length) {
    (void)context;
    CHECK(length > 0 && given.length + length <= sizeof given.bytes);
    memcpy(given.bytes + given.length, bytes, length);
    given.length += length;
    return call();
}

static int32_t encode(int failing_call, restway_plugin_reason *reason) {
    const restway_plugin_reader reader = {sizeof reader, NULL, on_next, on_write};
    memset(&given, 0, sizeof given);
    given.failing_call = failing_call;
    return mapper->encode(NULL, &reader, reason);
}

static void test_encoding(void) {
    static const char head[] =
        "\x83\xa1" "a\x94\xc7\x0c\xff\x3b\x9a\xc6\x18\xff\xff\xff\xff\xff\xff\xff\xff"
        "\xcf\xff\xff\xff\xff\xff\xff\xff\xff\xc4\x00\xcb\xbf\xe0\0\0\0\0\0\0\xa1" "b\xc3\xa4long"
        "\xda\x27\x10";
    restway_plugin_reason reason = {.struct_size = sizeof reason};
    char text[10000];
    memset(text, 'x', sizeof text);
    steps[11].text = text;
    CHECK(encode(0, &reason) == RESTWAY_PLUGIN_OK);
    CHECK(given.step == sizeof steps / sizeof steps[0]);
    CHECK(given.length == sizeof head - 1 + sizeof text);
    CHECK(memcmp(given.bytes, head, sizeof head - 1) == 0);
    CHECK(given.bytes[given.length - 1] == 'x');
    const int calls = given.calls;
    for (int failing = 1; failing <= calls; failing++)
        CHECK(encode(failing, &reason) == 77);

    steps[4].text = "18446744073709551616";
    CHECK(encode(0, &reason) == RESTWAY_PLUGIN_FAILED && reason.text[0] != '\0');
    steps[4].kind = 99;
    CHECK(encode(0, &reason) == RESTWAY_PLUGIN_FAILED);
    steps[4].kind = RESTWAY_PLUGIN_ITEM_NULL;
    steps[2].count = (int64_t)1 << 32;
    CHECK(encode(0, &reason) == RESTWAY_PLUGIN_FAILED);
}

int main(void) {
    restway_plugin_host host = {.struct_size = sizeof host, .abi_major = 1};
    restway_plugin plugin = {.struct_size = sizeof plugin};
    restway_plugin_reason reason = {.struct_size = sizeof reason};
    CHECK(restway_plugin_v1(&host, &plugin, &reason) == RESTWAY_PLUGIN_OK);
    CHECK(plugin.mapper_count == 1 && plugin.abi_major == RESTWAY_PLUGIN_ABI_MAJOR);
    mapper = plugin.mappers[0];
    test_events();
    test_announced_lengths_get_no_memory();
    test_random_bytes();
    test_encoding();
    puts("fine");
    return 0;
}
