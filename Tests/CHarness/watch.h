/** @file watch.h
 *  An observer that stores its changes as text.
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
    /** The value of told_count when the context was destroyed. */
    int told_count_when_destroyed;
    /** The received changes, a line for each notice: "+1 ~2 -3", by the attribute `id`. */
    char notes[WATCH_NOTES_MAX][WATCH_NOTE_BYTES];
    /** The number of the notice in which the observer is removed; 0 never. */
    restway_observer *observer;
    int remove_at;
    int destroyed_inside;
};

void watch_begin(struct watch *watch);

/** A restway_changed_fn and a restway_destroy_fn; the context is a struct watch. */
void watch_changed(void *context, const restway_changes *changes);
void watch_destroy(void *context);

/** Writes @p changes as text. */
void watch_write(const restway_changes *changes, char *note);

/** Waits until @p count notices have run. */
void watch_wait_told(struct watch *watch, int count);

/** Waits until the context was destroyed: once, after the last notice. Frees its memory. */
void watch_expect_destroyed(struct watch *watch);

/** Returns whether the context was already destroyed. */
int watch_is_destroyed(struct watch *watch);

#endif
