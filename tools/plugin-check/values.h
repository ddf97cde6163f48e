/* The values that a mapper has to write. */
#ifndef RESTWAY_CHECK_VALUES_H
#define RESTWAY_CHECK_VALUES_H

#include <restway/plugin.h>
#include <stddef.h>

#include "trace.h"

/* One step through a value. The end is not a step. */
typedef struct step {
    int32_t kind;
    /* The count of a container; for other kinds, the value. */
    int64_t integer;
    double real;
    const char *text;
    size_t length;
} step;

typedef struct value {
    const char *name;
    step *steps;
    size_t count, room;
} value;

/* The values that every mapper that writes is given. They are made once. */
const value *values_to_write(size_t *count);

/* Makes a list of this many objects. */
value value_large(size_t objects);

/* Makes this many nested arrays. */
value value_nested(size_t depth);

/* Makes the value that a mapper has read. Its texts belong to the trace. */
value value_of_trace(const char *name, const trace *trace);

void value_free(value *value);

/* Returns NULL, or how the value that was read differs from the value that was written. */
const char *value_difference(const value *value, const trace *trace);

#endif
