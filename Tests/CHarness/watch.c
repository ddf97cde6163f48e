#include "watch.h"

#include <stdio.h>
#include <string.h>

void watch_begin(struct watch *watch) {
    memset(watch, 0, sizeof(*watch));
    pthread_mutex_init(&watch->lock, NULL);
    pthread_cond_init(&watch->changed, NULL);
}

void watch_write(const restway_changes *changes, char *note) {
    static const char signs[] = "?+~-";
    size_t used = 0;
    note[0] = '\0';
    for (size_t index = 0; index < restway_changes_count(changes); index++) {
        restway_change_kind kind = restway_changes_kind(changes, index);
        restway_object *object = restway_changes_object(changes, index);
        int length = snprintf(
            note + used, WATCH_NOTE_BYTES - used, "%s%c%d", index > 0 ? " " : "",
            signs[kind <= 3 ? kind : 0], (int)restway_object_int64(object, "id", 0));
        used += (size_t)length;
        if (used >= WATCH_NOTE_BYTES) {
            return;
        }
    }
}

void watch_changed(void *context, const restway_changes *changes) {
    struct watch *watch = context;
    pthread_mutex_lock(&watch->lock);
    if (watch->told_count < WATCH_NOTES_MAX) {
        watch_write(changes, watch->notes[watch->told_count]);
    }
    int count = ++watch->told_count;
    /* The observer may receive a change before the program has its handle. */
    while (watch->remove_at == count && watch->observer == NULL) {
        pthread_cond_wait(&watch->changed, &watch->lock);
    }
    restway_observer *observer = watch->remove_at == count ? watch->observer : NULL;
    pthread_cond_broadcast(&watch->changed);
    pthread_mutex_unlock(&watch->lock);
    if (observer != NULL) {
        restway_observer_remove(observer);
        pthread_mutex_lock(&watch->lock);
        watch->destroyed_inside = watch->destroyed_count;
        pthread_mutex_unlock(&watch->lock);
    }
}

void watch_destroy(void *context) {
    struct watch *watch = context;
    pthread_mutex_lock(&watch->lock);
    watch->destroyed_count++;
    watch->told_count_when_destroyed = watch->told_count;
    pthread_cond_broadcast(&watch->changed);
    pthread_mutex_unlock(&watch->lock);
}

void watch_wait_told(struct watch *watch, int count) {
    pthread_mutex_lock(&watch->lock);
    while (watch->told_count < count) {
        pthread_cond_wait(&watch->changed, &watch->lock);
    }
    pthread_mutex_unlock(&watch->lock);
}

void watch_expect_destroyed(struct watch *watch) {
    pthread_mutex_lock(&watch->lock);
    while (watch->destroyed_count == 0) {
        pthread_cond_wait(&watch->changed, &watch->lock);
    }
    int destroyed_count = watch->destroyed_count;
    int later_count = watch->told_count - watch->told_count_when_destroyed;
    pthread_mutex_unlock(&watch->lock);
    pthread_mutex_destroy(&watch->lock);
    pthread_cond_destroy(&watch->changed);
    assert_int_equal(destroyed_count, 1);
    assert_int_equal(later_count, 0);
}

int watch_is_destroyed(struct watch *watch) {
    pthread_mutex_lock(&watch->lock);
    int is_destroyed = watch->destroyed_count > 0;
    pthread_mutex_unlock(&watch->lock);
    return is_destroyed;
}
