/* Values to MessagePack, by libmsgpack's packer. */
#include <errno.h>
#include <msgpack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mapper.h"

/** Bytes for the host, which receives many at a time. */
struct output {
    const restway_plugin_reader *reader;
    /** The host's answer; after an error nothing more is written. */
    int32_t result;
    size_t count;
    char bytes[4096];
};

static void flush(struct output *output) {
    if (output->result == RESTWAY_PLUGIN_OK && output->count > 0)
        output->result =
            output->reader->write(output->reader->context, output->bytes, output->count);
    output->count = 0;
}

/** Has the result that the packer expects: 0, or another number when it failed. */
static int put(void *data, const char *bytes, size_t count) {
    struct output *output = data;
    if (count > sizeof output->bytes - output->count)
        flush(output);
    if (count <= sizeof output->bytes) {
        memcpy(output->bytes + output->count, bytes, count);
        output->count += count;
    } else if (output->result == RESTWAY_PLUGIN_OK) {
        output->result = output->reader->write(output->reader->context, bytes, count);
    }
    return output->result;
}

static int32_t refuse(restway_plugin_reason *reason, const char *what) {
    snprintf(reason->text, sizeof reason->text, "MessagePack cannot hold %s", what);
    return RESTWAY_PLUGIN_FAILED;
}

static int32_t pack_date(msgpack_packer *packer, int64_t microseconds) {
    // The division rounds down, so that the rest is not negative.
    const int64_t rest = (microseconds % 1000000 + 1000000) % 1000000;
    const msgpack_timestamp time = {
        .tv_sec = microseconds / 1000000 - (microseconds % 1000000 < 0),
        .tv_nsec = (uint32_t)rest * 1000,
    };
    msgpack_pack_timestamp(packer, &time);
    return RESTWAY_PLUGIN_OK;
}

/** Writes a number beyond int64_t: MessagePack holds it if it is an unsigned 64-bit number. */
static int32_t pack_number(
    msgpack_packer *packer, const char *text, restway_plugin_reason *reason) {
    char *end = NULL;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    if (text[0] == '-' || errno != 0 || *end != '\0')
        return refuse(reason, "a number beyond 64 bits");
    msgpack_pack_uint64(packer, number);
    return RESTWAY_PLUGIN_OK;
}

/** Packs one step. libmsgpack accepts every length; MessagePack has 32 bits for them. */
static int32_t pack(
    msgpack_packer *packer, const restway_plugin_item *item, restway_plugin_reason *reason) {
    if (item->count > UINT32_MAX || item->length > UINT32_MAX)
        return refuse(reason, "something so long");
    switch (item->kind) {
    case RESTWAY_PLUGIN_ITEM_BEGIN_OBJECT:
        msgpack_pack_map(packer, (size_t)item->count);
        return RESTWAY_PLUGIN_OK;
    case RESTWAY_PLUGIN_ITEM_BEGIN_ARRAY:
        msgpack_pack_array(packer, (size_t)item->count);
        return RESTWAY_PLUGIN_OK;
    case RESTWAY_PLUGIN_ITEM_END_OBJECT:
    case RESTWAY_PLUGIN_ITEM_END_ARRAY:
        return RESTWAY_PLUGIN_OK;
    case RESTWAY_PLUGIN_ITEM_KEY:
    case RESTWAY_PLUGIN_ITEM_STRING:
        msgpack_pack_str(packer, item->length);
        msgpack_pack_str_body(packer, item->text, item->length);
        return RESTWAY_PLUGIN_OK;
    case RESTWAY_PLUGIN_ITEM_BYTES:
        msgpack_pack_bin(packer, item->length);
        msgpack_pack_bin_body(packer, item->text, item->length);
        return RESTWAY_PLUGIN_OK;
    case RESTWAY_PLUGIN_ITEM_NULL:
        msgpack_pack_nil(packer);
        return RESTWAY_PLUGIN_OK;
    case RESTWAY_PLUGIN_ITEM_BOOLEAN:
        item->integer ? msgpack_pack_true(packer) : msgpack_pack_false(packer);
        return RESTWAY_PLUGIN_OK;
    case RESTWAY_PLUGIN_ITEM_INTEGER:
        msgpack_pack_int64(packer, item->integer);
        return RESTWAY_PLUGIN_OK;
    case RESTWAY_PLUGIN_ITEM_REAL:
        msgpack_pack_double(packer, item->real);
        return RESTWAY_PLUGIN_OK;
    case RESTWAY_PLUGIN_ITEM_DATE:
        return pack_date(packer, item->integer);
    case RESTWAY_PLUGIN_ITEM_NUMBER_OUT_OF_RANGE:
        return pack_number(packer, item->text, reason);
    default:
        return refuse(reason, "a value of a kind that this plugin does not know");
    }
}

int32_t msgpack_encode(
    void *context, const restway_plugin_reader *reader, restway_plugin_reason *reason) {
    (void)context;
    struct output output = {.reader = reader};
    msgpack_packer packer;
    msgpack_packer_init(&packer, &output, put);
    for (;;) {
        restway_plugin_item item = {.struct_size = sizeof item};
        int32_t result = reader->next(reader->context, &item);
        if (result != RESTWAY_PLUGIN_OK)
            return result;
        if (item.kind == RESTWAY_PLUGIN_ITEM_END)
            break;
        result = pack(&packer, &item, reason);
        if (result == RESTWAY_PLUGIN_OK)
            result = output.result;
        if (result != RESTWAY_PLUGIN_OK)
            return result;
    }
    flush(&output);
    return output.result;
}
