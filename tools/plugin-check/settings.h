/* The settings of a run, from the command line. */
#ifndef RESTWAY_CHECK_SETTINGS_H
#define RESTWAY_CHECK_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#define SAMPLE_FILES_MAX 64

/* A file that mappers must read. */
typedef struct sample_file {
    const char *path;
    /* Only for this mapper; NULL for all mappers. */
    const char *mapper;
    unsigned char *bytes;
    size_t length;
} sample_file;

typedef struct settings {
    /* The plugin's absolute path. */
    char *plugin;
    /* A JSON object. */
    const char *options;
    bool has_options;
    sample_file samples[SAMPLE_FILES_MAX];
    size_t sample_count;
    /* The time limit of one check. */
    int time_out_seconds;
    /* The URL for transports; NULL for the tool's own server. */
    const char *url;
    /* The checks to run, separated by commas; NULL for all. */
    const char *only;
    bool as_json;
} settings;

extern settings run_settings;

/* Reads the command line into run_settings. If it is wrong, this prints the reason and ends the
 * process with status 2; --help, --list and --version end it with 0. */
void settings_read(int argc, char **argv);

/* Returns whether a check was asked for. */
bool settings_want(const char *check);

#endif
