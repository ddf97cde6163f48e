/** @file restway/plugin_base.h
 *  What all tables of plugins share: versions, results, reasons. Include restway/plugin.h.
 */
#ifndef RESTWAY_PLUGIN_BASE_H
#define RESTWAY_PLUGIN_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The version of this header. Another major number is refused; a minor one only appends. */
#define RESTWAY_PLUGIN_ABI_MAJOR 1
#define RESTWAY_PLUGIN_ABI_MINOR 0

/** What a function of a plugin or of the host answers. Frozen; append only. */
#define RESTWAY_PLUGIN_OK 0
/** What was asked for cannot be done; the reason says why. */
#define RESTWAY_PLUGIN_FAILED 1
/** Memory could not be had. */
#define RESTWAY_PLUGIN_OUT_OF_MEMORY 2
/** The bytes are not what the media type says. */
#define RESTWAY_PLUGIN_MALFORMED 3
/** Nested deeper than the limit. */
#define RESTWAY_PLUGIN_TOO_DEEP 4
/** Of restway_plugin_watcher.completed alone: the plugin says later. */
#define RESTWAY_PLUGIN_LATER 5

/** Why something failed; whoever calls gives room for it.
 *
 *  A text quotes nothing of a body, and no credentials. */
typedef struct restway_plugin_reason {
    /** sizeof(restway_plugin_reason), set by the caller. */
    size_t struct_size;
    /** NUL-terminated UTF-8; empty when nothing is known. */
    char text[512];
    /** Where in the bytes: line and column from 1, the offset from 0; all 0 when not known. Where
     *  a line is given the host's error says the place behind the text; bytes alone it does not. */
    int64_t line;
    int64_t column;
    int64_t byte_offset;
} restway_plugin_reason;

#ifdef __cplusplus
}
#endif

#endif
