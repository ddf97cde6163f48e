/* The encoder of plugin.c: writes a value as the list of its steps, or violates the contract. */
#ifndef RESTWAY_TESTS_ENCODING_H
#define RESTWAY_TESTS_ENCODING_H

#include <pthread.h>

static int32_t put(const restway_plugin_reader *reader, const char *text) {
    return reader->write(reader->context, text, strlen(text));
}

static int32_t describe(const restway_plugin_reader *reader, const restway_plugin_item *item) {
    static const char *const signs[] = {"", "{", "", "}", "[", "]", "null"};
    char text[64];
    int32_t result;
    size_t index;
    switch (item->kind) {
    case RESTWAY_PLUGIN_ITEM_BEGIN_OBJECT:
    case RESTWAY_PLUGIN_ITEM_BEGIN_ARRAY:
        snprintf(text, sizeof text, "%s%d ", signs[item->kind], (int)item->count);
        return put(reader, text);
    case RESTWAY_PLUGIN_ITEM_KEY:
    case RESTWAY_PLUGIN_ITEM_STRING:
    case RESTWAY_PLUGIN_ITEM_NUMBER_OUT_OF_RANGE:
        result = put(reader, item->kind == RESTWAY_PLUGIN_ITEM_KEY ? "key "
                     : item->kind == RESTWAY_PLUGIN_ITEM_STRING    ? "string "
                                                                   : "number ");
        if (result == RESTWAY_PLUGIN_OK && item->text[item->length] != '\0') {
            return put(reader, "no NUL");
        }
        if (result == RESTWAY_PLUGIN_OK) {
            result = reader->write(reader->context, item->text, item->length);
        }
        return result == RESTWAY_PLUGIN_OK ? put(reader, " ") : result;
    case RESTWAY_PLUGIN_ITEM_BOOLEAN:
        return put(reader, item->integer ? "true " : "false ");
    case RESTWAY_PLUGIN_ITEM_INTEGER:
    case RESTWAY_PLUGIN_ITEM_DATE:
        snprintf(text, sizeof text, "%s %lld ",
                 item->kind == RESTWAY_PLUGIN_ITEM_DATE ? "date" : "integer",
                 (long long)item->integer);
        return put(reader, text);
    case RESTWAY_PLUGIN_ITEM_REAL:
        snprintf(text, sizeof text, "real %g ", item->real);
        return put(reader, text);
    case RESTWAY_PLUGIN_ITEM_BYTES:
        result = put(reader, "bytes");
        for (index = 0; index < item->length && result == RESTWAY_PLUGIN_OK; index++) {
            snprintf(text, sizeof text, " %02x", (unsigned char)item->text[index]);
            result = put(reader, text);
        }
        return result == RESTWAY_PLUGIN_OK ? put(reader, " ") : result;
    default:
        snprintf(text, sizeof text, "%s ", signs[item->kind]);
        return put(reader, text);
    }
}

static void *write_elsewhere(void *argument) {
    const restway_plugin_reader *reader = argument;
    put(reader, "elsewhere");
    return NULL;
}

/** The faults of the plugin. It ignores answers, as a bad plugin does. */
static int32_t misbehave(const restway_plugin_reader *reader, restway_plugin_reason *reason) {
    restway_plugin_item item = {.struct_size = sizeof item};
    (void)item;
    (void)reader;
    (void)reason;
#ifdef ENCODE_FAILS
    snprintf(reason->text, sizeof reason->text, "no value for numbers");
    return RESTWAY_PLUGIN_FAILED;
#endif
#ifdef ENCODE_FAILS_SILENTLY
    return RESTWAY_PLUGIN_OUT_OF_MEMORY;
#endif
#ifdef ENCODE_PART
    reader->next(reader->context, &item);
#endif
#ifdef ENCODE_BEHIND
    do {
        reader->next(reader->context, &item);
    } while (item.kind != RESTWAY_PLUGIN_ITEM_END);
    reader->next(reader->context, &item);
#endif
#ifdef ENCODE_NULL_ITEM
    reader->next(reader->context, NULL);
#endif
#ifdef ENCODE_SMALL_ITEM
    item.struct_size = 8;
    reader->next(reader->context, &item);
#endif
#ifdef ENCODE_NULL
    reader->write(reader->context, NULL, 5);
#endif
#ifdef ENCODE_HUGE
    reader->write(reader->context, "x", (size_t)-1);
#endif
#ifdef ENCODE_ENDLESS
    static char block[1 << 20];
    while (reader->write(reader->context, block, sizeof block) == RESTWAY_PLUGIN_OK) {
    }
#endif
#ifdef ENCODE_ELSEWHERE
    pthread_t thread;
    pthread_create(&thread, NULL, write_elsewhere, (void *)(uintptr_t)reader);
    pthread_join(thread, NULL);
#endif
    return RESTWAY_PLUGIN_OK;
}

static int32_t encode(
    void *context, const restway_plugin_reader *reader, restway_plugin_reason *reason) {
    restway_plugin_item item = {.struct_size = sizeof item};
    int32_t result = misbehave(reader, reason);
    (void)context;
    (void)write_elsewhere;
#if defined(ENCODE_FAILS) || defined(ENCODE_FAILS_SILENTLY) || defined(ENCODE_PART) \
    || defined(ENCODE_BEHIND)
    return result;
#endif
#ifdef ENCODE_LATE
    static restway_plugin_reader kept;
    if (kept.next != NULL) {
        printf("late: %d %d\n", kept.next(kept.context, &item), put(&kept, "late"));
        fflush(stdout);
    }
    kept = *reader;
#endif
    while (result == RESTWAY_PLUGIN_OK) {
        result = reader->next(reader->context, &item);
        if (result == RESTWAY_PLUGIN_OK && item.kind == RESTWAY_PLUGIN_ITEM_END) {
            break;
        }
        if (result == RESTWAY_PLUGIN_OK) {
            result = describe(reader, &item);
        }
    }
#ifdef ENCODE_UNHEEDING
    return RESTWAY_PLUGIN_OK;
#endif
    return result;
}

#endif
