/* Bodies that a mapper reads: the tool's own for the media types that it knows, what the mapper
 * itself writes, and the user's files. */
#ifndef RESTWAY_CHECK_SAMPLES_H
#define RESTWAY_CHECK_SAMPLES_H

#include <restway/plugin.h>
#include <stdbool.h>
#include <stddef.h>

/* Behind each sample lie so many zeros. */
#define SLACK 4096
#define SAMPLES_MAX 96

typedef struct sample {
    char name[96];
    unsigned char *bytes;
    size_t length;
} sample;

typedef struct samples {
    sample list[SAMPLES_MAX];
    size_t count;
} samples;

/* Returns the samples of a mapper; skips the check when no sample is known. Fails the check when
 * the mapper writes a value wrongly. */
const samples *samples_of(const restway_plugin_mapper *mapper);

/* Returns the samples of a mapper; an empty list when no sample is known. */
const samples *samples_if_any(const restway_plugin_mapper *mapper);

/* `depth` arrays in each other, closed or left open; false for a format that is not known. */
bool nested_sample(
    const restway_plugin_mapper *mapper, size_t depth, bool is_closed, sample *made);

/* Returns large samples; an empty list for a format that is not known. */
void large_samples(const restway_plugin_mapper *mapper, samples *made);

/* A copy, with its slack. */
sample sample_copy(const char *name, const void *bytes, size_t length);
void sample_free(sample *sample);

#endif
