/** @file restway/plugin_base.h
 *  The parts that all tables of plugins share: versions, results, reasons. Include
 *  restway/plugin.h.
 */
#ifndef RESTWAY_PLUGIN_BASE_H
#define RESTWAY_PLUGIN_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The version of this header. A host refuses another major number; a new minor number only
 *  appends. */
#define RESTWAY_PLUGIN_ABI_MAJOR 1
#define RESTWAY_PLUGIN_ABI_MINOR 0

/** The results of the functions of a plugin and of the host. Frozen; append only. */
#define RESTWAY_PLUGIN_OK 0
/** The function failed; the reason says why. */
#define RESTWAY_PLUGIN_FAILED 1
/** Memory could not be allocated. */
#define RESTWAY_PLUGIN_OUT_OF_MEMORY 2
/** The bytes are not what the media type says. */
#define RESTWAY_PLUGIN_MALFORMED 3
/** The bytes nest deeper than the limit. */
#define RESTWAY_PLUGIN_TOO_DEEP 4
/** Only for restway_plugin_watcher.completed: the plugin calls `exchange_completed` later. */
#define RESTWAY_PLUGIN_LATER 5

/** The reason of a failure. The caller provides the struct.
 *
 *  The text must not quote a body or credentials. */
typedef struct restway_plugin_reason {
    /** sizeof(restway_plugin_reason), set by the caller. */
    size_t struct_size;
    /** NUL-terminated UTF-8; empty when the reason is not known. */
    char text[512];
    /** The place of the failure in the bytes: line and column count from 1, the offset from 0; all
     *  are 0 when the place is not known. If a line is given, the host's error adds the place to
     *  the text; it does not add an offset alone. */
    int64_t line;
    int64_t column;
    int64_t byte_offset;
} restway_plugin_reason;

#ifdef __cplusplus
}
#endif

#endif
