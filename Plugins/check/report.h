/* The report: a line for each check, or all of it as JSON. */
#ifndef RESTWAY_CHECK_REPORT_H
#define RESTWAY_CHECK_REPORT_H

#include "checks.h"
#include "outcome.h"

/* What the plugin says it is; empty when it did not come that far. */
void report_begin(const char *name, const char *version);

/* `subject` is the name of the mapper or transport; NULL for the plugin itself. */
void report_add(const check *check, const char *subject, const outcome *outcome);

/* The sum; what failed. */
size_t report_end(void);

#endif
