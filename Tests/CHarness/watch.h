/** @file watch.h
 *  An observer that takes notes.
 */
#ifndef RESTWAY_HARNESS_WATCH_H
#define RESTWAY_HARNESS_WATCH_H

#include <pthread.h>

#include "harness.h"

enum { WATCH_NOTES_MAX = 64, WATCH_NOTE_BYTES = 64 };

/** The context of one observer, or of several. */
struct watch {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int told_count;
    int destroyed_count;
    /** told_count when the context was destroyed. */
    int told_count_when_destroyed;
    /** What was told, a line for each notice: "+1 ~2 -3", by the attribute `id`. */
    char notes[WATCH_NOTES_MAX][WATCH_NOTE_BYTES];
    /** Removed inside the notice number @p remove_at; 0 never. */
    restway_observer *observer;
    int remove_at;
    int destroyed_inside;
};

void watch_begin(struct watch *watch);

/** A restway_changed_fn and a restway_destroy_fn; the context is a struct watch. */
void watch_changed(void *context, const restway_changes *changes);
void watch_destroy(void *context);

/** Writes what @p changes are as a note. */
void watch_write(const restway_changes *changes, char *note);

/** Waits until @p count notices have come. */
void watch_wait_told(struct watch *watch, int count);

/** Waits until the context was destroyed: once, after the last notice. Its memory ends here. */
void watch_expect_destroyed(struct watch *watch);

/** Whether it has been destroyed already. */
int watch_is_destroyed(struct watch *watch);

#endif
