/* What the run is told on the command line. */
#ifndef RESTWAY_CHECK_SETTINGS_H
#define RESTWAY_CHECK_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#define SAMPLE_FILES_MAX 64

/* A file that mappers shall read. */
typedef struct sample_file {
    const char *path;
    /* Of one mapper, or NULL. */
    const char *mapper;
    unsigned char *bytes;
    size_t length;
} sample_file;

typedef struct settings {
    /* Absolute. */
    char *plugin;
    /* A JSON object. */
    const char *options;
    bool has_options;
    sample_file samples[SAMPLE_FILES_MAX];
    size_t sample_count;
    /* Of one check. */
    int time_out_seconds;
    /* What transports are to ask; NULL for the tool's own server. */
    const char *url;
    /* The only checks to run, between commas; NULL for all. */
    const char *only;
    bool as_json;
} settings;

extern settings run_settings;

/* Reads the command line into run_settings. On mistakes it says what is wrong and ends the process
 * with status 2; --help, --list and --version end it with 0. */
void settings_read(int argc, char **argv);

/* Whether a check was asked for. */
bool settings_want(const char *check);

#endif
