/** @file restway/plugins.h
 *  Plugins of this process: loading them, and what is loaded.
 *
 *  What a plugin itself is made of stands in restway/plugin.h.
 */
#ifndef RESTWAY_PLUGINS_H
#define RESTWAY_PLUGINS_H

#include "error.h"

RESTWAY_BEGIN_DECLS

/** Loads a plugin for the rest of the process's life. Its mappers are there for every client that
 *  is made afterwards. A plugin is a program: load none that you would not run.
 *
 *  A document's own plugins are loaded by restway_client_create() when the client's options hold
 *  RESTWAY_CLIENT_LOAD_PLUGINS; both find the same plugin.
 *
 *  @param path_or_name An absolute path, or a name that is looked for as `<name>.so` in the
 *                      directories of RESTWAY_PLUGIN_PATH (absolute ones, between colons), then in
 *                      `restway/plugins` beside this library.
 *  @param options      A JSON object as NUL-terminated text; NULL gives none. *Copied*.
 *  @return RESTWAY_OK (also when it is loaded already, with the same options); RESTWAY_E_PLUGIN;
 *          RESTWAY_E_INVALID_ARGUMENT (also for options that are no JSON object).
 *
 *  Threads: any. Blocks: while the plugin is read and starts. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_plugin_load(
    const char *path_or_name, const char *options, restway_error **out_error);

/** How many plugins are loaded. Threads: any. Blocks: never. */
RESTWAY_API size_t restway_plugin_count(void);

/** What plugin @p index calls itself, in the order of loading; NULL when out of range. Each text
 *  lives as long as the process. Threads: any. Blocks: never. */
RESTWAY_API const char *restway_plugin_name(size_t index);
/** Its version; empty when it has none. */
RESTWAY_API const char *restway_plugin_version(size_t index);
/** Its licence, an SPDX expression; empty when it says none. */
RESTWAY_API const char *restway_plugin_licence(size_t index);
/** What it is for, in a sentence; empty when it does not say. */
RESTWAY_API const char *restway_plugin_description(size_t index);
/** The file that it was loaded from. */
RESTWAY_API const char *restway_plugin_path(size_t index);

RESTWAY_END_DECLS

#endif
