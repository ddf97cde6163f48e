/** @file restway/log.h
 *  The log of the library. The process has one log, which is off until it is set.
 */
#ifndef RESTWAY_LOG_H
#define RESTWAY_LOG_H

#include "error.h"

RESTWAY_BEGIN_DECLS

/** The importance of a message. Frozen; append only. */
typedef enum RESTWAY_OPEN_ENUM restway_log_level {
    RESTWAY_LOG_OFF = 0,
    /** A call failed, or something was lost. */
    RESTWAY_LOG_ERROR = 1,
    /** Something went wrong, but the library could continue. */
    RESTWAY_LOG_WARNING = 2,
    /** One line for each exchange. */
    RESTWAY_LOG_INFO = 3,
    /** Decisions that the library makes. */
    RESTWAY_LOG_DEBUG = 4,
    /** Not a level: pins the type to 32 bits. */
    RESTWAY_LOG_LEVEL_PIN_ = 0x7fffffff
} restway_log_level;

/** Receives one message.
 *
 *  @param level    A restway_log_level.
 *  @param category "transport", "routing", "mapping", "store", "client". Lives as long as the
 *                  process.
 *  @param message  UTF-8 without a line break at its end; it contains no credential and no body.
 *                  Control characters of the texts that it quotes are escaped (`\n`, `\u001b`). A
 *                  message has more than one line only if header lines follow, each indented by
 *                  four spaces. *Borrowed* until this returns.
 *
 *  The function runs on the thread that logs the message, and on several threads at the same time.
 *  It must be quick and must not call this library. */
typedef void (*restway_log_fn)(
    void *context, restway_log_level level, const char *category, const char *message);

/** Sets the log function of the process, in place of an earlier function.
 *
 *  @param level   @p log receives messages up to this level.
 *  @param log     NULL turns the log off.
 *  @param context Passed to @p log unchanged.
 *  @param destroy Called once with @p context after the last message; may be NULL. It is not called
 *                 when this fails.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  When this returns, the earlier function no longer runs, unless this is called inside it.
 *
 *  Threads: any. Blocks: until running calls of the earlier function have returned. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_log_set(
    restway_log_level level, restway_log_fn log, void *context, restway_destroy_fn destroy,
    restway_error **out_error);

RESTWAY_END_DECLS

#endif
