/* The mapper that a check is about, and decoding what it has to read. */
#ifndef RESTWAY_CHECK_MAPPER_SUBJECT_H
#define RESTWAY_CHECK_MAPPER_SUBJECT_H

#include "recorder.h"
#include "samples.h"
#include "started.h"

/* Starts the plugin. */
const restway_plugin_mapper *mapper_of(const void *subject);

/* Decodes a sample that has to be read: fails the check when it is not, or makes no sense. */
void decode_sample(const restway_plugin_mapper *mapper, const sample *sample, trace *trace);

/* NULL, or what is wrong with the events of a call: their order, or that a value is missing. */
const char *events_fault(const decoded *decoded);

/* "MALFORMED", ... */
const char *result_name(int32_t result);

/* Of `count` things the index of the n-th of at most `most` that are looked at. */
size_t spread(size_t n, size_t most, size_t count);

#endif
