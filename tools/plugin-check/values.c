#include "values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outcome.h"

#define TEXT(literal) literal, sizeof(literal) - 1
#define VALUES_MAX 8

static step *add(value *value, int32_t kind) {
    if (value->count == value->room) {
        value->room = value->room == 0 ? 32 : value->room * 2;
        value->steps = realloc(value->steps, value->room * sizeof *value->steps);
        require(value->steps != NULL, "no memory for a value to write");
    }
    value->steps[value->count] = (step){.kind = kind};
    return &value->steps[value->count++];
}

static void begin(value *value, int32_t kind, int64_t count) {
    add(value, kind)->integer = count;
}

static void text(value *value, int32_t kind, const char *bytes, size_t length) {
    step *step = add(value, kind);
    step->text = bytes;
    step->length = length;
}

static void number(value *value, int64_t integer) {
    add(value, RESTWAY_PLUGIN_ITEM_INTEGER)->integer = integer;
}

static void real(value *value, double real) {
    add(value, RESTWAY_PLUGIN_ITEM_REAL)->real = real;
}

static void key(value *value, const char *name) {
    text(value, RESTWAY_PLUGIN_ITEM_KEY, name, strlen(name));
}

static void company(value *value, int64_t id) {
    begin(value, RESTWAY_PLUGIN_ITEM_BEGIN_OBJECT, 3);
    key(value, "id");
    number(value, id);
    key(value, "name");
    text(value, RESTWAY_PLUGIN_ITEM_STRING, TEXT("Acme"));
    key(value, "owner");
    begin(value, RESTWAY_PLUGIN_ITEM_BEGIN_OBJECT, 1);
    key(value, "id");
    number(value, id + 1);
    add(value, RESTWAY_PLUGIN_ITEM_END_OBJECT);
    add(value, RESTWAY_PLUGIN_ITEM_END_OBJECT);
}

static value object(void) {
    value made = {.name = "an object"};
    begin(&made, RESTWAY_PLUGIN_ITEM_BEGIN_OBJECT, 8);
    key(&made, "na\xC3\xAFve");
    text(&made, RESTWAY_PLUGIN_ITEM_STRING, TEXT("Zo\xC3\xAB's \xF0\x9F\x8F\xAD"));
    key(&made, "open");
    add(&made, RESTWAY_PLUGIN_ITEM_BOOLEAN)->integer = 1;
    key(&made, "closed");
    add(&made, RESTWAY_PLUGIN_ITEM_BOOLEAN);
    key(&made, "none");
    add(&made, RESTWAY_PLUGIN_ITEM_NULL);
    key(&made, "rate");
    real(&made, 1.5);
    key(&made, "company");
    company(&made, 1);
    key(&made, "nothing");
    begin(&made, RESTWAY_PLUGIN_ITEM_BEGIN_ARRAY, 0);
    add(&made, RESTWAY_PLUGIN_ITEM_END_ARRAY);
    key(&made, "");
    begin(&made, RESTWAY_PLUGIN_ITEM_BEGIN_OBJECT, 0);
    add(&made, RESTWAY_PLUGIN_ITEM_END_OBJECT);
    add(&made, RESTWAY_PLUGIN_ITEM_END_OBJECT);
    return made;
}

static value numbers(void) {
    static const int64_t integers[]
        = {0,     1,     -1,         127,        128,       -128,      -129,
           255,   256,   32767,      -32768,     65535,     65536,     INT32_MAX,
           INT32_MIN, 4294967295, 4294967296, INT64_MAX, INT64_MIN};
    static const double reals[] = {0.1, -2.5, 1e300, 5e-324, 1.7976931348623157e308, 3.0};
    const size_t integer_count = sizeof integers / sizeof *integers;
    const size_t real_count = sizeof reals / sizeof *reals;
    value made = {.name = "numbers"};
    begin(&made, RESTWAY_PLUGIN_ITEM_BEGIN_ARRAY, (int64_t)(integer_count + real_count));
    for (size_t index = 0; index < integer_count; index++) {
        number(&made, integers[index]);
    }
    for (size_t index = 0; index < real_count; index++) {
        real(&made, reals[index]);
    }
    add(&made, RESTWAY_PLUGIN_ITEM_END_ARRAY);
    return made;
}

static value texts(void) {
    static char long_text[70000];
    static const size_t lengths[] = {31, 32, 255, 256, 65535, 65536, sizeof long_text};
    const size_t length_count = sizeof lengths / sizeof *lengths;
    value made = {.name = "texts"};
    memset(long_text, 'x', sizeof long_text);
    begin(&made, RESTWAY_PLUGIN_ITEM_BEGIN_ARRAY, (int64_t)length_count + 4);
    text(&made, RESTWAY_PLUGIN_ITEM_STRING, TEXT(""));
    text(&made, RESTWAY_PLUGIN_ITEM_STRING, TEXT("\"\\/\b\f\n\r\t\x01\x1F\x7F"));
    text(&made, RESTWAY_PLUGIN_ITEM_STRING, TEXT("a\0b"));
    text(&made, RESTWAY_PLUGIN_ITEM_STRING, TEXT("\xE2\x80\xA8\xEF\xBF\xBF\xF4\x8F\xBF\xBF"));
    for (size_t index = 0; index < length_count; index++) {
        text(&made, RESTWAY_PLUGIN_ITEM_STRING, long_text, lengths[index]);
    }
    add(&made, RESTWAY_PLUGIN_ITEM_END_ARRAY);
    return made;
}

static value member(const char *name, int32_t kind) {
    value made = {.name = name};
    begin(&made, RESTWAY_PLUGIN_ITEM_BEGIN_OBJECT, 1);
    key(&made, "value");
    add(&made, kind);
    add(&made, RESTWAY_PLUGIN_ITEM_END_OBJECT);
    return made;
}

const value *values_to_write(size_t *count) {
    static value values[VALUES_MAX];
    static size_t made;
    if (made == 0) {
        values[made++] = object();
        values[made++] = numbers();
        values[made++] = texts();
        values[made++] = value_nested(40);
        values[made++] = value_large(20);
        values[made] = member("bytes", RESTWAY_PLUGIN_ITEM_BYTES);
        values[made].steps[2].text = "\x00\xFF\x80 bytes";
        values[made++].steps[2].length = 9;
        values[made] = member("a date", RESTWAY_PLUGIN_ITEM_DATE);
        values[made++].steps[2].integer = 1700000000123456;
    }
    *count = made;
    return values;
}

value value_large(size_t objects) {
    value made = {.name = "a list"};
    begin(&made, RESTWAY_PLUGIN_ITEM_BEGIN_ARRAY, (int64_t)objects);
    for (size_t index = 0; index < objects; index++) {
        company(&made, (int64_t)index);
    }
    add(&made, RESTWAY_PLUGIN_ITEM_END_ARRAY);
    return made;
}

value value_nested(size_t depth) {
    value made = {.name = "nested lists"};
    for (size_t index = 0; index < depth; index++) {
        begin(&made, RESTWAY_PLUGIN_ITEM_BEGIN_ARRAY, index + 1 < depth);
    }
    for (size_t index = 0; index < depth; index++) {
        add(&made, RESTWAY_PLUGIN_ITEM_END_ARRAY);
    }
    return made;
}

/* Returns how many keys or elements the object or array that begins at `index` has. */
static int64_t member_count(const trace *trace, size_t index) {
    int64_t count = 0;
    const size_t end = trace_behind(trace, index) - 1;
    for (index++; index < end; index = trace_behind(trace, index)) {
        count++;
    }
    return count;
}

value value_of_trace(const char *name, const trace *trace) {
    static const int32_t kinds[] = {
        [EVENT_BEGIN_OBJECT] = RESTWAY_PLUGIN_ITEM_BEGIN_OBJECT,
        [EVENT_KEY] = RESTWAY_PLUGIN_ITEM_KEY,
        [EVENT_END_OBJECT] = RESTWAY_PLUGIN_ITEM_END_OBJECT,
        [EVENT_BEGIN_ARRAY] = RESTWAY_PLUGIN_ITEM_BEGIN_ARRAY,
        [EVENT_END_ARRAY] = RESTWAY_PLUGIN_ITEM_END_ARRAY,
        [EVENT_NULL] = RESTWAY_PLUGIN_ITEM_NULL,
        [EVENT_BOOLEAN] = RESTWAY_PLUGIN_ITEM_BOOLEAN,
        [EVENT_INTEGER] = RESTWAY_PLUGIN_ITEM_INTEGER,
        [EVENT_REAL] = RESTWAY_PLUGIN_ITEM_REAL,
        [EVENT_STRING] = RESTWAY_PLUGIN_ITEM_STRING,
        [EVENT_BYTES] = RESTWAY_PLUGIN_ITEM_BYTES,
        [EVENT_DATE] = RESTWAY_PLUGIN_ITEM_DATE,
        [EVENT_NUMBER_OUT_OF_RANGE] = RESTWAY_PLUGIN_ITEM_NUMBER_OUT_OF_RANGE,
    };
    value made = {.name = name};
    for (size_t index = 0; index < trace->count; index++) {
        const event *event = &trace->events[index];
        step *step = add(&made, kinds[event->kind]);
        step->real = event->real;
        if (event_has_text(event->kind)) {
            step->text = trace->texts + event->integer;
            step->length = event->length;
        } else {
            step->integer = event->integer;
        }
        if (event_is_begin(event->kind)) {
            step->integer = member_count(trace, index);
        }
    }
    return made;
}

void value_free(value *value) {
    free(value->steps);
    memset(value, 0, sizeof *value);
}

/* Formats without bytes and dates use texts or numbers for them. */
static bool is_same(const step *step, const trace *trace, const event *event) {
    switch (step->kind) {
    case RESTWAY_PLUGIN_ITEM_BEGIN_OBJECT: return event->kind == EVENT_BEGIN_OBJECT;
    case RESTWAY_PLUGIN_ITEM_END_OBJECT: return event->kind == EVENT_END_OBJECT;
    case RESTWAY_PLUGIN_ITEM_BEGIN_ARRAY: return event->kind == EVENT_BEGIN_ARRAY;
    case RESTWAY_PLUGIN_ITEM_END_ARRAY: return event->kind == EVENT_END_ARRAY;
    case RESTWAY_PLUGIN_ITEM_NULL: return event->kind == EVENT_NULL;
    case RESTWAY_PLUGIN_ITEM_BOOLEAN:
        return event->kind == EVENT_BOOLEAN && event->integer == step->integer;
    case RESTWAY_PLUGIN_ITEM_INTEGER:
        return event->kind == EVENT_INTEGER && event->integer == step->integer;
    case RESTWAY_PLUGIN_ITEM_REAL:
        return (event->kind == EVENT_REAL && event->real == step->real)
            || (event->kind == EVENT_INTEGER && (double)event->integer == step->real);
    case RESTWAY_PLUGIN_ITEM_BYTES:
        if (event->kind != EVENT_BYTES) {
            return event->kind == EVENT_STRING;
        }
        break;
    case RESTWAY_PLUGIN_ITEM_DATE:
        if (event->kind != EVENT_DATE) {
            return event->kind == EVENT_STRING || event->kind == EVENT_INTEGER
                || event->kind == EVENT_REAL;
        }
        return event->integer == step->integer;
    default:
        if (event->kind != (step->kind == RESTWAY_PLUGIN_ITEM_KEY ? EVENT_KEY : EVENT_STRING)) {
            return false;
        }
    }
    return event->length == step->length
        && memcmp(trace->texts + event->integer, step->text, step->length) == 0;
}

const char *value_difference(const value *value, const trace *trace) {
    static char difference[160];
    for (size_t index = 0; index < value->count; index++) {
        if (index >= trace->count) {
            snprintf(difference, sizeof difference, "step %zu was not read back", index);
            return difference;
        }
        if (!is_same(&value->steps[index], trace, &trace->events[index])) {
            snprintf(
                difference, sizeof difference, "step %zu was read back as another %s", index,
                event_name(trace->events[index].kind));
            return difference;
        }
    }
    return trace->count > value->count ? "more was read back than was written" : NULL;
}
