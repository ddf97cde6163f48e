/* The plugin, loaded and started in the process of a check, as the library does it. */
#ifndef RESTWAY_CHECK_STARTED_H
#define RESTWAY_CHECK_STARTED_H

#include <restway/plugin.h>
#include <stdbool.h>

/* How many mappers, or transports, a plugin may bring. */
#define TABLES_MAX 64

typedef struct started {
    restway_plugin plugin;
    /* Copies: what a table of an older version lacks is zero, what is unknown is left aside. */
    restway_plugin_mapper mappers[TABLES_MAX];
    restway_plugin_transport transports[TABLES_MAX];
} started;

/* The host that plugins are started with. Its functions for exchanges fail the check. */
extern const restway_plugin_host plain_host;

/* Loads the shared object; fails the check when that cannot be. */
restway_plugin_entry_fn plugin_entry(void);

/* Loads and starts the plugin; its table as it filled it. */
const restway_plugin *plugin_described(void);

/* Loads, starts and configures the plugin; fails the check when something is wrong. */
const started *plugin_started(void);

/* Its options are taken; fails the check when they are not. */
void plugin_configure(const restway_plugin *plugin, const char *options);

/* A reason with nothing in it. */
restway_plugin_reason empty_reason(void);

/* What a plugin gave as its reason, as text to show; "no reason" without. */
const char *reason_text(const restway_plugin_reason *reason);

/* NULL, or what is wrong with a name. */
const char *name_fault(const char *name);

#endif
