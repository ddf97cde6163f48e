/* Calls `encode` of a mapper with a reader that gives it a value and takes the bytes. */
#ifndef RESTWAY_CHECK_WRITING_H
#define RESTWAY_CHECK_WRITING_H

#include <restway/plugin.h>
#include <stdbool.h>
#include <stddef.h>

#include "recorder.h"
#include "values.h"

/* The result of a reader that fails: `encode` must then return it. */
#define READER_FAILS 77

typedef struct written {
    int32_t result;
    restway_plugin_reason reason;
    unsigned char *bytes;
    size_t length;
    size_t next_calls;
    size_t write_calls;
    size_t calls_after_failure;
    /* How many steps were asked for after the end. */
    size_t calls_after_end;
    bool has_reached_end;
    bool has_foreign;
    bool wrote_null;
} written;

/* Encodes. Call number `next_fails_at` of `next`, or `write_fails_at` of `write`, fails, or NEVER.
 * The caller frees the bytes. */
written encode_as(
    const restway_plugin_mapper *mapper, const value *value, size_t next_fails_at,
    size_t write_fails_at);

/* Encodes without failures. */
written encode(const restway_plugin_mapper *mapper, const value *value);

/* Returns how many calls came after their encode had returned, in the whole process. */
size_t late_calls(void);

#endif
