/* The report: a line for each check, or everything as JSON. */
#ifndef RESTWAY_CHECK_REPORT_H
#define RESTWAY_CHECK_REPORT_H

#include "checks.h"
#include "outcome.h"

/* The plugin's description of itself; empty if the checks did not get that far. */
void report_begin(const char *name, const char *version);

/* `subject` is the name of the mapper or transport; NULL for the plugin itself. */
void report_add(const check *check, const char *subject, const outcome *outcome);

/* Prints the sums and the failed checks. */
size_t report_end(void);

#endif
