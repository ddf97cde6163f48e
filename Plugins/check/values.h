/* Values that a mapper is asked to write. */
#ifndef RESTWAY_CHECK_VALUES_H
#define RESTWAY_CHECK_VALUES_H

#include <restway/plugin.h>
#include <stddef.h>

#include "trace.h"

/* One step through a value, without the end. */
typedef struct step {
    int32_t kind;
    /* Of a container the count, else what the kind says. */
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

/* The values that every mapper that writes is asked for; made once. */
const value *values_to_write(size_t *count);

/* A list of so many objects. */
value value_large(size_t objects);

/* So many arrays in each other. */
value value_nested(size_t depth);

void value_free(value *value);

/* NULL, or how what was read differs from what was written. */
const char *value_difference(const value *value, const trace *trace);

#endif
