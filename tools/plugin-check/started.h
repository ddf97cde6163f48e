/* The plugin, loaded and started in the process of a check in the same way as by the library. */
#ifndef RESTWAY_CHECK_STARTED_H
#define RESTWAY_CHECK_STARTED_H

#include <restway/plugin.h>
#include <stdbool.h>

/* The largest numbers of mappers and transports of a plugin. */
#define TABLES_MAX 64

typedef struct started {
    restway_plugin plugin;
    /* Copies of the tables: fields that a table of an older version does not have are zero, unknown
     * fields are left out. */
    restway_plugin_mapper mappers[TABLES_MAX];
    restway_plugin_transport transports[TABLES_MAX];
} started;

/* The host with which plugins are started. Its functions for exchanges fail the check. */
extern const restway_plugin_host plain_host;

/* Loads the shared object; fails the check if that is impossible. */
restway_plugin_entry_fn plugin_entry(void);

/* Loads and starts the plugin; returns the table that it filled. */
const restway_plugin *plugin_described(void);

/* Loads, starts and configures the plugin; fails the check if something is wrong. */
const started *plugin_started(void);

/* Gives the plugin its options; fails the check if it refuses them. */
void plugin_configure(const restway_plugin *plugin, const char *options);

/* Returns an empty reason. */
restway_plugin_reason empty_reason(void);

/* Returns the reason that a plugin gave, as printable text; "no reason" if it is empty. */
const char *reason_text(const restway_plugin_reason *reason);

/* Returns NULL, or what is wrong with a name. */
const char *name_fault(const char *name);

#endif
