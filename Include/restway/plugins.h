/** @file restway/plugins.h
 *  The plugins of this process: loading them, and listing the loaded ones.
 *
 *  restway/plugin.h is for authors of plugins.
 */
#ifndef RESTWAY_PLUGINS_H
#define RESTWAY_PLUGINS_H

#include "error.h"

RESTWAY_BEGIN_DECLS

/** Loads a plugin for the rest of the process's life. Every client that is made afterwards can use
 *  its mappers. A plugin is a program: load only plugins that you would run.
 *
 *  restway_client_create() loads the plugins that a document names if the client's options hold
 *  RESTWAY_CLIENT_LOAD_PLUGINS. Both functions find the same plugin.
 *
 *  @param path_or_name An absolute path, or a name that is looked for as `<name>.so` in the
 *                      directories of RESTWAY_PLUGIN_PATH (absolute ones, between colons), then in
 *                      `restway/plugins` beside this library.
 *  @param options      A JSON object as NUL-terminated text; NULL gives no options. *Copied*.
 *  @return RESTWAY_OK (also when the plugin is already loaded with the same options);
 *          RESTWAY_E_PLUGIN; RESTWAY_E_INVALID_ARGUMENT (also for options that are not a JSON
 *          object).
 *
 *  Threads: any. Blocks: while the plugin is read and starts. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_plugin_load(
    const char *path_or_name, const char *options, restway_error **out_error);

/** Returns how many plugins are loaded. Threads: any. Blocks: never. */
RESTWAY_API size_t restway_plugin_count(void);

/** Returns the name of plugin @p index, in the order of loading; NULL when out of range. Each text
 *  lives as long as the process. Threads: any. Blocks: never. */
RESTWAY_API const char *restway_plugin_name(size_t index);
/** Returns the version of the plugin; empty if the plugin states no version. */
RESTWAY_API const char *restway_plugin_version(size_t index);
/** Returns the licence of the plugin, an SPDX expression; empty if the plugin states no licence. */
RESTWAY_API const char *restway_plugin_licence(size_t index);
/** Returns the description of the plugin, one sentence; empty if the plugin has no description. */
RESTWAY_API const char *restway_plugin_description(size_t index);
/** Returns the path of the file that the plugin was loaded from. */
RESTWAY_API const char *restway_plugin_path(size_t index);

RESTWAY_END_DECLS

#endif
