/* The mapper that a check is about, and decoding samples that it must read. */
#ifndef RESTWAY_CHECK_MAPPER_SUBJECT_H
#define RESTWAY_CHECK_MAPPER_SUBJECT_H

#include "recorder.h"
#include "samples.h"
#include "started.h"

/* Starts the plugin. */
const restway_plugin_mapper *mapper_of(const void *subject);

/* Decodes a sample that must be read: fails the check if it is not read, or if the events are
 * wrong. */
void decode_sample(const restway_plugin_mapper *mapper, const sample *sample, trace *trace);

/* Returns NULL, or what is wrong with the events of a call: their order, or a missing value. */
const char *events_fault(const decoded *decoded);

/* "MALFORMED", ... */
const char *result_name(int32_t result);

/* Returns the index of the n-th element that is looked at, if at most `most` of `count` elements
 * are looked at. */
size_t spread(size_t n, size_t most, size_t count);

#endif
