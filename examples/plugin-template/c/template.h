/* Common declarations of the files of this plugin. */
#ifndef RESTWAY_TEMPLATE_H
#define RESTWAY_TEMPLATE_H

#include <restway/plugin.h>

/* mapper.c: text/csv as a list of objects. */
extern const restway_plugin_mapper csv_mapper;

/* The separator between two fields; set by the option "separator". */
extern char csv_separator;

/* transport.c: answers a request with its own body. */
extern const restway_plugin_transport mirror_transport;

/* Writes a reason and returns `result`. */
int32_t fail(restway_plugin_reason *reason, int32_t result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
