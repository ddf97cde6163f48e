/** @file restway/log.h
 *  The log of the library. The process has one log.
 *
 *  The log has a *target* for each part of the library that writes records: "auth", "cache",
 *  "client", "mapping", "outbox", "plugin", "retry", "routing", "store" and "transport". Each
 *  target has a level of its own. A text says the levels, the same text in the environment variable
 *  RESTWAY_LOG and in the functions below (docs/OPERATING.md):
 *
 *      warning                     all targets up to warnings
 *      warning,transport=debug     the target "transport" up to debug records, all others up to
 *                                  warnings
 *      outbox=info                 the target "outbox" up to info; nothing of the others
 *
 *  If RESTWAY_LOG is set in the environment, the library writes the records that the variable asks
 *  for to standard error, a line for each record.
 */
#ifndef RESTWAY_LOG_H
#define RESTWAY_LOG_H

#include "error.h"

RESTWAY_BEGIN_DECLS

/** The importance of a record. Frozen; append only. In texts, the levels are "off", "error",
 *  "warning", "info" and "debug". */
typedef enum RESTWAY_OPEN_ENUM restway_log_level {
    RESTWAY_LOG_OFF = 0,
    /** Something went wrong that the program does not learn in another way: a stored request became
     *  a dead letter and no function of the program is told, or a plugin broke its contract. A
     *  failed call is no error here, because the program gets its failure. */
    RESTWAY_LOG_ERROR = 1,
    /** Something went wrong, but the library could continue. */
    RESTWAY_LOG_WARNING = 2,
    /** One record for each call, whether it succeeds or fails, each retry and each request that the
     *  outbox stores or sends. */
    RESTWAY_LOG_INFO = 3,
    /** Decisions that the library makes. */
    RESTWAY_LOG_DEBUG = 4,
    /** Not a level: pins the type to 32 bits. */
    RESTWAY_LOG_LEVEL_PIN_ = 0x7fffffff
} restway_log_level;

/** One record of the log: 80 bytes. The layout is frozen. The texts are *borrowed* until the
 *  function that receives the record returns.
 *
 *  No text contains a credential or a body. Control characters of quoted texts are escaped (`\n`,
 *  `\u001b`). */
typedef struct restway_log_record {
    /** The part of the library that wrote the record, such as "transport". Lives as long as the
     *  process. */
    const char *target;
    /** UTF-8 without a line break at its end. It has more than one line only if header lines
     *  follow, each indented by four spaces. */
    const char *message;
    /** The method of the call; NULL if the record is about no call. */
    const char *method;
    /** The URL of the call without its query and without credentials; NULL if the record is about
     *  no call. */
    const char *url;
    /** The number of the call, as restway_call_id() returns it; 0 if the record is about no
     *  call. */
    uint64_t call_id;
    /** When the record was written, in microseconds since 1970-01-01T00:00:00Z. */
    int64_t time_microseconds;
    /** How long the call took, in a record about its end; otherwise -1. */
    int64_t milliseconds;
    /** The number of records before this one that were dropped, because more than 4096 records
     *  waited for the function. */
    uint64_t dropped;
    /** A restway_log_level. */
    uint32_t level;
    /** The HTTP status, in a record about an answer; otherwise 0. */
    int32_t http_status;
    /** The number of the attempt, from 1, in a record about a request that goes out; otherwise
     *  0. */
    uint32_t attempt;
    /** Always 0. */
    uint32_t reserved;
} restway_log_record;

/** Receives one record.
 *
 *  @param context As given to restway_log_set().
 *  @param record  *Borrowed* until this returns.
 *
 *  The function runs on a thread of its own, for one record after the other, in the order in which
 *  they were written. It may be slow: other threads do not wait for it. It may call the functions
 *  of this library; a function that would wait returns RESTWAY_E_WOULD_BLOCK. It should send no
 *  requests, because these write records again. */
typedef void (*restway_log_fn)(void *context, const restway_log_record *record);

/** Sets the log function of the process, in place of an earlier function. Lines that RESTWAY_LOG
 *  asks for are still written to standard error.
 *
 *  @param levels  The levels, as described above. *Copied.* Not read if @p log is NULL.
 *  @param log     Receives the records up to these levels. NULL removes the earlier function.
 *  @param context Passed to @p log unchanged.
 *  @param destroy Called once with @p context after the last record; may be NULL. It is not called
 *                 when this fails.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (a level or a target that does not exist; the
 *          message names it).
 *
 *  When this returns, the earlier function has received all records that were written before, and
 *  no longer runs. Inside a callback, this does not wait: the records that still wait for the
 *  earlier function are dropped.
 *
 *  A process that ends loses the records that wait. Call this with NULL, or restway_log_flush(),
 *  before the end to receive all of them.
 *
 *  Threads: any. Blocks: until the earlier function has received its records. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_log_set(
    const char *levels, restway_log_fn log, void *context, restway_destroy_fn destroy,
    restway_error **out_error);

/** Sets the levels of the present log function. Without a function this has no effect.
 *
 *  @param levels As in restway_log_set(). *Copied.*
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_log_set_levels(
    const char *levels, restway_error **out_error);

/** Waits until the log function has received all records that were written before.
 *
 *  @return RESTWAY_OK, RESTWAY_E_WOULD_BLOCK (inside a callback).
 *
 *  Threads: any. Blocks: until the log function has received these records. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_log_flush(restway_error **out_error);

RESTWAY_END_DECLS

#endif
