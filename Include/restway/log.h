/** @file restway/log.h
 *  What the library has to say while it works. One log for the process; off until it is set.
 */
#ifndef RESTWAY_LOG_H
#define RESTWAY_LOG_H

#include "error.h"

RESTWAY_BEGIN_DECLS

/** How much a message matters. Frozen; append only. */
typedef enum RESTWAY_OPEN_ENUM restway_log_level {
    RESTWAY_LOG_OFF = 0,
    /** A call failed, or something was lost. */
    RESTWAY_LOG_ERROR = 1,
    /** Something is wrong but was dealt with. */
    RESTWAY_LOG_WARNING = 2,
    /** One line for each exchange. */
    RESTWAY_LOG_INFO = 3,
    /** Decisions on the way. */
    RESTWAY_LOG_DEBUG = 4,
    /** Not a level: pins the type to 32 bits. */
    RESTWAY_LOG_LEVEL_PIN_ = 0x7fffffff
} restway_log_level;

/** Receives one message.
 *
 *  @param level    A restway_log_level.
 *  @param category "transport", "routing", "mapping", "store", "client". Lives as long as the
 *                  process.
 *  @param message  UTF-8 without a line break at its end; holds no credential and no body.
 *                  *Borrowed* until this returns.
 *
 *  Runs on the thread that has something to say, several at a time; it must be quick and must not
 *  call this library. */
typedef void (*restway_log_fn)(
    void *context, restway_log_level level, const char *category, const char *message);

/** Sets the log of the process, in place of the one before.
 *
 *  @param level   Messages up to this level are given to @p log.
 *  @param log     NULL turns the log off.
 *  @param context Passed to @p log untouched.
 *  @param destroy Called once with @p context after the last message; may be NULL. On failure it is
 *                 not called.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  When this returns, the log that was set before runs no more, unless this is called inside it.
 *
 *  Threads: any. Blocks: until running messages of the log before have returned. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_log_set(
    restway_log_level level, restway_log_fn log, void *context, restway_destroy_fn destroy,
    restway_error **out_error);

RESTWAY_END_DECLS

#endif
