/* Asking a mapper to write: a reader that hands out a value and takes the bytes. */
#ifndef RESTWAY_CHECK_WRITING_H
#define RESTWAY_CHECK_WRITING_H

#include <restway/plugin.h>
#include <stdbool.h>
#include <stddef.h>

#include "recorder.h"
#include "values.h"

/* What a reader answers when it is told to fail: what `encode` then has to return. */
#define READER_FAILS 77

typedef struct written {
    int32_t result;
    restway_plugin_reason reason;
    unsigned char *bytes;
    size_t length;
    size_t next_calls;
    size_t write_calls;
    size_t calls_after_failure;
    /* Steps were asked for behind the end. */
    size_t calls_after_end;
    bool has_reached_end;
    bool has_foreign;
    bool wrote_null;
} written;

/* Encodes. Call number `next_fails_at` of `next`, or `write_fails_at` of `write`, fails; NEVER.
 * Free the bytes. */
written encode_as(
    const restway_plugin_mapper *mapper, const value *value, size_t next_fails_at,
    size_t write_fails_at);

/* Without failures. */
written encode(const restway_plugin_mapper *mapper, const value *value);

/* How many calls came when their encode had returned, in the whole process. */
size_t late_calls(void);

#endif
