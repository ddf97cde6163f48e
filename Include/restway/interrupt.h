/** @file restway/interrupt.h
 *  Ends the wait of a thread from a signal handler or from another thread.
 *
 *  A thread that waits in this library does not return because of a signal. A program that wants
 *  it to return (for Ctrl-C) gives the thread an interrupt, and raises the interrupt in its signal
 *  handler: the wait then returns RESTWAY_E_INTERRUPTED. The call goes on, so the program can
 *  cancel it or wait again.
 */
#ifndef RESTWAY_INTERRUPT_H
#define RESTWAY_INTERRUPT_H

#include "client.h"

RESTWAY_BEGIN_DECLS

/** Ends waits of the threads that use it. Reference counted; usable from any thread. */
typedef struct restway_interrupt restway_interrupt;

/** Makes an interrupt. It has two file descriptors, and a thread that ends with its last reference.
 *
 *  @param out_interrupt Receives a handle owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_OUT_OF_MEMORY (the system has no
 *          descriptor or thread left).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_interrupt_create(
    restway_interrupt **out_interrupt, restway_error **out_error);

/** Adds a reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_interrupt *restway_interrupt_retain(restway_interrupt *interrupt);

/** Gives back one reference. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_interrupt_release(restway_interrupt *interrupt);

/** Lets the waits of the calling thread end when @p interrupt is raised. These are the waits of
 *  restway_client_perform(), restway_client_perform_interruptibly(), restway_call_wait(),
 *  restway_batch_wait(), restway_pages_next(), restway_paged_list_load() and
 *  restway_client_process(); they then return RESTWAY_E_INTERRUPTED.
 *
 *  The call or the batch that the thread waited for goes on; only restway_client_perform(),
 *  restway_pages_next() and restway_paged_list_load(), which give no handle of their call, cancel
 *  it. restway_client_process() returns before the next notice; if notices have run before, it
 *  returns RESTWAY_OK with their number. A wait whose result is there already succeeds, and leaves
 *  the interrupt raised for the next wait.
 *
 *  @param interrupt Kept alive (+1) until the thread uses another one or ends; NULL lets no
 *                   interrupt end the waits of this thread.
 *  @return RESTWAY_OK, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_interrupt_use(
    restway_interrupt *interrupt, restway_error **out_error);

/** Raises an interrupt: the present wait of a thread that uses it ends, or else its next wait. That
 *  wait lowers the interrupt again. To raise an interrupt that is raised changes nothing. NULL is
 *  fine, and in a forked child the function does nothing to an interrupt of the parent.
 *
 *  Threads: any, but not in a signal handler: write to restway_interrupt_descriptor() there.
 *  Blocks: never. */
RESTWAY_API void restway_interrupt_raise(restway_interrupt *interrupt);

/** Returns a file descriptor: a byte that is written to it, whatever its value, raises the
 *  interrupt a moment later. It does not block, and write(2) is safe in signal handlers.
 *  *Borrowed*: never read or close it. -1 for NULL, and in a forked child.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API int32_t restway_interrupt_descriptor(const restway_interrupt *interrupt);

/** Sends a request and waits for its response, like restway_client_perform(). If an interrupt ends
 *  the wait, the program gets the call and can wait again.
 *
 *  @param out_call     Receives the call, owned by the caller (+1), if this returns
 *                      RESTWAY_E_INTERRUPTED, and otherwise NULL. It must not be NULL.
 *  @param out_response As in restway_client_perform().
 *  @return As restway_client_perform(), and RESTWAY_E_INTERRUPTED.
 *
 *  Threads: any. Blocks: until the call completes, the wait passes or the interrupt is raised. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_perform_interruptibly(
    restway_client *client, const restway_request *request, int64_t milliseconds,
    restway_call **out_call, restway_response **out_response, restway_error **out_error);

RESTWAY_END_DECLS

#endif
